import type { Sha256 } from "@openforgerl/contracts/content";

/** Where an image's bytes are: in the request itself, or at an address only the model server may fetch. */
export type ImageSource = { kind: "base64"; mediaType: string; data: string } | { kind: "url"; url: string };

export interface TextPart {
  type: "text";
  text: string;
}
export interface ImagePart {
  type: "image";
  source: ImageSource;
}
/** Reasoning that precedes an answer. `signature` is opaque and is given back as it came. */
export interface ThinkingPart {
  type: "thinking";
  text: string;
  signature?: string;
}
export interface ToolUsePart {
  type: "tool_use";
  id: string;
  name: string;
  /** The arguments: an object, or the raw text where the model did not write a JSON object. */
  input: unknown;
}
export interface ToolResultPart {
  type: "tool_result";
  toolUseId: string;
  /** In the order the tool gave them. */
  content: (TextPart | ImagePart)[];
  isError: boolean;
}
export type MessagePart = TextPart | ImagePart | ThinkingPart | ToolUsePart | ToolResultPart;

/** One turn. Tool results stand in `user` turns; a `system` turn is an instruction amid the conversation. */
export interface CanonicalMessage {
  role: "system" | "user" | "assistant";
  parts: MessagePart[];
}

export interface CanonicalTool {
  name: string;
  description?: string;
  /** JSON Schema of the arguments. */
  inputSchema: unknown;
}

/** `any`: some tool must be called. `parallel` false: at most one call a turn. */
export interface ToolChoice {
  mode: "auto" | "any" | "none" | "tool";
  /** Only with mode `tool`. */
  name?: string;
  parallel?: boolean;
}

export interface CanonicalSampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  maxTokens?: number;
  seed?: number;
  stop?: string[];
}

/** One model request, free of any wire format. */
export interface CanonicalRequest {
  model: string;
  /** Leading instructions, block by block. */
  system: string[];
  messages: CanonicalMessage[];
  tools: CanonicalTool[];
  toolChoice?: ToolChoice;
  sampling: CanonicalSampling;
  stream: boolean;
  /** The caller asks for token ids and log-probabilities (`return_token_ids`). */
  capture: boolean;
}

/** An image of the prompt as the model server placed it (wire field `prompt_images`). */
export interface CapturedImage {
  /** Over the decoded image bytes. */
  sha256: Sha256;
  mediaType: string;
  /** Bytes. */
  size: number;
  /** Index of the first placeholder token in the prompt. */
  offset: number;
  /** Number of placeholder tokens. */
  length: number;
  /** Patches [time, height, width]. */
  grid?: [number, number, number];
  processor?: string;
}

/** What a model server says about the tokens of one answer. Fields it did not send are absent. */
export interface TokenCapture {
  promptTokenIds?: number[];
  tokenIds?: number[];
  /** Natural log, one per sampled token. */
  logprobs?: number[];
  promptImages?: CapturedImage[];
  policyVersion?: { first: string; last: string };
}

export type CanonicalStop = "end_turn" | "tool_use" | "max_tokens" | "stop_sequence" | "refusal";

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Part of `inputTokens` that came from a prefix cache. */
  cachedTokens?: number;
}

export type ResponsePart = TextPart | ThinkingPart | ToolUsePart;

/** One model answer, free of any wire format. */
export interface CanonicalResponse {
  id: string;
  model: string;
  /** Unix seconds. */
  created?: number;
  parts: ResponsePart[];
  stop: CanonicalStop;
  stopSequence?: string;
  usage: Usage;
  capture?: TokenCapture;
}

/** One step of a streamed answer. Deltas belong to the part that began last. */
export type CanonicalEvent =
  | {
      type: "start";
      id: string;
      model: string;
      created?: number;
      usage?: Usage;
      capture?: Pick<TokenCapture, "promptTokenIds" | "promptImages" | "policyVersion">;
    }
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "thinking_signature"; signature: string }
  | { type: "tool_start"; id: string; name: string }
  | { type: "tool_delta"; json: string }
  | { type: "tokens"; ids: number[]; logprobs: number[] | null }
  | {
      type: "end";
      stop: CanonicalStop;
      stopSequence?: string;
      /** Replaces, figure by figure, what the start gave. */
      usage?: Partial<Usage>;
      policyVersion?: { first: string; last: string };
    }
  | { type: "error"; message: string };

/** The events that tell a finished answer. */
export function* responseEvents(response: CanonicalResponse): Generator<CanonicalEvent> {
  const { capture } = response;
  const { tokenIds: _ids, logprobs: _logprobs, ...head } = capture ?? {};
  yield {
    type: "start",
    id: response.id,
    model: response.model,
    usage: { ...response.usage, outputTokens: 0 },
    ...(response.created === undefined ? {} : { created: response.created }),
    ...(capture === undefined ? {} : { capture: head }),
  };
  if (capture?.tokenIds !== undefined) {
    yield { type: "tokens", ids: capture.tokenIds, logprobs: capture.logprobs ?? null };
  }
  for (const part of response.parts) {
    if (part.type === "text") yield { type: "text", text: part.text };
    else if (part.type === "thinking") {
      yield { type: "thinking", text: part.text };
      if (part.signature !== undefined) yield { type: "thinking_signature", signature: part.signature };
    } else {
      yield { type: "tool_start", id: part.id, name: part.name };
      yield { type: "tool_delta", json: inputJson(part.input) };
    }
  }
  yield {
    type: "end",
    stop: response.stop,
    usage: response.usage,
    ...(response.stopSequence === undefined ? {} : { stopSequence: response.stopSequence }),
    ...(capture?.policyVersion === undefined ? {} : { policyVersion: capture.policyVersion }),
  };
}

/** Arguments as JSON text; raw text that was never JSON stays as it is. */
export function inputJson(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

/** JSON text as arguments; text that is no JSON object stays text. */
export function parseInputJson(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : json;
  } catch {
    return json;
  }
}

/** The images of a request, in the order in which they stand in it. */
export function* requestImages(messages: Iterable<CanonicalMessage>): Generator<ImageSource> {
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type === "image") yield part.source;
      else if (part.type === "tool_result") {
        for (const inner of part.content) if (inner.type === "image") yield inner.source;
      }
    }
  }
}
