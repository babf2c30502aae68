import { parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import type { CanonicalResponse, CanonicalStop, ResponsePart, TokenCapture, Usage } from "../messages.ts";
import { objectInput } from "./anthropic-request.ts";
import { parseCapture, printCapture, WireCapture, WireTokenIds } from "./capture-fields.ts";

/** `stop_reason` of the dialect, both ways. */
const STOPS: Record<string, CanonicalStop> = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  refusal: "refusal",
  pause_turn: "end_turn",
  model_context_window_exceeded: "max_tokens",
};

export const WireUsage = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
});

const Response = WireCapture.extend({
  id: z.string(),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
  usage: WireUsage.nullish(),
  token_ids: WireTokenIds.nullish(),
  token_logprobs: z.array(z.number()).nullish(),
});

export function parseStop(reason: string | null | undefined): CanonicalStop {
  return STOPS[reason ?? "end_turn"] ?? "end_turn";
}

/** Cached tokens are counted beside `input_tokens` in this dialect, and inside it in the canonical form. */
export function parseUsage(usage: z.output<typeof WireUsage> | null | undefined): Usage {
  const cached = usage?.cache_read_input_tokens ?? 0;
  return {
    inputTokens: (usage?.input_tokens ?? 0) + cached,
    outputTokens: usage?.output_tokens ?? 0,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
  };
}

export function printUsage(usage: Usage): Record<string, number> {
  const cached = usage.cachedTokens ?? 0;
  return {
    input_tokens: usage.inputTokens - cached,
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
}

/** Parses a whole Anthropic message, our token fields included. */
export function parseResponse(body: unknown): CanonicalResponse {
  const wire = parseInput(Response, body, "response body");
  const capture: TokenCapture = {
    ...parseCapture(wire),
    ...(wire.token_ids ? { tokenIds: wire.token_ids } : {}),
    ...(wire.token_logprobs ? { logprobs: wire.token_logprobs } : {}),
  };
  return {
    id: wire.id,
    model: wire.model,
    parts: wire.content.map(parsePart),
    stop: parseStop(wire.stop_reason),
    ...(wire.stop_sequence == null ? {} : { stopSequence: wire.stop_sequence }),
    usage: parseUsage(wire.usage),
    ...(Object.keys(capture).length === 0 ? {} : { capture }),
  };
}

function parsePart(block: Record<string, unknown> & { type: string }): ResponsePart {
  if (block.type === "tool_use") {
    return {
      type: "tool_use",
      id: String(block.id ?? ""),
      name: String(block.name ?? ""),
      input: block.input ?? {},
    };
  }
  if (block.type === "thinking") {
    const signature = typeof block.signature === "string" ? { signature: block.signature } : {};
    return { type: "thinking", text: String(block.thinking ?? ""), ...signature };
  }
  return { type: "text", text: typeof block.text === "string" ? block.text : JSON.stringify(block) };
}

/** Prints a whole Anthropic message; token fields only where the answer carries a capture. */
export function printResponse(response: CanonicalResponse): Record<string, unknown> {
  const { capture } = response;
  return {
    id: response.id,
    type: "message",
    role: "assistant",
    model: response.model,
    content: response.parts.map(printPart),
    stop_reason: response.stop,
    stop_sequence: response.stopSequence ?? null,
    usage: printUsage(response.usage),
    ...printCapture(capture),
    ...(capture?.tokenIds === undefined ? {} : { token_ids: capture.tokenIds }),
    ...(capture?.logprobs === undefined ? {} : { token_logprobs: capture.logprobs }),
  };
}

function printPart(part: ResponsePart): Record<string, unknown> {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "thinking") {
    return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
  }
  return { type: "tool_use", id: part.id, name: part.name, input: objectInput(part.input) };
}
