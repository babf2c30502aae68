import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WIRE_DIALECTS } from "../../dialects/registry.ts";
import {
  type CanonicalMessage,
  type CanonicalRequest,
  type CanonicalResponse,
  type CapturedImage,
  inputJson,
  type MessagePart,
  type ResponsePart,
  type TokenCapture,
} from "../../messages.ts";

/** What the fake server does with one request. */
export interface Script {
  /** Answers with this error instead. */
  error?: { status: number; retryAfter?: string; body?: string };
  /** Answers with exactly these bytes, chunk by chunk. */
  raw?: { contentType: string; chunks: (string | Buffer)[] };
  /** Closes the connection before any byte, or behind this many stream events. */
  reset?: "before" | number;
  /** Ends the connection properly behind this many stream events. */
  truncate?: number;
  /** Waits for this between stream events (and before a whole answer). */
  pause?: (event: number) => Promise<void>;
  parts?: ResponsePart[];
  /** Changes what the server says about tokens. */
  capture?: (capture: TokenCapture) => TokenCapture;
  /** Sampled tokens that the answer's usage claims. Default: their true number. */
  outputTokens?: number;
}

export interface SeenRequest {
  path: string;
  query: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
  /** True once the client went away before the answer was whole. */
  aborted: boolean;
}

export interface FakeUpstream {
  url: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

const IMAGE_TOKEN = 3;
const TURN_TOKEN = 1;
const END_TOKEN = 2;
/** Placeholder tokens of an image. */
export const IMAGE_LENGTH = 4;

/**
 * A model server with vLLM's token fields and our extensions, in both dialects. Its "tokenizer" gives one
 * token a character, and renders an assistant turn of the history exactly as it sampled it, so that an
 * append-only conversation is an append-only token sequence.
 */
export async function startFakeUpstream(
  script: (request: CanonicalRequest, index: number) => Script | Promise<Script>,
): Promise<FakeUpstream> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? "/", "http://fake");
    const request: SeenRequest = {
      path: url.pathname,
      query: url.search,
      headers: req.headers,
      body: Buffer.concat(chunks),
      aborted: false,
    };
    res.on("close", () => {
      if (!res.writableFinished) request.aborted = true;
    });
    const dialect = Object.values(WIRE_DIALECTS).find(({ path }) => path === url.pathname);
    if (dialect === undefined || req.method !== "POST") {
      res.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such path"}}');
      return;
    }
    const index = seen.push(request) - 1;
    const canonical = dialect.parseRequest(JSON.parse(request.body.toString("utf8")));
    const plan = await script(canonical, index);
    if (plan.reset === "before") {
      req.socket.destroy();
    } else if (plan.error !== undefined) {
      const body =
        plan.error.body ?? JSON.stringify(dialect.printError({ ...plan.error, message: "fake error" }));
      const retryAfter = plan.error.retryAfter === undefined ? {} : { "retry-after": plan.error.retryAfter };
      res.writeHead(plan.error.status, { "content-type": "application/json", ...retryAfter }).end(body);
    } else if (plan.raw !== undefined) {
      res.writeHead(200, { "content-type": plan.raw.contentType });
      await write(res, plan.raw.chunks, plan);
    } else {
      const response = answer(canonical, plan, index);
      res.setHeader("request-id", `fake-${index}`);
      if (canonical.stream) {
        res.writeHead(200, { "content-type": "text/event-stream" });
        await write(res, dialect.streamResponse(response), plan);
      } else {
        await plan.pause?.(0);
        res.writeHead(200, { "content-type": "application/json" });
        res.end(JSON.stringify(dialect.printResponse(response)));
      }
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function write(res: ServerResponse, chunks: Iterable<string | Buffer>, plan: Script): Promise<void> {
  let event = 0;
  for (const chunk of chunks) {
    if (plan.truncate === event) break;
    if (plan.reset === event) {
      // What was written must be on its way before the connection is torn down.
      await sleep(20);
      res.destroy();
      return;
    }
    await plan.pause?.(event);
    event++;
    if (res.destroyed) return;
    res.write(chunk);
  }
  res.end();
}

function answer(request: CanonicalRequest, plan: Script, index: number): CanonicalResponse {
  const parts = plan.parts ?? [{ type: "text", text: `answer ${index}` }];
  const { tokens: prompt, images } = promptTokens(request);
  const sampled = [...turnTokens({ role: "assistant", parts }), END_TOKEN];
  const full: TokenCapture = {
    promptTokenIds: prompt,
    tokenIds: sampled,
    logprobs: sampled.map((id, at) => -Math.log(2 + ((id * 31 + at) % 7))),
    ...(images.length === 0 ? {} : { promptImages: images }),
    policyVersion: { first: "7", last: "8" },
  };
  const capture = plan.capture?.(full) ?? full;
  return {
    id: `fake_${index}`,
    model: request.model,
    created: 1_700_000_000,
    parts,
    stop: parts.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
    usage: {
      inputTokens: prompt.length,
      outputTokens: plan.outputTokens ?? capture.tokenIds?.length ?? sampled.length,
    },
    ...(request.capture ? { capture } : {}),
  };
}

/** The whole prompt of a request. */
export function promptTokens(request: CanonicalRequest): { tokens: number[]; images: CapturedImage[] } {
  const images: CapturedImage[] = [];
  const tokens = chars(request.system.join("\n"));
  for (const message of request.messages) {
    tokens.push(TURN_TOKEN);
    if (message.role === "assistant") tokens.push(TURN_TOKEN);
    turnTokens(message, tokens, images);
    tokens.push(END_TOKEN);
  }
  // The generation prompt: what stands in front of an assistant turn.
  tokens.push(TURN_TOKEN, TURN_TOKEN);
  return { tokens, images };
}

function turnTokens(message: CanonicalMessage, into: number[] = [], images: CapturedImage[] = []): number[] {
  const add = (part: MessagePart): void => {
    if (part.type === "text" || part.type === "thinking") into.push(...chars(part.text));
    else if (part.type === "tool_use") into.push(...chars(`${part.name}(${inputJson(part.input)})`));
    else if (part.type === "tool_result") part.content.forEach(add);
    else if (part.source.kind === "base64") {
      const bytes = Buffer.from(part.source.data, "base64");
      images.push({
        sha256: createHash("sha256").update(bytes).digest("hex"),
        mediaType: part.source.mediaType,
        size: bytes.length,
        offset: into.length,
        length: IMAGE_LENGTH,
        grid: [1, 2, 2],
        processor: "fake-1",
      });
      into.push(...new Array<number>(IMAGE_LENGTH).fill(IMAGE_TOKEN));
    }
  };
  message.parts.forEach(add);
  return into;
}

function chars(text: string): number[] {
  return [...text].map((char) => 10 + (char.codePointAt(0) ?? 0));
}
