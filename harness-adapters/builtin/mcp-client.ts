import { ForgeError } from "@openforgerl/contracts/errors";
import { z } from "zod";
import { postJson } from "../http.ts";

/** A tool as the environment lists it. */
export interface McpTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

const Content = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
]);
const ToolAnswer = z.object({ content: z.array(Content), isError: z.boolean().default(false) });
/** What a tool call came to. */
export type ToolAnswer = z.infer<typeof ToolAnswer>;

const ToolList = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().optional(),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
});

const Reply = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const PROTOCOL_VERSION = "2025-06-18";

/**
 * A client for streamable-HTTP MCP servers that answer in JSON and keep no session, as the environment's
 * does. The SDK's client takes four times as long per call, on a path that training goes down forty times a
 * second.
 */
export class McpClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #signal: AbortSignal;
  #nextId = 0;

  constructor(endpoint: { url: string; token: string }, signal: AbortSignal) {
    this.#url = endpoint.url;
    this.#signal = signal;
    this.#headers = {
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${endpoint.token}`,
      "mcp-protocol-version": PROTOCOL_VERSION,
    };
  }

  /**
   * Opens the connection and lists the tools.
   * @throws ForgeError boundary `environment`, as every method does.
   */
  async connect(): Promise<McpTool[]> {
    await this.#request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: "openforgerl-builtin", version: "1" },
    });
    await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this.#read(ToolList, await this.#request("tools/list", {})).tools;
  }

  async callTool(name: string, input: unknown): Promise<ToolAnswer> {
    return this.#read(ToolAnswer, await this.#request("tools/call", { name, arguments: input }));
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    const text = await this.#post({ jsonrpc: "2.0", id: this.#nextId++, method, params });
    const reply = this.#read(Reply, parseJson(text));
    if (reply.error) throw toolsFailed(`${method} was refused: ${reply.error.message}`);
    return reply.result;
  }

  async #post(message: unknown): Promise<string> {
    const answer = await postJson(this.#url, this.#headers, message, this.#signal).catch((thrown) => {
      throw toolsFailed(`The tool server can't be reached: ${String(thrown)}`, thrown);
    });
    if (answer.status >= 400) {
      throw toolsFailed(`The tool server answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    }
    return answer.text;
  }

  #read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw toolsFailed(`The tool server's answer can't be read: ${parsed.error.message}`);
    return parsed.data;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toolsFailed(message: string, cause?: unknown): ForgeError {
  return new ForgeError({
    boundary: "environment",
    code: "tools_failed",
    message,
    advice: "Look at the environment's own error; the tool server only passes it on.",
    retryable: true,
    cause,
  });
}
