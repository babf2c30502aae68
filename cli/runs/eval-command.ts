import type { EvalResult } from "@openforgerl/benchmarks/evaluate";
import type { RateSummary } from "@openforgerl/benchmarks/summary";
import { parseInput } from "@openforgerl/contracts/errors";
import { createRunFolder, openRunFolder, type RunFolder } from "@openforgerl/orchestrator/run-folder";
import { checkEngineFile } from "@openforgerl/trainer/embedded/engine";
import type { Invocation } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { writeReport } from "../report/write.ts";
import { table } from "../table.ts";
import { EvalConfig, type EvalHooks, runEval } from "./eval-run.ts";
import type { ModelSource } from "./model.ts";
import { duration, percent } from "./train-lines.ts";
import { FORGE_VERSION } from "./versions.ts";

type Io = Pick<Invocation<unknown>, "out" | "signal" | "cacheDir">;

/** The weights' name in a run folder. */
const WEIGHTS = "weights.bin";

/** Starts an evaluation in a new folder and carries it to its end. */
export async function startEval(
  runDir: string,
  asked: EvalConfig,
  source: ModelSource,
  io: Io,
): Promise<ExitCode> {
  const engineFile = source.kind === "embedded" ? source.engineFile : undefined;
  // Before there is a run folder with a copy of it.
  if (engineFile !== undefined) await checkEngineFile(engineFile);
  const file = engineFile === undefined ? null : WEIGHTS;
  const config: EvalConfig =
    source.kind === "embedded" ? { ...asked, weights: { file, origin: source.origin } } : asked;
  const header = {
    id: runDir.split("/").at(-1) ?? runDir,
    kind: "eval" as const,
    createdAt: new Date().toISOString(),
    config,
    versions: { forge: FORGE_VERSION, node: process.version },
  };
  const run = await createRunFolder(
    runDir,
    header,
    engineFile === undefined ? {} : { [WEIGHTS]: engineFile },
  );
  return carryOn(run, config, io);
}

/** Tells how far an evaluation has come: every tenth of it, and each kind of fault when it first happens. */
function progressTeller(out: Io["out"]): EvalHooks["onRollout"] {
  const told = new Set<string>();
  let [sum, scored] = [0, 0];
  return (done, of, { taskId, score, fault }) => {
    if (score !== null) {
      sum += score;
      scored++;
    } else if (fault && !told.has(fault.code)) {
      told.add(fault.code);
      out.log(`No score for ${taskId}: ${fault.message} ${fault.advice}`);
    }
    const soFar = `${done}/${of} rollouts · success so far ${percent(scored === 0 ? null : sum / scored)}`;
    if (done < of && of >= 20 && done % Math.ceil(of / 10) === 0) out.log(soFar);
    else out.progress(soFar);
  };
}

/** Goes on with an evaluation that was interrupted. */
export async function resumeEval(runDir: string, io: Io): Promise<ExitCode> {
  const run = await openRunFolder(runDir);
  try {
    const config = parseInput(EvalConfig, run.header.config, `${runDir}/run.json: config`);
    return await carryOn(run, config, io);
  } finally {
    await run.close();
  }
}

async function carryOn(run: RunFolder, config: EvalConfig, { out, signal, cacheDir }: Io): Promise<ExitCode> {
  try {
    out.log(`Evaluating in ${run.dir}.`);
    const result = await runEval(run, config, {
      signal,
      cacheDir,
      log: (line) => out.log(line),
      onRollout: progressTeller(out),
    });
    const report = await writeReport(run.dir);
    out.emit(toJson(result, config, run.dir, report));
    printResult(result, run, report, (text) => out.print(text));
    // Rollouts without a score leave the number incomplete: the caller must be able to tell.
    return result.overall.scored.n === result.overall.rollouts ? EXIT.ok : EXIT.fault;
  } finally {
    await run.close();
  }
}

function toJson(result: EvalResult, config: EvalConfig, runDir: string, report: string) {
  return {
    suite: config.suite,
    harness: config.harness,
    model: config.model,
    split: config.split,
    tasks: result.tasks,
    rollouts: result.overall.rollouts,
    scored: result.overall.scored.n,
    success: result.overall.scored.mean,
    interval: result.overall.scored.interval,
    invalid: result.overall.invalid,
    byLevel: rates(result.byLevel),
    byFamily: rates(result.byFamily),
    meanSteps: result.meanSteps,
    wallSeconds: result.wallSeconds,
    runDir,
    report,
  };
}

function rates(groups: Record<string, RateSummary>) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, { scored, rollouts }]) => [
      name,
      { n: scored.n, success: scored.mean, interval: scored.interval, invalid: rollouts - scored.n },
    ]),
  );
}

function printResult(
  { overall, byFamily, wallSeconds }: EvalResult,
  { finished }: RunFolder,
  report: string,
  print: (text: string) => void,
) {
  const [low, high] = overall.scored.interval;
  const missing = overall.rollouts - overall.scored.n;
  print(
    `${percent(overall.scored.mean)} [${percent(low)}, ${percent(high)}] of ${overall.scored.n} scored rollouts${
      missing === 0 ? "" : `; ${missing} of ${overall.rollouts} gave no score`
    } (${duration(wallSeconds)}).`,
  );
  print(
    table(Object.entries(byFamily), [
      { title: "family", value: ([family]) => family },
      { title: "success", value: ([, { scored }]) => percent(scored.mean) },
      { title: "n", value: ([, { scored }]) => scored.n },
      { title: "no score", value: ([, { rollouts, scored }]) => rollouts - scored.n },
    ]),
  );
  const faults = [...finished.values()].flatMap(({ fault }) => fault ?? []);
  for (const [name, count] of Object.entries(overall.invalid)) {
    const example = faults.find((fault) => `${fault.boundary}/${fault.code}` === name);
    print(`No score: ${name} ×${count}${example ? `, such as: ${example.message}` : ""}`);
  }
  print(`Report: ${report}`);
}
