import { type CanonicalRequest, type ImageSource, inputJson, requestImages } from "./messages.ts";

/** Characters a token, on the low side: an estimate that is too small makes harnesses overflow the context. */
const CHARS_PER_TOKEN = 3.5;
/** Pixels a token, the figure Anthropic publishes for its own models. */
const PIXELS_PER_TOKEN = 750;
/** What an image is taken for whose size can't be read (about 1092x1092, the published upper end). */
const UNKNOWN_IMAGE_TOKENS = 1600;

/**
 * Estimates the input tokens of a request, for upstreams that can't count them. Errs on the high side.
 */
export function estimateTokens(request: CanonicalRequest): number {
  let chars = request.system.join("").length;
  for (const tool of request.tools) chars += JSON.stringify(tool).length;
  for (const message of request.messages) {
    for (const part of message.parts) {
      if (part.type === "text" || part.type === "thinking") chars += part.text.length;
      else if (part.type === "tool_use") chars += part.name.length + inputJson(part.input).length;
      else if (part.type === "tool_result") {
        for (const inner of part.content) if (inner.type === "text") chars += inner.text.length;
      }
    }
  }
  let tokens = Math.ceil(chars / CHARS_PER_TOKEN);
  for (const source of requestImages(request.messages)) tokens += imageTokens(source);
  return tokens;
}

function imageTokens(source: ImageSource): number {
  if (source.kind !== "base64" || source.mediaType !== "image/png") return UNKNOWN_IMAGE_TOKENS;
  // Width and height stand at bytes 16 to 23 of a PNG.
  const head = Buffer.from(source.data.slice(0, 32), "base64");
  if (head.length < 24) return UNKNOWN_IMAGE_TOKENS;
  return Math.ceil((head.readUInt32BE(16) * head.readUInt32BE(20)) / PIXELS_PER_TOKEN);
}
