// Development script: learning curves on the made-up lessons.
// node --conditions=openforgerl trainer/test/embedded/support/tune.ts --lessons click --steps 40 --groups 16 --size 8
import { parseArgs } from "node:util";
import { createEmbeddedEngine } from "../../../embedded/engine.ts";
import type { LessonName } from "./lessons.ts";
import { evaluate, groupData, pictures, playGroup } from "./play.ts";

const { values } = parseArgs({
  options: {
    lessons: { type: "string", default: "click" },
    steps: { type: "string", default: "40" },
    groups: { type: "string", default: "16" },
    size: { type: "string", default: "8" },
    epochs: { type: "string", default: "2" },
    minibatches: { type: "string", default: "2" },
    lr: { type: "string", default: "0.002" },
    lrEnd: { type: "string", default: "0.002" },
    entropy: { type: "string", default: "0.02" },
    entropyEnd: { type: "string", default: "0.005" },
    beta2: { type: "string", default: "0.99" },
    clip: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    every: { type: "string", default: "10" },
    evals: { type: "string", default: "60" },
    unsolved: { type: "string", default: "0.4" },
    explore: { type: "string", default: "0.05" },
    kl: { type: "string", default: "100" },
    open: { type: "string", default: "1" },
    show: { type: "string", default: "0" },
  },
});
const number = (name: keyof typeof values) => Number(values[name]);
const lessons = values.lessons.split(",") as LessonName[];
const engine = createEmbeddedEngine({
  seed: number("seed"),
  readImage: async (sha) => pictures.get(sha)!,
});
let open = number("open");
const running = new Map<LessonName, number>();
let episodes = 0;
let state = number("seed") * 7777 + 1;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const began = performance.now();
let learnMs = 0;
for (let step = 1; step <= number("steps"); step++) {
  const data = [];
  const lost = [];
  const available = lessons.slice(0, open);
  for (let group = 0; group < number("groups"); group++) {
    const weights = available.map((name) => {
      const p = running.get(name);
      const floor = p !== undefined && p < 0.5 ? number("unsolved") : 0.05;
      return p === undefined ? 1 : floor + (1 - floor) * 4 * p * (1 - p);
    });
    let left = random() * weights.reduce((a, b) => a + b, 0);
    let pick = 0;
    while (pick < available.length - 1 && left > weights[pick]!) left -= weights[pick++]!;
    const lesson = available[pick]!;
    const played = await playGroup(
      engine,
      lesson,
      Math.floor(random() * 2 ** 30),
      number("size"),
      Math.floor(random() * 2 ** 30),
    );
    episodes += played.length;
    const mean = played.reduce((sum, episode) => sum + episode.reward, 0) / played.length;
    running.set(lesson, running.has(lesson) ? running.get(lesson)! * 0.8 + 0.2 * mean : mean);
    if (mean === 0) lost.push(groupData(played));
    else if (mean < 1) data.push(groupData(played));
  }
  if (
    available.reduce((sum, name) => sum + (running.get(name) ?? 0), 0) / available.length > 0.7 &&
    open < lessons.length
  )
    open++;
  const start = performance.now();
  let kl = 0;
  let entropy = 0;
  let norm = 0;
  const count = Math.min(number("minibatches"), Math.max(data.length, lost.length));
  const progress = step / number("steps");
  for (let epoch = 0; epoch < number("epochs") && kl < number("kl"); epoch++) {
    for (let m = 0; m < count; m++) {
      const batch = data.filter((_, i) => i % count === m).flat();
      if (batch.length > 0) {
        const { metrics } = await engine.forwardBackward(batch, {
          name: "ppo",
          clipLow: 0.2,
          clipHigh: 0.28,
          entropy: number("entropy") * (1 - progress) + number("entropyEnd") * progress,
        });
        kl = metrics.kl!;
        entropy = metrics.entropy!;
      }
      const failed = lost.filter((_, i) => i % count === m).flat();
      if (failed.length > 0) {
        await engine.forwardBackward(failed, {
          name: "ppo",
          clipLow: 0.2,
          clipHigh: 0.28,
          entropy: number("explore"),
        });
      }
      norm = (
        await engine.optimStep({
          learningRate: number("lr") * (1 - progress) + number("lrEnd") * progress,
          beta1: 0.9,
          beta2: number("beta2"),
          eps: 1e-8,
          gradClip: number("clip"),
        })
      ).gradNorm!;
    }
  }
  await engine.saveWeightsForSampler();
  learnMs += performance.now() - start;
  if (step % number("every") === 0 || step === number("steps")) {
    const rates: string[] = [];
    let mean = 0;
    for (const lesson of lessons.slice(0, open)) {
      const greedy = await evaluate(engine, lesson, number("evals"), 0);
      const sampled = await evaluate(engine, lesson, number("evals"), 1);
      mean += greedy / lessons.length;
      rates.push(`${lesson} ${(greedy * 100).toFixed(0)}/${(sampled * 100).toFixed(0)}`);
    }
    console.log(
      `step ${step} episodes ${episodes} ${((performance.now() - began) / 1000).toFixed(0)} s (learn ${(learnMs / 1000).toFixed(0)}) groups ${data.length}+${lost.length} kl ${kl.toFixed(3)} H ${entropy.toFixed(2)} |g| ${norm.toFixed(2)}  MEAN ${(mean * 100).toFixed(0)}  ${rates.join("  ")}`,
    );
  }
}
let shown = number("show");
for (const lesson of lessons) {
  await evaluate(engine, lesson, 40, 0, (episode, world) => {
    if (episode.reward === 0 && shown-- > 0)
      console.log(world.instruction, "\n   ", episode.actions.join("\n    "));
  });
}
