import { setTimeout as sleep } from "node:timers/promises";
import { ForgeError } from "@openforgerl/contracts/errors";
import { z } from "zod";
import { type HttpAnswer, postJson } from "../http.ts";

/** A block the model wrote. Kept as it came, unknown fields and all, for it is sent back with the next call. */
const AssistantBlock = z.union([
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  z.looseObject({ type: z.string().refine((type) => type !== "text" && type !== "tool_use") }),
]);
export type AssistantBlock = z.infer<typeof AssistantBlock>;

const Completion = z.object({ content: z.array(AssistantBlock), stop_reason: z.string().nullable() });
export type Completion = z.infer<typeof Completion>;

/** Anthropic Messages: the parts of a request that this harness sends. */
export interface MessagesRequest {
  model: string;
  max_tokens: number;
  system: string;
  tools: readonly unknown[];
  messages: readonly { role: "user" | "assistant"; content: readonly unknown[] }[];
}

const RETRY_DELAYS_MS = [250, 1_000, 4_000];
const LONGEST_WAIT_MS = 30_000;

/**
 * Makes one model call, without streaming. Too many requests, server errors and lost connections are tried
 * again up to three times, after the time the server asks for.
 * @throws ForgeError boundary `model`, or an AbortError when the signal fires.
 */
export async function createMessage(
  model: { baseUrl: string; token: string },
  request: MessagesRequest,
  signal: AbortSignal,
): Promise<Completion> {
  const url = `${model.baseUrl.replace(/\/$/, "")}/v1/messages`;
  const headers = { "x-api-key": model.token, "anthropic-version": "2023-06-01" };
  for (let attempt = 0; ; attempt++) {
    let answer: HttpAnswer | undefined;
    let failure: unknown;
    try {
      answer = await postJson(url, headers, request, signal);
      if (answer.status === 200) return readCompletion(answer.text);
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof ForgeError) throw thrown;
      failure = thrown;
    }
    const isPassing = !answer || answer.status === 429 || answer.status >= 500;
    const delay = RETRY_DELAYS_MS[attempt];
    if (!isPassing || delay === undefined) throw callFailed(answer, failure);
    await sleep(waitMs(answer, delay), undefined, { signal });
  }
}

function readCompletion(text: string): Completion {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {}
  const parsed = Completion.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ForgeError({
    boundary: "model",
    code: "unreadable_completion",
    message: `The model's answer is not an Anthropic message: ${text.slice(0, 300)}`,
    advice: "Check that the model's base URL serves the Anthropic Messages dialect.",
    cause: parsed.error,
  });
}

function waitMs(answer: HttpAnswer | undefined, otherwise: number): number {
  const seconds = Number(answer?.headers["retry-after"] ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : otherwise;
}

function callFailed(answer: HttpAnswer | undefined, failure: unknown): ForgeError {
  const message = answer
    ? `The model call was answered with ${answer.status}: ${answer.text.slice(0, 300)}`
    : `The model can't be reached: ${failure instanceof Error ? failure.message : String(failure)}`;
  return new ForgeError({
    boundary: "model",
    code: answer ? `http_${answer.status}` : "unreachable",
    message,
    advice: "Check the upstream's health; the recorded calls show its answers.",
    retryable: true,
    cause: failure,
  });
}
