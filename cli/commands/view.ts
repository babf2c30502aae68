import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { port } from "../option-values.ts";
import { serveReport } from "../report/server.ts";
import { writeReport } from "../report/write.ts";
import { findRunDir } from "../runs/run-dir.ts";

interface Options {
  port: number;
  write?: boolean;
}

/** `forge view`: a run's report, with every rollout step by step. */
export function define(command: Command, cli: Cli): void {
  command
    .argument("<run>", "a run's folder, or its name below runs/")
    .option("--port <n>", "port to listen on; 0 for a free one", port, 0)
    .option("--write", "write report.html into the folder and end, instead of serving");
  addDocumentation(command, cli, {
    examples: [
      ["view runs/train-20260115-093012", "serve the report until Ctrl-C"],
      ["view train-20260115-093012 --write", "write report.html anew"],
    ],
    json: "one object: url and runDir; with --write path and runDir.",
  });
  action<Options>(command, cli, async ({ args, options, out, lifecycle }) => {
    const runDir = findRunDir(args[0] ?? "");
    if (options.write) {
      const path = await writeReport(runDir);
      out.emit({ path, runDir });
      out.print(path);
      return EXIT.ok;
    }
    const server = await serveReport(runDir, options.port);
    lifecycle.onClose(() => server.close());
    out.emit({ url: server.url, runDir });
    out.print(server.url);
    out.log("Serving until Ctrl-C.");
    await lifecycle.untilStopped();
    return EXIT.ok;
  });
}
