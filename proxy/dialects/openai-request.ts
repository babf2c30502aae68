import { parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import {
  type CanonicalMessage,
  type CanonicalRequest,
  type ImagePart,
  type ImageSource,
  inputJson,
  type MessagePart,
  parseInputJson,
  type TextPart,
  type ToolChoice,
  type ToolResultPart,
} from "../messages.ts";
import type { PrintRequestOptions } from "./dialect.ts";

const ContentPart = z.looseObject({ type: z.string() });
const Content = z.union([z.string(), z.array(ContentPart)]).nullish();
const ImageUrlPart = z.looseObject({
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
});
const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
});
const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]),
  content: Content,
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().nullish(),
  /** vLLM's name of the reasoning text; `reasoning_content` is the older one. */
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
});
const NamedChoice = z.looseObject({ function: z.looseObject({ name: z.string() }) });
const Request = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({
          name: z.string(),
          description: z.string().nullish(),
          parameters: z.unknown(),
        }),
      }),
    )
    .nullish(),
  tool_choice: z.union([z.enum(["auto", "none", "required"]), NamedChoice]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  seed: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  stream: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
});

type WireMessage = z.output<typeof Message>;

/** Parses an OpenAI Chat Completions request, vLLM's fields included. */
export function parseRequest(body: unknown): CanonicalRequest {
  const wire = parseInput(Request, body, "request body");
  const { system, messages } = parseMessages(wire.messages);
  const toolChoice = parseToolChoice(wire.tool_choice, wire.parallel_tool_calls);
  const maxTokens = wire.max_completion_tokens ?? wire.max_tokens;
  return {
    model: wire.model,
    system,
    messages,
    tools: (wire.tools ?? []).map((tool) => ({
      name: tool.function.name,
      ...(tool.function.description == null ? {} : { description: tool.function.description }),
      inputSchema: tool.function.parameters ?? { type: "object" },
    })),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    sampling: {
      ...(maxTokens == null ? {} : { maxTokens }),
      ...(wire.temperature == null ? {} : { temperature: wire.temperature }),
      ...(wire.top_p == null ? {} : { topP: wire.top_p }),
      ...(wire.top_k == null ? {} : { topK: wire.top_k }),
      ...(wire.seed == null ? {} : { seed: wire.seed }),
      ...(wire.stop == null ? {} : { stop: typeof wire.stop === "string" ? [wire.stop] : wire.stop }),
    },
    stream: wire.stream ?? false,
    capture: wire.return_token_ids ?? false,
  };
}

function parseToolChoice(
  choice: z.output<typeof Request>["tool_choice"],
  parallel: boolean | null | undefined,
): ToolChoice | undefined {
  const extra = parallel === false ? { parallel: false } : {};
  if (choice == null) return parallel === false ? { mode: "auto", parallel: false } : undefined;
  if (choice === "required") return { mode: "any", ...extra };
  if (typeof choice === "string") return { mode: choice, ...extra };
  return { mode: "tool", name: choice.function.name, ...extra };
}

/** Leading instructions become `system`; neighbouring tool messages become one user turn of results. */
function parseMessages(wire: WireMessage[]): { system: string[]; messages: CanonicalMessage[] } {
  const system: string[] = [];
  const messages: CanonicalMessage[] = [];
  let lastWasTool = false;
  for (const [index, message] of wire.entries()) {
    const where = `messages.${index}.content`;
    const isInstruction = message.role === "system" || message.role === "developer";
    if (isInstruction && messages.length === 0) {
      for (const part of parseContent(message.content, where))
        if (part.type === "text") system.push(part.text);
      continue;
    }
    if (message.role === "tool") {
      const result: ToolResultPart = {
        type: "tool_result",
        toolUseId: message.tool_call_id ?? "",
        content: parseContent(message.content, where),
        isError: false,
      };
      const last = messages.at(-1);
      if (lastWasTool && last !== undefined) last.parts.push(result);
      else messages.push({ role: "user", parts: [result] });
      lastWasTool = true;
      continue;
    }
    lastWasTool = false;
    if (message.role === "assistant") messages.push(parseAssistant(message, where));
    else
      messages.push({ role: isInstruction ? "system" : "user", parts: parseContent(message.content, where) });
  }
  return { system, messages };
}

function parseAssistant(message: WireMessage, where: string): CanonicalMessage {
  const reasoning = message.reasoning ?? message.reasoning_content;
  const parts: MessagePart[] = [];
  if (reasoning != null && reasoning !== "") parts.push({ type: "thinking", text: reasoning });
  parts.push(
    ...parseContent(message.content, where).filter((part) => part.type !== "text" || part.text !== ""),
  );
  for (const call of message.tool_calls ?? []) {
    const input = parseInputJson(call.function.arguments ?? "");
    parts.push({ type: "tool_use", id: call.id, name: call.function.name, input });
  }
  return { role: "assistant", parts };
}

function parseContent(content: z.output<typeof Content>, where: string): (TextPart | ImagePart)[] {
  if (content == null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part, index) => {
    if (part.type === "image_url") {
      const { image_url } = parseInput(ImageUrlPart, part, `${where}.${index}`);
      return {
        type: "image",
        source: parseImageUrl(typeof image_url === "string" ? image_url : image_url.url),
      };
    }
    // A part kind we don't know reaches the model as its JSON text: visible, never dropped in silence.
    return { type: "text", text: typeof part.text === "string" ? part.text : JSON.stringify(part) };
  });
}

function parseImageUrl(url: string): ImageSource {
  const comma = url.indexOf(",");
  const head = url.slice(0, comma);
  if (comma === -1 || !head.startsWith("data:") || !head.endsWith(";base64")) return { kind: "url", url };
  return {
    kind: "base64",
    mediaType: head.slice("data:".length, -";base64".length),
    data: url.slice(comma + 1),
  };
}

/** Prints an OpenAI Chat Completions request. A stream is asked for its usage. */
export function printRequest(
  request: CanonicalRequest,
  options: PrintRequestOptions = {},
): Record<string, unknown> {
  const { sampling, toolChoice } = request;
  const messages: Record<string, unknown>[] = [];
  if (request.system.length > 0) messages.push({ role: "system", content: request.system.join("\n\n") });
  for (const message of request.messages) messages.push(...printMessage(message, options));
  return {
    model: request.model,
    messages,
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool) => ({
            type: "function",
            function: {
              name: tool.name,
              ...(tool.description === undefined ? {} : { description: tool.description }),
              parameters: tool.inputSchema,
            },
          })),
        }),
    // A choice without tools is refused by servers, and means nothing.
    ...(toolChoice === undefined || request.tools.length === 0 ? {} : printToolChoice(toolChoice)),
    ...(sampling.maxTokens === undefined ? {} : { max_tokens: sampling.maxTokens }),
    ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
    ...(sampling.topK === undefined ? {} : { top_k: sampling.topK }),
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
    ...(sampling.stop === undefined ? {} : { stop: sampling.stop }),
    ...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function printToolChoice(choice: ToolChoice): Record<string, unknown> {
  const mode = choice.mode === "any" ? "required" : choice.mode;
  return {
    tool_choice: mode === "tool" ? { type: "function", function: { name: choice.name ?? "" } } : mode,
    ...(choice.parallel === false ? { parallel_tool_calls: false } : {}),
  };
}

function printMessage(message: CanonicalMessage, options: PrintRequestOptions): Record<string, unknown>[] {
  if (message.role === "assistant") return [printAssistant(message)];
  const printed: Record<string, unknown>[] = [];
  const rest: (TextPart | ImagePart)[] = [];
  for (const part of message.parts) {
    if (part.type === "tool_result") printed.push(...printToolResult(part, rest, options));
    else if (part.type === "text" || part.type === "image") rest.push(part);
  }
  if (rest.length > 0) printed.push({ role: message.role, content: printContent(rest) });
  return printed;
}

function printToolResult(
  part: ToolResultPart,
  behind: (TextPart | ImagePart)[],
  options: PrintRequestOptions,
): Record<string, unknown>[] {
  const inline = (options.toolImages ?? "user") === "inline";
  const images = part.content.filter((inner) => inner.type === "image");
  const kept = inline ? part.content : part.content.filter((inner) => inner.type === "text");
  if (!inline && images.length > 0) {
    behind.push({ type: "text", text: `Images of tool result ${part.toolUseId}:` }, ...images);
  }
  return [{ role: "tool", tool_call_id: part.toolUseId, content: printContent(kept) }];
}

/** One text is printed as a string, the form every server takes. */
function printContent(parts: (TextPart | ImagePart)[]): unknown {
  const [first] = parts;
  if (first === undefined) return "";
  if (parts.length === 1 && first.type === "text") return first.text;
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: imageUrl(part.source) } },
  );
}

function imageUrl(source: ImageSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function printAssistant(message: CanonicalMessage): Record<string, unknown> {
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const reasoning = message.parts.flatMap((part) => (part.type === "thinking" ? [part.text] : []));
  const calls = message.parts.flatMap((part) => (part.type === "tool_use" ? [part] : []));
  return {
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
}
