import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Trajectory } from "@openforgerl/contracts/trajectory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { episodeView, readEpisode } from "../../report/episode.ts";
import { readTrajectory } from "../../report/run-data.ts";
import { writeFixtureRun } from "../support/fixture-run.ts";

describe("an episode, frame by frame", () => {
  let dir: string;
  beforeAll(async () => {
    dir = join(await mkdtemp(join(tmpdir(), "forge-episode-")), "run");
    await writeFixtureRun(dir, { kind: "eval" });
  });
  afterAll(() => rm(join(dir, ".."), { recursive: true, force: true }));

  it("has each action with what the model said, and ends with the verdict", async () => {
    const episode = await readEpisode(dir, "eval-0-0");
    expect(episode?.frames.map(({ title }) => title)).toEqual([
      'Typed "mug" into [1] textbox "Search" and pressed Enter.',
      'Clicked [3] button "Add to cart".',
      "Double-clicked (500, 200).",
      'Dragged [4] text "Stoneware mug, 12.00" to (560, 120).',
      "Scrolled down 300 px.",
      "Ended with “The mug is in the cart.”.",
    ]);
    expect(episode?.frames.map(({ calls }) => calls.map(({ index }) => index))).toEqual([
      [0, 1],
      [2],
      [3],
      [4],
      [5],
      [6],
    ]);
    expect(episode?.frames[1]?.failure).toBe("Something lies over it. (covered)");
    expect(episode).toMatchObject({
      score: 1,
      reason: "The cart holds what was asked for.",
      callsMissing: null,
    });
  });

  it("has the recorded tokens with their log-probabilities and the weights' version", async () => {
    const episode = await readEpisode(dir, "eval-0-0");
    const call = episode?.frames[0]?.calls[1];
    expect(call?.parts).toEqual([
      { kind: "text", text: "I search for the mug first." },
      { kind: "tool", text: 'type_text {"text":"mug","mark":1,"submit":true}' },
    ]);
    expect(call?.tokens.map(([id]) => id)).toEqual([272, 273, 274, 275]);
    expect(call?.tokens.map(([, logprob]) => Number(logprob.toFixed(4)))).toEqual([-0.02, -0.4, -1.2, -0.01]);
    expect(call).toMatchObject({ policy: "12", incomplete: null, promptTokens: 3 });
  });

  it("says which picture is older than the last action", async () => {
    const whole = await readTrajectory(dir, "eval-0-0");
    if (!whole) throw new Error("the fixture has no such rollout");
    const stale = (trajectory: Trajectory) =>
      episodeView(trajectory, [], null).frames.map(({ isStale }) => isStale);
    expect(stale(whole)).toEqual([false, false, false, false, false, false]);
    const { screenshot: _, ...last } = whole.steps.at(-1)!;
    expect(stale({ ...whole, steps: [...whole.steps.slice(0, -1), last] })).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it("tells a fault instead of a verdict", async () => {
    const episode = await readEpisode(dir, "eval-2-4");
    expect(episode).toMatchObject({ score: null, stop: "environment_error" });
    expect(episode?.reason).toContain("The browser went away");
    expect(episode?.frames.at(-1)?.title).toBe("Broke off: environment fault.");
  });

  it("is shown without its calls where the recordings are gone", async () => {
    await rm(join(dir, "sessions"), { recursive: true });
    const episode = await readEpisode(dir, "eval-0-0");
    expect(episode?.frames).toHaveLength(6);
    expect(episode?.callsMissing).toContain("There is no session");
  });

  it("is nothing where there is no trajectory", async () => {
    expect(await readEpisode(dir, "no-such-rollout")).toBeUndefined();
  });
});
