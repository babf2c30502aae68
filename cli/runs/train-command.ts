import { parseInput } from "@openforgerl/contracts/errors";
import { createRunFolder, openRunFolder, type RunFolder } from "@openforgerl/orchestrator/run-folder";
import { lastEvaluation } from "@openforgerl/trainer/loop/metrics";
import type { Invocation } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { writeReport } from "../report/write.ts";
import { table } from "../table.ts";
import { resumeCommand } from "./run-dir.ts";
import { duration, estimateLeft, percent, stepLine } from "./train-lines.ts";
import { runTrain, TrainRunConfig } from "./train-run.ts";
import { FORGE_VERSION } from "./versions.ts";

type Io = Pick<Invocation<unknown>, "out" | "signal" | "cacheDir">;

/** Starts a training run in a new folder and carries it to its end. */
export async function startTrain(runDir: string, config: TrainRunConfig, io: Io): Promise<ExitCode> {
  const run = await createRunFolder(runDir, {
    id: runDir.split("/").at(-1) ?? runDir,
    kind: "train",
    createdAt: new Date().toISOString(),
    config,
    versions: { forge: FORGE_VERSION, node: process.version },
  });
  return carryOn(run, config, io);
}

/** Goes on with a training run that was interrupted. */
export async function resumeTrain(runDir: string, io: Io): Promise<ExitCode> {
  const run = await openRunFolder(runDir);
  try {
    const config = parseInput(TrainRunConfig, run.header.config, `${runDir}/run.json: config`);
    return await carryOn(run, config, io);
  } finally {
    await run.close();
  }
}

async function carryOn(
  run: RunFolder,
  config: TrainRunConfig,
  { out, signal, cacheDir }: Io,
): Promise<ExitCode> {
  const began = performance.now();
  let stepsHere = 0;
  let line = "";
  try {
    out.log(
      `Training in ${run.dir} (Ctrl-C keeps what is done; continue with \`${resumeCommand(run.dir)}\`).`,
    );
    const state = await runTrain(run, config, {
      signal,
      cacheDir,
      onStep(metrics) {
        if (metrics.step > 0) stepsHere++;
        const spent = (performance.now() - began) / 1000;
        line = stepLine(metrics, estimateLeft(stepsHere, spent, metrics.steps - metrics.step));
        out.log(line);
      },
      onRollout: (done, of, phase) =>
        out.progress(`${line} · ${phase === "dev" ? "evaluating" : "rolling out"} ${done}/${of}`),
    });
    const report = await writeReport(run.dir);
    const last = await lastEvaluation(run.dir);
    out.emit({
      steps: state.step,
      episodes: state.episodes,
      wallSeconds: state.wallSeconds,
      devSuccess: last.devSuccess,
      devInterval: last.devInterval,
      byLevel: last.devByLevel,
      byFamily: last.devByFamily,
      level: state.curriculum.level,
      policyVersion: state.policyVersion,
      runDir: run.dir,
      report,
    });
    out.print(
      table(Object.entries(last.devByLevel), [
        { title: "level", value: ([level]) => level },
        { title: "held-out success", value: ([, { success }]) => percent(success) },
        { title: "tasks", value: ([, { n }]) => n },
      ]),
    );
    const [low, high] = last.devInterval;
    out.print(
      `${state.episodes} episodes in ${duration(state.wallSeconds)}: ${percent(last.devSuccess)} of held-out tasks [${percent(low)}, ${percent(high)}].`,
    );
    out.print(`Report: ${report}`);
    return EXIT.ok;
  } finally {
    await run.close();
  }
}
