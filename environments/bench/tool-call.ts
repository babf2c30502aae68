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

const CALLS = Number(process.argv[2] ?? 300);
const marks = Array.from({ length: 40 }, (_, id) => ({
  id,
  role: "button",
  name: `Thing number ${id}`,
  box: { x: id, y: id, width: 80, height: 20 },
}));
const options = { style: "marks" as const, maxSteps: 1e9, onStep: () => {} };

const ROUNDS = 5;

for (const imageBytes of [6_000, 120_000]) {
  const environment = new StillEnvironment({ marks }, new Uint8Array(imageBytes));
  const offered = new OfferedEnvironment(environment, options);
  const ready = JSON.stringify({ jsonrpc: "2.0", id: 1, result: await offered.call("click", { mark: 1 }) });
  const bare = await listen(
    createServer((request, response) => request.resume().on("end", () => response.end(ready))),
  );
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
  const tools = await startToolServer();
  const { url, token } = tools.offer(environment, options);

  const rivals: [string, () => Promise<unknown>][] = [
    ["bare node:http, ready-made bytes (baseline)", () => post(bare.url, "")],
    ["ours", () => post(url, token)],
    ["the SDK's stateless transport", () => post(stateless.url, "")],
    ["no HTTP, no MCP (act + print only)", () => offered.call("click", { mark: 1 })],
  ];
  const times = new Map(rivals.map(([name]) => [name, [] as number[]]));
  // Turn and turn about, so that a busy moment of the machine hits all alike; the first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, call] of rivals) {
      const ms = await perCall(call);
      if (round > 0) times.get(name)!.push(ms);
    }
  }
  console.log(
    `answer of ${imageBytes} bytes of screenshot and ${marks.length} marks, ${ROUNDS} x ${CALLS} calls, medians`,
  );
  const median = (name: string) => times.get(name)!.sort((a, b) => a - b)[ROUNDS >> 1]!;
  for (const [name] of rivals) {
    const ratio = median(name) / median(rivals[0]![0]);
    console.log(`  ${name.padEnd(46)} ${median(name).toFixed(2)} ms  ${ratio.toFixed(2)}x`);
  }
  bare.http.close();
  stateless.http.close();
  await tools.close();
}

async function perCall(call: () => Promise<unknown>): Promise<number> {
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
