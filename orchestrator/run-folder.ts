import { existsSync } from "node:fs";
import {
  appendFile,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { ForgeError, parseInput, shellWord } from "@openforgerl/contracts/errors";
import { RolloutLine, type Trajectory } from "@openforgerl/contracts/trajectory";
import { z } from "zod";

/** What a run was asked to do and what it ran with; written once, before the first rollout. */
export const RunHeader = z.object({
  schemaVersion: z.literal(1),
  id: z.string().min(1),
  kind: z.enum(["train", "eval"]),
  createdAt: z.string(),
  /** The resolved configuration of the command, enough to repeat or resume it. */
  config: z.record(z.string(), z.unknown()),
  versions: z.record(z.string(), z.string()),
});
export type RunHeader = z.infer<typeof RunHeader>;

/**
 * The folder of one run (DESIGN.md 6). Appends go to page cache as whole lines, so they survive the death
 * of the process at any moment; `sync` makes them survive the death of the machine.
 */
export interface RunFolder {
  readonly dir: string;
  readonly header: RunHeader;
  /** Rollouts already finished, by id, in the order they ended. */
  readonly finished: ReadonlyMap<string, RolloutLine>;
  /** Writes the sealed trajectory, then its line; a rollout is finished when its line is there. */
  finish(trajectory: Trajectory, line: RolloutLine): Promise<void>;
  /** Keeps the trajectory of an attempt that will be retried. */
  keepAttempt(trajectory: Trajectory): Promise<void>;
  /** Copies a harness's transcripts into `attempt-<n>/` beside the trajectories of their rollout. */
  keepTranscripts(rolloutId: string, attempt: number, paths: readonly string[]): Promise<void>;
  /** The number of the last attempt kept of a rollout; 0 where there is none. */
  attempts(rolloutId: string): Promise<number>;
  /** Appends one line of metrics.jsonl. */
  appendMetrics(metrics: Record<string, unknown>): Promise<void>;
  /** Drops the metrics of steps after `step`: they were written by a process that died before its checkpoint. */
  trimMetrics(step: number): Promise<void>;
  sync(): Promise<void>;
  /** Syncs, and lets another process work on the run. */
  close(): Promise<void>;
}

/**
 * Creates a run folder.
 * @throws ForgeError input/bad_input when the folder already holds a run.
 */
export async function createRunFolder(
  dir: string,
  header: Omit<RunHeader, "schemaVersion">,
  files: Readonly<Record<string, string>> = {},
): Promise<RunFolder> {
  if (existsSync(join(dir, "run.json"))) {
    throw new ForgeError({
      boundary: "input",
      code: "run_exists",
      message: `${dir} already holds a run.`,
      advice: `Continue it with \`forge resume ${shellWord(dir)}\`, or name another folder with --run-dir.`,
    });
  }
  const full: RunHeader = { schemaVersion: 1, ...header };
  const advice = "Free some space and try again, or name another folder with --run-dir.";
  await guardDisk(
    dir,
    async () => {
      await mkdir(join(dir, "trajectories"), { recursive: true });
      for (const [name, path] of Object.entries(files)) await copyFile(path, join(dir, name));
      // Last: with it the folder is a run that can be resumed.
      await writeAtomically(join(dir, "run.json"), JSON.stringify(full, null, 2));
    },
    advice,
  );
  return openRunFolder(dir);
}

/**
 * Opens a run folder to continue it. A torn last line (the process died while writing it) is dropped.
 * @throws ForgeError input/bad_input when there is no run or its header is malformed; input/run_locked when
 * another live process holds it.
 */
export async function openRunFolder(dir: string): Promise<RunFolder> {
  const header = await readRunHeader(dir);
  const unlock = await lockRun(dir);
  try {
    return await openLocked(dir, header, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openLocked(dir: string, header: RunHeader, unlock: () => Promise<void>): Promise<RunFolder> {
  const rolloutsPath = join(dir, "rollouts.jsonl");
  const metricsPath = join(dir, "metrics.jsonl");
  await dropTornLine(rolloutsPath);
  await dropTornLine(metricsPath);
  const finished = new Map((await readRolloutLines(dir)).map((line) => [line.rolloutId, line]));
  const folderOf = (rolloutId: string) => join(dir, "trajectories", rolloutId);
  /** Folders of trajectories written since the last sync. */
  let unsynced = new Set<string>();

  async function sync(): Promise<void> {
    const folders = [...unsynced];
    unsynced = new Set();
    // A line promises that its trajectory is there: the trajectories go first.
    for (const folder of folders) await syncPath(join(folder, "trajectory.json"));
    for (const folder of folders) await syncPath(folder);
    if (folders.length > 0) await syncPath(join(dir, "trajectories"));
    for (const path of [rolloutsPath, metricsPath]) if (existsSync(path)) await syncPath(path);
  }

  return {
    dir,
    header,
    finished,
    async finish(trajectory, line) {
      const folder = folderOf(trajectory.rolloutId);
      await guardDisk(folder, async () => {
        await mkdir(folder, { recursive: true });
        await writeAtomically(join(folder, "trajectory.json"), JSON.stringify(trajectory));
        await appendFile(rolloutsPath, `${JSON.stringify(line)}\n`);
      });
      unsynced.add(folder);
      finished.set(line.rolloutId, line);
    },
    async keepAttempt(trajectory) {
      const folder = folderOf(trajectory.rolloutId);
      await guardDisk(folder, async () => {
        await mkdir(folder, { recursive: true });
        await writeAtomically(join(folder, `attempt-${trajectory.attempt}.json`), JSON.stringify(trajectory));
      });
    },
    async keepTranscripts(rolloutId, attempt, paths) {
      if (paths.length === 0) return;
      const folder = join(folderOf(rolloutId), `attempt-${attempt}`);
      await guardDisk(folder, async () => {
        await mkdir(folder, { recursive: true });
        for (const path of paths) await copyFile(path, join(folder, basename(path)));
      });
    },
    async attempts(rolloutId) {
      const names = await readdir(folderOf(rolloutId)).catch(() => []);
      return Math.max(0, ...names.map((name) => Number(/^attempt-(\d+)\.json$/.exec(name)?.[1] ?? 0)));
    },
    async appendMetrics(metrics) {
      await guardDisk(metricsPath, () => appendFile(metricsPath, `${JSON.stringify(metrics)}\n`));
    },
    async trimMetrics(step) {
      if (!existsSync(metricsPath)) return;
      const lines = (await readFile(metricsPath, "utf8")).split("\n").slice(0, -1);
      const kept = lines.filter((line, i) => {
        const where = `${metricsPath}:${i + 1}`;
        return parseInput(StepLine, parseJson(line, where, DAMAGED_LINE), where).step <= step;
      });
      if (kept.length < lines.length) {
        await writeAtomically(metricsPath, kept.map((line) => `${line}\n`).join(""));
      }
    },
    sync,
    async close() {
      try {
        await sync();
      } finally {
        await unlock();
      }
    },
  };
}

async function syncPath(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Reads and checks run.json. */
export async function readRunHeader(dir: string): Promise<RunHeader> {
  const path = join(dir, "run.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new ForgeError({
      boundary: "input",
      code: "no_run",
      message: `${dir} is not a run folder: it has no run.json.`,
      advice: "Name the folder that `forge train` or `forge eval` printed as runDir.",
      cause,
    });
  }
  return parseInput(
    RunHeader,
    parseJson(text, path, "The file was damaged or edited; restore it, or begin another run."),
    path,
  );
}

/** Every finished rollout of a run, in the order they ended. Works on a run that is still going. */
export async function readRolloutLines(dir: string): Promise<RolloutLine[]> {
  const path = join(dir, "rollouts.jsonl");
  if (!existsSync(path)) return [];
  const lines = (await readFile(path, "utf8")).split("\n");
  // What follows the last newline is empty, or a line still being written.
  return lines.slice(0, -1).map((line, i) => {
    const where = `${path}:${i + 1}`;
    const advice = `${DAMAGED_LINE} Its rollout is then run again.`;
    return parseInput(RolloutLine, parseJson(line, where, advice), where);
  });
}

/** Writes a file so that a reader sees the old content or the new, never a part. */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}

/** What has to be known of a line of metrics.jsonl; the trainer writes more. */
const StepLine = z.object({ step: z.number() });

const DAMAGED_LINE = "The file was damaged or edited; restore it, or delete that line.";

function parseJson(text: string, where: string, advice: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ForgeError({
      boundary: "input",
      code: "bad_input",
      message: `${where} is not JSON.`,
      advice,
      cause,
    });
  }
}

async function dropTornLine(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const content = await readFile(path);
  const end = content.lastIndexOf(0x0a) + 1;
  if (end === content.length) return;
  const file = await open(path, "r+");
  try {
    await file.truncate(end);
  } finally {
    await file.close();
  }
}

/** One process writes a run at a time; a lock left by a dead process is taken over. */
async function lockRun(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, "run.lock");
  for (let tries = 0; tries < 2; tries++) {
    try {
      await guardDisk(path, async () => writeFile(path, await nameProcess(process.pid), { flag: "wx" }));
      return () => rm(path, { force: true });
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
      const written = await readFile(path, "utf8").catch(() => "");
      const holder = Number.parseInt(written, 10);
      // A pid is used again after a reboot or in a new container: its start time tells the processes apart.
      if (holder > 0 && isAlive(holder) && written === (await nameProcess(holder))) {
        throw new ForgeError({
          boundary: "input",
          code: "run_locked",
          message: `Process ${holder} is already working on ${dir}.`,
          advice: "Wait for it or stop it, then try again.",
          cause,
        });
      }
      await rm(path, { force: true });
    }
  }
  throw new ForgeError({
    boundary: "input",
    code: "run_locked",
    message: `Another process took ${path} at the same moment.`,
    advice: "Try again.",
  });
}

/** The pid, and on Linux the process's start time in clock ticks since boot (proc(5), stat, field 22). */
async function nameProcess(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return start === undefined ? String(pid) : `${pid} ${start}`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is alive all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Names the path and the room needed when the disk is full, instead of a bare ENOSPC. */
async function guardDisk<T>(
  path: string,
  write: () => Promise<T>,
  advice = "Free some space and continue with `forge resume`; everything finished so far is kept.",
): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")) {
      throw new ForgeError({
        boundary: "runtime",
        code: "disk_full",
        message: `No room left to write ${path}.`,
        advice,
        cause,
      });
    }
    throw cause;
  }
}
