import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "../../main.ts");
const LESSON = [
  ...[
    "train",
    "--json",
    "--family",
    "board/click-label",
    "--steps",
    "4",
    "--groups",
    "2",
    "--group-size",
    "4",
  ],
  ...["--eval-per-family", "2", "--eval-every", "0", "--concurrency", "2"],
];

let dir: string;
const running = new Set<ChildProcess>();
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "train-resume-"));
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await rm(dir, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

function forge(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...process.execArgv, "--conditions=openforgerl", MAIN, ...args]);
  running.add(child);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code, stdout, stderr });
    }),
  );
  return { child, ended };
}

async function untilExists(path: string): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (existsSync(path)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} never appeared`);
}

async function rolloutIds(run: string): Promise<string[]> {
  const lines = (await readFile(join(run, "rollouts.jsonl"), "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line).rolloutId);
}

async function weights(run: string): Promise<string> {
  const bytes = await readFile(join(run, "checkpoints/step-000004/engine.bin"));
  return createHash("sha256").update(bytes).digest("hex");
}

test("a training run killed with kill -9 and resumed ends with the same weights, bit for bit", async () => {
  const whole = join(dir, "whole");
  const broken = join(dir, "broken");
  expect(await forge([...LESSON, "--run-dir", whole]).ended).toMatchObject({ code: 0 });

  const { child, ended } = forge([...LESSON, "--run-dir", broken]);
  await untilExists(join(broken, "checkpoints/step-000002/state.json"));
  // Into the third step's rollouts.
  await untilExists(join(broken, "trajectories/train-0003-0000-0000/trajectory.json"));
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(join(broken, "checkpoints/step-000004"))).toBe(false);

  const resumed = await forge(["resume", broken, "--json"]).ended;
  expect(resumed).toMatchObject({ code: 0 });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ steps: 4, episodes: 32, runDir: broken });
  expect(await weights(broken)).toBe(await weights(whole));
  const ids = await rolloutIds(broken);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids)).toEqual(new Set(await rolloutIds(whole)));
  // Each trajectory names the policy that acted in it, not the one that the run began with.
  const trajectory = await readFile(
    join(broken, "trajectories/train-0003-0000-0000/trajectory.json"),
    "utf8",
  );
  expect(JSON.parse(trajectory).versions.model).toMatchObject({ policyVersion: "2" });
}, 240_000);

test("a damaged checkpoint is named; without it, the one before it leads to the same weights", async () => {
  const run = join(dir, "run");
  expect(await forge([...LESSON, "--run-dir", run]).ended).toMatchObject({ code: 0 });
  const [before, ids] = [await weights(run), await rolloutIds(run)];
  const newest = join(run, "checkpoints/step-000004");
  await truncate(join(newest, "engine.bin"), 1000);

  const evaluated = await forge(["eval", "--model", run, "--limit", "1", "--run-dir", join(dir, "eval")])
    .ended;
  expect(evaluated).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${newest}/engine.bin is damaged`),
  });
  const refused = await forge(["resume", run]).ended;
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(newest) });

  await rm(newest, { recursive: true });
  expect(await forge(["resume", run]).ended).toMatchObject({ code: 0 });
  expect(await weights(run)).toBe(before);
  expect(await rolloutIds(run)).toEqual(ids);
}, 240_000);

test("Ctrl-C leaves a run that can be resumed, and says how", async () => {
  const run = join(dir, "run");
  const { child, ended } = forge([...LESSON, "--run-dir", run]);
  await untilExists(join(run, "checkpoints/step-000001/state.json"));
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain(`forge resume ${run}`);
  expect(existsSync(join(run, "run.lock"))).toBe(false);
}, 120_000);

test("a run that is being worked on is left alone", async () => {
  const run = join(dir, "run");
  const { child, ended } = forge([...LESSON, "--run-dir", run]);
  await untilExists(join(run, "run.lock"));
  const second = await forge(["resume", run]).ended;
  expect(second.code).toBe(2);
  expect(second.stderr).toContain(`Process ${child.pid} is already working`);
  child.kill("SIGINT");
  await ended;
}, 120_000);

test.each([
  [["train", "--suite", "nope"], 'no suite "nope"'],
  [["train", "--harness", "nope"], "nope"],
  [["train", "--family", "board/click-lable"], "board/click-label"],
  [["eval", "--model", "nope"], "--model"],
  [["eval", "--model", "m", "--base-url", "not a url"], "--base-url"],
  [
    ["eval", "--api-key-env", "NO_SUCH_KEY", "--base-url", "http://127.0.0.1:1", "--model", "m"],
    "NO_SUCH_KEY",
  ],
  [["resume", "/nowhere/at/all"], "/nowhere/at/all"],
  [["resume", ""], "empty"],
  [["train", "--group-size", "1"], "2 to 1000"],
  [["train", "--groups", "1000000000"], "1 to 10000"],
  [["eval", "--base-url", "http://127.0.0.1:1"], "--model <name>"],
  [["eval", "--model", "m", "--base-url", "ftp://host"], "http(s)"],
  [["train", "--run-dir", MAIN], `"${MAIN}"`],
  [["train", "--run-dir", join(MAIN, "below")], `"${join(MAIN, "below")}"`],
  // Node's own recursive mkdir would never return.
  [["eval", "--run-dir", "/proc/none/run"], "--run-dir"],
  [["proxy", "--model", "embedded", "--records", "/proc/none"], "--records"],
])("%j is refused with exit 2 and names the mistake", async (args, named) => {
  const { code, stderr } = await forge([...args]).ended;
  expect(code).toBe(2);
  expect(stderr).toContain(named);
});
