import type { LossConfig } from "@openforgerl/contracts/engine";
import { expect, test } from "vitest";
import { policyGradientLoss } from "../../losses/policy-gradient.ts";

const PPO: LossConfig = { name: "ppo", clipLow: 0.2, clipHigh: 0.28, entropy: 0 };

/** Four tokens whose ratios are 1.5, 1.5, 0.5 and 0.5, with advantages 2, -1, 3 and -2; a fifth is not trained. */
function input(config: LossConfig, tokens?: number) {
  const ratios = [1.5, 1.5, 0.5, 0.5, 9];
  return {
    newLogprobs: Float32Array.from(ratios, (ratio) => Math.log(ratio) - 1),
    oldLogprobs: new Float32Array(5).fill(-1),
    advantages: Float32Array.of(2, -1, 3, -2, 5),
    mask: Float32Array.of(1, 1, 1, 1, 0),
    config,
    ...(tokens === undefined ? {} : { tokens }),
  };
}

test("importance sampling: loss -rA and gradient -rA, as means over the trained tokens", () => {
  const loss = policyGradientLoss(input({ ...PPO, name: "importance_sampling" }));
  // -(1.5*2 + 1.5*-1 + 0.5*3 + 0.5*-2) / 4
  expect(loss.loss).toBeCloseTo(-0.5, 6);
  expectClose(loss.gradLogprobs, [-0.75, 0.375, -0.375, 0.25, 0]);
  expect(loss.clipFraction).toBe(0);
  expect(loss.ratioMean).toBeCloseTo(1, 6);
});

test("ppo cuts the gradient beyond the bound on the side the advantage pushes to", () => {
  const loss = policyGradientLoss(input(PPO));
  // Cut: 1.5 > 1.28 with A = 2, and 0.5 < 0.8 with A = -2: -(1.28*2 + 1.5*-1 + 0.5*3 + 0.8*-2) / 4
  expect(loss.loss).toBeCloseTo(-0.24, 6);
  expectClose(loss.gradLogprobs, [0, 0.375, -0.375, 0, 0]);
  expect(loss.clipFraction).toBe(0.5);
});

test("kl is the mean of r - 1 - log r", () => {
  const { kl } = policyGradientLoss(input(PPO));
  expect(kl).toBeCloseTo((2 * (0.5 - Math.log(1.5)) + 2 * (-0.5 - Math.log(0.5))) / 4, 6);
});

test("parts of a batch with the batch's token count add up to the whole", () => {
  const whole = policyGradientLoss(input(PPO));
  const { newLogprobs, oldLogprobs, advantages, mask, config } = input(PPO);
  const parts = [0, 1, 2, 3, 4].map((t) =>
    policyGradientLoss({
      newLogprobs: newLogprobs.subarray(t, t + 1),
      oldLogprobs: oldLogprobs.subarray(t, t + 1),
      advantages: advantages.subarray(t, t + 1),
      mask: mask.subarray(t, t + 1),
      config,
      tokens: 4,
    }),
  );
  expect(parts.reduce((sum, part) => sum + part.loss, 0)).toBeCloseTo(whole.loss, 6);
  expectClose(
    Float32Array.from(parts, (part) => part.gradLogprobs[0]!),
    [...whole.gradLogprobs],
  );
});

test("nothing trained gives zeros", () => {
  const loss = policyGradientLoss({ ...input(PPO), mask: new Float32Array(5) });
  expect(loss).toEqual({
    loss: 0,
    gradLogprobs: new Float32Array(5),
    kl: 0,
    clipFraction: 0,
    ratioMean: 0,
  });
});

function expectClose(found: Float32Array, wanted: readonly number[]): void {
  expect(found.length).toBe(wanted.length);
  wanted.forEach((value, i) => {
    expect(found[i]).toBeCloseTo(value, 5);
  });
}
