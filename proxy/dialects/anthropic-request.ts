import { parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import type {
  CanonicalMessage,
  CanonicalRequest,
  ImagePart,
  MessagePart,
  TextPart,
  ToolChoice,
} from "../messages.ts";

const Block = z.looseObject({ type: z.string() });
const Content = z.union([z.string(), z.array(Block)]);
const TextBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const ImageBlock = z.looseObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal("url"), url: z.string() }),
  ]),
});
const ToolUseBlock = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
const ToolResultBlock = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: Content.nullish(),
  is_error: z.boolean().nullish(),
});
const ThinkingBlock = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().nullish(),
});

const Request = z.looseObject({
  model: z.string(),
  max_tokens: z.number().nullish(),
  system: Content.nullish(),
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: Content })),
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string().nullish(), input_schema: z.unknown() }))
    .nullish(),
  tool_choice: z
    .looseObject({
      type: z.enum(["auto", "any", "none", "tool"]),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().nullish(),
    })
    .nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  seed: z.number().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
});

/** Parses an Anthropic Messages request (docs: "Messages API", version 2023-06-01). */
export function parseRequest(body: unknown): CanonicalRequest {
  const wire = parseInput(Request, body, "request body");
  const choice = wire.tool_choice;
  const toolChoice: ToolChoice | undefined = choice
    ? {
        mode: choice.type,
        ...(choice.name === undefined ? {} : { name: choice.name }),
        ...(choice.disable_parallel_tool_use ? { parallel: false } : {}),
      }
    : undefined;
  return {
    model: wire.model,
    system: textBlocks(wire.system),
    messages: wire.messages.map((message, index) => ({
      role: message.role,
      parts: parseContent(message.content, `messages.${index}.content`),
    })),
    tools: (wire.tools ?? []).map((tool) => ({
      name: tool.name,
      ...(tool.description == null ? {} : { description: tool.description }),
      inputSchema: tool.input_schema ?? { type: "object" },
    })),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    sampling: {
      ...(wire.max_tokens == null ? {} : { maxTokens: wire.max_tokens }),
      ...(wire.temperature == null ? {} : { temperature: wire.temperature }),
      ...(wire.top_p == null ? {} : { topP: wire.top_p }),
      ...(wire.top_k == null ? {} : { topK: wire.top_k }),
      ...(wire.seed == null ? {} : { seed: wire.seed }),
      ...(wire.stop_sequences ? { stop: wire.stop_sequences } : {}),
    },
    stream: wire.stream ?? false,
    capture: wire.return_token_ids ?? false,
  };
}

function textBlocks(content: z.output<typeof Content> | null | undefined): string[] {
  if (content == null) return [];
  if (typeof content === "string") return [content];
  return content.map((block) => (typeof block.text === "string" ? block.text : JSON.stringify(block)));
}

function parseContent(content: z.output<typeof Content>, where: string): MessagePart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block, index) => parseBlock(block, `${where}.${index}`));
}

function parseBlock(block: z.output<typeof Block>, where: string): MessagePart {
  switch (block.type) {
    case "text":
    case "image":
      return parsePlain(block, where);
    case "tool_use": {
      const { id, name, input } = parseInput(ToolUseBlock, block, where);
      return { type: "tool_use", id, name, input: input ?? {} };
    }
    case "tool_result": {
      const wire = parseInput(ToolResultBlock, block, where);
      const content = wire.content ?? [];
      return {
        type: "tool_result",
        toolUseId: wire.tool_use_id,
        content:
          typeof content === "string"
            ? [{ type: "text", text: content }]
            : content.map((inner, index) => parsePlain(inner, `${where}.content.${index}`)),
        isError: wire.is_error ?? false,
      };
    }
    case "thinking": {
      const { thinking, signature } = parseInput(ThinkingBlock, block, where);
      return { type: "thinking", text: thinking, ...(signature == null ? {} : { signature }) };
    }
    default:
      return unknownBlock(block);
  }
}

function parsePlain(block: z.output<typeof Block>, where: string): TextPart | ImagePart {
  if (block.type === "text") return { type: "text", text: parseInput(TextBlock, block, where).text };
  if (block.type !== "image") return unknownBlock(block);
  const { source } = parseInput(ImageBlock, block, where);
  return {
    type: "image",
    source:
      source.type === "url"
        ? { kind: "url", url: source.url }
        : { kind: "base64", mediaType: source.media_type, data: source.data },
  };
}

/** A block kind we don't know reaches the model as its JSON text: visible, and never dropped in silence. */
function unknownBlock(block: z.output<typeof Block>): TextPart {
  return { type: "text", text: JSON.stringify(block) };
}

/** Prints an Anthropic Messages request. */
export function printRequest(request: CanonicalRequest): Record<string, unknown> {
  const { sampling, toolChoice } = request;
  return {
    model: request.model,
    // The field is required by this dialect; the value is the one its own SDK examples use.
    max_tokens: sampling.maxTokens ?? 4096,
    ...(request.system.length === 0
      ? {}
      : { system: request.system.map((text) => ({ type: "text", text })) }),
    messages: request.messages.map(printMessage),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map((tool) => ({
            name: tool.name,
            ...(tool.description === undefined ? {} : { description: tool.description }),
            input_schema: tool.inputSchema,
          })),
        }),
    // A choice without tools is refused by servers, and means nothing.
    ...(toolChoice === undefined || request.tools.length === 0
      ? {}
      : {
          tool_choice: {
            type: toolChoice.mode,
            ...(toolChoice.name === undefined ? {} : { name: toolChoice.name }),
            ...(toolChoice.parallel === false ? { disable_parallel_tool_use: true } : {}),
          },
        }),
    ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
    ...(sampling.topK === undefined ? {} : { top_k: sampling.topK }),
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
    ...(sampling.stop === undefined ? {} : { stop_sequences: sampling.stop }),
    ...(request.stream ? { stream: true } : {}),
  };
}

function printMessage(message: CanonicalMessage): Record<string, unknown> {
  if (message.role === "system") {
    // The published API has no system turns amid a conversation; harnesses themselves write them like this.
    const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    return {
      role: "user",
      content: [{ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` }],
    };
  }
  return { role: message.role, content: message.parts.map(printPart) };
}

function printPart(part: MessagePart): Record<string, unknown> {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return {
        type: "image",
        source:
          part.source.kind === "url"
            ? { type: "url", url: part.source.url }
            : { type: "base64", media_type: part.source.mediaType, data: part.source.data },
      };
    case "thinking":
      return {
        type: "thinking",
        thinking: part.text,
        ...(part.signature === undefined ? {} : { signature: part.signature }),
      };
    case "tool_use":
      return { type: "tool_use", id: part.id, name: part.name, input: objectInput(part.input) };
    case "tool_result":
      return {
        type: "tool_result",
        tool_use_id: part.toolUseId,
        content: part.content.map(printPart),
        ...(part.isError ? { is_error: true } : {}),
      };
  }
}

/** The dialect wants an object; arguments that never were one are kept under one key. */
export function objectInput(input: unknown): unknown {
  return typeof input === "string" ? { arguments: input } : (input ?? {});
}
