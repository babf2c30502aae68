import type { Sha256 } from "./content.ts";

/** A stretch of a model's input: text tokens, or an image with its count of placeholder tokens. */
export type ModelInputChunk =
  | { type: "text"; tokens: readonly number[] }
  | { type: "image"; sha256: Sha256; mediaType: string; length: number };

/**
 * One training example, in the shape of the Tinker API's Datum: `modelInput` is the sequence without its
 * last token, every array has its length T (image placeholders counted), and position t holds the
 * target that follows input position t.
 */
export interface Datum {
  modelInput: readonly ModelInputChunk[];
  /** Next token at each position. */
  targetTokens: Int32Array;
  /** Log-probability under the sampling policy; 0 where mask is 0. */
  logprobs: Float32Array;
  /** Advantage; 0 where mask is 0. */
  advantages: Float32Array;
  /** 1 where the target was sampled and is to be trained. */
  mask: Float32Array;
}

export type LossConfig = {
  name: "importance_sampling" | "ppo";
  /** Lower clip: ratios below 1 - clipLow stop contributing (ppo). */
  clipLow: number;
  /** Upper clip: ratios above 1 + clipHigh stop contributing (ppo). */
  clipHigh: number;
  /** Weight of the entropy bonus, per trained token. */
  entropy: number;
};

export interface AdamConfig {
  learningRate: number;
  beta1: number;
  beta2: number;
  eps: number;
  /** Global-norm gradient clip; 0 switches it off. */
  gradClip: number;
}

export interface ForwardResult {
  /** Per datum, log-probability of each target (0 where mask is 0), length T. */
  logprobs: Float32Array[];
  metrics: Record<string, number>;
}

export interface SampledSequence {
  tokens: number[];
  logprobs: number[];
  stopReason: "stop" | "length";
}

/** The verbs of the Tinker API. The training loop cannot tell implementations apart. */
export interface Engine {
  readonly modelName: string;
  /** Version of the weights that training has reached; a decimal count of optimiser steps published. */
  policyVersion(): string;
  /** Log-probabilities only. */
  forward(data: readonly Datum[]): Promise<ForwardResult>;
  /** Accumulates gradients; `metrics` has at least loss, entropy, kl, clipFraction (means per trained token). */
  forwardBackward(data: readonly Datum[], loss: LossConfig): Promise<ForwardResult>;
  /** Applies and clears the accumulated gradients; returns at least `gradNorm`. */
  optimStep(adam: AdamConfig): Promise<Record<string, number>>;
  /** Publishes the current weights to the sampler and returns the new policy version. */
  saveWeightsForSampler(): Promise<string>;
  /** Samples a completion of a prompt from the published weights. */
  sample(
    prompt: readonly ModelInputChunk[],
    options: { temperature: number; seed: number; maxTokens: number },
  ): Promise<SampledSequence>;
  /** Writes weights, optimiser state and policy version to a file, atomically and durably. */
  save(path: string): Promise<void>;
  /** Restores what `save` wrote and publishes it. */
  load(path: string): Promise<void>;
  close(): Promise<void>;
}
