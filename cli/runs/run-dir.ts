import { resolve } from "node:path";

/** Where runs are kept unless told otherwise: `runs/` below the current directory. */
export const RUNS_DIR = resolve("runs");

/** A new run's folder, named by kind and time: runs/train-20260115-093012. */
export function newRunDir(kind: "train" | "eval", now = new Date()): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return resolve(RUNS_DIR, `${kind}-${stamp}`);
}

/** A run as a person may name it: a folder, or a name under runs/. */
export function findRunDir(name: string): string {
  return name.includes("/") || name === "." ? resolve(name) : resolve(RUNS_DIR, name);
}
