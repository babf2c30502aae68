import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Datum, LossConfig } from "@openforgerl/contracts/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmbeddedEngine, type EmbeddedEngine } from "../../embedded/engine.ts";
import type { LessonName } from "./support/lessons.ts";
import { datumOf, type Episode, pictures, playGroup } from "./support/play.ts";

const LOSS: LossConfig = { name: "ppo", clipLow: 0.2, clipHigh: 0.28, entropy: 0.01 };
const ADAM = { learningRate: 2e-3, beta1: 0.9, beta2: 0.99, eps: 1e-8, gradClip: 1 };
const LESSONS: LessonName[] = ["colour", "form", "select", "shop", "ask", "code", "settings"];

const readImage = async (sha: string) => {
  const bytes = pictures.get(sha);
  if (!bytes) throw new Error(`no image ${sha}`);
  return bytes;
};
const makeEngine = (seed = 1) => createEmbeddedEngine({ seed, readImage });

async function play(engine: EmbeddedEngine, size = 4): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for (const [i, lesson] of LESSONS.entries()) {
    episodes.push(...(await playGroup(engine, lesson, 10 + i, size, i * 50)));
  }
  return episodes;
}

const alternate = (episodes: readonly Episode[]): Datum[] =>
  episodes.map((episode, i) => datumOf(episode, i % 2 === 0 ? 1 : -1));

async function trainTwice(engine: EmbeddedEngine): Promise<Float32Array[]> {
  const data = alternate(await play(engine));
  for (let i = 0; i < 2; i++) {
    await engine.forwardBackward(data, LOSS);
    await engine.optimStep(ADAM);
  }
  return (await engine.forward(data)).logprobs;
}

describe("log-probabilities", () => {
  test("recomputed from a recorded sequence are the sampled ones, bit by bit", async () => {
    // A second engine has to fetch and decode the images anew.
    const episodes = await play(makeEngine());
    const { logprobs } = await makeEngine().forward(alternate(episodes));
    episodes.forEach((episode, i) => {
      expect(episode.mask.includes(1)).toBe(true);
      episode.mask.slice(1).forEach((bit, t) => {
        expect(logprobs[i]![t]).toBe(bit === 1 ? Math.fround(episode.logprobs[t + 1]!) : 0);
      });
    });
  });

  test("are those of the published weights until the next publication", async () => {
    const engine = makeEngine();
    const [episode] = await playGroup(engine, "click", 3, 1, 5);
    const data = alternate([episode!]);
    await engine.forwardBackward(data, LOSS);
    await engine.optimStep(ADAM);
    const [again] = await playGroup(engine, "click", 3, 1, 5);
    expect(again!.logprobs).toEqual(episode!.logprobs);
    await engine.saveWeightsForSampler();
    const [later] = await playGroup(engine, "click", 3, 1, 5);
    expect(later!.logprobs).not.toEqual(episode!.logprobs);
  });

  test("of unsampled tokens are left out, and a span is trained once however often its prefix recurs", async () => {
    const engine = makeEngine();
    const [episode] = await playGroup(engine, "form", 8, 1, 2);
    const [datum] = alternate([episode!]);
    const none = { ...datum!, mask: new Float32Array(datum!.mask.length) };
    const { metrics } = await engine.forward([datum!, none]);
    expect(metrics.tokens).toBe(episode!.mask.filter((bit) => bit === 1).length);
  });
});

describe("sampling", () => {
  test("is a function of prompt, weights, temperature and seed", async () => {
    const engine = makeEngine();
    const [first] = await playGroup(engine, "shop", 4, 1, 77);
    await play(engine, 2);
    const [second] = await playGroup(makeEngine(), "shop", 4, 1, 77);
    expect(second).toEqual(first);
    const others = await playGroup(engine, "shop", 4, 6, 500);
    expect(new Set(others.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
  });

  test("draws choices as often as their probabilities say, and never more tokens than asked for", async () => {
    const engine = makeEngine();
    const [{ chunks }] = (await playGroup(engine, "click", 6, 1, 1)) as [Episode];
    const prompt = chunks.slice(0, -1);
    const counts = new Map<number, { seen: number; logprob: number }>();
    const draws = 3000;
    for (let seed = 0; seed < draws; seed++) {
      const { tokens, logprobs } = await engine.sample(prompt, { temperature: 1, seed, maxTokens: 1 });
      expect(tokens).toHaveLength(1);
      const entry = counts.get(tokens[0]!) ?? { seen: 0, logprob: logprobs[0]! };
      entry.seen++;
      counts.set(tokens[0]!, entry);
    }
    for (const { seen, logprob } of counts.values()) {
      const p = Math.exp(logprob);
      expect(Math.abs(seen / draws - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / draws));
    }
    const greedy = await engine.sample(prompt, { temperature: 0, seed: 1, maxTokens: 16 });
    expect(await engine.sample(prompt, { temperature: 0, seed: 2, maxTokens: 16 })).toEqual(greedy);
    const cold = await engine.sample(prompt, { temperature: 0.01, seed: 2, maxTokens: 16 });
    expect(cold.tokens).toEqual(greedy.tokens);
    expect(cold.logprobs[0]).toBeGreaterThan(greedy.logprobs[0]!);
  });
});

describe("training", () => {
  test("the same calls on the same data give the same bits", async () => {
    expect(await trainTwice(makeEngine())).toEqual(await trainTwice(makeEngine()));
    expect(await trainTwice(makeEngine(2))).not.toEqual(await trainTwice(makeEngine(1)));
  });

  test("makes rewarded completions likelier and punished ones less likely", async () => {
    const engine = makeEngine();
    const episodes = await playGroup(engine, "click", 12, 8, 30);
    const verbs = new Set(episodes.map(({ tokens }) => tokens.at(-2)));
    expect(verbs.size).toBeGreaterThan(1);
    const data = alternate(episodes);
    const before = (await engine.forward(data)).logprobs;
    const { metrics } = await engine.forwardBackward(data, LOSS);
    expect(metrics.kl).toBeCloseTo(0, 6);
    expect(metrics.entropy).toBeGreaterThan(0);
    expect(metrics.clipFraction).toBe(0);
    const { gradNorm } = await engine.optimStep(ADAM);
    expect(gradNorm).toBeGreaterThan(0);
    const after = (await engine.forward(data)).logprobs;
    const gain = data.reduce((sum, _, i) => {
      const change = after[i]!.reduce((total, logp, t) => total + logp - before[i]![t]!, 0);
      return sum + change * (i % 2 === 0 ? 1 : -1);
    }, 0);
    expect(gain).toBeGreaterThan(0);
  });

  test("gradients add up over calls and are cleared by a step", async () => {
    const engine = makeEngine();
    const data = alternate(await playGroup(engine, "type", 1, 4, 9));
    await engine.forwardBackward(data, LOSS);
    await engine.forwardBackward(data, LOSS);
    const both = (await engine.optimStep({ ...ADAM, learningRate: 0 })).gradNorm!;
    await engine.forwardBackward(data, LOSS);
    const one = (await engine.optimStep({ ...ADAM, learningRate: 0 })).gradNorm!;
    expect(both / one).toBeCloseTo(2, 4);
    expect((await engine.optimStep({ ...ADAM, learningRate: 0 })).gradNorm).toBe(0);
  });

  test("a token that the grammar forbids there is refused by name and place", async () => {
    const engine = makeEngine();
    const [episode] = await playGroup(engine, "click", 3, 1, 5);
    const [datum] = alternate([episode!]);
    const at = datum!.mask.indexOf(1);
    const targetTokens = Int32Array.from(datum!.targetTokens);
    targetTokens[at] = 272;
    const chunks = datum!.modelInput.slice(0, -1);
    const last = datum!.modelInput.at(-1)!;
    const tokens = last.type === "text" ? [272, ...last.tokens.slice(1)] : [];
    const broken = { ...datum!, targetTokens, modelInput: [...chunks, { type: "text" as const, tokens }] };
    await expect(engine.forward([broken])).rejects.toMatchObject({
      boundary: "trainer",
      code: "illegal_token",
    });
  });

  test("tokens that do not follow the template are refused", async () => {
    const sequence = { type: "text" as const, tokens: [1, 2, 3] };
    await expect(
      makeEngine().sample([sequence], { temperature: 1, seed: 1, maxTokens: 9 }),
    ).rejects.toMatchObject({ code: "bad_sequence" });
  });
});

describe("versions and checkpoints", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "embedded-engine-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test("a version is published updates, counted", async () => {
    const engine = makeEngine();
    expect(await engine.saveWeightsForSampler()).toBe("0");
    const data = alternate(await playGroup(engine, "type", 1, 4, 9));
    await engine.forwardBackward(data, LOSS);
    await engine.optimStep(ADAM);
    await engine.optimStep(ADAM);
    expect(engine.policyVersion()).toBe("1");
    expect(engine.publishedVersion()).toBe("0");
    expect(await engine.saveWeightsForSampler()).toBe("1");
    expect(await engine.saveWeightsForSampler()).toBe("1");
    expect(engine.publishedVersion()).toBe("1");
  });

  test("training goes on from a checkpoint as if it had not stopped", async () => {
    const engine = makeEngine();
    await trainTwice(engine);
    await engine.saveWeightsForSampler();
    const path = join(folder, "engine.bin");
    await engine.save(path);
    expect(await readdir(folder)).toEqual(["engine.bin"]);
    const resumed = makeEngine(99);
    await resumed.load(path);
    expect(resumed.policyVersion()).toBe("1");
    expect(await play(resumed, 2)).toEqual(await play(engine, 2));
    expect(await trainTwice(resumed)).toEqual(await trainTwice(engine));
  });

  test.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 5), "checkpoint_corrupt"],
    ["empty", () => Buffer.alloc(0), "checkpoint_corrupt"],
    ["another kind of file", () => Buffer.from("{}".repeat(50)), "checkpoint_corrupt"],
    [
      "one bit flipped",
      (bytes: Buffer) => {
        const copy = Buffer.from(bytes);
        copy[copy.length - 100]! ^= 1;
        return copy;
      },
      "checkpoint_corrupt",
    ],
    [
      "of another architecture",
      (bytes: Buffer) =>
        Buffer.from(bytes.toString("latin1").replace(/"architecture":"./, '"architecture":"z'), "latin1"),
      "checkpoint_mismatch",
    ],
  ])("a file that is %s is refused and changes nothing", async (_, damage, code) => {
    const path = join(folder, "engine.bin");
    await makeEngine(5).save(path);
    await writeFile(path, damage(await readFile(path)));
    const engine = makeEngine();
    await expect(engine.load(path)).rejects.toMatchObject({ boundary: "input", code });
    expect(await playGroup(engine, "click", 3, 2, 5)).toEqual(
      await playGroup(makeEngine(), "click", 3, 2, 5),
    );
  });

  test("a missing file and a folder that is not there are told apart from damage", async () => {
    const engine = makeEngine();
    await expect(engine.load(join(folder, "none"))).rejects.toMatchObject({ code: "checkpoint_unreadable" });
    await expect(engine.save(join(folder, "a", "b"))).rejects.toMatchObject({
      code: "checkpoint_write_failed",
    });
  });
});
