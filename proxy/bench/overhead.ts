/**
 * What the proxy adds to a call: latency one call at a time, calls a second at 16 at a time, and the
 * proxy's own CPU time a call; direct to the model server for contrast. Calls come in sessions of ten turns,
 * recorded and sealed with fsync, bare and with a distinct 15 KB screenshot in each turn (a call then
 * carries one to ten of them).
 *
 *   ./forge bench proxy/overhead
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Proxy as RecordingProxy, startProxy } from "../server.ts";
import { screenshotPng } from "../test/support/png.ts";
import type { Load } from "./support/load.ts";

const TURNS = 10;
const SESSIONS = 40;
const WIDTH = 16;

const tokens = Array.from({ length: 2000 }, (_, at) => 100 + at);
const answer = JSON.stringify({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "policy",
  content: [{ type: "tool_use", id: "toolu_1", name: "mcp__env__click", input: { mark: 3 } }],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 2000, output_tokens: 20 },
  prompt_token_ids: tokens,
  prompt_images: [],
  token_ids: tokens.slice(0, 20),
  token_logprobs: tokens.slice(0, 20).map((id) => -id / 1000),
});

/** The ten bodies of one session, each the one before with a turn more. */
function session(number: number, images: boolean): string[] {
  const messages: object[] = [{ role: "user", content: `<task>Task ${number}</task>` }];
  const system = "You operate a browser. ".repeat(100);
  const tools = [
    { name: "mcp__env__click", description: "Click. ".repeat(100), input_schema: { type: "object" } },
  ];
  return Array.from({ length: TURNS }, (_, turn) => {
    const data = images ? screenshotPng(number * TURNS + turn).toString("base64") : undefined;
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const text = { type: "text", text: `observation ${number}/${turn} `.repeat(30) };
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: images ? [text, image] : [text] }],
    });
    const body = JSON.stringify({ model: "policy", max_tokens: 256, system, tools, messages });
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id: "toolu_1", name: "mcp__env__click", input: { mark: turn } }],
    });
    return body;
  });
}

interface Result {
  latencies: number[];
  seconds: number;
  cpuMs: number;
}

const worker = new Worker(new URL("./support/load.ts", import.meta.url), { workerData: { answer } });
const [{ url: upstream }] = (await once(worker, "message")) as [{ url: string }];
const dir = await mkdtemp(join(tmpdir(), "forge-bench-"));
const proxy = await startProxy({
  recordsDir: dir,
  upstreams: [{ id: "u", dialects: ["anthropic-messages"], baseUrl: upstream, capture: "vllm" }],
});
try {
  for (const images of [false, true]) {
    const sessions = Array.from({ length: SESSIONS }, (_, number) => session(number, images));
    const bytes = sessions[0]!.reduce((sum, body) => sum + body.length, 0) / TURNS;
    console.log(
      `\n${images ? "with" : "without"} screenshots: ${Math.round(bytes / 1024)} KiB a request on average`,
    );
    await measure(undefined, sessions.slice(0, 5), 1);
    await measure(proxy, sessions.slice(0, 5), 1);
    const direct = await measure(undefined, sessions, 1);
    const through = await measure(proxy, sessions, 1);
    const directWide = await measure(undefined, sessions, WIDTH);
    const throughWide = await measure(proxy, sessions, WIDTH);
    const [p50, p99] = [0.5, 0.99].map((q) => [quantile(direct, q), quantile(through, q)] as const);
    console.log(`  latency p50  direct ${ms(p50![0])}  proxy ${ms(p50![1])}  added ${ms(p50![1] - p50![0])}`);
    console.log(`  latency p99  direct ${ms(p99![0])}  proxy ${ms(p99![1])}  added ${ms(p99![1] - p99![0])}`);
    console.log(`  calls/s (${WIDTH} at a time)  direct ${rate(directWide)}  proxy ${rate(throughWide)}`);
    console.log(`  CPU time of the proxy's thread, a call: ${ms(throughWide.cpuMs / (SESSIONS * TURNS))}`);
  }
} finally {
  worker.postMessage("close");
  await proxy.close();
  await once(worker, "exit");
  await rm(dir, { recursive: true, force: true });
}

/** Runs the sessions, `width` at a time; through the proxy each is opened before and sealed after. */
async function measure(
  through: RecordingProxy | undefined,
  sessions: string[][],
  width: number,
): Promise<Result> {
  const total: Result = { latencies: [], seconds: 0, cpuMs: 0 };
  for (let from = 0; from < sessions.length; from += width) {
    const batch = sessions.slice(from, from + width);
    const before = process.threadCpuUsage();
    const started = performance.now();
    const grants = await Promise.all(batch.map(() => through?.createSession({})));
    const chains: Load["chains"] = batch.map((bodies, at) => {
      const grant = grants[at];
      return { url: grant?.baseUrl ?? upstream, token: grant?.token ?? "none", bodies };
    });
    worker.postMessage({ chains } satisfies Load);
    const [{ latencies }] = (await once(worker, "message")) as [{ latencies: number[] }];
    await Promise.all(grants.map((grant) => grant && through?.sealSession(grant.id)));
    total.seconds += (performance.now() - started) / 1000;
    const { user, system } = process.threadCpuUsage(before);
    total.cpuMs += (user + system) / 1000;
    total.latencies.push(...latencies);
  }
  return total;
}

function quantile({ latencies }: Result, q: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;
}
function rate({ latencies, seconds }: Result): string {
  return (latencies.length / seconds).toFixed(0);
}
function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
