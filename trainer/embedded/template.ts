import type { ModelInputChunk } from "@openforgerl/contracts/engine";
import { inputError } from "@openforgerl/contracts/errors";
import type {
  CanonicalMessage,
  CanonicalRequest,
  CapturedImage,
  ImagePart,
  TextPart,
} from "@openforgerl/proxy/messages";
import { choicesOf } from "./action.ts";
import { IMAGE_GRID, IMAGE_TOKENS, observationTokens, openingTokens } from "./chat-tokens.ts";
import type { EpisodeState } from "./episode.ts";
import type { EpisodeMemo } from "./episode-memo.ts";
import { spell } from "./grammar.ts";
import { imageSha, PROCESSOR } from "./images.ts";
import { observationLines } from "./observation-text.ts";
import { END, FOREIGN, IMAGE, VERBS } from "./tokens.ts";
import {
  type ActionCall,
  type ImageSize,
  type OfferedTools,
  offeredTools,
  readAction,
} from "./tool-calls.ts";

/** A request as the policy is prompted with it. */
export interface RenderedPrompt {
  tokens: number[];
  chunks: ModelInputChunk[];
  images: CapturedImage[];
  /** The state in which the policy is to act. */
  state: EpisodeState;
  tools: OfferedTools;
  /** Bytes of the newest screenshot. */
  newestImage: Uint8Array | undefined;
}

export interface TemplateContext {
  memo: EpisodeMemo;
  /** Size of an image of the conversation; asked only where a click by pixel has to be read back. */
  imageSize(sha256: string, bytes: Uint8Array): Promise<ImageSize>;
}

interface SeenPicture {
  sha256: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** What stands between two turns of the assistant. */
interface Stretch {
  texts: string[];
  images: ImagePart[];
}

/**
 * The chat template: renders a request of any harness into tokens. Rendered are, by rule, the tools the policy
 * can use, the task between `<task>` tags, the newest observation of each user turn with its screenshot, and
 * the policy's own answers; nothing else that a harness adds. Append-only: the prompt of a call begins with the
 * prompt and the completion of the call before it.
 * @throws ForgeError `input/bad_input` when the request has no task.
 */
export async function renderPrompt(
  request: CanonicalRequest,
  { memo, imageSize }: TemplateContext,
): Promise<RenderedPrompt> {
  memo.trim();
  const instruction = findInstruction(request.messages);
  const tools = offeredTools(request.tools.map((tool) => tool.name));
  const verbs = VERBS.filter((verb) => tools.has(verb));
  const prompt = new PromptBuilder();
  prompt.text(openingTokens(new Set(verbs), instruction));
  let state = memo.start(verbs, instruction);
  if (state.instruction.words.length === 0) {
    throw inputError("task: it has no words", instruction, "Write the task in words.");
  }
  let newest: SeenPicture | undefined;
  for (const { stretch, answer } of turnsOf(request.messages)) {
    const lines = newestObservation(stretch.texts) ?? "";
    const picture = lines === "" ? undefined : readPicture(stretch.images.at(-1));
    const [opening = 0, ...rest] = observationTokens(lines, false);
    prompt.text([opening]);
    if (picture) prompt.image(picture);
    prompt.text(rest);
    state = memo.observe(state, lines, picture?.sha256);
    if (lines !== "") newest = picture;
    if (answer === undefined) break;
    const size = newest && needsSize(answer) ? await imageSize(newest.sha256, newest.bytes) : undefined;
    const action = answer && readAction(answer, state, size);
    const completion = action ? spell(choicesOf(action)) : [FOREIGN, END];
    prompt.text(completion);
    state = memo.act(state, completion);
  }
  return { ...prompt.finish(), state, tools, newestImage: newest?.bytes };
}

class PromptBuilder {
  readonly #tokens: number[] = [];
  readonly #chunks: ModelInputChunk[] = [];
  readonly #images: CapturedImage[] = [];
  #pending: number[] = [];

  text(tokens: readonly number[]): void {
    for (const token of tokens) this.#pending.push(token);
  }

  image({ sha256, mediaType, bytes }: SeenPicture): void {
    this.#flush();
    this.#images.push({
      sha256,
      mediaType,
      size: bytes.length,
      offset: this.#tokens.length,
      length: IMAGE_TOKENS,
      grid: [...IMAGE_GRID],
      processor: PROCESSOR,
    });
    this.#chunks.push({ type: "image", sha256, mediaType, length: IMAGE_TOKENS });
    for (let i = 0; i < IMAGE_TOKENS; i++) this.#tokens.push(IMAGE);
  }

  finish(): Pick<RenderedPrompt, "tokens" | "chunks" | "images"> {
    this.#flush();
    return { tokens: this.#tokens, chunks: this.#chunks, images: this.#images };
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    this.#chunks.push({ type: "text", tokens: this.#pending });
    for (const token of this.#pending) this.#tokens.push(token);
    this.#pending = [];
  }
}

function findInstruction(messages: readonly CanonicalMessage[]): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    for (const part of message.parts) {
      const task = part.type === "text" ? /<task>([\s\S]*?)<\/task>/.exec(part.text)?.[1] : undefined;
      if (task !== undefined) return task.trim();
    }
  }
  throw inputError(
    "messages: no user message has a task between <task> and </task>",
    undefined,
    "The embedded policy can only do tasks in a browser; give it one with `taskPrompt` of the contracts.",
  );
}

/** The conversation as stretches of input, each with the answer to it; the last one has none. */
function turnsOf(
  messages: readonly CanonicalMessage[],
): Array<{ stretch: Stretch; answer: ActionCall | null | undefined }> {
  const turns: Array<{ stretch: Stretch; answer: ActionCall | null | undefined }> = [];
  let stretch: Stretch = { texts: [], images: [] };
  let answers: CanonicalMessage[] = [];
  const close = () => {
    if (answers.length === 0) return;
    turns.push({ stretch, answer: readAnswer(answers) });
    stretch = { texts: [], images: [] };
    answers = [];
  };
  const add = (part: TextPart | ImagePart) => {
    if (part.type === "text") stretch.texts.push(part.text);
    else stretch.images.push(part);
  };
  for (const message of messages) {
    if (message.role === "assistant") {
      answers.push(message);
      continue;
    }
    close();
    for (const part of message.parts) {
      if (part.type === "tool_result") part.content.forEach(add);
      else if (part.type === "text" || part.type === "image") add(part);
    }
  }
  close();
  turns.push({ stretch, answer: undefined });
  return turns;
}

/** The one call or the words of an assistant's turn; null where there were several calls or none of both. */
function readAnswer(messages: readonly CanonicalMessage[]): ActionCall | null {
  const parts = messages.flatMap((message) => message.parts);
  const calls = parts.flatMap((part) => (part.type === "tool_use" ? [part] : []));
  const [call, second] = calls;
  if (second) return null;
  if (call) {
    const { input } = call;
    const isObject = typeof input === "object" && input !== null;
    return { tool: call.name, input: isObject ? (input as Record<string, unknown>) : {} };
  }
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return text === "" ? null : { text };
}

function newestObservation(texts: readonly string[]): string | undefined {
  for (const text of texts.toReversed()) {
    const lines = observationLines(text);
    if (lines !== undefined) return lines;
  }
  return undefined;
}

function readPicture(part: ImagePart | undefined): SeenPicture | undefined {
  if (!part) return undefined;
  const { source } = part;
  if (source.kind === "url") {
    throw inputError("image: given by address", source.url, "Send images inside the request, as base64.");
  }
  const bytes = Buffer.from(source.data, "base64");
  return { sha256: imageSha(bytes), mediaType: source.mediaType, bytes };
}

function needsSize(answer: ActionCall | null): boolean {
  return answer !== null && "tool" in answer && "x" in answer.input;
}
