import { parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import type { CanonicalEvent, Usage } from "../messages.ts";
import { printSse, type SseEvent } from "../sse.ts";
import { parseStop, parseUsage, printUsage, WireUsage } from "./anthropic-response.ts";
import {
  parseCapture,
  printCapture,
  WireCapture,
  WirePolicyVersion,
  WireTokenIds,
} from "./capture-fields.ts";
import type { StreamParser, StreamPrinter } from "./dialect.ts";

const Start = z.looseObject({
  message: WireCapture.extend({ id: z.string(), model: z.string(), usage: WireUsage.nullish() }),
});
const BlockStart = z.looseObject({ content_block: z.looseObject({ type: z.string() }) });
const BlockDelta = z.looseObject({ delta: z.looseObject({ type: z.string() }) });
const MessageDelta = z.looseObject({
  delta: z.looseObject({ stop_reason: z.string().nullish(), stop_sequence: z.string().nullish() }),
  usage: WireUsage.nullish(),
  token_ids: WireTokenIds.nullish(),
  token_logprobs: z.array(z.number()).nullish(),
  policy_version: WirePolicyVersion.nullish(),
});

type End = Extract<CanonicalEvent, { type: "end" }>;

/** Reads the event stream of a message. The end counts only once `message_stop` was seen. */
export class AnthropicStreamParser implements StreamParser {
  #end: End | undefined;

  push(event: SseEvent): CanonicalEvent[] {
    const data = parseJson(event.data);
    switch (data.type ?? event.event) {
      case "message_start": {
        const { message } = parseInput(Start, data, "message_start");
        const capture = parseCapture(message);
        return [
          {
            type: "start",
            id: message.id,
            model: message.model,
            usage: parseUsage(message.usage),
            ...(capture === undefined ? {} : { capture }),
          },
        ];
      }
      case "content_block_start":
        return this.#blockStart(parseInput(BlockStart, data, "content_block_start").content_block);
      case "content_block_delta":
        return this.#blockDelta(parseInput(BlockDelta, data, "content_block_delta").delta);
      case "message_delta":
        return this.#messageDelta(parseInput(MessageDelta, data, "message_delta"));
      case "message_stop":
        return this.#end === undefined ? [{ type: "end", stop: "end_turn" }] : [this.#end];
      case "error": {
        const error = data.error as { message?: unknown } | undefined;
        return [{ type: "error", message: String(error?.message ?? "upstream error") }];
      }
      default:
        return [];
    }
  }

  #blockStart(block: Record<string, unknown>): CanonicalEvent[] {
    if (block.type === "tool_use") {
      return [{ type: "tool_start", id: String(block.id ?? ""), name: String(block.name ?? "") }];
    }
    if (block.type === "text") return [{ type: "text", text: String(block.text ?? "") }];
    if (block.type === "thinking") return [{ type: "thinking", text: String(block.thinking ?? "") }];
    return [];
  }

  #blockDelta(delta: Record<string, unknown>): CanonicalEvent[] {
    switch (delta.type) {
      case "text_delta":
        return [{ type: "text", text: String(delta.text ?? "") }];
      case "input_json_delta":
        return [{ type: "tool_delta", json: String(delta.partial_json ?? "") }];
      case "thinking_delta":
        return [{ type: "thinking", text: String(delta.thinking ?? "") }];
      case "signature_delta":
        return [{ type: "thinking_signature", signature: String(delta.signature ?? "") }];
      default:
        return [];
    }
  }

  #messageDelta(wire: z.output<typeof MessageDelta>): CanonicalEvent[] {
    this.#end = {
      type: "end",
      stop: parseStop(wire.delta.stop_reason),
      ...(wire.delta.stop_sequence == null ? {} : { stopSequence: wire.delta.stop_sequence }),
      ...(wire.usage == null ? {} : { usage: parseDeltaUsage(wire.usage) }),
      ...(wire.policy_version == null ? {} : { policyVersion: wire.policy_version }),
    };
    return wire.token_ids
      ? [{ type: "tokens", ids: wire.token_ids, logprobs: wire.token_logprobs ?? null }]
      : [];
  }
}

/** `input_tokens` is optional here; without it the figures of `message_start` stand. */
function parseDeltaUsage(wire: z.output<typeof WireUsage>): Partial<Usage> {
  const usage = parseUsage(wire);
  return wire.input_tokens == null ? { outputTokens: usage.outputTokens } : usage;
}

function parseJson(data: string): Record<string, unknown> & { type?: string } {
  return parseInput(
    z.looseObject({ type: z.string().optional() }),
    JSON.parse(data),
    "stream event",
  ) as Record<string, unknown> & { type?: string };
}

/** Writes the event stream of a message: one open block at a time, indices never used twice. */
export class AnthropicStreamPrinter implements StreamPrinter {
  #index = -1;
  #open: "text" | "thinking" | "tool_use" | undefined;
  #tokens: { ids: number[]; logprobs: number[] | null } | undefined;
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };

  print(event: CanonicalEvent): string {
    switch (event.type) {
      case "start": {
        const inputTokens = event.capture?.promptTokenIds?.length ?? 0;
        this.#usage = event.usage ?? { inputTokens, outputTokens: 0 };
        const message = {
          id: event.id,
          type: "message",
          role: "assistant",
          model: event.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: printUsage(this.#usage),
          ...printCapture(event.capture),
        };
        return named({ type: "message_start", message });
      }
      case "text":
        if (event.text === "") return "";
        return (
          this.#begin("text", { type: "text", text: "" }) +
          this.#delta({ type: "text_delta", text: event.text })
        );
      case "thinking":
        return (
          this.#begin("thinking", { type: "thinking", thinking: "", signature: "" }) +
          this.#delta({ type: "thinking_delta", thinking: event.text })
        );
      case "thinking_signature":
        return this.#open === "thinking"
          ? this.#delta({ type: "signature_delta", signature: event.signature })
          : "";
      case "tool_start": {
        const closed = this.#close();
        return (
          closed + this.#begin("tool_use", { type: "tool_use", id: event.id, name: event.name, input: {} })
        );
      }
      case "tool_delta":
        return event.json === "" ? "" : this.#delta({ type: "input_json_delta", partial_json: event.json });
      case "tokens":
        this.#tokens ??= { ids: [], logprobs: event.logprobs === null ? null : [] };
        this.#tokens.ids.push(...event.ids);
        if (event.logprobs !== null) this.#tokens.logprobs?.push(...event.logprobs);
        return "";
      case "end":
        return this.#end(event);
      case "error":
        return named({ type: "error", error: { type: "api_error", message: event.message } });
    }
  }

  #end(event: End): string {
    const outputTokens = this.#tokens?.ids.length ?? 0;
    const usage = { ...this.#usage, outputTokens, ...event.usage };
    const delta = {
      type: "message_delta",
      delta: { stop_reason: event.stop, stop_sequence: event.stopSequence ?? null },
      usage: printUsage(usage),
      ...(this.#tokens === undefined ? {} : { token_ids: this.#tokens.ids }),
      ...(this.#tokens?.logprobs == null ? {} : { token_logprobs: this.#tokens.logprobs }),
      ...(event.policyVersion === undefined ? {} : { policy_version: event.policyVersion }),
    };
    return this.#close() + named(delta) + named({ type: "message_stop" });
  }

  #begin(kind: "text" | "thinking" | "tool_use", block: Record<string, unknown>): string {
    if (this.#open === kind) return "";
    const closed = this.#close();
    this.#open = kind;
    this.#index++;
    return closed + named({ type: "content_block_start", index: this.#index, content_block: block });
  }

  #delta(delta: Record<string, unknown>): string {
    return named({ type: "content_block_delta", index: this.#index, delta });
  }

  #close(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    return named({ type: "content_block_stop", index: this.#index });
  }
}

function named(data: { type: string } & Record<string, unknown>): string {
  return printSse(data, data.type);
}
