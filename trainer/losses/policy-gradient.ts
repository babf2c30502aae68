import type { LossConfig } from "@openforgerl/contracts/engine";

export interface PolicyGradientInput {
  /** Log-probability of each token under the policy that learns. */
  newLogprobs: Float32Array;
  /** … under the policy that sampled it. */
  oldLogprobs: Float32Array;
  advantages: Float32Array;
  /** 1 where the token is trained, else 0. All arrays have the same length. */
  mask: Float32Array;
  config: LossConfig;
  /** What sums are divided by; the number of trained tokens when left out. */
  tokens?: number;
}

/** Means over the trained tokens; with `tokens` given, this part's share of the mean. */
export interface PolicyGradientLoss {
  /** The surrogate to minimise, without the entropy bonus. */
  loss: number;
  /** Derivative of `loss` by each new log-probability; 0 where the mask is 0. */
  gradLogprobs: Float32Array;
  /** Estimate of KL(old || new): r - 1 - log r, never negative (Schulman's k3). */
  kl: number;
  /** Share of the tokens whose gradient the clip has cut off. */
  clipFraction: number;
  ratioMean: number;
}

/**
 * Per-token policy-gradient surrogates in closed form, with r = exp(new - old):
 * - `importance_sampling`: -r A
 * - `ppo`: -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A) (Schulman et al. 2017; separate bounds as in DAPO)
 */
export function policyGradientLoss(input: PolicyGradientInput): PolicyGradientLoss {
  const { newLogprobs, oldLogprobs, advantages, mask, config } = input;
  const count = input.tokens ?? mask.reduce((sum, bit) => sum + bit, 0);
  const gradLogprobs = new Float32Array(mask.length);
  const sums = { loss: 0, kl: 0, clipped: 0, ratio: 0 };
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] !== 1) continue;
    const advantage = advantages[t]!;
    const difference = newLogprobs[t]! - oldLogprobs[t]!;
    const ratio = Math.exp(difference);
    const bound = advantage > 0 ? 1 + config.clipHigh : 1 - config.clipLow;
    const isCut = config.name === "ppo" && (advantage > 0 ? ratio > bound : advantage < 0 && ratio < bound);
    sums.loss -= (isCut ? bound : ratio) * advantage;
    gradLogprobs[t] = isCut ? 0 : (-advantage * ratio) / count;
    sums.kl += ratio - 1 - difference;
    sums.clipped += isCut ? 1 : 0;
    sums.ratio += ratio;
  }
  const mean = (sum: number) => (count === 0 ? 0 : sum / count);
  return {
    loss: mean(sums.loss),
    gradLogprobs,
    kl: mean(sums.kl),
    clipFraction: mean(sums.clipped),
    ratioMean: mean(sums.ratio),
  };
}
