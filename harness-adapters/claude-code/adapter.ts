import { createReadStream } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inputError } from "@openforgerl/contracts/errors";
import type {
  HarnessAdapter,
  HarnessInstallation,
  HarnessOutcome,
  HarnessRun,
} from "@openforgerl/contracts/harness";
import { runProcess } from "../process/run-process.ts";
import { type Configuration, configure } from "./configure.ts";
import { install, VERSION } from "./install.ts";
import { outcomeOf, readStream } from "./parse.ts";

/** The real Claude Code CLI, in print mode, with the environment as its only tools. */
export const claudeCodeAdapter: HarnessAdapter = {
  interfaceVersion: 1,
  name: "claude-code",
  version: VERSION,
  capabilities: {
    dialect: "anthropic-messages",
    imageInput: true,
    mcp: true,
    ownBrowser: false,
    maxTurns: true,
    systemPrompt: true,
    toolRestriction: true,
    subagents: false,
    compaction: true,
    inProcess: false,
  },
  install,
  run,
};

async function run(installation: HarnessInstallation, run: HarnessRun): Promise<HarnessOutcome> {
  const { executable } = installation;
  if (executable === undefined) {
    throw inputError("installation.executable", executable, "Pass what claude-code's install() returned.");
  }
  const configuration = await configure(run);
  const ended = await runProcess({ ...configuration, executable, signal: run.signal });
  const stream = createReadStream(configuration.stdoutPath);
  const facts = await readStream(createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }));
  const stderr = await readFile(configuration.stderrPath, "utf8");
  return { ...outcomeOf(facts, ended, stderr), transcripts: await transcripts(configuration, stderr) };
}

/** The session's own transcript; where there is none, what the CLI printed. Then its complaints, if any. */
async function transcripts(configuration: Configuration, stderr: string): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob("*/*.jsonl", { cwd: configuration.projectsDir })) {
    found.push(join(configuration.projectsDir, path));
  }
  if (found.length === 0) found.push(configuration.stdoutPath);
  if (stderr !== "") found.push(configuration.stderrPath);
  return found;
}
