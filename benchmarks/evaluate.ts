import type { Task } from "@openforgerl/contracts/task";
import type { RolloutPlan, RolloutSetting } from "@openforgerl/orchestrator/rollout";
import { type RunRolloutsOptions, runRollouts } from "@openforgerl/orchestrator/run-rollouts";
import type { RolloutServices } from "@openforgerl/orchestrator/services";
import { type RateSummary, summarise, summariseBy } from "./summary.ts";

/** The outcome of an evaluation: rates with intervals, and the rollouts that gave no score in their own column. */
export interface EvalResult {
  tasks: number;
  overall: RateSummary;
  byFamily: Record<string, RateSummary>;
  byLevel: Record<string, RateSummary>;
  /** Mean environment actions of a scored rollout. */
  meanSteps: number;
  wallSeconds: number;
}

/** What to evaluate. */
export interface EvalPlan {
  tasks: readonly Task[];
  /** Rollouts of each task. */
  repeats: number;
  seed: number;
}

/**
 * Rolls out every task and scores it. Rollouts that the run folder already holds are not done again, so an
 * interrupted evaluation continued with the same plan ends with the same result.
 * @throws ForgeError as `runRollouts` does.
 */
export async function evaluate(
  services: RolloutServices,
  setting: RolloutSetting,
  { tasks, repeats, seed }: EvalPlan,
  options: RunRolloutsOptions,
): Promise<EvalResult> {
  const began = performance.now();
  const plans: RolloutPlan[] = tasks.flatMap((task, i) =>
    Array.from({ length: repeats }, (_, repeat) => ({
      rolloutId: `eval-${String(i).padStart(4, "0")}-${repeat}`,
      task,
      seed: (seed * 1_000_003 + i * 1009 + repeat) % 2 ** 31,
      labels: { phase: "eval", repeat },
    })),
  );
  const lines = await runRollouts(services, setting, plans, options);
  await services.run.sync();
  const scored = lines.filter((line) => line.score !== null);
  return {
    tasks: tasks.length,
    overall: summarise(lines),
    byFamily: summariseBy(lines, (line) => line.family),
    byLevel: summariseBy(lines, (line) => String(line.level)),
    meanSteps: scored.reduce((sum, line) => sum + line.steps, 0) / Math.max(1, scored.length),
    wallSeconds: (performance.now() - began) / 1000,
  };
}
