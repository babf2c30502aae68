// Milliseconds that the HTTP + MCP layer adds to one tool call, against bare node:http sending the same bytes
// and against the SDK's own stateless transport. The environment is in memory, so nothing else is measured.
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { OfferedEnvironment } from "@openforgerl/environments/mcp/offer";
import { startToolServer } from "@openforgerl/environments/mcp/server";
import { StillEnvironment } from "../test/mcp/still-environment.ts";

const CALLS = Number(process.argv[2] ?? 1000);
const marks = Array.from({ length: 40 }, (_, id) => ({
  id,
  role: "button",
  name: `Thing number ${id}`,
  box: { x: id, y: id, width: 80, height: 20 },
}));
const options = { style: "marks" as const, maxSteps: 1e9, onStep: () => {} };

for (const imageBytes of [6_000, 120_000]) {
  const environment = new StillEnvironment({ marks }, new Uint8Array(imageBytes));
  const offered = new OfferedEnvironment(environment, options);
  const direct = await perCall(() => offered.call("click", { mark: 1 }));

  const ready = JSON.stringify({ jsonrpc: "2.0", id: 1, result: await offered.call("click", { mark: 1 }) });
  const bare = await listen(
    createServer((request, response) => request.resume().on("end", () => response.end(ready))),
  );
  const bareMs = await perCall(() => post(bare.url, ""));
  bare.http.close();

  const stateless = await listen(
    createServer(async (request, response) => {
      const server = new Server({ name: "env", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
        offered.call(params.name, params.arguments),
      );
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport as never);
      await transport.handleRequest(request, response);
    }),
  );
  const statelessMs = await perCall(() => post(stateless.url, ""));
  stateless.http.close();

  const tools = await startToolServer();
  const { url, token } = tools.offer(environment, options);
  const oursMs = await perCall(() => post(url, token));
  await tools.close();

  const row = (name: string, ms: number) =>
    console.log(`  ${name.padEnd(46)} ${ms.toFixed(2)} ms  ${(ms / bareMs).toFixed(2)}x`);
  console.log(`answer with ${imageBytes} bytes of screenshot and ${marks.length} marks, ${CALLS} calls each`);
  row("no HTTP, no MCP (act + print only)", direct);
  row("bare node:http, ready-made bytes (baseline)", bareMs);
  row("ours, plain fetch client", oursMs);
  row("SDK stateless transport, plain fetch client", statelessMs);
}

async function perCall(call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < CALLS / 5; i++) await call();
  const start = performance.now();
  for (let i = 0; i < CALLS; i++) await call();
  return (performance.now() - start) / CALLS;
}

async function post(url: string, token: string): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "click", arguments: { mark: 1 } },
    }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

async function listen(http: HttpServer): Promise<{ http: HttpServer; url: string }> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return { http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/` };
}
