// What a harness adds to an episode: its wall time against the same model requests and tool calls made bare,
// its start-up until the first model request, and the peak memory of the processes it starts.
// Usage: ./forge bench harness-adapters/episode [episodes per harness]
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HarnessAdapter, HarnessInstallation } from "@openforgerl/contracts/harness";
import { McpClient } from "@openforgerl/harness-adapters/builtin/mcp-client";
import { postJson } from "@openforgerl/harness-adapters/http";
import { listHarnesses } from "@openforgerl/harness-adapters/registry";
import { installClaudeCode } from "../test/support/claude-code.ts";
import { type ScriptedTurn, startScriptedModel } from "../test/support/scripted-model.ts";
import { startTinyEnvironment } from "../test/support/tiny-environment.ts";
import { watchDescendants } from "./support/process-tree.ts";

const EPISODES = Number(process.argv[2] ?? 5);
const CLICKS = 8;
const SCRIPT: ScriptedTurn[] = [
  { call: [{ name: "screenshot", input: {} }] },
  ...Array.from({ length: CLICKS }, () => ({ call: [{ name: "click", input: { mark: 0 } }] })),
  { say: "Done." },
];
const never = new AbortController().signal;

console.log(`${EPISODES} episodes of ${SCRIPT.length} model calls and ${CLICKS + 1} tool calls; medians`);
console.log("harness        wall ms   bare ms    ratio   start-up ms   ms a step   peak PSS MiB");
for (const adapter of listHarnesses()) {
  const installation =
    adapter.name === "claude-code" ? await installClaudeCode() : await adapter.install("", never);
  if (typeof installation === "string") {
    console.log(`${adapter.name}: skipped, ${installation}`);
    continue;
  }
  // Memory is watched in the warm-up alone, for watching takes time away.
  const memory = watchDescendants();
  await episode(adapter, installation);
  const pssMib = await memory.stop();
  const runs: Awaited<ReturnType<typeof episode>>[] = [];
  for (let i = 0; i < EPISODES; i++) runs.push(await episode(adapter, installation));
  const median = (pick: (run: (typeof runs)[number]) => number) =>
    runs.map(pick).sort((a, b) => a - b)[Math.floor(runs.length / 2)]!;
  const [wall, bare] = [median((run) => run.wallMs), median((run) => run.bareMs)];
  const cells = [
    wall.toFixed(0).padStart(7),
    bare.toFixed(0).padStart(9),
    `${(wall / bare).toFixed(2)}x`.padStart(8),
    median((run) => run.startMs)
      .toFixed(0)
      .padStart(13),
    ((wall - median((run) => run.startMs)) / SCRIPT.length).toFixed(1).padStart(11),
    (adapter.capabilities.inProcess ? "in process" : pssMib.toFixed(0)).padStart(14),
  ];
  console.log(adapter.name.padEnd(13), cells.join(" "));
}

async function episode(adapter: HarnessAdapter, installation: HarnessInstallation) {
  const scratchDir = await mkdtemp(join(tmpdir(), "forge-bench-"));
  const environment = await startTinyEnvironment();
  const model = await startScriptedModel(SCRIPT);
  try {
    const start = performance.now();
    const outcome = await adapter.run(installation, {
      instruction: "Press Go eight times.",
      model: { baseUrl: model.baseUrl, token: model.token, name: "policy" },
      mcp: { url: environment.url, token: environment.token },
      scratchDir,
      limits: { maxSteps: 100, maxCalls: 100, deadlineSeconds: 300 },
      signal: never,
    });
    const wallMs = performance.now() - start;
    if (outcome.stopReason !== "answered") throw new Error(JSON.stringify(outcome));
    const startMs = model.requests[0]!.arrivedAt - start;

    // The same bytes to the model and the same calls to the environment, with nothing between.
    const bodies = model.requests.map(({ path, body }) => ({ path, body }));
    const tools = new McpClient(environment, never);
    const bareStart = performance.now();
    for (const { path, body } of bodies) {
      await postJson(`${model.baseUrl}${path}`, { "x-api-key": model.token }, body, never);
    }
    for (let i = 0; i <= CLICKS; i++) await tools.callTool("click", { mark: 0 });
    return { wallMs, startMs, bareMs: performance.now() - bareStart };
  } finally {
    await model.close();
    await environment.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
}
