import { z } from "zod";
import { Action } from "./action.ts";
import { ImageRef } from "./content.ts";
import { ActFailureCode } from "./environment.ts";
import { Fault } from "./errors.ts";
import { Mark } from "./observation.ts";
import { SessionReport } from "./session.ts";
import { StopReason } from "./stop-reason.ts";
import { Task } from "./task.ts";
import { Verdict } from "./verdict.ts";

/** One action of an episode and what could be seen when it had been done. */
export const Step = z.object({
  /** From 0. Step 0 with no action is the first look. */
  index: z.int().nonnegative(),
  action: Action.optional(),
  /** Present where the action failed. */
  failure: z.object({ code: ActFailureCode, message: z.string() }).optional(),
  screenshot: ImageRef.optional(),
  marks: z.array(Mark).optional(),
  url: z.string(),
  title: z.string(),
  /** Milliseconds since the episode opened, when the observation was complete. */
  atMs: z.number().nonnegative(),
});
export type Step = z.infer<typeof Step>;

/** Versions of everything that could change a result. */
export const Versions = z.object({
  forge: z.string(),
  harness: z.object({ name: z.string(), version: z.string() }),
  model: z.object({ name: z.string(), policyVersion: z.string().optional() }),
  browser: z.string().optional(),
  node: z.string(),
});
export type Versions = z.infer<typeof Versions>;

/** A finished rollout. Sealed: never changed after it is written. */
export const Trajectory = z.object({
  schemaVersion: z.literal(1),
  rolloutId: z.string(),
  task: Task,
  /** The rollout's own seed: which member of its group it is. */
  seed: z.int().nonnegative(),
  /** From 1; counts leases tried for this rollout. */
  attempt: z.int().positive(),
  startedAt: z.string(),
  endedAt: z.string(),
  stopReason: StopReason,
  answer: z.string().optional(),
  steps: z.array(Step),
  /** Proxy session that recorded this rollout's calls. */
  sessionId: z.string(),
  session: SessionReport,
  /** Exactly one of `verdict` and `fault` is present. */
  verdict: Verdict.optional(),
  fault: Fault.optional(),
  versions: Versions,
});
export type Trajectory = z.infer<typeof Trajectory>;

/** One line of rollouts.jsonl: enough to count scores without opening trajectories. */
export const RolloutLine = z.object({
  schemaVersion: z.literal(1),
  rolloutId: z.string(),
  taskId: z.string(),
  family: z.string(),
  level: z.int(),
  split: z.string(),
  seed: z.int(),
  attempt: z.int(),
  stopReason: StopReason,
  /** null: no score could be given (see `fault`). */
  score: z.number().nullable(),
  fault: Fault.nullable(),
  steps: z.int(),
  calls: z.int(),
  wallMs: z.number(),
  /** Proxy session of the recorded attempt. */
  sessionId: z.string(),
  /** Free labels of the run: `{ phase: "train", step: 12, policyVersion: "11" }`. */
  labels: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type RolloutLine = z.infer<typeof RolloutLine>;
