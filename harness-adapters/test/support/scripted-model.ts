import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the scripted model does with one call. */
export type ScriptedTurn =
  | { say?: string; call?: { name: string; input: unknown }[]; cutOff?: true }
  | { status: number; retryAfter?: number }
  | "hang";

/** A request as it arrived. */
export interface RecordedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: MessagesBody;
  /** `performance.now()` when all of it was here. */
  arrivedAt: number;
}

/** The parts of an Anthropic Messages request that tests look at. */
export interface MessagesBody {
  model: string;
  stream?: boolean;
  system?: unknown;
  tools?: { name: string; input_schema: unknown }[];
  messages: { role: string; content: string | Block[] }[];
  [field: string]: unknown;
}
export interface Block {
  type: string;
  text?: string;
  tool_use_id?: string;
  is_error?: boolean;
  content?: string | Block[];
  source?: { type: string; media_type: string; data: string };
  [field: string]: unknown;
}

export interface ScriptedModel {
  baseUrl: string;
  token: string;
  /** Calls that offered the environment's tools, in order; turn i answered request i. */
  requests: RecordedRequest[];
  /** Everything else the harness asked for: titles, token counts, probes. */
  others: RecordedRequest[];
  /** Calls with another token; they were answered with 401. */
  unauthorised: number;
  close(): Promise<void>;
}

/**
 * A model server that follows a script, speaking Anthropic Messages with and without streaming. It stands in
 * for a model in tests of harness adapters, here and nowhere else. Past the script's end it says "Finished.".
 *
 * Tools are named bare in a script ("click"); the harness may list them with a prefix ("mcp__env__click").
 */
export async function startScriptedModel(script: readonly ScriptedTurn[]): Promise<ScriptedModel> {
  const token = "session-token";
  const requests: RecordedRequest[] = [];
  const others: RecordedRequest[] = [];
  let unauthorised = 0;

  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const path = request.url ?? "";
    const record: RecordedRequest = { path, headers: request.headers, body, arrivedAt: performance.now() };
    if (!isAuthorised(request.headers, token)) {
      unauthorised += 1;
      return sendError(response, 401, "authentication_error");
    }
    const isMain = path.startsWith("/v1/messages") && !path.includes("count_tokens") && hasTools(body);
    if (!isMain) {
      others.push(record);
      if (path.includes("count_tokens")) return sendJson(response, 200, { input_tokens: 1000 });
      if (!path.startsWith("/v1/messages")) return sendJson(response, 404, {});
      return sendMessage(response, body, { say: "ok" }, 0);
    }
    const turn = script[requests.length] ?? { say: "Finished." };
    requests.push(record);
    if (turn === "hang") return;
    if ("status" in turn) return sendError(response, turn.status, "api_error", turn.retryAfter);
    sendMessage(response, body, turn, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requests,
    others,
    get unauthorised() {
      return unauthorised;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Every block of a request's messages, those inside tool results included, in order. */
export function allBlocks(body: MessagesBody): Block[] {
  const flat = (content: string | Block[] | undefined): Block[] =>
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : (content ?? []).flatMap((block) => [
          block,
          ...(block.type === "tool_result" ? flat(block.content) : []),
        ]);
  return body.messages.flatMap((message) => flat(message.content));
}

/** All text of a request's messages, joined by newlines. */
export function allText(body: MessagesBody): string {
  return allBlocks(body)
    .flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []))
    .join("\n");
}

function hasTools(body: MessagesBody): boolean {
  return body.tools?.some((tool) => bareName(tool.name) === "screenshot") ?? false;
}

function bareName(name: string): string {
  return name.split("__").at(-1)!;
}

function isAuthorised(headers: IncomingHttpHeaders, token: string): boolean {
  return headers["x-api-key"] === token || headers.authorization === `Bearer ${token}`;
}

async function readBody(request: IncomingMessage): Promise<MessagesBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? { model: "", messages: [] } : (JSON.parse(text) as MessagesBody);
}

type Speech = Exclude<ScriptedTurn, "hang" | { status: number }>;

function sendMessage(response: ServerResponse, body: MessagesBody, turn: Speech, index: number): void {
  const listed = (name: string) => body.tools?.find((tool) => bareName(tool.name) === name)?.name ?? name;
  const content = [
    ...(turn.say === undefined ? [] : [{ type: "text", text: turn.say }]),
    ...(turn.call ?? []).map((call, i) => ({
      type: "tool_use",
      id: `toolu_${index}_${i}`,
      name: listed(call.name),
      input: call.input,
    })),
  ];
  const stopReason = turn.cutOff ? "max_tokens" : turn.call?.length ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1000 + 300 * index, output_tokens: 20 };
  const head = { id: `msg_${index}`, type: "message", role: "assistant", model: body.model };
  if (!body.stream) {
    sendJson(response, 200, { ...head, content, stop_reason: stopReason, stop_sequence: null, usage });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const empty = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  send("message_start", { message: empty });
  content.forEach((block, i) => {
    const isText = block.type === "text";
    const start = isText ? { type: "text", text: "" } : { ...block, input: {} };
    const delta = isText
      ? { type: "text_delta", text: (block as { text: string }).text }
      : { type: "input_json_delta", partial_json: JSON.stringify((block as { input: unknown }).input) };
    send("content_block_start", { index: i, content_block: start });
    send("content_block_delta", { index: i, delta });
    send("content_block_stop", { index: i });
  });
  send("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage });
  send("message_stop", {});
  response.end();
}

function sendError(response: ServerResponse, status: number, type: string, retryAfter?: number): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  sendJson(response, status, { type: "error", error: { type, message: `scripted ${status}` } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
