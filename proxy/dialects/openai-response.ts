import { parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import {
  type CanonicalResponse,
  type CanonicalStop,
  inputJson,
  parseInputJson,
  type ResponsePart,
  type TokenCapture,
  type Usage,
} from "../messages.ts";
import { parseCapture, printCapture, WireCapture, WireTokenIds } from "./capture-fields.ts";

/** `finish_reason` of the dialect. */
const STOPS: Record<string, CanonicalStop> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};
const FINISH: Record<CanonicalStop, string> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
};

export const WireUsage = z.looseObject({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.number().nullish() }).nullish(),
});
export const WireLogprobs = z.looseObject({
  content: z.array(z.looseObject({ logprob: z.number() })).nullish(),
});
export const WireToolCall = z.looseObject({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const Response = WireCapture.extend({
  id: z.string(),
  model: z.string(),
  created: z.number().nullish(),
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          content: z.string().nullish(),
          reasoning: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          tool_calls: z.array(WireToolCall).nullish(),
        }),
        finish_reason: z.string().nullish(),
        stop_reason: z.union([z.string(), z.number()]).nullish(),
        token_ids: WireTokenIds.nullish(),
        logprobs: WireLogprobs.nullish(),
      }),
    )
    .min(1),
  usage: WireUsage.nullish(),
});

/** `stop_reason` (vLLM) names the stop string that was hit. */
export function parseStop(finish: string | null | undefined, stop: unknown): CanonicalStop {
  if (finish === "stop" && typeof stop === "string") return "stop_sequence";
  return STOPS[finish ?? "stop"] ?? "end_turn";
}

export function printStop(stop: CanonicalStop): string {
  return FINISH[stop];
}

export function parseUsage(usage: z.output<typeof WireUsage>): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    ...(cached === 0 ? {} : { cachedTokens: cached }),
  };
}

export function printUsage(usage: Usage): Record<string, unknown> {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(usage.cachedTokens === undefined
      ? {}
      : { prompt_tokens_details: { cached_tokens: usage.cachedTokens } }),
  };
}

/** vLLM's form. The token's text is left out: its id says it exactly. */
export function printLogprobs(logprobs: readonly number[]): Record<string, unknown> {
  return { content: logprobs.map((logprob) => ({ token: "", logprob, bytes: null, top_logprobs: [] })) };
}

/** Parses a whole chat completion; only its first choice is read. */
export function parseResponse(body: unknown): CanonicalResponse {
  const wire = parseInput(Response, body, "response body");
  const choice = wire.choices[0]!;
  const logprobs = choice.logprobs?.content?.map((entry) => entry.logprob);
  const capture: TokenCapture = {
    ...parseCapture(wire),
    ...(choice.token_ids ? { tokenIds: choice.token_ids } : {}),
    ...(logprobs === undefined ? {} : { logprobs }),
  };
  const parts: ResponsePart[] = [];
  const reasoning = choice.message.reasoning ?? choice.message.reasoning_content;
  if (reasoning) parts.push({ type: "thinking", text: reasoning });
  if (choice.message.content) parts.push({ type: "text", text: choice.message.content });
  for (const call of choice.message.tool_calls ?? []) {
    const input = parseInputJson(call.function?.arguments ?? "");
    parts.push({ type: "tool_use", id: call.id ?? "", name: call.function?.name ?? "", input });
  }
  return {
    id: wire.id,
    model: wire.model,
    ...(wire.created == null ? {} : { created: wire.created }),
    parts,
    stop: parseStop(choice.finish_reason, choice.stop_reason),
    ...(typeof choice.stop_reason === "string" ? { stopSequence: choice.stop_reason } : {}),
    usage: wire.usage ? parseUsage(wire.usage) : { inputTokens: 0, outputTokens: 0 },
    ...(Object.keys(capture).length === 0 ? {} : { capture }),
  };
}

/** Prints a whole chat completion; token fields only where the answer carries a capture. */
export function printResponse(response: CanonicalResponse): Record<string, unknown> {
  const { capture } = response;
  const text = response.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const reasoning = response.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
  const calls = response.parts.flatMap((part) => (part.type === "tool_use" ? [part] : []));
  const message = {
    role: "assistant",
    content: text.length === 0 ? null : text.join(""),
    ...(reasoning.length === 0 ? {} : { reasoning: reasoning.join("") }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: "function",
            function: { name: call.name, arguments: inputJson(call.input) },
          })),
        }),
  };
  return {
    id: response.id,
    object: "chat.completion",
    created: response.created ?? 0,
    model: response.model,
    choices: [
      {
        index: 0,
        message,
        logprobs: capture?.logprobs === undefined ? null : printLogprobs(capture.logprobs),
        finish_reason: printStop(response.stop),
        ...(response.stopSequence === undefined ? {} : { stop_reason: response.stopSequence }),
        ...(capture?.tokenIds === undefined ? {} : { token_ids: capture.tokenIds }),
      },
    ],
    usage: printUsage(response.usage),
    ...printCapture(capture),
  };
}
