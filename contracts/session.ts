import { z } from "zod";

/** Sampling parameters that the proxy sets on every call of a session, whatever the harness asked for. */
export const SamplingOverrides = z.object({
  temperature: z.number().min(0).optional(),
  topP: z.number().gt(0).max(1).optional(),
  /** Base seed; call i of the session is sent a seed derived from it and i. */
  seed: z.int().nonnegative().optional(),
});
export type SamplingOverrides = z.infer<typeof SamplingOverrides>;

/** What a session is asked to be. */
export const SessionOptions = z.object({
  /**
   * Calls answered by the model server; further ones get 429 in the dialect's own shape. As many calls that
   * the server failed end the session's use of it too, with 503.
   */
  maxCalls: z.int().positive().optional(),
  sampling: SamplingOverrides.default({}),
  /** Travels with every record: rollout, task, attempt, policy version … */
  metadata: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
});
export type SessionOptions = z.input<typeof SessionOptions>;

/** A live session: an address and a bearer token that stand for one rollout and nothing else. */
export interface SessionGrant {
  id: string;
  token: string;
  /** Base URL for harnesses, without `/v1`. */
  baseUrl: string;
}

/** Where a chain broke: the first token that differs from the nearest earlier call. */
export const ChainBreak = z.object({
  callId: z.string(),
  /** The earlier call that shares the longest prefix. */
  nearestCallId: z.string(),
  /** Index of the first differing token. */
  at: z.int().nonnegative(),
  /** Whose text it was. */
  author: z.enum(["model", "harness"]),
});
export type ChainBreak = z.infer<typeof ChainBreak>;

/** How well a session's calls merged into training sequences (DESIGN.md 4). */
export const SessionReport = z.object({
  calls: z.int().nonnegative(),
  completeCalls: z.int().nonnegative(),
  sequences: z.int().nonnegative(),
  /** calls / sequences: 1 means nothing merged. */
  mergeRatio: z.number().nonnegative(),
  sampledTokens: z.int().nonnegative(),
  /** Sampled tokens that stand in exactly one sequence's mask; equal to the sampled tokens of complete calls. */
  deliveredTokens: z.int().nonnegative(),
  /** Tokens that appear in a prompt but were neither sampled nor already part of the parent's prompt. */
  promptTokensAdded: z.int().nonnegative(),
  /** Sum of the prompt lengths of all calls. */
  promptTokensTotal: z.int().nonnegative(),
  breaks: z.array(ChainBreak),
});
export type SessionReport = z.infer<typeof SessionReport>;
