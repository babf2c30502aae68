import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { Task } from "@openforgerl/contracts/task";
import type { Judge } from "@openforgerl/contracts/verdict";
import { generateTask } from "@openforgerl/environments/sites/families";
import { getHarness } from "@openforgerl/harness-adapters/registry";
import {
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from "@openforgerl/harness-adapters/test/support/scripted-model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptRollout, type RolloutPlan, type RolloutSetting } from "../rollout.ts";
import { createRunFolder, openRunFolder, type RunFolder } from "../run-folder.ts";
import { runRollouts } from "../run-rollouts.ts";
import { type RolloutServices, startServices } from "../services.ts";

// Real Chromium, real sites, real proxy, the real built-in harness; only the model is scripted.

let dir: string;
let run: RunFolder;
let model: ScriptedModel | undefined;
let services: RolloutServices | undefined;
const quick = { maxAttempts: 2, backoffMs: 1 };

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "rollouts-"));
  run = await createRunFolder(dir, {
    id: "t",
    kind: "eval",
    createdAt: "2026-01-01T00:00:00Z",
    config: {},
    versions: {},
  });
});
afterEach(async () => {
  await services?.close();
  await model?.close();
  await run.close();
  await rm(dir, { recursive: true, force: true });
  services = undefined;
  model = undefined;
});

async function start(script: readonly ScriptedTurn[]): Promise<RolloutServices> {
  model = await startScriptedModel(script);
  services = await startServices({
    run,
    concurrency: 2,
    upstreams: [
      {
        id: "scripted",
        dialects: ["anthropic-messages"],
        baseUrl: model.baseUrl,
        apiKey: model.token,
        capture: "none",
      },
    ],
  });
  return services;
}

const judge: Judge = {
  ref: { id: "site-state", version: "1" },
  async judge({ answer, probe }) {
    const found = await probe({ type: "site_verdict", answer });
    if (!found.ok) throw new Error(found.message);
    return {
      ...(found.value as { score: number; reason: string; evidence: Record<string, unknown> }),
      judge: judge.ref,
    };
  },
};

async function setting(): Promise<RolloutSetting> {
  const harness = getHarness("builtin");
  return {
    harness,
    installation: await harness.install(dir, new AbortController().signal),
    modelName: "scripted",
    judge,
    finalScreenshot: true,
    versions: {
      forge: "0",
      harness: { name: harness.name, version: harness.version },
      model: { name: "scripted" },
      node: process.version,
    },
  };
}

function clickTask(limits: Partial<Task["limits"]> = {}): Task {
  const generated = generateTask({ family: "board/click-label", seed: 5, split: "dev" });
  return {
    schemaVersion: 1,
    id: "board/click-label@dev-5",
    benchmark: "sites",
    family: "board/click-label",
    level: 1,
    split: "dev",
    instruction: generated.instruction,
    environment: {
      kind: "browser",
      viewport: generated.viewport,
      locale: "en-US",
      timeZone: "UTC",
      toolStyle: "marks",
      determinism: { seed: 5, clock: "2026-01-15T09:00:00.000Z" },
      start: { at: "site", site: "board", family: "board/click-label", seed: 5, split: "dev" },
    },
    limits: { maxSteps: 2, maxCalls: 6, deadlineSeconds: 30, ...limits },
    judge: judge.ref,
  };
}

const planFor = (task: Task, rolloutId = "r1"): RolloutPlan => ({
  rolloutId,
  task,
  seed: 1,
  labels: { phase: "eval" },
});
const never = new AbortController().signal;

/** Number of the mark that the task's instruction names. */
async function wantedMark(task: Task, { environments }: RolloutServices): Promise<number> {
  const environment = await environments.open(task.environment);
  try {
    const { marks = [] } = await environment.observe();
    const wanted = marks.find(({ name }) => task.instruction.toLowerCase().includes(name.toLowerCase()));
    if (!wanted) throw new Error(`no mark for ${task.instruction}`);
    return wanted.id;
  } finally {
    await environment.close();
  }
}

test("a solved task is scored, recorded step by step, and sealed", async () => {
  const script: ScriptedTurn[] = [];
  const started = await start(script);
  const task = clickTask();
  script.push(
    { call: [{ name: "click", input: { mark: await wantedMark(task, started) } }] },
    { say: "Done." },
  );
  const [line] = await runRollouts(started, await setting(), [planFor(task)], {
    concurrency: 1,
    signal: never,
  });

  expect(line).toMatchObject({
    score: 1,
    stopReason: "answered",
    steps: 1,
    calls: 2,
    attempt: 1,
    fault: null,
  });
  const trajectory = JSON.parse(await readFile(join(dir, "trajectories/r1/trajectory.json"), "utf8"));
  expect(trajectory.steps.map((step: { action?: { type: string } }) => step.action?.type)).toEqual([
    undefined,
    "click",
  ]);
  expect(trajectory.answer).toBe("Done.");
  // What the agent saw is in the content store, under the address the trajectory names.
  const { sha256, size } = trajectory.steps[1].screenshot;
  expect((await started.proxy.store.readBlob(sha256)).length).toBe(size);
  expect(await started.proxy.store.verify(trajectory.sessionId)).toEqual([]);
});

test("doing nothing scores 0, which is a score and not a fault", async () => {
  const started = await start([{ say: "Done." }]);
  const [line] = await runRollouts(started, await setting(), [planFor(clickTask())], {
    concurrency: 1,
    signal: never,
  });
  expect(line).toMatchObject({ score: 0, stopReason: "answered", fault: null });
});

test("the step limit ends the episode at once, and its state is judged", async () => {
  const click: ScriptedTurn = { call: [{ name: "click", input: { mark: 0 } }] };
  const started = await start([click, click, click, click]);
  const trajectory = await attemptRollout(
    started,
    await setting(),
    planFor(clickTask({ maxSteps: 2 })),
    1,
    never,
  );
  expect(trajectory.stopReason).toBe("max_steps");
  expect(trajectory.verdict).toBeDefined();
  expect(trajectory.session.calls).toBe(2);
});

test("the call limit is the proxy's, and is told apart from a failing model", async () => {
  const look: ScriptedTurn = { call: [{ name: "screenshot", input: {} }] };
  const started = await start([look, look, look, look]);
  const trajectory = await attemptRollout(
    started,
    await setting(),
    planFor(clickTask({ maxCalls: 2 })),
    1,
    never,
  );
  expect(trajectory.stopReason).toBe("max_calls");
  expect(trajectory.session.calls).toBe(2);
});

test("a model that hangs runs into the deadline; calls so far are kept", async () => {
  const started = await start([{ call: [{ name: "screenshot", input: {} }] }, "hang"]);
  const trajectory = await attemptRollout(
    started,
    await setting(),
    planFor(clickTask({ deadlineSeconds: 1.5 })),
    1,
    never,
  );
  expect(trajectory.stopReason).toBe("deadline");
  expect(trajectory.session.calls).toBe(2);
  expect(trajectory.verdict?.score).toBe(0);
});

test("a failing model is retried on a new lease, then reported without a score", async () => {
  const started = await start(Array.from({ length: 40 }, () => ({ status: 400 })));
  const [line] = await runRollouts(started, await setting(), [planFor(clickTask())], {
    concurrency: 1,
    signal: never,
    retry: quick,
  });
  expect(line).toMatchObject({
    score: null,
    stopReason: "model_error",
    attempt: 2,
    fault: { boundary: "model" },
  });
  expect(existsSync(join(dir, "trajectories/r1/attempt-1.json"))).toBe(true);
});

test("an outage after a good turn is a fault, however few calls the task allows", async () => {
  const started = await start([{ call: [{ name: "screenshot", input: {} }] }, { status: 400 }]);
  const trajectory = await attemptRollout(
    started,
    await setting(),
    planFor(clickTask({ maxCalls: 2 })),
    1,
    never,
  );
  expect(trajectory).toMatchObject({ stopReason: "model_error", fault: { boundary: "model" } });
  expect(trajectory.verdict).toBeUndefined();
});

test("a judge that fails says nothing of how the harness ended", async () => {
  const started = await start([{ say: "Done." }]);
  const failing: Judge = { ref: judge.ref, judge: () => Promise.reject(new Error("no verdict")) };
  const trajectory = await attemptRollout(
    started,
    { ...(await setting()), judge: failing },
    planFor(clickTask()),
    1,
    never,
  );
  expect(trajectory).toMatchObject({ stopReason: "answered", fault: { message: "no verdict" } });
});

test("transcripts of an attempt that failed are kept, and attempts are counted on after a resume", async () => {
  const base = await setting();
  const failing: RolloutSetting = {
    ...base,
    harness: {
      ...base.harness,
      async run(_installation, { scratchDir }) {
        const path = join(scratchDir, "stderr.txt");
        await writeFile(path, "it broke");
        return { stopReason: "harness_error", transcripts: [path], detail: "it broke" };
      },
    },
  };
  const started = await start([]);
  const plans = [planFor(clickTask())];
  // As if a run had died in its second attempt.
  const dying = { concurrency: 1, signal: never, retry: { maxAttempts: 2, backoffMs: 1 } };
  const [first] = await runRollouts(started, failing, plans, dying);
  expect(first).toMatchObject({ attempt: 2, fault: { code: "harness_error" } });
  const folder = join(dir, "trajectories/r1");
  expect(await readFile(join(folder, "attempt-1/stderr.txt"), "utf8")).toBe("it broke");
  expect(await readFile(join(folder, "attempt-2/stderr.txt"), "utf8")).toBe("it broke");

  await services?.close();
  await run.close();
  await rm(join(dir, "rollouts.jsonl"));
  run = await openRunFolder(dir);
  const [again] = await runRollouts(await start([]), failing, plans, dying);
  expect(again).toMatchObject({ attempt: 3 });
  expect(existsSync(join(folder, "attempt-2.json"))).toBe(true);
});

test.each([
  { where: "screenshots", broken: { keepScreenshot: () => Promise.reject(diskFull()) } },
  { where: "the session", broken: { seal: () => Promise.reject(diskFull()) } },
])("a full disk met by $where stops the run; the rollout is neither scored nor lost", async ({ broken }) => {
  const started = await start([{ say: "Done." }, { say: "Done." }]);
  const full: RolloutServices = {
    ...started,
    ...("keepScreenshot" in broken ? broken : {}),
    ...("seal" in broken ? { proxy: { ...started.proxy, sealSession: broken.seal } } : {}),
  };
  const base = await setting();
  const plans = [planFor(clickTask(), "r1"), planFor(clickTask(), "r2")];
  await expect(runRollouts(full, base, plans, { concurrency: 1, signal: never })).rejects.toMatchObject({
    code: "disk_full",
    advice: expect.stringContaining("Free"),
  });
  expect([...run.finished.keys()]).toEqual([]);
  expect(model?.requests.length).toBeLessThanOrEqual(1);
});

function diskFull(): ForgeError {
  return new ForgeError({
    boundary: "proxy",
    code: "disk_full",
    message: "No space left.",
    advice: "Free some space.",
  });
}

test("a browser that dies is a fault of the environment, and a new lease solves the task", async () => {
  const script: ScriptedTurn[] = [];
  const started = await start(script);
  const task = clickTask();
  const mark = await wantedMark(task, started);
  script.push({ call: [{ name: "click", input: { mark } }] }, { say: "Done." });
  const base = await setting();
  let lives = 0;
  const killing: RolloutSetting = {
    ...base,
    harness: {
      ...base.harness,
      async run(installation, harnessRun) {
        // The first attempt loses its browser under the agent's feet.
        if (++lives === 1) await killChromium();
        return base.harness.run(installation, harnessRun);
      },
    },
  };
  const [line] = await runRollouts(started, killing, [planFor(task)], {
    concurrency: 1,
    signal: never,
    retry: quick,
  });
  expect(line).toMatchObject({ score: 1, attempt: 2 });
  const first = JSON.parse(await readFile(join(dir, "trajectories/r1/attempt-1.json"), "utf8"));
  expect(first).toMatchObject({
    stopReason: "environment_error",
    fault: { boundary: "environment", retryable: true },
  });
});

test("cancelling keeps what is finished, and a second run does only the rest", async () => {
  const started = await start([{ say: "Done." }, "hang"]);
  const plans = [planFor(clickTask(), "r1"), planFor(clickTask(), "r2")];
  const stop = new AbortController();
  const cancelled = runRollouts(started, await setting(), plans, {
    concurrency: 1,
    signal: stop.signal,
    onRollout: () => setTimeout(() => stop.abort(), 300),
  });
  await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
  await services?.close();
  await model?.close();
  await run.close();

  run = await openRunFolder(dir);
  expect([...run.finished.keys()]).toEqual(["r1"]);
  const again = await start([{ say: "Done." }]);
  const lines = await runRollouts(again, await setting(), plans, { concurrency: 1, signal: never });
  expect(lines.map((line) => line.rolloutId)).toEqual(["r1", "r2"]);
  expect(model?.requests.length).toBe(1);
});

/** Kills the browsers that this process started, by walking its children. */
async function killChromium(): Promise<void> {
  const { readdir } = await import("node:fs/promises");
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
      readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    ]);
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent === process.pid && command.includes("--headless")) process.kill(Number(pid), "SIGKILL");
  }
}
