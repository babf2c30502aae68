import { asForgeError, ForgeError, shellWord } from "@openforgerl/contracts/errors";
import type { RolloutLine, Trajectory } from "@openforgerl/contracts/trajectory";
import { attemptRollout, type RolloutPlan, type RolloutSetting } from "./rollout.ts";
import type { RolloutServices } from "./services.ts";

/** Codes of faults in writing the records. The next rollout would meet the same, so the run stops. */
const RECORDING_FAULTS: ReadonlySet<string> = new Set(["disk_full", "record_failed"]);

/** How hard to try before a fault is reported instead of a score. */
export interface RetryPolicy {
  /** Leases tried for one rollout, the first included. */
  maxAttempts: number;
  /** Milliseconds before the second attempt; doubles with each further one. */
  backoffMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 3, backoffMs: 500 };

export interface RunRolloutsOptions {
  concurrency: number;
  signal: AbortSignal;
  retry?: RetryPolicy;
  /** Called as each rollout ends (also for those that the run folder already holds). */
  onRollout?(line: RolloutLine): void;
}

/**
 * Does every rollout of `plans`, `concurrency` at a time, skipping those the run folder already holds.
 * A rollout that ends without a score after its last attempt is a line with `score: null` and its fault.
 * @returns the lines in the order of `plans`.
 * @throws ForgeError runtime/cancelled when the signal aborts (finished rollouts are kept);
 * runtime/disk_full, proxy/disk_full or proxy/record_failed when a record can't be written.
 */
export async function runRollouts(
  services: RolloutServices,
  setting: RolloutSetting,
  plans: readonly RolloutPlan[],
  options: RunRolloutsOptions,
): Promise<RolloutLine[]> {
  const lines = new Array<RolloutLine>(plans.length);
  // One failure to record stops the other workers too: they would lose their work the same way.
  const halt = new AbortController();
  const signal = AbortSignal.any([options.signal, halt.signal]);
  let next = 0;

  const worker = async () => {
    while (next < plans.length && !signal.aborted) {
      const at = next++;
      const plan = plans[at];
      if (!plan) return;
      const line = services.run.finished.get(plan.rolloutId) ?? (await finishRollout(plan));
      if (!line) return;
      lines[at] = line;
      options.onRollout?.(line);
    }
  };

  const finishRollout = async (plan: RolloutPlan): Promise<RolloutLine | undefined> => {
    const trajectory = await retry(services, setting, plan, options.retry ?? DEFAULT_RETRY, signal);
    const { fault } = trajectory;
    if (fault && RECORDING_FAULTS.has(fault.code)) throw new ForgeError(fault);
    if (fault?.code === "cancelled" || signal.aborted) return undefined;
    const line = toLine(trajectory, plan);
    await services.run.finish(trajectory, line);
    return line;
  };

  const workers = Array.from({ length: Math.min(options.concurrency, plans.length) }, () =>
    worker().catch((error: unknown) => {
      halt.abort();
      throw error;
    }),
  );
  const results = await Promise.allSettled(workers);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) {
    throw asForgeError(failed.reason, {
      boundary: "runtime",
      code: "record_failed",
      advice: "Continue with `forge resume` once the cause is mended.",
    });
  }
  if (options.signal.aborted) {
    throw new ForgeError({
      boundary: "runtime",
      code: "cancelled",
      message: "The run was interrupted; everything finished so far is kept.",
      advice: `Continue it with \`forge resume ${shellWord(services.run.dir)}\`.`,
    });
  }
  return lines;
}

/** Tries until there is a verdict, the fault is not worth a retry, or the attempts are used up. */
async function retry(
  services: RolloutServices,
  setting: RolloutSetting,
  plan: RolloutPlan,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<Trajectory> {
  // A resumed run goes on counting where the interrupted one stopped.
  const before = await services.run.attempts(plan.rolloutId);
  for (let tried = 1; ; tried++) {
    const trajectory = await attemptRollout(services, setting, plan, before + tried, signal);
    if (!trajectory.fault?.retryable || tried >= policy.maxAttempts || signal.aborted) return trajectory;
    await services.run.keepAttempt(trajectory);
    await pause(policy.backoffMs * 2 ** (tried - 1), signal);
  }
}

function toLine(trajectory: Trajectory, plan: RolloutPlan): RolloutLine {
  const { task } = trajectory;
  return {
    schemaVersion: 1,
    rolloutId: trajectory.rolloutId,
    taskId: task.id,
    family: task.family,
    level: task.level,
    split: task.split,
    seed: trajectory.seed,
    attempt: trajectory.attempt,
    stopReason: trajectory.stopReason,
    score: trajectory.verdict?.score ?? null,
    fault: trajectory.fault ?? null,
    steps: trajectory.steps.filter((step) => step.action).length,
    calls: trajectory.session.calls,
    wallMs: Date.parse(trajectory.endedAt) - Date.parse(trajectory.startedAt),
    sessionId: trajectory.sessionId,
    labels: plan.labels,
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}
