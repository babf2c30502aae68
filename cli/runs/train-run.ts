import { getSuite } from "@openforgerl/benchmarks/suites/registry";
import { summarise } from "@openforgerl/benchmarks/summary";
import { getHarness } from "@openforgerl/harness-adapters/registry";
import type { RunFolder } from "@openforgerl/orchestrator/run-folder";
import { startServices } from "@openforgerl/orchestrator/services";
import { openStore } from "@openforgerl/proxy/store";
import type { LoopState } from "@openforgerl/trainer/loop/checkpoint";
import { TrainConfig } from "@openforgerl/trainer/loop/config";
import type { StepMetrics } from "@openforgerl/trainer/loop/metrics";
import { train } from "@openforgerl/trainer/loop/train";
import { z } from "zod";
import { openEmbedded } from "./model.ts";
import { versionsOf } from "./versions.ts";

/** The resolved configuration of a training run; saved in run.json and enough to resume it. */
export const TrainRunConfig = TrainConfig.extend({
  suite: z.string().default("sites"),
  harness: z.string().default("builtin"),
});
export type TrainRunConfig = z.infer<typeof TrainRunConfig>;

export interface TrainHooks {
  signal: AbortSignal;
  cacheDir: string;
  onStep(metrics: StepMetrics): void;
  onRollout(done: number, of: number, phase: "train" | "dev"): void;
}

/** Trains, or goes on training, in a run folder. */
export async function runTrain(
  run: RunFolder,
  config: TrainRunConfig,
  hooks: TrainHooks,
): Promise<LoopState> {
  const suite = getSuite(config.suite);
  const harness = getHarness(config.harness);
  const installation = await harness.install(hooks.cacheDir, hooks.signal);
  const model = await openEmbedded(undefined, "fresh weights", hooks.signal, {
    seed: config.seed,
    readImage: openStore(run.dir).readBlob,
  });
  try {
    const services = await startServices({
      run,
      upstreams: model.upstreams,
      concurrency: config.concurrency,
    });
    try {
      return await train(
        {
          services,
          engine: model.engine,
          tasks: suite,
          setting: {
            harness,
            installation,
            modelName: model.name,
            judge: suite.judge,
            finalScreenshot: false,
            versions: versionsOf(harness, model, services.browserVersion),
          },
          signal: hooks.signal,
          estimateRate: (lines) => {
            const { mean, interval, n } = summarise(lines).scored;
            return { mean, interval, n };
          },
          onStep: hooks.onStep,
          onRollout: hooks.onRollout,
        },
        config,
      );
    } finally {
      await services.close();
    }
  } finally {
    await model.close();
  }
}
