/**
 * Episodes a second of the whole loop (harness, proxy, policy, recording) against the environment alone doing
 * the same looks and actions in the same run, and the CPU time that each spends in this process and in Chromium.
 *
 *     ./forge bench trainer/episodes [episodes]
 */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Task } from "@openforgerl/contracts/task";
import type { Judge } from "@openforgerl/contracts/verdict";
import { generateTask } from "@openforgerl/environments/sites/families";
import { getHarness } from "@openforgerl/harness-adapters/registry";
import { attemptRollout } from "@openforgerl/orchestrator/rollout";
import { createRunFolder } from "@openforgerl/orchestrator/run-folder";
import { startServices } from "@openforgerl/orchestrator/services";
import { startEmbeddedWorker } from "../embedded/worker.ts";

const episodes = Number(process.argv[2] ?? 60);
const concurrency = 4;
const FAMILIES = ["board/click-label", "settings/toggle"] as const;

const judge: Judge = {
  ref: { id: "none", version: "1" },
  judge: async () => ({ score: 0, reason: "", evidence: {}, judge: judge.ref }),
};

function taskOf(family: string, seed: number): Task {
  const generated = generateTask({ family, seed, split: "train" });
  return {
    schemaVersion: 1,
    id: `${family}@${seed}`,
    benchmark: "sites",
    family,
    level: generated.level,
    split: "train",
    instruction: generated.instruction,
    environment: {
      kind: "browser",
      viewport: generated.viewport,
      locale: "en-US",
      timeZone: "UTC",
      toolStyle: generated.toolStyle,
      determinism: { seed, clock: "2026-01-15T09:00:00.000Z" },
      start: { at: "site", site: generated.site, family, seed, split: "train" },
    },
    limits: { maxSteps: generated.maxSteps, maxCalls: 20, deadlineSeconds: 60 },
    judge: judge.ref,
  };
}

/** CPU seconds so far of the children of this process and theirs: Chromium. */
function chromiumSeconds(): number {
  const stats = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = text
        .slice(text.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      // Times of reaped children are in cutime and cstime of their parent.
      const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
      stats.set(Number(name), { parent: fields[1] ?? 0, ticks: utime + stime + cutime + cstime });
    } catch {
      // It has exited.
    }
  }
  const isOurs = (pid: number): boolean => {
    const parent = stats.get(pid)?.parent ?? 0;
    return parent === process.pid || (parent > 1 && isOurs(parent));
  };
  let ticks = 0;
  for (const [pid, stat] of stats) if (isOurs(pid)) ticks += stat.ticks;
  return ticks / 100;
}

async function measure(name: string, one: (i: number) => Promise<number>): Promise<{ rate: number }> {
  for (let i = 0; i < concurrency * 2; i++) await one(1_000_000 + i);
  const began = performance.now();
  const own = process.cpuUsage();
  const browser = chromiumSeconds();
  let next = 0;
  let steps = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < episodes) steps += await one(next++);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(own);
  const rate = episodes / seconds;
  console.log(
    `  ${name.padEnd(18)} ${rate.toFixed(1).padStart(6)} episodes/s  ${(steps / episodes).toFixed(1)} steps  CPU per episode: ours ${((user + system) / 1000 / episodes).toFixed(0)} ms, Chromium ${(((chromiumSeconds() - browser) * 1000) / episodes).toFixed(0)} ms`,
  );
  return { rate };
}

const dir = await mkdtemp(join(tmpdir(), "bench-episodes-"));
const run = await createRunFolder(dir, {
  id: "bench",
  kind: "eval",
  createdAt: new Date().toISOString(),
  config: {},
  versions: {},
});
const worker = await startEmbeddedWorker({ seed: 1 });
const services = await startServices({
  run,
  concurrency,
  upstreams: [{ id: "embedded", dialects: ["anthropic-messages"], baseUrl: worker.url, capture: "vllm" }],
});
try {
  const harness = getHarness("builtin");
  const installation = await harness.install(dir, new AbortController().signal);
  const setting = {
    harness,
    installation,
    modelName: "embedded",
    temperature: 1,
    judge,
    finalScreenshot: false,
    versions: {
      forge: "bench",
      harness: { name: "builtin", version: "" },
      model: { name: "embedded" },
      node: process.version,
    },
  };
  for (const family of FAMILIES) {
    console.log(`${family}, ${episodes} episodes, ${concurrency} at a time`);
    const loop = await measure("the loop", async (i) => {
      const plan = {
        rolloutId: `${family.replace("/", ".")}-${i}`,
        task: taskOf(family, i >> 3),
        seed: i,
        labels: {},
      };
      const trajectory = await attemptRollout(services, setting, plan, 1, new AbortController().signal);
      return trajectory.steps.length - 1;
    });
    // The same number of looks and actions as a full episode of the loop; clicks on the marks in turn.
    const alone = await measure("environment alone", async (i) => {
      const task = taskOf(family, i >> 3);
      const environment = await services.environments.open(task.environment);
      const { marks = [] } = await environment.observe();
      for (let step = 0; step < task.limits.maxSteps; step++) {
        await environment.act({ type: "click", at: { by: "mark", mark: i % Math.max(1, marks.length) } });
        await environment.observe({ screenshot: step + 1 < task.limits.maxSteps, marks: true });
      }
      await environment.close();
      return task.limits.maxSteps;
    });
    console.log(
      `  loop / environment  ${(loop.rate / alone.rate).toFixed(2)}x (target 0.7x; an episode of the loop may be shorter)`,
    );
  }
} finally {
  await services.close();
  await worker.close();
  await run.close();
  await rm(dir, { recursive: true, force: true });
}
