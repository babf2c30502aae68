import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import type { LearnMetrics } from "./learn.ts";

/** Mean score with its 95% interval, from a set of scored rollouts. */
export interface Rate {
  mean: number;
  interval: [number, number];
  n: number;
}

/** How a rate is estimated; a benchmark's statistics provide it. */
export type RateEstimator = (lines: readonly RolloutLine[]) => Rate;

/** One line of metrics.jsonl: the state of training after a step (step 0 is before any update). */
export interface StepMetrics extends Partial<LearnMetrics> {
  step: number;
  steps: number;
  /** Training episodes so far. */
  episodes: number;
  /** Seconds of work so far, over all processes that worked on the run. */
  wallSeconds: number;
  /** Where this step's seconds went. */
  seconds: { rollouts: number; learning: number; evaluation: number };
  policyVersion: string;
  /** Highest level of the curriculum that is open. */
  level: number;
  /** Mean score of the step's training episodes; null at step 0. */
  trainSuccess: number | null;
  /** Present at steps that were evaluated on the dev split. */
  devSuccess?: number;
  devInterval?: [number, number];
  devByFamily?: Record<string, { n: number; success: number }>;
  /** Largest policy-version lag of a trained token. */
  staleness: number;
  /** Training episodes a second while rolling out. */
  episodesPerSecond: number;
  /** Groups whose episodes all scored the same, and so taught nothing. */
  uniformGroups: number;
  /** Sampled tokens trained on. */
  tokens: number;
  /** Episodes without a score, training and evaluation. */
  invalid: number;
  /** Success by family among the step's training episodes. */
  byFamily: Record<string, { n: number; success: number }>;
}

/** Episodes and mean score by family; episodes without a score are left out. */
export function successByFamily(
  lines: readonly RolloutLine[],
): Record<string, { n: number; success: number }> {
  const families: Record<string, { n: number; success: number }> = {};
  for (const { family, score } of lines) {
    if (score === null) continue;
    const seen = families[family] ?? { n: 0, success: 0 };
    families[family] = { n: seen.n + 1, success: seen.success + (score - seen.success) / (seen.n + 1) };
  }
  return families;
}

/** Mean score; null when nothing was scored. */
export function meanScore(lines: readonly RolloutLine[]): number | null {
  const scores = lines.flatMap(({ score }) => (score === null ? [] : [score]));
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
