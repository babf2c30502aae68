import { type CanonicalResponse, responseEvents } from "../messages.ts";
import { printSse } from "../sse.ts";
import { CAPTURE_FIELDS } from "./capture-fields.ts";
import type { WireDialect, WireError } from "./dialect.ts";
import { parseRequest, printRequest } from "./openai-request.ts";
import { parseResponse, printResponse } from "./openai-response.ts";
import { OpenAiStreamParser, OpenAiStreamPrinter } from "./openai-stream.ts";

export { parseRequest, printRequest } from "./openai-request.ts";
export { parseResponse, printResponse } from "./openai-response.ts";

/** `error.type` and `error.code` by HTTP status. */
const ERRORS: Record<number, [type: string, code: string | null]> = {
  400: ["invalid_request_error", null],
  401: ["invalid_request_error", "invalid_api_key"],
  403: ["invalid_request_error", "permission_denied"],
  404: ["invalid_request_error", "not_found"],
  409: ["invalid_request_error", "conflict"],
  429: ["rate_limit_error", "rate_limit_exceeded"],
};

function printError(error: WireError): Record<string, unknown> {
  const [type, code] = ERRORS[error.status] ?? [
    error.status < 500 ? "invalid_request_error" : "server_error",
    null,
  ];
  return { error: { message: error.message, type, param: null, code } };
}

/** The server-sent events of a finished completion, token fields included where it carries a capture. */
export function* streamResponse(response: CanonicalResponse): Generator<string> {
  const printer = new OpenAiStreamPrinter();
  for (const event of responseEvents(response)) {
    const text = printer.print(event);
    if (text !== "") yield text;
  }
}

/** OpenAI Chat Completions with vLLM's token fields. */
export const openaiChat: WireDialect = {
  name: "openai-chat",
  path: "/v1/chat/completions",
  messagesField: "messages",
  takesSeed: true,
  captureFields: CAPTURE_FIELDS,
  samplingFields: (sampling) => ({
    ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
    ...(sampling.topP === undefined ? {} : { top_p: sampling.topP }),
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
  }),
  parseRequest,
  printRequest,
  parseResponse,
  printResponse,
  streamParser: () => new OpenAiStreamParser(),
  streamPrinter: () => new OpenAiStreamPrinter(),
  streamResponse,
  printError,
  printErrorEvent: (error) => printSse(printError(error)),
  authHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
};
