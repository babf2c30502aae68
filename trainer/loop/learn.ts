import type { Datum, Engine } from "@openforgerl/contracts/engine";
import type { TrainConfig } from "./config.ts";
import type { Batch } from "./groups.ts";

/** What one step's updates did, averaged over its optimiser updates where not said otherwise. */
export interface LearnMetrics {
  loss: number;
  entropy: number;
  /** Estimate of KL(sampling policy || current policy), per trained token, at the last pass. */
  kl: number;
  clipFraction: number;
  gradNorm: number;
  /**
   * Largest difference between a recorded log-probability and the engine's own before any update: what the
   * recording lost. NaN when the batch was empty.
   */
  logprobDrift: number;
}

/**
 * Several passes of clipped policy-gradient updates over one batch (PPO's surrogate with GRPO's advantages).
 * @param batch its groups stay whole, and are dealt to the minibatches in turn.
 * @param progress share of the run's steps done, 0 to 1.
 */
export async function learn(
  engine: Engine,
  batch: Pick<Batch, "groups" | "failed">,
  config: TrainConfig,
  progress: number,
): Promise<LearnMetrics> {
  const now = ([from, to]: readonly [number, number]) => from + (to - from) * progress;
  const loss = {
    name: "ppo",
    clipLow: config.clipLow,
    clipHigh: config.clipHigh,
    entropy: now(config.entropy),
  } as const;
  const adam = {
    learningRate: now(config.learningRate),
    beta1: 0.9,
    beta2: 0.99,
    eps: 1e-8,
    gradClip: config.gradClip,
  };
  const minibatches = deal(batch.groups, config.minibatches);
  const failed = deal(batch.failed, config.minibatches);
  const sums: Record<string, number> = {};
  let updates = 0;
  let drift = Number.NaN;
  let kl = 0;

  for (let epoch = 0; epoch < config.epochs; epoch++) {
    kl = 0;
    for (const [i, minibatch] of minibatches.entries()) {
      const lost = failed[i] ?? [];
      if (minibatch.length + lost.length === 0) continue;
      let metrics: Record<string, number> = {};
      if (minibatch.length > 0) {
        const result = await engine.forwardBackward(minibatch, loss);
        if (updates === 0) drift = largestDrift(minibatch, result.logprobs);
        metrics = result.metrics;
      }
      if (lost.length > 0) await engine.forwardBackward(lost, { ...loss, entropy: config.exploration });
      const stepped = await engine.optimStep(adam);
      for (const [name, value] of Object.entries({ ...metrics, ...stepped })) {
        sums[name] = (sums[name] ?? 0) + value;
      }
      kl += (metrics.kl ?? 0) / minibatches.length;
      updates++;
    }
  }
  const mean = (name: string) => (updates === 0 ? 0 : (sums[name] ?? 0) / updates);
  return {
    loss: mean("loss"),
    entropy: mean("entropy"),
    kl,
    clipFraction: mean("clipFraction"),
    gradNorm: mean("gradNorm"),
    logprobDrift: drift,
  };
}

function deal(groups: ReadonlyArray<readonly Datum[]>, count: number): Datum[][] {
  const hands: Datum[][] = Array.from({ length: count }, () => []);
  groups.forEach((group, i) => {
    hands[i % hands.length]?.push(...group);
  });
  return hands;
}

function largestDrift(data: readonly Datum[], logprobs: readonly Float32Array[]): number {
  let largest = 0;
  data.forEach((datum, i) => {
    const recomputed = logprobs[i];
    if (!recomputed) return;
    for (let t = 0; t < datum.mask.length; t++) {
      if (datum.mask[t] === 1)
        largest = Math.max(largest, Math.abs((recomputed[t] ?? 0) - (datum.logprobs[t] ?? 0)));
    }
  });
  return largest;
}
