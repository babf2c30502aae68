import type { Datum } from "@openforgerl/contracts/engine";
import { expect, test } from "vitest";
import { createEmbeddedEngine } from "../../embedded/engine.ts";
import type { LessonName } from "./support/lessons.ts";
import { evaluate, groupData, pictures, playGroup } from "./support/play.ts";

/** GRPO as the training loop does it, on made-up pages. */
async function learn(lesson: LessonName, steps: number) {
  const engine = createEmbeddedEngine({ seed: 1, readImage: async (sha) => pictures.get(sha)! });
  const before = await evaluate(engine, lesson, 60, 1);
  for (let step = 0; step < steps; step++) {
    const groups: Datum[][] = [];
    for (let g = 0; g < 16; g++) {
      const seed = step * 16 + g;
      groups.push(groupData(await playGroup(engine, lesson, seed, 8, seed * 8)));
    }
    for (const batch of [groups.filter((_, i) => i % 2 === 0), groups.filter((_, i) => i % 2 === 1)]) {
      await engine.forwardBackward(batch.flat(), {
        name: "ppo",
        clipLow: 0.2,
        clipHigh: 0.28,
        entropy: 0.02,
      });
      await engine.optimStep({ learningRate: 2e-3, beta1: 0.9, beta2: 0.99, eps: 1e-8, gradClip: 1 });
    }
    await engine.saveWeightsForSampler();
  }
  return { before, after: await evaluate(engine, lesson, 60, 0) };
}

test("clicks the named button among held-out names after a thousand episodes", async () => {
  const { before, after } = await learn("click", 10);
  expect(before).toBeLessThan(0.3);
  expect(after).toBeGreaterThan(0.9);
});

test("types the quoted words into the named field and sends them", async () => {
  const { before, after } = await learn("type", 40);
  expect(before).toBeLessThan(0.1);
  expect(after).toBeGreaterThan(0.9);
});
