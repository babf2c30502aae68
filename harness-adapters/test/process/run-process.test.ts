import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ProcessRequest, runProcess } from "@openforgerl/harness-adapters/process/run-process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let scratchDir: string;

beforeEach(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), "forge-process-"));
});

afterEach(async () => {
  // Only a failed test leaves any.
  const left = await survivors((await written("pids")).split("\n").filter(Boolean).map(Number));
  for (const pid of left) process.kill(pid, "SIGKILL");
  await rm(scratchDir, { recursive: true, force: true });
});

function shell(command: string, overrides: Partial<ProcessRequest> = {}) {
  return runProcess({
    executable: "/bin/sh",
    args: ["-c", command],
    env: { PATH: "/usr/bin:/bin" },
    cwd: scratchDir,
    stdoutPath: join(scratchDir, "stdout"),
    stderrPath: join(scratchDir, "stderr"),
    signal: new AbortController().signal,
    ...overrides,
  });
}

const written = (name: string) => readFile(join(scratchDir, name), "utf8").catch(() => "");

/** Waits until the command has written the ids of so many processes. */
async function pids(count: number): Promise<number[]> {
  return until(async () => {
    const found = (await written("pids")).split("\n").filter((line) => line !== "");
    return found.length >= count ? found.map(Number) : undefined;
  });
}

async function until<T>(check: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Alive and no zombie: in a container whose first process reaps nothing, the dead stay listed. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat !== undefined && !/\) [ZX] /.test(stat);
}

async function survivors(ids: number[]): Promise<number[]> {
  const alive = await Promise.all(ids.map(isAlive));
  return ids.filter((_, i) => alive[i]);
}

const START = "echo $$ >> pids";
// A child that clears its environment, one that is deaf to SIGTERM, one that leaves for a session of its own.
const FAMILY = [
  START,
  `env -i PATH=$PATH sh -c '${START}; sleep 300; :' &`,
  `sh -c 'trap "" TERM INT HUP; ${START}; while :; do sleep 1; done' &`,
  `setsid sh -c 'trap "" TERM INT HUP; ${START}; sleep 300; :' &`,
].join("\n");

describe("runProcess", () => {
  test("reports the exit code and keeps both outputs", async () => {
    const result = await shell("echo out; echo err >&2; exit 3");
    expect(result).toEqual({ exitCode: 3, endedBy: null, aborted: false });
    expect(await written("stdout")).toBe("out\n");
    expect(await written("stderr")).toBe("err\n");
  });

  test("hands on nothing of our environment, and no standard input", async () => {
    process.env.FORGE_TEST_SECRET = "x";
    try {
      await shell("env; read -r line && echo had-input");
    } finally {
      delete process.env.FORGE_TEST_SECRET;
    }
    const names = (await written("stdout"))
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.toSorted().filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name!))).toEqual([
      "OPENFORGERL_RUN",
      "PATH",
    ]);
  });

  test("a program that is not there is an error of the harness", async () => {
    await expect(shell("", { executable: join(scratchDir, "nothing") })).rejects.toMatchObject({
      boundary: "harness",
      code: "launch_failed",
    });
  });

  test("an abort asks first", async () => {
    const stop = new AbortController();
    const running = shell(`trap 'echo asked; exit 7' TERM; ${START}; while :; do sleep 0.05; done`, {
      signal: stop.signal,
      graceMs: 20_000,
    });
    await pids(1);
    stop.abort();
    expect(await running).toEqual({ exitCode: 7, endedBy: null, aborted: true });
    expect(await written("stdout")).toBe("asked\n");
  });

  test("an abort leaves no one alive: not the deaf, not those who moved to another session", async () => {
    const stop = new AbortController();
    const running = shell(`trap '' TERM; ${FAMILY}\nwhile :; do sleep 1; done`, {
      signal: stop.signal,
      graceMs: 100,
    });
    const family = await pids(4);
    expect(await survivors(family)).toEqual(family);
    stop.abort();
    expect(await running).toMatchObject({ endedBy: "SIGKILL", aborted: true });
    expect(await survivors(family)).toEqual([]);
  });

  test("a program that ends by itself leaves no one alive either", async () => {
    const result = await shell(`${FAMILY}\nwhile [ $(wc -l < pids) -lt 4 ]; do sleep 0.05; done`);
    expect(result.exitCode).toBe(0);
    const family = await pids(4);
    expect(await survivors(family)).toEqual([]);
  });
});

describe("when our own process ends first", () => {
  const owner = fileURLToPath(new URL("../support/own-a-process.ts", import.meta.url));
  const own = (command: string) =>
    spawn(process.execPath, ["--conditions=openforgerl", owner, command, scratchDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });

  test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("by %s, the whole family dies", async (signal) => {
    const parent = own(`trap '' TERM INT HUP; ${FAMILY}\nwhile :; do sleep 1; done`);
    const family = await pids(4);
    expect(await survivors(family)).toEqual(family);
    parent.kill(signal);
    await once(parent, "exit");
    await until(async () => ((await survivors(family)).length === 0 ? true : undefined));
  });

  test("by itself, nothing of ours holds it up", async () => {
    const parent = own("echo fine");
    const [code] = await once(parent, "exit");
    expect(code).toBe(0);
    expect(await written("stdout")).toBe("fine\n");
  });
});
