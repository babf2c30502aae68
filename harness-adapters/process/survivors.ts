import { readdir, readFile } from "node:fs/promises";

/** Environment variable that marks every descendant of one harness run, whatever group or session it joins. */
export const RUN_MARK = "OPENFORGERL_RUN";

/** Kills a process group at once; a group that is gone already is no error. */
export function killGroup(pgid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pgid, signal);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
  }
}

/**
 * Kills what carries a run's mark, again and again until nothing does: a process that left its group is found
 * by the environment it inherited. A process that also cleared its environment escapes this. Linux only (it
 * reads /proc); elsewhere the group is all there is.
 */
export async function killMarked(mark: string): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const pids = await markedProcesses(mark);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended between being found and being killed.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Ids of living processes whose environment carries the mark. */
export async function markedProcesses(mark: string): Promise<number[]> {
  const entry = `${RUN_MARK}=${mark}`;
  const names = await readdir("/proc").catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // A zombie's environment reads as empty, and another user's can't be read: neither is ours to kill.
    const environ = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (environ.split("\0").includes(entry)) found.push(Number(name));
  }
  return found;
}
