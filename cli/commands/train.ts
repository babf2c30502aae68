import { existsSync } from "node:fs";
import { getSuite } from "@openforgerl/benchmarks/suites/registry";
import { getHarness } from "@openforgerl/harness-adapters/registry";
import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { list, nonNegativeInt, positiveInt, wholeNumber } from "../option-values.ts";
import { findRunDir, makeFolder, newRunDir } from "../runs/run-dir.ts";
import { startTrain } from "../runs/train-command.ts";
import { TrainRunConfig } from "../runs/train-run.ts";

interface TrainOptions {
  suite: string;
  harness: string;
  steps?: number;
  groups?: number;
  groupSize?: number;
  family?: string[];
  maxLevel?: number;
  seed: number;
  concurrency?: number;
  evalEvery?: number;
  evalPerFamily?: number;
  runDir?: string;
}

/** `forge train`: the whole loop, from random weights to a policy that has learnt. */
export function define(command: Command, cli: Cli): void {
  command
    .description(
      "Train the embedded policy: episodes in real Chromium through a harness, every model call recorded by the proxy, GRPO updates from the recordings.",
    )
    .option("--suite <name>", "where tasks come from", "sites")
    .option("--harness <name>", "what runs the episodes", "builtin")
    .option("--steps <n>", "training steps", wholeNumber(1, 1_000_000))
    .option("--groups <n>", "tasks a step", wholeNumber(1, 10_000))
    .option("--group-size <n>", "rollouts of each task, 2 or more: they are compared", wholeNumber(2, 1000))
    .option("--family <names>", "these task families only, separated by commas", list)
    .option("--max-level <n>", "highest level of the curriculum", positiveInt)
    .option("--seed <n>", "seeds weights, task choice and sampling", nonNegativeInt, 1)
    .option("--concurrency <n>", "rollouts at a time", wholeNumber(1, 1000))
    .option(
      "--eval-every <n>",
      "steps between evaluations on held-out tasks; 0: first and last only",
      nonNegativeInt,
    )
    .option("--eval-per-family <n>", "held-out tasks of each family at an evaluation", wholeNumber(1, 1000))
    .option("--run-dir <dir>", "where the run is kept (default: runs/train-<time>)");
  addDocumentation(command, cli, {
    examples: [
      ["train", "the whole curriculum, through the built-in harness"],
      ["train --max-level 1 --steps 30", "the first lessons only"],
      ["train --harness claude-code --family board/click-label --steps 3 --groups 2", "through Claude Code"],
    ],
    json: "one object: steps, episodes, wallSeconds, devSuccess, devInterval, byLevel, byFamily, level, policyVersion, runDir, report.",
    exits: [EXIT.missingSetup, EXIT.fault],
  });
  action<TrainOptions>(command, cli, async ({ options, ...io }) => {
    const suite = getSuite(options.suite);
    getHarness(options.harness);
    for (const family of options.family ?? []) suite.task(family, 0, "train");
    const runDir = options.runDir === undefined ? freshRunDir() : findRunDir(options.runDir);
    const config = TrainRunConfig.parse({
      suite: options.suite,
      harness: options.harness,
      seed: options.seed,
      steps: options.steps,
      groupsPerStep: options.groups,
      groupSize: options.groupSize,
      families: options.family,
      maxLevel: options.maxLevel,
      concurrency: options.concurrency,
      evalEvery: options.evalEvery,
      evalPerFamily: options.evalPerFamily,
    });
    await makeFolder("--run-dir", runDir);
    return startTrain(runDir, config, io);
  });
}

function freshRunDir(): string {
  const dir = newRunDir("train");
  // Two runs begun within one second.
  return existsSync(dir) ? `${dir}-${process.pid}` : dir;
}
