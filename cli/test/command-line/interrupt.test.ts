import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createLifecycle } from "../../lifecycle.ts";
import { startForge } from "../support/forge-process.ts";

const run = promisify(execFile);

/** Processes that descend from one, itself left out. */
async function descendants(pid: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-e", "-o", "pid=,ppid="]);
  const pairs = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const found: number[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    parents = pairs.filter(([, parent]) => parents.includes(parent)).map(([child]) => child);
    found.push(...parents);
  }
  return found;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A long check, as soon as its browser runs, and the processes below it. */
async function checkUnderWay() {
  const check = startForge(["task", "check", "--seeds", "200", "--json"]);
  const early = check.ended.then(({ code, stderr }) =>
    Promise.reject(new Error(`it ended with ${code}: ${stderr}`)),
  );
  await Promise.race([
    expect.poll(() => descendants(check.pid), { timeout: 60_000 }).not.toHaveLength(0),
    early,
  ]);
  early.catch(() => {});
  // The browser has children of its own by the time it draws pages.
  await sleep(1_500);
  return { check, children: await descendants(check.pid) };
}

describe("Ctrl-C", { timeout: 120_000 }, () => {
  it.each(["SIGINT", "SIGTERM"] as const)("%s ends a check: status 130, no browser left", async (signal) => {
    const { check, children } = await checkUnderWay();
    expect(children.length).toBeGreaterThan(1);
    check.kill(signal);
    const { code, stderr } = await check.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("Stopping");
    await expect.poll(() => children.filter(isAlive), { timeout: 20_000 }).toEqual([]);
  });

  it("twice ends at once, and takes the browser along", async () => {
    const { check, children } = await checkUnderWay();
    check.kill("SIGINT");
    check.kill("SIGTERM");
    expect((await check.ended).code).toBe(130);
    await expect.poll(() => children.filter(isAlive), { timeout: 20_000 }).toEqual([]);
  });
});

describe("a lifecycle", () => {
  it("closes in reverse order, once, whatever one of them does", async () => {
    const said: string[] = [];
    const lifecycle = createLifecycle((sentence) => said.push(sentence));
    lifecycle.onClose(() => void said.push("first"));
    lifecycle.onClose(() => Promise.reject(new Error("stuck")));
    lifecycle.onClose(async () => void said.push("last"));
    await lifecycle.end();
    await lifecycle.end();
    expect(said).toEqual(["last", "While closing: stuck", "first"]);
  });

  it("ends the wait when it is stopped, and leaves no listener behind", async () => {
    const before = process.listenerCount("SIGINT");
    const lifecycle = createLifecycle(() => {});
    const waited = lifecycle.untilStopped();
    lifecycle.stop();
    await waited;
    expect(lifecycle.signal.aborted).toBe(true);
    await lifecycle.end();
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});
