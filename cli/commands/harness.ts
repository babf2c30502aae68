import { getHarness, listHarnesses } from "@openforgerl/harness-adapters/registry";
import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { isInstalled } from "../harness-cache.ts";
import { table } from "../table.ts";

/** `forge harness`: which agent harnesses there are, and getting one ready before it is needed. */
export function define(command: Command, cli: Cli): void {
  const list = command.command("list").description("The harnesses, their pinned versions, what each can do.");
  addDocumentation(list, cli, {
    examples: [["harness list", "name, version, whether it is installed"]],
    json: "one line a harness: name, version, installed, capabilities.",
  });
  action(list, cli, async ({ out, cacheDir }) => {
    const rows = listHarnesses().map((adapter) => ({
      name: adapter.name,
      version: adapter.version,
      installed: isInstalled(adapter, cacheDir),
      capabilities: adapter.capabilities,
    }));
    for (const row of rows) out.emit(row);
    out.print(
      table(rows, [
        { title: "harness", value: (row) => row.name },
        { title: "version", value: (row) => row.version },
        { title: "speaks", value: (row) => row.capabilities.dialect },
        {
          title: "installed",
          value: ({ capabilities, installed }) =>
            capabilities.inProcess ? "built in" : installed ? "yes" : "when first used",
        },
      ]),
    );
    return EXIT.ok;
  });

  const install = command
    .command("install")
    .description("Install a harness now; a run would do so when it first needs it.")
    .argument("<name>", "as `harness list` names it");
  addDocumentation(install, cli, {
    examples: [["harness install claude-code", "fetch the pinned version from the npm registry"]],
    json: "one object: name, version, executable.",
    exits: [EXIT.missingSetup],
  });
  action(install, cli, async ({ args, out, cacheDir, signal }) => {
    const adapter = getHarness(args[0] ?? "");
    if (!isInstalled(adapter, cacheDir)) out.log(`Installing ${adapter.name} ${adapter.version}.`);
    const installation = await adapter.install(cacheDir, signal);
    out.emit({ name: adapter.name, ...installation });
    const where = installation.executable ? ` at ${installation.executable}` : ", built in";
    out.print(`${adapter.name} ${installation.version} is ready${where}.`);
    return EXIT.ok;
  });
}
