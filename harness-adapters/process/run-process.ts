import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { asForgeError } from "@openforgerl/contracts/errors";
import { killGroup, killMarked, RUN_MARK } from "./survivors.ts";
import { guardGroup, newRunMark, startWatchdog } from "./watchdog.ts";

export interface ProcessRequest {
  /** Absolute path. */
  executable: string;
  args: readonly string[];
  /** The whole environment; nothing is inherited. */
  env: Record<string, string>;
  cwd: string;
  /** Files that standard output and error are written to as they come. */
  stdoutPath: string;
  stderrPath: string;
  /** Aborting it stops the process group: SIGTERM, then SIGKILL when the grace is over. */
  signal: AbortSignal;
  /** Milliseconds between the two. Default 3000. */
  graceMs?: number;
}

export interface ProcessResult {
  /** Null when a signal ended it. */
  exitCode: number | null;
  endedBy: NodeJS.Signals | null;
  /** Whether the abort signal had fired when it ended. */
  aborted: boolean;
}

/**
 * Runs a program to its end in a process group and session of its own, with no standard input. When this
 * resolves, no process that it started is left; nor is any when our own process dies first, by whatever cause
 * (see `watchdog.ts`).
 * @throws ForgeError `harness/launch_failed` when the program can't be started.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { signal } = request;
  const mark = newRunMark();
  startWatchdog();
  const stdout = await open(request.stdoutPath, "a");
  const stderr = await open(request.stderrPath, "a");
  try {
    if (signal.aborted) return { exitCode: null, endedBy: null, aborted: true };
    const child = spawn(request.executable, request.args, {
      cwd: request.cwd,
      env: { ...request.env, [RUN_MARK]: mark },
      detached: true,
      stdio: ["ignore", stdout.fd, stderr.fd],
    });
    const ended = new Promise<Omit<ProcessResult, "aborted">>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (exitCode, endedBy) => resolve({ exitCode, endedBy }));
    });
    const pgid = child.pid;
    if (pgid === undefined) return { ...(await ended), aborted: signal.aborted };
    const guard = guardGroup(pgid);
    let killer: NodeJS.Timeout | undefined;
    const stop = () => {
      killGroup(pgid, "SIGTERM");
      killer = setTimeout(() => killGroup(pgid, "SIGKILL"), request.graceMs ?? 3_000);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return { ...(await ended), aborted: signal.aborted };
    } finally {
      signal.removeEventListener("abort", stop);
      clearTimeout(killer);
      killGroup(pgid, "SIGKILL");
      await killMarked(mark);
      guard.release();
    }
  } catch (thrown) {
    throw asForgeError(thrown, {
      boundary: "harness",
      code: "launch_failed",
      advice: `Check that ${request.executable} is there and may be executed.`,
    });
  } finally {
    await stdout.close();
    await stderr.close();
  }
}
