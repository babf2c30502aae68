import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import type { CheckOutcome } from "../dev/checks.ts";
import { EXIT } from "../exit-codes.ts";

interface Options {
  fast?: boolean;
}

/** `forge test`: everything that has to hold before a change is merged. */
export function define(command: Command, cli: Cli): void {
  command
    .argument("[paths...]", "run the test files alone whose path has one of these in it")
    .option("--fast", "leave out the tests that open a browser or start other programs");
  addDocumentation(command, cli, {
    examples: [
      ["test", "types, lint, import table and all tests"],
      ["test --fast", "the same in a minute, without browsers"],
      ["test proxy/", "the tests of one package alone"],
    ],
    json: "one object: passed, failed, skipped, parts [{name, passed, failed, skipped, seconds}].",
    exits: [EXIT.failed, EXIT.missingSetup],
  });
  action<Options>(command, cli, async ({ args, options, out, signal }) => {
    // What these need is not part of an installed package.
    const { checkoutRoot } = await import("../dev/checkout.ts");
    const root = checkoutRoot();
    const { CHECKS } = await import("../dev/checks.ts");
    const filters = (args as readonly unknown[]).flat().filter((word) => typeof word === "string");
    const checks = filters.length === 0 ? CHECKS : CHECKS.filter(({ name }) => name === "tests");
    const parts: CheckOutcome[] = [];
    for (const { name, run } of checks) {
      out.log(`${name} …`);
      const began = performance.now();
      const result = await run({ root, fast: options.fast === true, filters, signal });
      signal.throwIfAborted();
      const seconds = (performance.now() - began) / 1000;
      if (result.failed > 0 && result.detail !== "") out.log(result.detail);
      parts.push({ name, ...result, seconds });
    }
    const total = (of: "passed" | "failed" | "skipped") => parts.reduce((sum, part) => sum + part[of], 0);
    const [passed, failed, skipped] = [total("passed"), total("failed"), total("skipped")];
    for (const part of parts) {
      const verdict = part.failed === 0 ? "ok  " : "FAIL";
      const { name, seconds } = part;
      out.print(`${verdict}  ${name}: ${counts(part)} (${seconds.toFixed(0)} s)`);
    }
    out.emit({ passed, failed, skipped, parts: parts.map(({ detail: _, ...part }) => part) });
    out.print(counts({ passed, failed, skipped }));
    return failed === 0 ? EXIT.ok : EXIT.failed;
  });
}

function counts({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
