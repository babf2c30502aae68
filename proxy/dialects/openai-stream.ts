import { parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import type { CanonicalEvent, Usage } from "../messages.ts";
import { printSse, type SseEvent } from "../sse.ts";
import { parseCapture, printCapture, WireCapture, WireTokenIds } from "./capture-fields.ts";
import type { StreamParser, StreamPrinter } from "./dialect.ts";
import {
  parseStop,
  parseUsage,
  printLogprobs,
  printStop,
  printUsage,
  WireLogprobs,
  WireToolCall,
  WireUsage,
} from "./openai-response.ts";

const Chunk = WireCapture.extend({
  id: z.string().nullish(),
  model: z.string().nullish(),
  created: z.number().nullish(),
  choices: z
    .array(
      z.looseObject({
        index: z.int().nullish(),
        delta: z
          .looseObject({
            content: z.string().nullish(),
            reasoning: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            tool_calls: z.array(WireToolCall).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
        stop_reason: z.union([z.string(), z.number()]).nullish(),
        token_ids: WireTokenIds.nullish(),
        logprobs: WireLogprobs.nullish(),
      }),
    )
    .nullish(),
  usage: WireUsage.nullish(),
  error: z.unknown().optional(),
});

type End = Extract<CanonicalEvent, { type: "end" }>;

/** Reads the chunks of a completion (first choice only). The end counts only once `[DONE]` was seen. */
export class OpenAiStreamParser implements StreamParser {
  #started = false;
  #finish: Pick<End, "stop" | "stopSequence"> | undefined;
  #usage: Usage | undefined;
  #policyVersion: End["policyVersion"];
  #tool = -1;

  push(event: SseEvent): CanonicalEvent[] {
    if (event.data === "[DONE]") {
      return [
        {
          type: "end",
          ...(this.#finish ?? { stop: "end_turn" }),
          ...(this.#usage === undefined ? {} : { usage: this.#usage }),
          ...(this.#policyVersion === undefined ? {} : { policyVersion: this.#policyVersion }),
        },
      ];
    }
    const chunk = parseInput(Chunk, JSON.parse(event.data), "stream chunk");
    if (chunk.error != null) return [{ type: "error", message: errorMessage(chunk.error) }];
    const events: CanonicalEvent[] = [];
    if (!this.#started) {
      this.#started = true;
      const capture = parseCapture(chunk);
      events.push({
        type: "start",
        id: chunk.id ?? "",
        model: chunk.model ?? "",
        ...(chunk.created == null ? {} : { created: chunk.created }),
        ...(capture === undefined ? {} : { capture }),
      });
    }
    if (chunk.policy_version) this.#policyVersion = chunk.policy_version;
    if (chunk.usage) this.#usage = parseUsage(chunk.usage);
    for (const choice of chunk.choices ?? []) if ((choice.index ?? 0) === 0) this.#choice(choice, events);
    return events;
  }

  #choice(choice: NonNullable<z.output<typeof Chunk>["choices"]>[number], events: CanonicalEvent[]): void {
    if (choice.token_ids && choice.token_ids.length > 0) {
      const logprobs = choice.logprobs?.content?.map((entry) => entry.logprob) ?? null;
      events.push({ type: "tokens", ids: choice.token_ids, logprobs });
    }
    const reasoning = choice.delta?.reasoning ?? choice.delta?.reasoning_content;
    if (reasoning) events.push({ type: "thinking", text: reasoning });
    if (choice.delta?.content) events.push({ type: "text", text: choice.delta.content });
    for (const call of choice.delta?.tool_calls ?? []) {
      const index = call.index ?? 0;
      if (index !== this.#tool) {
        this.#tool = index;
        events.push({ type: "tool_start", id: call.id ?? "", name: call.function?.name ?? "" });
      }
      if (call.function?.arguments) events.push({ type: "tool_delta", json: call.function.arguments });
    }
    if (choice.finish_reason) {
      this.#finish = {
        stop: parseStop(choice.finish_reason, choice.stop_reason),
        ...(typeof choice.stop_reason === "string" ? { stopSequence: choice.stop_reason } : {}),
      };
    }
  }
}

function errorMessage(error: unknown): string {
  const message = (error as { message?: unknown }).message;
  return typeof message === "string" ? message : JSON.stringify(error);
}

/** Writes the chunks of a completion. Captured tokens ride on the next chunk with content. */
export class OpenAiStreamPrinter implements StreamPrinter {
  #head: { id: string; object: string; created: number; model: string } | undefined;
  #usage: Usage | undefined;
  #tool = -1;
  #tokens: { ids: number[]; logprobs: number[] | null } | undefined;

  print(event: CanonicalEvent): string {
    switch (event.type) {
      case "start": {
        this.#usage = event.usage;
        this.#head = {
          id: event.id,
          object: "chat.completion.chunk",
          created: event.created ?? 0,
          model: event.model,
        };
        return this.#chunk({ role: "assistant", content: "" }, null, printCapture(event.capture));
      }
      case "text":
        return event.text === "" ? "" : this.#chunk({ content: event.text }, null);
      case "thinking":
        return event.text === "" ? "" : this.#chunk({ reasoning: event.text }, null);
      case "thinking_signature":
        // The dialect has no place for a signature.
        return "";
      case "tool_start": {
        this.#tool++;
        const call = { index: this.#tool, id: event.id, type: "function" };
        return this.#chunk(
          { tool_calls: [{ ...call, function: { name: event.name, arguments: "" } }] },
          null,
        );
      }
      case "tool_delta":
        if (event.json === "") return "";
        return this.#chunk(
          { tool_calls: [{ index: this.#tool, function: { arguments: event.json } }] },
          null,
        );
      case "tokens":
        this.#tokens ??= { ids: [], logprobs: event.logprobs === null ? null : [] };
        this.#tokens.ids.push(...event.ids);
        if (event.logprobs !== null) this.#tokens.logprobs?.push(...event.logprobs);
        return "";
      case "end":
        return this.#end(event);
      case "error":
        return printSse({ error: { message: event.message, type: "server_error", param: null, code: null } });
    }
  }

  #end(event: End): string {
    const version = event.policyVersion === undefined ? {} : { policy_version: event.policyVersion };
    const stop = event.stopSequence === undefined ? {} : { stop_reason: event.stopSequence };
    const finish = this.#chunk({}, printStop(event.stop), version, stop);
    const known = this.#usage !== undefined || event.usage !== undefined;
    const figures = { inputTokens: 0, outputTokens: 0, ...this.#usage, ...event.usage };
    const usage = known ? printSse({ ...this.#head, choices: [], usage: printUsage(figures) }) : "";
    return `${finish}${usage}data: [DONE]\n\n`;
  }

  #chunk(
    delta: Record<string, unknown>,
    finish: string | null,
    root: Record<string, unknown> = {},
    choice: Record<string, unknown> = {},
  ): string {
    const tokens = this.#tokens;
    this.#tokens = undefined;
    return printSse({
      ...this.#head,
      choices: [
        {
          index: 0,
          delta,
          logprobs: tokens?.logprobs == null ? null : printLogprobs(tokens.logprobs),
          finish_reason: finish,
          ...choice,
          ...(tokens === undefined ? {} : { token_ids: tokens.ids }),
        },
      ],
      ...root,
    });
  }
}
