import type { Environment } from "@openforgerl/contracts/environment";
import { asForgeError, type Fault, type ForgeError } from "@openforgerl/contracts/errors";
import type { HarnessAdapter, HarnessInstallation, HarnessOutcome } from "@openforgerl/contracts/harness";
import type { Lease } from "@openforgerl/contracts/lease";
import type { SessionGrant, SessionReport } from "@openforgerl/contracts/session";
import type { StopReason } from "@openforgerl/contracts/stop-reason";
import type { Task } from "@openforgerl/contracts/task";
import type { Step, Trajectory, Versions } from "@openforgerl/contracts/trajectory";
import type { Judge, Verdict } from "@openforgerl/contracts/verdict";
import type { StepEvent } from "@openforgerl/environments/mcp/server";
import type { RolloutServices } from "./services.ts";

/** One rollout to do: (task, seed, harness, policy) with labels for whoever reads the run later. */
export interface RolloutPlan {
  /** Unique in the run, the same on every resume. */
  rolloutId: string;
  task: Task;
  /** Which member of its group; also the base of the sampling seed. */
  seed: number;
  labels: Record<string, string | number>;
}

/** What all rollouts of a batch share. */
export interface RolloutSetting {
  harness: HarnessAdapter;
  installation: HarnessInstallation;
  /** Model name the harness is given. */
  modelName: string;
  policyVersion?: string;
  temperature?: number;
  judge: Judge;
  /** Keep the screenshot after the last permitted action (costs one capture an episode). */
  finalScreenshot: boolean;
  versions: Versions;
}

/**
 * Lives one attempt of one rollout from lease to sealed record (DESIGN.md 2). Never rejects for a fault of
 * infrastructure: that is data, in `fault`. The caller decides on retries.
 */
export async function attemptRollout(
  services: RolloutServices,
  setting: RolloutSetting,
  plan: RolloutPlan,
  attempt: number,
  cancel: AbortSignal,
): Promise<Trajectory> {
  const { task } = plan;
  const startedAt = new Date();
  const steps: Step[] = [];
  let lease: Lease | undefined;
  let environment: Environment | undefined;
  let grant: SessionGrant | undefined;
  let outcome: HarnessOutcome | undefined;
  let verdict: Verdict | undefined;
  let fault: Fault | undefined;
  let stopReason: StopReason = "harness_error";

  try {
    lease = await services.backend.acquire(plan.rolloutId, cancel);
    environment = await services.environments.open(task.environment);
    grant = await services.proxy.createSession({
      maxCalls: task.limits.maxCalls,
      sampling: { temperature: setting.temperature, seed: plan.seed },
      metadata: {
        rollout: plan.rolloutId,
        task: task.id,
        attempt,
        ...(setting.policyVersion === undefined ? {} : { policyVersion: setting.policyVersion }),
      },
    });
    const opened = environment;
    outcome = await runHarness(services, setting, plan, { lease, environment: opened, grant, steps, cancel });
    stopReason = outcome.stopReason;
    fault = faultOf(outcome);
    if (!fault) {
      verdict = await setting.judge.judge({
        task,
        answer: outcome.answer,
        steps,
        probe: (query) => opened.probe(query),
      });
    }
  } catch (thrown) {
    const error = asForgeError(thrown, {
      boundary: "runtime",
      code: "rollout_failed",
      advice: "This is a fault of the orchestrator; set FORGE_DEBUG=1 and report the stack.",
    });
    fault = error.toFault();
    // Where the harness had ended by itself, the fault is the judge's and says nothing of how it ended.
    if (outcome === undefined) stopReason = stopReasonOf(error, cancel);
  } finally {
    // The environment closes first: a harness that outlived its deadline must find nothing to act on.
    await environment?.close().catch(() => {});
    if (fault && outcome) {
      // They are gone with the lease. A failure to copy them must not hide the fault that they explain.
      await services.run.keepTranscripts(plan.rolloutId, attempt, outcome.transcripts).catch(() => {});
    }
    await lease?.release().catch(() => {});
  }

  let session: SessionReport = EMPTY_REPORT;
  if (grant) {
    try {
      session = await services.proxy.sealSession(grant.id);
    } catch (thrown) {
      // Without a durable record there is nothing to trust, whatever the judge said.
      verdict = undefined;
      fault = asForgeError(thrown, {
        boundary: "proxy",
        code: "seal_failed",
        advice: "Look at the disk of the run folder.",
      }).toFault();
    }
  }

  return {
    schemaVersion: 1,
    rolloutId: plan.rolloutId,
    task,
    seed: plan.seed,
    attempt,
    startedAt: startedAt.toISOString(),
    endedAt: new Date().toISOString(),
    stopReason,
    ...(outcome?.answer === undefined ? {} : { answer: outcome.answer }),
    steps,
    sessionId: grant?.id ?? "",
    session,
    ...(verdict ? { verdict } : {}),
    ...(fault ? { fault } : {}),
    versions: withPolicy(setting),
  };
}

interface Episode {
  lease: Lease;
  environment: Environment;
  grant: SessionGrant;
  steps: Step[];
  cancel: AbortSignal;
}

/** Runs the harness under our own limits, which win over whatever it reports. */
async function runHarness(
  services: RolloutServices,
  setting: RolloutSetting,
  plan: RolloutPlan,
  { lease, environment, grant, steps, cancel }: Episode,
): Promise<HarnessOutcome> {
  const { limits } = plan.task;
  const stop = new AbortController();
  let enforced: StopReason | undefined;
  const enforce = (reason: StopReason) => {
    enforced ??= reason;
    stop.abort();
  };
  const deadline = setTimeout(() => enforce("deadline"), limits.deadlineSeconds * 1000);
  const onCancel = () => enforce("cancelled");
  if (cancel.aborted) onCancel();
  cancel.addEventListener("abort", onCancel, { once: true });

  const offer = services.tools.offer(environment, {
    style: plan.task.environment.toolStyle,
    maxSteps: limits.maxSteps,
    finalScreenshot: setting.finalScreenshot,
    onStep: async (event) => {
      steps.push(await recordStep(services, event));
    },
    onLimit: () => enforce("max_steps"),
    onBroken: () => enforce("environment_error"),
  });
  try {
    const outcome = await setting.harness.run(setting.installation, {
      instruction: plan.task.instruction,
      model: { baseUrl: grant.baseUrl, token: grant.token, name: setting.modelName },
      mcp: { url: offer.url, token: offer.token },
      scratchDir: lease.scratchDir,
      limits,
      signal: stop.signal,
    });
    if (offer.broken) throw offer.broken;
    if (offer.infeasible !== undefined) return { ...outcome, stopReason: "gave_up" };
    if (enforced) return { ...outcome, stopReason: enforced };
    // Only calls that were answered count: an outage is never a score.
    if (outcome.stopReason === "model_error" && services.proxy.calls(grant.id) >= limits.maxCalls) {
      return { ...outcome, stopReason: "max_calls" };
    }
    return outcome;
  } finally {
    clearTimeout(deadline);
    cancel.removeEventListener("abort", onCancel);
    services.proxy.abortSession(grant.id);
    offer.close();
  }
}

async function recordStep(services: RolloutServices, event: StepEvent): Promise<Step> {
  const { observation } = event;
  return {
    index: event.index,
    ...(event.action ? { action: event.action } : {}),
    ...(event.failure ? { failure: event.failure } : {}),
    ...(observation.screenshot ? { screenshot: await services.keepScreenshot(observation.screenshot) } : {}),
    ...(observation.marks ? { marks: observation.marks } : {}),
    url: observation.url,
    title: observation.title,
    atMs: event.atMs,
  };
}

/** Which ways of stopping leave nothing to judge. */
function faultOf(outcome: HarnessOutcome): Fault | undefined {
  const detail = outcome.detail ?? `The harness ended with ${outcome.stopReason}.`;
  switch (outcome.stopReason) {
    case "harness_error":
      return {
        boundary: "harness",
        code: "harness_error",
        message: detail,
        advice: "Read the harness's transcript and stderr kept with the attempt.",
        retryable: true,
        causes: [],
      };
    case "model_error":
      return {
        boundary: "model",
        code: "model_error",
        message: detail,
        advice: "Check the upstream's health; the recorded calls show its answers.",
        retryable: true,
        causes: [],
      };
    case "environment_error":
      return {
        boundary: "environment",
        code: "environment_error",
        message: detail,
        advice: "Check the browser with `forge doctor`.",
        retryable: true,
        causes: [],
      };
    case "cancelled":
      return {
        boundary: "runtime",
        code: "cancelled",
        message: "The run was cancelled.",
        advice: "Continue it with `forge resume`.",
        retryable: false,
        causes: [],
      };
    default:
      return undefined;
  }
}

function stopReasonOf(error: ForgeError, cancel: AbortSignal): StopReason {
  if (cancel.aborted) return "cancelled";
  if (error.boundary === "environment") return "environment_error";
  if (error.boundary === "model" || error.boundary === "proxy") return "model_error";
  return "harness_error";
}

const EMPTY_REPORT: SessionReport = {
  calls: 0,
  completeCalls: 0,
  sequences: 0,
  mergeRatio: 0,
  sampledTokens: 0,
  deliveredTokens: 0,
  promptTokensAdded: 0,
  promptTokensTotal: 0,
  breaks: [],
};

/** The run's versions, with the policy's as it is in this rollout: training publishes new ones as it goes. */
function withPolicy({ versions, policyVersion }: RolloutSetting): Trajectory["versions"] {
  if (policyVersion === undefined) return versions;
  return { ...versions, model: { ...versions.model, policyVersion } };
}
