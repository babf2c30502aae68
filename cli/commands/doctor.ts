import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { examine } from "../doctor/examine.ts";
import type { Finding } from "../doctor/finding.ts";
import { EXIT } from "../exit-codes.ts";

const SIGNS: Readonly<Record<Finding["status"], string>> = {
  ok: "ok      ",
  missing: "MISSING ",
  note: "note    ",
};

/** `forge doctor`: is this machine ready? */
export function define(command: Command, cli: Cli): void {
  addDocumentation(command, cli, {
    examples: [["doctor", "what is there, what is missing, how to mend it"]],
    json: "one object: ready, findings [{name, status: ok|missing|note, detail, mend?}].",
    exits: [EXIT.missingSetup],
  });
  action(command, cli, async ({ out, cacheDir }) => {
    const findings = await examine({ cacheDir, workDir: process.cwd(), env: process.env });
    const missing = findings.filter(({ status }) => status === "missing");
    const ready = missing.length === 0;
    out.emit({ ready, findings });
    const width = Math.max(...findings.map(({ name }) => name.length));
    for (const { name, status, detail, mend } of findings) {
      out.print(`${SIGNS[status]}${name.padEnd(width)}  ${detail}`);
      if (mend !== undefined)
        out.print(`        ${" ".repeat(width)}  -> ${mend.replace(/^forge /, `${cli.name} `)}`);
    }
    out.print(ready ? "This machine is ready." : `Missing: ${missing.map(({ name }) => name).join(", ")}.`);
    return ready ? EXIT.ok : EXIT.missingSetup;
  });
}
