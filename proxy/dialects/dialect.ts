import type { Dialect } from "@openforgerl/contracts/call";
import type { SamplingOverrides } from "@openforgerl/contracts/session";
import type { CanonicalEvent, CanonicalRequest, CanonicalResponse } from "../messages.ts";
import type { SseEvent } from "../sse.ts";

/** A failure as a wire tells it. */
export interface WireError {
  /** HTTP status. */
  status: number;
  message: string;
}

export interface PrintRequestOptions {
  /**
   * Where images of tool results go in a dialect whose official form has text-only tool results: `inline`
   * keeps them inside the result, `user` moves them, in order, to a user message behind the results.
   */
  toolImages?: "inline" | "user";
}

/** Turns the events of one streamed answer into canonical events. */
export interface StreamParser {
  push(event: SseEvent): CanonicalEvent[];
}

/** Turns canonical events into the bytes of one streamed answer. */
export interface StreamPrinter {
  print(event: CanonicalEvent): string;
}

/**
 * One wire format: everything the proxy knows of it. A new dialect is one file with this interface and one
 * line in `registry.ts`.
 */
export interface WireDialect {
  /** Whether the published API takes a `seed`. Where not, one is sent only to servers that capture tokens. */
  takesSeed: boolean;
  readonly name: Dialect;
  /** Path of the generating endpoint, appended to an upstream's base URL. */
  readonly path: string;
  /** Body field that holds the turns. */
  readonly messagesField: string;
  /** Body fields that ask a model server for tokens (the vLLM names, for every dialect). */
  readonly captureFields: Readonly<Record<string, unknown>>;
  /** Body fields for a session's sampling overrides. */
  samplingFields(sampling: SamplingOverrides): Record<string, unknown>;
  /** @throws ForgeError `input/bad_input` that names the field. */
  parseRequest(body: unknown): CanonicalRequest;
  printRequest(request: CanonicalRequest, options?: PrintRequestOptions): Record<string, unknown>;
  /** @throws ForgeError `input/bad_input` that names the field. */
  parseResponse(body: unknown): CanonicalResponse;
  printResponse(response: CanonicalResponse): Record<string, unknown>;
  streamParser(): StreamParser;
  streamPrinter(): StreamPrinter;
  /** The server-sent events of a finished answer, ready to be written one by one. */
  streamResponse(response: CanonicalResponse): Generator<string>;
  printError(error: WireError): Record<string, unknown>;
  /** The event that ends a stream that failed. */
  printErrorEvent(error: WireError): string;
  /** Headers that carry an upstream's key. */
  authHeaders(apiKey: string): Record<string, string>;
}
