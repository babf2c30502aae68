import { join } from "node:path";
import { type EvalResult, evaluate } from "@openforgerl/benchmarks/evaluate";
import { getSuite } from "@openforgerl/benchmarks/suites/registry";
import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import { getHarness } from "@openforgerl/harness-adapters/registry";
import type { RunFolder } from "@openforgerl/orchestrator/run-folder";
import { startServices } from "@openforgerl/orchestrator/services";
import { z } from "zod";
import { findModel, type ModelSource, openModel, UpstreamOptions } from "./model.ts";
import { RUNS_DIR } from "./run-dir.ts";
import { versionsOf } from "./versions.ts";

/** The resolved configuration of an evaluation; saved in run.json and enough to resume it. */
export const EvalConfig = z.object({
  suite: z.string(),
  harness: z.string(),
  model: z.string(),
  /** The embedded policy's weights: a file in the run folder (null: untrained), and where they came from. */
  weights: z.object({ file: z.string().nullable(), origin: z.string() }).optional(),
  upstream: UpstreamOptions.default({}),
  split: z.enum(["train", "dev", "test"]).default("test"),
  families: z.array(z.string()).optional(),
  perFamily: z.int().positive().default(5),
  /** At most this many tasks, spread evenly over the families; all when absent. */
  limit: z.int().positive().optional(),
  repeats: z.int().positive().default(1),
  seed: z.int().nonnegative().default(0),
  temperature: z.number().min(0).default(0),
  concurrency: z.int().positive().default(2),
});
export type EvalConfig = z.infer<typeof EvalConfig>;

export interface EvalHooks {
  signal: AbortSignal;
  cacheDir: string;
  log(line: string): void;
  /** Told of each rollout as it ends, and of those that were there from before. */
  onRollout(done: number, of: number, line: RolloutLine): void;
}

/** Runs an evaluation, or what is left of it, in its run folder. */
export async function runEval(run: RunFolder, config: EvalConfig, hooks: EvalHooks): Promise<EvalResult> {
  const suite = getSuite(config.suite);
  const harness = getHarness(config.harness);
  const tasks = spread(
    suite.tasks({
      split: config.split,
      perFamily: config.perFamily,
      ...(config.families ? { families: config.families } : {}),
    }),
    config.limit,
  );
  const installation = await harness.install(hooks.cacheDir, hooks.signal);
  const model = await openModel(await sourceOf(run.dir, config), hooks.signal);
  try {
    hooks.log(`Model ${model.name}: ${model.origin}.`);
    const services = await startServices({
      run,
      upstreams: model.upstreams,
      concurrency: config.concurrency,
    });
    try {
      let done = 0;
      const of = tasks.length * config.repeats;
      const setting = {
        harness,
        installation,
        modelName: model.name,
        ...(model.policyVersion === undefined ? {} : { policyVersion: model.policyVersion }),
        temperature: config.temperature,
        judge: suite.judge,
        finalScreenshot: true,
        versions: versionsOf(harness, model, services.browserVersion),
      };
      return await evaluate(
        services,
        setting,
        { tasks, repeats: config.repeats, seed: config.seed },
        {
          concurrency: config.concurrency,
          signal: hooks.signal,
          onRollout: (line) => hooks.onRollout(++done, of, line),
        },
      );
    } finally {
      await services.close();
    }
  } finally {
    await model.close();
  }
}

/** The model as it was when the evaluation began: training may have gone on, or to other folders, since. */
async function sourceOf(runDir: string, { model, upstream, weights }: EvalConfig): Promise<ModelSource> {
  if (weights === undefined) return findModel(model, upstream, RUNS_DIR);
  const engineFile = weights.file === null ? undefined : join(runDir, weights.file);
  return { kind: "embedded", engineFile, origin: weights.origin };
}

/** `limit` items at even distances, so that a short evaluation still sees every part of the list. */
function spread<T>(items: readonly T[], limit: number | undefined): T[] {
  if (limit === undefined || limit >= items.length) return [...items];
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)] as T);
}
