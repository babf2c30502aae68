import type { Dialect } from "@openforgerl/contracts/call";

/** A model server. */
export interface UpstreamConfig {
  id: string;
  /** Wire formats it speaks; calls in another one are translated to the first of these that we know. */
  dialects: Dialect[];
  /** With or without a trailing `/v1`. */
  baseUrl: string;
  apiKey?: string;
  /** Sent instead of the model the harness named. */
  model?: string;
  /** `vllm`: asks for token ids and log-probabilities with vLLM's request fields. */
  capture: "vllm" | "none";
}

/** How often, and for how long, a call is tried before its failure is passed on. */
export interface RetryPolicy {
  attempts: number;
  /** First pause, milliseconds; doubles each time. */
  baseMs: number;
  /** Longest pause, milliseconds. */
  maxMs: number;
  /** No attempt begins later than this after the first, milliseconds. A longer Retry-After ends the tries. */
  totalMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 8000, totalMs: 60_000 };

/** Address of a path on an upstream. */
export function upstreamUrl(upstream: UpstreamConfig, path: string): URL {
  return new URL(upstream.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "") + path);
}
