import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseInput } from "@openforgerl/contracts/errors";
import { type RolloutLine, Trajectory } from "@openforgerl/contracts/trajectory";
import { type RunHeader, readRolloutLines, readRunHeader } from "@openforgerl/orchestrator/run-folder";
import { z } from "zod";

/** What the report reads of a line of metrics.jsonl; a trainer may write more. */
export const MetricsLine = z.object({
  step: z.int().nonnegative(),
  /** Steps that the run is to have. */
  steps: z.int().optional(),
  episodes: z.int().nonnegative(),
  wallSeconds: z.number().nonnegative(),
  /** Mean score of the step's training episodes; null where there were none. */
  trainSuccess: z.number().nullable().optional(),
  devSuccess: z.number().optional(),
  devInterval: z.tuple([z.number(), z.number()]).optional(),
  devByLevel: z.record(z.string(), z.object({ success: z.number() })).optional(),
  entropy: z.number().optional(),
  kl: z.number().optional(),
  /** Largest policy-version lag of a trained token. */
  staleness: z.number().optional(),
  episodesPerSecond: z.number().optional(),
});
export type MetricsLine = z.infer<typeof MetricsLine>;

/** A run as it stands on disk, which may still be growing. */
export interface RunData {
  dir: string;
  header: RunHeader;
  /** In the order in which they ended. */
  rollouts: RolloutLine[];
  /** One a training step, in order; empty for an evaluation. */
  metrics: MetricsLine[];
}

/**
 * Reads what a report needs of a run, its trajectories left out.
 * @throws ForgeError input/no_run, input/bad_input naming the file and line.
 */
export async function readRun(dir: string): Promise<RunData> {
  const header = await readRunHeader(dir);
  const [rollouts, metrics] = await Promise.all([readRolloutLines(dir), readMetrics(dir)]);
  return { dir, header, rollouts, metrics };
}

/**
 * Reads one finished rollout; undefined where its trajectory is not in the folder.
 * @throws ForgeError input/bad_input where the file is no trajectory.
 */
export async function readTrajectory(dir: string, rolloutId: string): Promise<Trajectory | undefined> {
  const path = join(dir, "trajectories", rolloutId, "trajectory.json");
  if (!existsSync(path)) return undefined;
  return parseInput(Trajectory, parseJson(await readFile(path, "utf8")), path);
}

async function readMetrics(dir: string): Promise<MetricsLine[]> {
  const path = join(dir, "metrics.jsonl");
  if (!existsSync(path)) return [];
  // What follows the last newline is empty, or a line still being written.
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map((line, i) => parseInput(MetricsLine, parseJson(line), `${path}:${i + 1}`));
}

/** Text that is no JSON becomes a value that no schema accepts, so that the error names the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
