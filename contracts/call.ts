import { z } from "zod";
import { ContentRef, Sha256 } from "./content.ts";

/** What a model call was for. */
export const CallRole = z.enum(["agent", "subagent", "compaction", "background", "judge"]);
export type CallRole = z.infer<typeof CallRole>;

/** Wire formats, by route. */
export const Dialect = z.enum(["anthropic-messages", "openai-chat", "openai-responses", "gemini"]);
export type Dialect = z.infer<typeof Dialect>;

/** Why a call can't be trained on (closed set). */
export const IncompleteReason = z.enum([
  "upstream_reset",
  "upstream_error",
  "client_disconnected",
  "no_token_ids",
  "no_logprobs",
  "length_mismatch",
  "image_mismatch",
  "record_failed",
]);
export type IncompleteReason = z.infer<typeof IncompleteReason>;

/** An image of the prompt, in token order. */
export const PromptImage = z.object({
  content: ContentRef,
  /** Index of its first placeholder token in the prompt. */
  offset: z.int().nonnegative(),
  /** Number of placeholder tokens. */
  length: z.int().positive(),
  /** Patch grid [time, height, width] as the processor laid it out. */
  grid: z.tuple([z.int(), z.int(), z.int()]).optional(),
  /** Name and version of the image processor. */
  processor: z.string().optional(),
});
export type PromptImage = z.infer<typeof PromptImage>;

/** Token-exact capture of one call. */
export interface CallTokens {
  /** Ids of the whole prompt, image placeholders included. */
  prompt: readonly number[];
  /** Ids the model sampled, in order. */
  sampled: readonly number[];
  /** Natural-log probability of each sampled id, under the distribution it was drawn from. */
  logprobs: readonly number[];
  images: readonly PromptImage[];
}

/**
 * One recorded model call without its bulk. Request and response bodies are heads of content-addressed
 * structures in the store; `openCall` of the proxy's store rebuilds them and the tokens.
 */
export const CallRecord = z.object({
  schemaVersion: z.literal(1),
  id: z.string(),
  sessionId: z.string(),
  /** Order of arrival within the session, from 0. */
  index: z.int().nonnegative(),
  role: CallRole,
  dialect: Dialect,
  streamed: z.boolean(),
  upstream: z.object({ id: z.string(), dialect: Dialect, model: z.string() }),
  /** Store address of the request (its message chain head and the rest of the body). */
  request: Sha256,
  /** Store address of the response body; null when none arrived. */
  response: Sha256.nullable(),
  sampling: z.object({
    temperature: z.number().optional(),
    topP: z.number().optional(),
    seed: z.number().optional(),
    maxTokens: z.number().optional(),
  }),
  promptLength: z.int().nonnegative(),
  sampledLength: z.int().nonnegative(),
  policyVersion: z.object({ first: z.string(), last: z.string() }).nullable(),
  finishReason: z.string().nullable(),
  timing: z.object({ startedAt: z.string(), firstByteMs: z.number().nullable(), totalMs: z.number() }),
  /** HTTP status given to the harness. */
  status: z.int(),
  /** Upstream attempts, in order. */
  attempts: z.array(z.object({ status: z.int().nullable(), error: z.string().nullable(), ms: z.number() })),
  complete: z.union([z.literal(true), IncompleteReason]),
});
export type CallRecord = z.infer<typeof CallRecord>;
