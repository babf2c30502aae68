import { type CanonicalResponse, responseEvents } from "../messages.ts";
import { printSse } from "../sse.ts";
import { parseRequest, printRequest } from "./anthropic-request.ts";
import { parseResponse, printResponse } from "./anthropic-response.ts";
import { AnthropicStreamParser, AnthropicStreamPrinter } from "./anthropic-stream.ts";
import { CAPTURE_FIELDS } from "./capture-fields.ts";
import type { WireDialect, WireError } from "./dialect.ts";

export { parseRequest, printRequest } from "./anthropic-request.ts";
export { parseResponse, printResponse } from "./anthropic-response.ts";

/** `error.type` by HTTP status, as the published API gives them. */
const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "invalid_request_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function printError(error: WireError): Record<string, unknown> {
  const type = ERROR_TYPES[error.status] ?? (error.status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type, message: error.message } };
}

/** The server-sent events of a finished message, token fields included where it carries a capture. */
export function* streamResponse(response: CanonicalResponse): Generator<string> {
  const printer = new AnthropicStreamPrinter();
  for (const event of responseEvents(response)) {
    const text = printer.print(event);
    if (text !== "") yield text;
  }
}

/** The Anthropic Messages API, version 2023-06-01, with our token fields. */
export const anthropicMessages: WireDialect = {
  name: "anthropic-messages",
  path: "/v1/messages",
  takesSeed: false,
  messagesField: "messages",
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
  streamParser: () => new AnthropicStreamParser(),
  streamPrinter: () => new AnthropicStreamPrinter(),
  streamResponse,
  printError,
  printErrorEvent: (error) => printSse(printError(error), "error"),
  authHeaders: (apiKey) => ({ "x-api-key": apiKey, authorization: `Bearer ${apiKey}` }),
};
