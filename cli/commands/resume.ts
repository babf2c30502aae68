import { readRunHeader } from "@openforgerl/orchestrator/run-folder";
import type { Command } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { resumeEval } from "../runs/eval-command.ts";
import { findRunDir } from "../runs/run-dir.ts";
import { resumeTrain } from "../runs/train-command.ts";

/** `forge resume`: finishes a run that was interrupted, however it was. */
export function define(command: Command, cli: Cli): void {
  command
    .description(
      "Finish a run that was interrupted, even by kill -9: nothing is done twice, nothing is lost, the result is the same.",
    )
    .argument("<run>", "the run's folder, or its name under runs/");
  addDocumentation(command, cli, {
    examples: [["resume runs/train-20260115-093012", "go on from the newest checkpoint"]],
    json: "the object that `train` or `eval` prints.",
    exits: [EXIT.missingSetup, EXIT.fault],
  });
  action(command, cli, async ({ args, ...io }) => {
    const runDir = findRunDir(args[0] ?? "");
    const { kind } = await readRunHeader(runDir);
    return kind === "train" ? resumeTrain(runDir, io) : resumeEval(runDir, io);
  });
}
