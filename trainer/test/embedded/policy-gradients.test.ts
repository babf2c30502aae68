import type { Datum, LossConfig } from "@openforgerl/contracts/engine";
import { expect, test } from "vitest";
import { FloatMemory } from "../../embedded/autodiff/memory.ts";
import { Parameters } from "../../embedded/autodiff/parameters.ts";
import { Tape } from "../../embedded/autodiff/tape.ts";
import { collectDecisions, scoreGroup, type TokenTotals } from "../../embedded/batch-pass.ts";
import { createEmbeddedEngine } from "../../embedded/engine.ts";
import { EpisodeMemo } from "../../embedded/episode-memo.ts";
import { Decision } from "../../embedded/policy.ts";
import { PARAMETERS, type ParameterName } from "../../embedded/policy-parameters.ts";
import { regionFeatures } from "../../embedded/regions.ts";
import { SequenceReader } from "../../embedded/sequence.ts";
import { SIGHT, visionTrunk } from "../../embedded/vision.ts";
import type { LessonName } from "./support/lessons.ts";
import { datumOf, pictures, playGroup } from "./support/play.ts";
import { Draws } from "./support/random.ts";

// Unclipped, so that the loss has no kink where the check looks.
const LOSS: LossConfig = { name: "importance_sampling", clipLow: 0.2, clipHigh: 0.28, entropy: 0.05 };
const LESSONS: LessonName[] = ["colour", "form", "select", "code", "ask", "settings"];

/** Episodes of untrained weights, with made-up advantages, so that every head has been used. */
async function recordedData(): Promise<Datum[]> {
  const engine = createEmbeddedEngine({ seed: 3, readImage: async (sha) => pictures.get(sha)! });
  const data: Datum[] = [];
  for (const [i, lesson] of LESSONS.entries()) {
    const episodes = await playGroup(engine, lesson, 40 + i, 12, 100 * i);
    data.push(...episodes.map((episode, e) => datumOf(episode, ((e * 7) % 5) - 2)));
  }
  return data;
}

test("the gradient of the whole policy's loss agrees with finite differences, weight matrix by weight matrix", async () => {
  const data = await recordedData();
  const memory = new FloatMemory(96);
  const parameters = new Parameters<ParameterName>(memory, PARAMETERS, true);
  parameters.initialise(PARAMETERS, 3);
  // Heads that start at zero or nearly so would hide what lies below them.
  const draws = new Draws(9);
  for (let i = 0; i < parameters.weights.length; i++) parameters.weights[i]! += (draws.float() - 0.5) * 0.1;
  const reader = new SequenceReader(new EpisodeMemo());
  const noise = Uint8Array.from({ length: SIGHT.width * SIGHT.height * 3 }, () => draws.int(0, 255));
  const seen = { pixels: noise, regions: regionFeatures(noise, SIGHT.width, SIGHT.height) };

  const evaluate = (recording: boolean): number => {
    const { groups, tokens } = collectDecisions(reader, data);
    const totals: TokenTotals = { loss: 0, entropy: 0, kl: 0, clipFraction: 0, ratio: 0 };
    const logprobs = data.map((datum) => new Float32Array(datum.mask.length));
    for (const group of groups) {
      const mark = memory.mark();
      const tape = new Tape(memory, recording);
      const trunk = group.state.tools.has("click_at")
        ? visionTrunk(tape, parameters.tensors, seen)
        : undefined;
      const decision = new Decision(tape, parameters.tensors, group.state, trunk);
      scoreGroup(decision, group, { data, logprobs, tokens, loss: LOSS, totals });
      tape.backward();
      memory.release(mark);
    }
    return totals.loss;
  };

  evaluate(true);
  const untouched: string[] = [];
  for (const name of Object.keys(PARAMETERS) as ParameterName[]) {
    const { data: weights, grad } = parameters.tensors[name];
    const norm = Math.sqrt(grad.reduce((sum, value) => sum + value * value, 0));
    if (norm === 0) {
      untouched.push(name);
      continue;
    }
    const held = Float32Array.from(weights);
    const step = Math.min(0.02, 2e-3 / norm);
    const move = (by: number) => {
      for (let i = 0; i < weights.length; i++) weights[i] = held[i]! + (by * grad[i]!) / norm;
      return evaluate(false);
    };
    const slope = (move(step) - move(-step)) / (2 * step);
    weights.set(held);
    expect(slope / norm, name).toBeGreaterThan(0.95);
    expect(slope / norm, name).toBeLessThan(1.05);
  }
  // Only a dialog's answer is not part of these lessons.
  expect(untouched).toEqual(["acceptHead", "acceptBias"]);
});
