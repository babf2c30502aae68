import { z } from "zod";
import { CallRole, PromptImage } from "./call.ts";

/**
 * One root-to-leaf path of a session's call forest. Over all sequences of a session every sampled token
 * of a complete call has mask 1 exactly once; a token the model did not sample has mask 0.
 */
export const TrainingSequence = z.object({
  schemaVersion: z.literal(1),
  sessionId: z.string(),
  role: CallRole,
  /** Whole sequence: prompts, observations and sampled tokens, image placeholders included. */
  tokens: z.array(z.int().nonnegative()),
  /** 1 where this token is to be trained; same length as `tokens`. */
  mask: z.array(z.union([z.literal(0), z.literal(1)])),
  /** Recorded log-probability where mask is 1, else 0; same length as `tokens`. */
  logprobs: z.array(z.number()),
  /** Images in token order, offsets into `tokens`. */
  images: z.array(PromptImage),
  /** The sampled spans: [start, end) in `tokens`, the call they came from, the policy that sampled them. */
  spans: z.array(
    z.object({
      callId: z.string(),
      start: z.int().nonnegative(),
      end: z.int().nonnegative(),
      /** False where an earlier sequence of the session already delivers this span. */
      trained: z.boolean(),
      policyVersion: z.string().nullable(),
    }),
  ),
});
export type TrainingSequence = z.infer<typeof TrainingSequence>;
