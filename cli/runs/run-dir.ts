import { existsSync } from "node:fs";
import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { inputError, shellWord } from "@openforgerl/contracts/errors";

/** Where runs are kept unless told otherwise: `runs/` below the current directory. */
export const RUNS_DIR = resolve("runs");

/** A new run's folder, named by kind and time: runs/train-20260115-093012. */
export function newRunDir(kind: "train" | "eval", now = new Date()): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return resolve(RUNS_DIR, `${kind}-${stamp}`);
}

/**
 * A run as a person may name it: a folder, or a name under runs/.
 * @throws ForgeError `input/bad_input` for the empty name.
 */
export function findRunDir(name: string): string {
  if (name.trim() === "") throw inputError("The run's name is empty", name, "Name its folder.");
  return name.includes("/") || name === "." ? resolve(name) : resolve(RUNS_DIR, name);
}

/** The command that goes on with a run, as the user can paste it into a shell. */
export function resumeCommand(dir: string): string {
  return `${process.env.OPENFORGERL_COMMAND || "forge"} resume ${shellWord(dir)}`;
}

/**
 * Makes a folder that the user named, with those above it.
 * @param option what named it, for the message: `--run-dir`.
 * @throws ForgeError `input/bad_input` where there can't be one, or none that may be written to.
 */
export async function makeFolder(option: string, dir: string): Promise<void> {
  const missing: string[] = [];
  for (let at = dir; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
  try {
    // One by one: Node's recursive mkdir never returns where the kernel denies that the parent is there (/proc).
    for (const folder of missing) await mkdir(folder);
    if (!(await stat(dir)).isDirectory()) throw new Error("ENOTDIR: it is a file");
    await access(dir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw inputError(
      `${option}: can't write there: ${reason}`,
      dir,
      "Name a folder that you may make and write.",
      cause,
    );
  }
}
