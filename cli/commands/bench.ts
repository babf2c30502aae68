import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { positiveInt } from "../option-values.ts";

/** `forge bench`: the speed of each hot path, as ratios against a baseline of the same run. */
export function define(command: Command, cli: Cli): void {
  command
    .argument("[name]", "which one, such as proxy/overhead; without it they are listed")
    .argument(
      "[amount]",
      "rounds, episodes, turns or calls, where the benchmark takes a number",
      positiveInt,
    );
  addDocumentation(command, cli, {
    examples: [
      ["bench", "which there are"],
      ["bench environments/act-observe", "act and observe against bare Playwright"],
      ["bench trainer/episodes 20", "the loop against the environment alone, in 20 episodes"],
    ],
    json: "one line a benchmark: name, file; of one that is run, one object: name, file, text (what it prints).",
    exits: [EXIT.missingSetup, EXIT.fault],
  });
  action(command, cli, async ({ args: [name, amount], out, signal }) => {
    // What these need is not part of an installed package.
    const { checkoutRoot } = await import("../dev/checkout.ts");
    const { findBenchmark, listBenchmarks, runBenchmark } = await import("../dev/benchmarks.ts");
    const root = checkoutRoot();
    const benchmarks = await listBenchmarks(root);
    if (name === undefined) {
      for (const benchmark of benchmarks) {
        out.print(benchmark.name);
        out.emit(benchmark);
      }
      return EXIT.ok;
    }
    const benchmark = findBenchmark(benchmarks, name);
    const args = amount === undefined ? [] : [String(amount)];
    const text = await runBenchmark(benchmark, { root, args, isCollected: out.json, signal });
    out.emit({ ...benchmark, text });
    return EXIT.ok;
  });
}
