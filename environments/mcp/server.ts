import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Environment } from "@openforgerl/contracts/environment";
import { asForgeError, type ForgeError } from "@openforgerl/contracts/errors";
import type { JsonHttpTransport } from "./http-transport.ts";
import { OfferedEnvironment, type OfferOptions } from "./offer.ts";
import { connectProtocol } from "./protocol.ts";

export type { OfferOptions, StepEvent } from "./offer.ts";

/** One environment on offer: where a harness finds it, and how it fared. */
export interface ToolOffer {
  /** Streamable-HTTP MCP endpoint of this environment alone. */
  readonly url: string;
  /** Bearer token; any other is answered with 401. */
  readonly token: string;
  /** Why the environment can't be used any more, if so. */
  readonly broken: ForgeError | undefined;
  /** The agent's reason, once it has called `report_infeasible`. */
  readonly infeasible: string | undefined;
  /** Actions done so far. */
  readonly steps: number;
  /** Ends the offer: calls in flight and later ones get 410. Does not close the environment. */
  close(): void;
}

/** Offers any number of environments over one HTTP server. */
export interface ToolServer {
  offer(environment: Environment, options: OfferOptions): ToolOffer;
  /** Closes every offer and the server. */
  close(): Promise<void>;
}

interface Route {
  offered: OfferedEnvironment;
  protocol: Promise<JsonHttpTransport>;
}

const PATH = /^\/mcp\/(\d+)$/;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Starts the MCP server on a free port of 127.0.0.1: streamable HTTP without sessions, JSON answers, no
 * server-sent events (a GET is answered with 405, as the protocol allows).
 * @throws ForgeError `runtime/tool_server_failed` when no port can be bound.
 */
export async function startToolServer(options: { log?: (line: string) => void } = {}): Promise<ToolServer> {
  const routes = new Map<number, Route>();
  // Tokens are derived and not kept, so that a closed offer is told from an unknown one for ever at no cost.
  const secret = randomBytes(32);
  const tokenOf = (id: number) => createHmac("sha256", secret).update(String(id)).digest("hex");
  let nextId = 1;

  const http = createServer((request, response) => {
    answer(request, response).catch((thrown) => {
      options.log?.(`tool server: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      if (!response.headersSent) sendError(response, 500, "The tool server failed on this request.");
      else response.destroy();
    });
  });
  // A model may think for minutes between two calls; a connection closed meanwhile would fail the next one.
  http.keepAliveTimeout = 15 * 60_000;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = Number(PATH.exec(request.url ?? "")?.[1] ?? 0);
    if (id === 0 || id >= nextId) return sendError(response, 404, "There is no such tool endpoint.");
    if (!isBearer(request.headers.authorization, tokenOf(id))) {
      response.setHeader("www-authenticate", "Bearer");
      return sendError(response, 401, "The bearer token is missing or wrong.");
    }
    const route = routes.get(id);
    if (!route) return sendError(response, 410, "The episode is over.");
    if (request.method !== "POST") {
      response.setHeader("allow", "POST");
      return sendError(response, 405, "Only POST is served here.");
    }
    const message = await readMessage(request);
    if (typeof message === "string") return sendError(response, 400, message, -32700);
    const reply = await (await route.protocol).receive(message);
    if (!routes.has(id)) return sendError(response, 410, "The episode is over.");
    if (reply) sendJson(response, 200, reply);
    else response.writeHead(202).end();
  }

  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(0, "127.0.0.1", resolve);
  }).catch((thrown) => {
    throw asForgeError(thrown, {
      boundary: "runtime",
      code: "tool_server_failed",
      advice: "Check that this machine lets a process listen on 127.0.0.1.",
    });
  });
  const { port } = http.address() as AddressInfo;

  function closeRoute(id: number): void {
    const route = routes.get(id);
    if (!route) return;
    routes.delete(id);
    route.offered.close();
    void route.protocol.then((protocol) => protocol.close());
  }

  return {
    offer(environment, offerOptions) {
      const id = nextId++;
      const offered = new OfferedEnvironment(environment, offerOptions);
      routes.set(id, { offered, protocol: connectProtocol(offered) });
      return {
        url: `http://127.0.0.1:${port}/mcp/${id}`,
        token: tokenOf(id),
        get broken() {
          return offered.broken;
        },
        get infeasible() {
          return offered.infeasible;
        },
        get steps() {
          return offered.steps;
        },
        close: () => closeRoute(id),
      };
    },
    async close() {
      for (const id of [...routes.keys()]) closeRoute(id);
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

/** Reads one JSON-RPC message; a string says why there is none. */
async function readMessage(request: IncomingMessage): Promise<JSONRPCMessage | string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return `The body is larger than ${MAX_BODY_BYTES} bytes.`;
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return "The body is not JSON.";
  }
  const parsed = JSONRPCMessageSchema.safeParse(body);
  return parsed.success ? parsed.data : "The body is not one JSON-RPC 2.0 message.";
}

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  response.end(bytes);
}

function sendError(response: ServerResponse, status: number, message: string, code = -32000): void {
  sendJson(response, status, { jsonrpc: "2.0", id: null, error: { code, message } });
}
