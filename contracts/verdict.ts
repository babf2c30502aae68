import { z } from "zod";
import type { ProbeQuery, ProbeResult } from "./environment.ts";
import { JudgeRef, type Task } from "./task.ts";
import type { Step } from "./trajectory.ts";

/** A judge's finding on one finished episode. */
export const Verdict = z.object({
  /** 0 (failed) to 1 (solved). */
  score: z.number().min(0).max(1),
  reason: z.string(),
  /** What the judge looked at, for a person to check. */
  evidence: z.record(z.string(), z.unknown()),
  judge: JudgeRef,
});
export type Verdict = z.infer<typeof Verdict>;

/** What a judge may look at. */
export interface JudgeInput {
  task: Task;
  /** The agent's final words, if it said any. */
  answer: string | undefined;
  steps: readonly Step[];
  /** Reads the final state of the environment, still open. */
  probe(query: ProbeQuery): Promise<ProbeResult>;
}

/**
 * Scores the final state and the trajectory.
 * @throws ForgeError boundary `judge` when no score can be given; that is never a score of 0.
 */
export interface Judge {
  readonly ref: JudgeRef;
  judge(input: JudgeInput): Promise<Verdict>;
}
