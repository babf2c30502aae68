import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Observation } from "@openforgerl/contracts/observation";
import { observationText } from "./observation-text.ts";

/** Puts together the answer to a tool call: the observation as text, then the screenshot if there is one. */
export function toolResult(
  observation: Observation,
  options: { headline?: string; isError: boolean; scale: number },
): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text: observationText(observation, options) }];
  const { screenshot } = observation;
  if (screenshot) {
    const { buffer, byteOffset, byteLength } = screenshot.bytes;
    content.push({
      type: "image",
      data: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("base64"),
      mimeType: screenshot.mediaType,
    });
  }
  return options.isError ? { content, isError: true } : { content };
}

/** The answer to a call that the environment is no longer there for: a sentence and no observation. */
export function bareError(code: string, message: string): CallToolResult {
  return { content: [{ type: "text", text: `Error (${code}): ${message}` }], isError: true };
}
