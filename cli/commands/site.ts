import type { Split } from "@openforgerl/contracts/task";
import { getFamily } from "@openforgerl/environments/sites/families";
import { startSiteServer } from "@openforgerl/environments/sites/server";
import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { nonNegativeInt, split } from "../option-values.ts";

interface Options {
  seed: number;
  split: Split;
  answer?: string;
}

/** `forge site`: one seeded world, for a person to try. */
export function define(command: Command, cli: Cli): void {
  command
    .argument("<family>", "a task family, as `task list` names it")
    .option("--seed <n>", "which task of the family", nonNegativeInt, 0)
    .option("--split <name>", "train, dev or test", split, "train")
    .option("--answer <text>", "judge as if the agent had said this at the end");
  addDocumentation(command, cli, {
    examples: [["site board/click-colour --seed 7", "open that task's site; Ctrl-C judges what you did"]],
    json: "one line when it is served (url, instruction), one with the verdict when it is stopped.",
  });
  action<Options>(command, cli, async ({ args, options, out, lifecycle }) => {
    const family = getFamily(args[0] ?? "");
    const server = await startSiteServer();
    lifecycle.onClose(() => server.close());
    const world = await server.openWorld({
      site: family.site,
      family: family.id,
      seed: options.seed,
      split: options.split,
    });
    const { instruction, title } = world.task;
    out.emit({
      url: world.enterUrl,
      family: family.id,
      seed: options.seed,
      split: options.split,
      instruction,
    });
    out.print(`${title} (${family.id}, ${options.split} seed ${options.seed})`);
    out.print(`Task: ${instruction}`);
    out.print(`Open: ${world.enterUrl}`);
    out.log("Ctrl-C stops serving and judges the state you left.");
    await lifecycle.untilStopped();
    const { score, reason } = world.verdict(options.answer);
    out.emit({ score, reason });
    out.print(`Score ${score}. ${reason}`);
    return EXIT.ok;
  });
}
