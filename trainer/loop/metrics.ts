import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ForgeError, shellWord } from "@openforgerl/contracts/errors";
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
  devByFamily?: SuccessTable;
  devByLevel?: SuccessTable;
  /** Largest policy-version lag of a trained token. */
  staleness: number;
  /** Training episodes a second while rolling out; 0 where all were there from before an interruption. */
  episodesPerSecond: number;
  /** Groups whose episodes all scored the same, and so taught nothing. */
  uniformGroups: number;
  /** Sampled tokens trained on. */
  tokens: number;
  /** Episodes without a score, training and evaluation. */
  invalid: number;
  /** Success by family among the step's training episodes. */
  byFamily: SuccessTable;
}

/** Scored episodes and their mean score, by some key. */
export type SuccessTable = Record<string, { n: number; success: number }>;

/** A step's metrics with its evaluation. */
export type EvaluatedStep = StepMetrics &
  Required<Pick<StepMetrics, "devSuccess" | "devInterval" | "devByFamily" | "devByLevel">>;

/**
 * The newest evaluated step of a run's metrics.jsonl.
 * @throws ForgeError input/no_evaluation when the run has none yet.
 */
export async function lastEvaluation(runDir: string): Promise<EvaluatedStep> {
  const path = join(runDir, "metrics.jsonl");
  const text = await readFile(path, "utf8").catch(() => "");
  const evaluated = text
    .split("\n")
    .filter((line) => line.includes('"devSuccess"'))
    .at(-1);
  if (evaluated === undefined) {
    throw new ForgeError({
      boundary: "input",
      code: "no_evaluation",
      message: `${path} holds no evaluated step.`,
      advice: `Let the run get that far: \`forge resume ${shellWord(runDir)}\`. If it has ended and lost the file, remove its newest folder in checkpoints/ first: that step is then measured again.`,
    });
  }
  return JSON.parse(evaluated);
}

/** Episodes and mean score by family or by level; episodes without a score are left out. */
export function successBy(key: "family" | "level", lines: readonly RolloutLine[]): SuccessTable {
  const scores = Object.groupBy(
    lines.filter(({ score }) => score !== null),
    (line) => String(line[key]),
  );
  const table: SuccessTable = {};
  for (const [name, group = []] of Object.entries(scores)) {
    table[name] = { n: group.length, success: meanScore(group) ?? 0 };
  }
  return table;
}

/** Mean score; null when nothing was scored. */
export function meanScore(lines: readonly RolloutLine[]): number | null {
  const scores = lines.flatMap(({ score }) => (score === null ? [] : [score]));
  return scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
