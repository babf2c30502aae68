import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRunFolder, openRunFolder, readRolloutLines } from "../run-folder.ts";
import { exampleTrajectory } from "./support/example-trajectory.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "run-folder-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const header = {
  id: "r",
  kind: "eval" as const,
  createdAt: "2026-01-01T00:00:00Z",
  config: {},
  versions: {},
};

function lineFor(rolloutId: string): RolloutLine {
  return {
    schemaVersion: 1,
    rolloutId,
    taskId: "t",
    family: "f",
    level: 1,
    split: "dev",
    seed: 0,
    attempt: 1,
    stopReason: "answered",
    score: 1,
    fault: null,
    steps: 1,
    calls: 1,
    wallMs: 5,
    sessionId: "s",
    labels: {},
  };
}

test("keeps finished rollouts over a reopening, and drops a line torn by a crash", async () => {
  const run = await createRunFolder(dir, header);
  await run.finish(exampleTrajectory("a"), lineFor("a"));
  await run.close();
  await appendFile(join(dir, "rollouts.jsonl"), '{"schemaVersion":1,"rolloutId":"b","ta');

  const again = await openRunFolder(dir);
  expect([...again.finished.keys()]).toEqual(["a"]);
  await again.finish(exampleTrajectory("b"), lineFor("b"));
  await again.close();
  expect((await readRolloutLines(dir)).map((line) => line.rolloutId)).toEqual(["a", "b"]);
});

test("a folder that can't be opened is not left locked", async () => {
  await (await createRunFolder(dir, header)).close();
  await writeFile(join(dir, "rollouts.jsonl"), "no line\n");
  await expect(openRunFolder(dir)).rejects.toMatchObject({ boundary: "input" });
  await rm(join(dir, "rollouts.jsonl"));
  await (await openRunFolder(dir)).close();
});

test("is held by one process at a time, but not by a dead one", async () => {
  const run = await createRunFolder(dir, header);
  await expect(openRunFolder(dir)).rejects.toMatchObject({ code: "run_locked" });
  await run.close();
  // A process id that no process can have.
  await writeFile(join(dir, "run.lock"), "4194999");
  const again = await openRunFolder(dir);
  await again.close();
  // Our own process id, as an earlier process of a container had it.
  await writeFile(join(dir, "run.lock"), `${process.pid} 1`);
  await (await openRunFolder(dir)).close();
});

test("refuses to start over an existing run, and to open what is none", async () => {
  await (await createRunFolder(dir, header)).close();
  await expect(createRunFolder(dir, header)).rejects.toMatchObject({ boundary: "input", code: "run_exists" });
  await expect(openRunFolder(join(dir, "nowhere"))).rejects.toMatchObject({
    boundary: "input",
    code: "no_run",
  });
});

test("names file, line and field of a damaged line", async () => {
  const run = await createRunFolder(dir, header);
  await run.finish(exampleTrajectory("a"), lineFor("a"));
  await run.close();
  await appendFile(join(dir, "rollouts.jsonl"), `${JSON.stringify({ ...lineFor("b"), score: "high" })}\n`);
  await expect(openRunFolder(dir)).rejects.toThrow(/rollouts\.jsonl:2: score: .*"high"/);
});

test("drops metrics of steps that have no checkpoint", async () => {
  const run = await createRunFolder(dir, header);
  for (const step of [0, 1, 2]) await run.appendMetrics({ step });
  await run.trimMetrics(1);
  await run.close();
  expect(await readFile(join(dir, "metrics.jsonl"), "utf8")).toBe('{"step":0}\n{"step":1}\n');
});

test("names file and line of a damaged line of metrics, and keeps it", async () => {
  const run = await createRunFolder(dir, header);
  const path = join(dir, "metrics.jsonl");
  const text = '{"step":0}\nxx{"step":1}\n';
  await writeFile(path, text);
  await expect(run.trimMetrics(0)).rejects.toMatchObject({
    boundary: "input",
    message: expect.stringContaining(`${path}:2`),
    advice: expect.stringContaining("delete that line"),
  });
  expect(await readFile(path, "utf8")).toBe(text);
  await run.close();
});
