import type { Split } from "@openforgerl/contracts/task";
import { generateTask, getFamily, listFamilies, listSites } from "@openforgerl/environments/sites/families";
import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { list, nonNegativeInt, split, wholeNumber } from "../option-values.ts";
import { table } from "../table.ts";
import { checkFamilies } from "../tasks/check-families.ts";

interface Selection {
  family?: string[];
}
interface ShowOptions {
  seed: number;
  split: Split;
}
interface CheckOptions extends Selection {
  seeds: number;
  concurrency: number;
}

/** `forge task`: the task families of the self-hosted sites. */
export function define(command: Command, cli: Cli): void {
  defineList(command, cli);
  defineShow(command, cli);
  defineCheck(command, cli);
}

function defineList(parent: Command, cli: Cli): void {
  const command = parent
    .command("list")
    .description("All task families: site, level (1 is easiest), steps allowed, how many distinct tasks.");
  addDocumentation(command, cli, {
    examples: [["task list", "all families"]],
    json: "one line a family: id, site, level, title, maxSteps, distinct, viewport, toolStyle.",
  });
  action(command, cli, async ({ out }) => {
    const families = listFamilies();
    for (const { id, site, level, title, maxSteps, distinct, viewport, toolStyle } of families) {
      out.emit({ id, site, level, title, maxSteps, distinct, viewport, toolStyle });
    }
    out.print(
      table(families, [
        { title: "family", value: ({ id }) => id },
        { title: "level", value: ({ level }) => level },
        { title: "steps", value: ({ maxSteps }) => maxSteps },
        { title: "distinct", value: ({ distinct }) => distinct },
        { title: "what", value: ({ title }) => title },
      ]),
    );
    const distinct = families.reduce((sum, family) => sum + family.distinct, 0);
    out.print(`${families.length} families on ${listSites().length} sites, ${distinct} distinct tasks.`);
    return EXIT.ok;
  });
}

function defineShow(parent: Command, cli: Cli): void {
  const command = parent
    .command("show")
    .description("One task as data: its instruction, where it starts, what is allowed.")
    .argument("<family>", "as `task list` names it")
    .option("--seed <n>", "which task of the family", nonNegativeInt, 0)
    .option("--split <name>", "train, dev or test", split, "train");
  addDocumentation(command, cli, {
    examples: [["task show board/click-colour --seed 3", "the third task of that family's train split"]],
    json: "one object: the generated task.",
  });
  action<ShowOptions>(command, cli, async ({ args, options, out }) => {
    const task = generateTask({ family: args[0] ?? "", seed: options.seed, split: options.split });
    out.emit(task);
    out.print(
      [
        `${task.title} (${task.family}, level ${task.level}, ${task.split} seed ${task.seed})`,
        "",
        task.instruction,
        "",
        `Starts at ${task.startPath}, ${task.viewport.width}×${task.viewport.height}, tools by ${task.toolStyle}.`,
        `${task.maxSteps} ${task.maxSteps === 1 ? "step is" : "steps are"} allowed; the oracle needs ${task.oracleSteps}.`,
      ].join("\n"),
    );
    return EXIT.ok;
  });
}

function defineCheck(parent: Command, cli: Cli): void {
  const command = parent
    .command("check")
    .description(
      "Prove families sound in a real browser: the oracle scores 1, doing nothing and a wrong attempt score 0, the same seed gives the same first screenshot, splits are disjoint.",
    )
    .option("--family <names>", "these families only, separated by commas", list)
    .option("--seeds <n>", "tasks of each family to play", wholeNumber(1, 10_000), 2)
    .option("--concurrency <n>", "families checked at the same time", wholeNumber(1, 1000), 2);
  addDocumentation(command, cli, {
    examples: [
      ["task check", "all families, two tasks of each"],
      ["task check --family shop/add-to-cart --seeds 10", "one family, thoroughly"],
    ],
    json: "one line a family: family, level, ok, seconds, checks [{check, seed, ok, detail, seconds}]; then one with families, passed, failed, seconds.",
    exits: [EXIT.failed, EXIT.missingSetup, EXIT.fault],
  });
  action<CheckOptions>(command, cli, async ({ options, out, signal, lifecycle }) => {
    const families = options.family?.map(getFamily) ?? listFamilies();
    const width = Math.max(...families.map(({ id }) => id.length));
    const summary = await checkFamilies({
      families: families.map(({ id }) => id),
      seeds: Array.from({ length: options.seeds }, (_, i) => i),
      concurrency: options.concurrency,
      signal,
      onClose: (closer) => lifecycle.onClose(closer),
      onChecked(result, done) {
        out.progress("");
        out.emit(result);
        const failed = result.checks.filter(({ ok }) => !ok);
        const verdict = result.ok ? "ok  " : "FAIL";
        out.print(
          `${verdict}  ${result.family.padEnd(width)}  level ${result.level}  ${result.seconds.toFixed(1)} s`,
        );
        for (const { check, seed, detail } of failed) {
          out.print(`      ${check}${seed === undefined ? "" : `, seed ${seed}`}: ${detail}`);
        }
        out.progress(`${done} of ${families.length} families checked`);
      },
    });
    out.emit(summary);
    out.print(
      `${summary.passed} of ${summary.families} families are sound (${summary.seconds.toFixed(0)} s, ${options.seeds} tasks of each).`,
    );
    return summary.failed === 0 ? EXIT.ok : EXIT.failed;
  });
}
