import { z } from "zod";

/** Why an episode ended (closed set, DESIGN.md 2.5). */
export const StopReason = z.enum([
  "answered",
  "gave_up",
  "max_steps",
  "max_calls",
  "max_tokens",
  "deadline",
  "harness_error",
  "environment_error",
  "model_error",
  "cancelled",
]);
export type StopReason = z.infer<typeof StopReason>;
