import { getSuite } from "@openforgerl/benchmarks/suites/registry";
import type { Split } from "@openforgerl/contracts/task";
import { getHarness } from "@openforgerl/harness-adapters/registry";
import { type Command, Option } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import {
  list,
  nonNegativeInt,
  nonNegativeNumber,
  positiveInt,
  split,
  wholeNumber,
} from "../option-values.ts";
import { startEval } from "../runs/eval-command.ts";
import { EvalConfig } from "../runs/eval-run.ts";
import { findModel } from "../runs/model.ts";
import { findRunDir, makeFolder, newRunDir, RUNS_DIR } from "../runs/run-dir.ts";

interface EvalOptions {
  suite: string;
  harness: string;
  model: string;
  baseUrl?: string;
  api?: "anthropic-messages" | "openai-chat";
  apiKeyEnv?: string;
  capture?: "vllm" | "none";
  split: Split;
  family?: string[];
  perFamily: number;
  limit?: number;
  repeats: number;
  seed: number;
  temperature: number;
  concurrency: number;
  runDir?: string;
}

/** `forge eval`: a score with its interval, from any harness and any model. */
export function define(command: Command, cli: Cli): void {
  command
    .description(
      "Score a model through a harness: every task rolled out in real Chromium and judged by its final state. Rollouts that infrastructure spoilt are reported apart, never as 0.",
    )
    .option("--suite <name>", "the benchmark", "sites")
    .option("--harness <name>", "what runs the model", "builtin")
    .option("--model <name>", "embedded, a training run's folder, or any name with --base-url", "embedded")
    .option("--base-url <url>", "where a hosted or self-hosted model is reached")
    .addOption(
      new Option("--api <dialect>", "what is spoken at --base-url").choices([
        "anthropic-messages",
        "openai-chat",
      ]),
    )
    .option("--api-key-env <name>", "environment variable that holds the key for --base-url")
    .addOption(
      new Option("--capture <kind>", "whether --base-url gives token ids and log-probabilities").choices([
        "vllm",
        "none",
      ]),
    )
    .option("--split <name>", "train, dev or test", split, "test")
    .option("--family <names>", "these task families only, separated by commas", list)
    .option("--per-family <n>", "tasks of each family", wholeNumber(1, 10_000), 3)
    .option("--limit <n>", "at most this many tasks, spread over the families", positiveInt)
    .option("--repeats <n>", "rollouts of each task", wholeNumber(1, 1000), 1)
    .option("--seed <n>", "base of the sampling seeds", nonNegativeInt, 0)
    .option("--temperature <t>", "sampling temperature, set by the proxy; 0 is greedy", nonNegativeNumber, 0)
    .option("--concurrency <n>", "rollouts at a time", wholeNumber(1, 1000), 2)
    .option("--run-dir <dir>", "where the run is kept (default: runs/eval-<time>)");
  addDocumentation(command, cli, {
    examples: [
      ["eval --suite sites --harness builtin --model embedded", "the newest trained weights on unseen tasks"],
      ["eval --harness claude-code --model embedded --limit 5", "the same through the real Claude Code"],
      [
        "eval --model Qwen/Qwen3-VL-8B-Instruct --base-url http://127.0.0.1:8000 --capture vllm",
        "a model that vLLM serves",
      ],
    ],
    json: "one object: suite, harness, model, split, tasks, rollouts, scored, success, interval, invalid, byLevel, byFamily, meanSteps, wallSeconds, runDir, report.",
    exits: [EXIT.missingSetup, EXIT.fault],
  });
  action<EvalOptions>(command, cli, async ({ options, ...io }) => {
    const suite = getSuite(options.suite);
    getHarness(options.harness);
    for (const family of options.family ?? []) suite.task(family, 0, options.split);
    const config = EvalConfig.parse({
      suite: options.suite,
      harness: options.harness,
      model: options.model,
      upstream: {
        baseUrl: options.baseUrl,
        dialect: options.api,
        apiKeyEnv: options.apiKeyEnv,
        capture: options.capture,
      },
      split: options.split,
      families: options.family,
      perFamily: options.perFamily,
      limit: options.limit,
      repeats: options.repeats,
      seed: options.seed,
      temperature: options.temperature,
      concurrency: options.concurrency,
    });
    // A mistake here must not leave an empty run behind.
    const source = await findModel(config.model, config.upstream, RUNS_DIR);
    const runDir = options.runDir === undefined ? newRunDir("eval") : findRunDir(options.runDir);
    await makeFolder("--run-dir", runDir);
    return startEval(runDir, config, source, io);
  });
}
