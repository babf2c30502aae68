import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "@openforgerl/contracts/engine";
import { ForgeError, parseInput } from "@openforgerl/contracts/errors";
import { z } from "zod";
import { CurriculumState } from "./curriculum.ts";

/** What the loop itself has to remember between steps, besides the engine. */
export const LoopState = z.object({
  schemaVersion: z.literal(1),
  /** Steps finished. */
  step: z.int().nonnegative(),
  /** Training episodes finished. */
  episodes: z.int().nonnegative(),
  /** Seconds spent so far, over all the processes that worked on the run. */
  wallSeconds: z.number().nonnegative(),
  policyVersion: z.string(),
  curriculum: CurriculumState,
});
export type LoopState = z.infer<typeof LoopState>;

/** Checkpoints kept: the newest, and one before it in case the newest can't be read. */
const KEEP = 2;

/**
 * Writes `checkpoints/step-<n>/`: the engine's file and the loop's state. It appears under its name only when
 * all of it is on disk.
 */
export async function saveCheckpoint(runDir: string, engine: Engine, state: LoopState): Promise<void> {
  const root = join(runDir, "checkpoints");
  const name = checkpointName(state.step);
  const building = join(root, `${name}.tmp`);
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  await engine.save(join(building, "engine.bin"));
  await writeDurably(join(building, "state.json"), JSON.stringify(state));
  await rm(join(root, name), { recursive: true, force: true });
  await rename(building, join(root, name));
  for (const old of (await listCheckpoints(runDir)).slice(0, -KEEP)) {
    await rm(join(root, old), { recursive: true, force: true });
  }
}

/**
 * Loads the newest checkpoint into the engine and returns the loop's state, or undefined when there is none.
 * @throws ForgeError input/bad_checkpoint when it can't be read; the one before it is still there.
 */
export async function loadCheckpoint(runDir: string, engine: Engine): Promise<LoopState | undefined> {
  const newest = (await listCheckpoints(runDir)).at(-1);
  if (newest === undefined) return undefined;
  const folder = join(runDir, "checkpoints", newest);
  const path = join(folder, "state.json");
  try {
    const state = parseInput(LoopState, JSON.parse(await readFile(path, "utf8")), path);
    await engine.load(join(folder, "engine.bin"));
    return state;
  } catch (cause) {
    // An engine that was stopped meanwhile says nothing of the file.
    if (cause instanceof ForgeError && cause.code === "engine_closed") throw cause;
    throw new ForgeError({
      boundary: "input",
      code: "bad_checkpoint",
      message: `The checkpoint ${folder} can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      advice:
        "Remove that folder and resume again: training goes on from the checkpoint before it, and no finished episode is run anew.",
      cause,
    });
  }
}

/** Path of the newest checkpoint's engine file, for serving a trained policy; undefined when there is none. */
export async function newestEngineFile(runDir: string): Promise<string | undefined> {
  const newest = (await listCheckpoints(runDir)).at(-1);
  return newest === undefined ? undefined : join(runDir, "checkpoints", newest, "engine.bin");
}

async function listCheckpoints(runDir: string): Promise<string[]> {
  const root = join(runDir, "checkpoints");
  if (!existsSync(root)) return [];
  return (await readdir(root)).filter((name) => /^step-\d+$/.test(name)).sort();
}

function checkpointName(step: number): string {
  return `step-${String(step).padStart(6, "0")}`;
}

async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
