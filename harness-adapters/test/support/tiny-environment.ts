import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { greyPng } from "./picture.ts";

export interface TinyEnvironment {
  url: string;
  token: string;
  /** Tool calls in order, as "name {input}". */
  calls: string[];
  /** The picture shown after n clicks, base64. */
  picture(clicks: number): string;
  close(): Promise<void>;
}

const TOOLS = [
  { name: "screenshot", description: "Look at the page.", properties: {} },
  { name: "click", description: "Click an element.", properties: { mark: { type: "integer" } } },
  { name: "report_infeasible", description: "Give up.", properties: { reason: { type: "string" } } },
];

/** An MCP server with one page and a counter, on the SDK's own HTTP transport. Clicking mark 9 fails. */
export async function startTinyEnvironment(): Promise<TinyEnvironment> {
  const token = "environment-token";
  const calls: string[] = [];
  let clicks = 0;
  const picture = (count: number) => greyPng(320, 240, 40 * (count + 1)).toString("base64");

  function answer(name: string, input: Record<string, unknown>) {
    calls.push(`${name} ${JSON.stringify(input)}`);
    const failed = name === "click" && input.mark === 9;
    if (name === "click" && !failed) clicks += 1;
    const headline = failed
      ? "Error (mark_not_found): There is no mark 9.\n"
      : name === "click"
        ? `Clicked [${input.mark}] button "Go".\n`
        : "";
    const text = `<observation>\n${headline}Page: "Clicked ${clicks} times"\n[0] button "Go" @160,120\n</observation>`;
    return {
      content: [
        { type: "text" as const, text },
        { type: "image" as const, data: picture(clicks), mimeType: "image/png" },
      ],
    };
  }

  const http = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end();
    if (request.method !== "POST") return void response.writeHead(405).end();
    const server = new Server({ name: "env", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: TOOLS.map(({ name, description, properties }) => ({
        name,
        description,
        inputSchema: { type: "object" as const, properties, required: Object.keys(properties) },
      })),
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      answer(params.name, params.arguments ?? {}),
    );
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as never);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    token,
    calls,
    picture,
    async close() {
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}
