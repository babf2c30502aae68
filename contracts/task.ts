import { z } from "zod";
import { EnvironmentSpec } from "./environment.ts";

export const Split = z.enum(["train", "dev", "test"]);
export type Split = z.infer<typeof Split>;

/** Bounds on one rollout; the first one reached ends it with its own StopReason. */
export const Limits = z.object({
  /** Environment actions, failed ones included. */
  maxSteps: z.int().positive(),
  /** Model calls through the proxy. */
  maxCalls: z.int().positive(),
  /** Wall-clock seconds from launch of the harness. */
  deadlineSeconds: z.number().positive(),
});
export type Limits = z.infer<typeof Limits>;

export const JudgeRef = z.object({ id: z.string().min(1), version: z.string().min(1) });
export type JudgeRef = z.infer<typeof JudgeRef>;

/** One thing to ask of an agent, with all that is needed to set it up and to score it. */
export const Task = z.object({
  schemaVersion: z.literal(1),
  /** Unique within its benchmark, stable over time: `<family>@<seed>` for generated tasks. */
  id: z.string().min(1),
  benchmark: z.string().min(1),
  /** The task family (or web site, or application) that results are broken down by. */
  family: z.string().min(1),
  /** 1 is easiest. */
  level: z.int().min(1),
  split: Split,
  instruction: z.string().min(1),
  environment: EnvironmentSpec,
  limits: Limits,
  judge: JudgeRef,
});
export type Task = z.infer<typeof Task>;
