import type { Command } from "commander";
import { EXIT, EXIT_MEANINGS, type ExitCode } from "./exit-codes.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { createOutput, type Output } from "./output.ts";

/** What a file in `commands/` exports. */
export interface CommandModule {
  /** Gives the command its arguments, options, documentation and action. */
  define(command: Command, cli: Cli): void;
}

/** What all commands share. */
export interface Cli {
  /** What the user types to call it: `forge`, or `./forge`. */
  name: string;
  lifecycle: Lifecycle;
  /** Told the exit status of the action. */
  finish(code: ExitCode): void;
  /** Told, before the action starts, where its words go. */
  started(output: Output): void;
}

/** One call of a command. */
export interface Invocation<Options> {
  /** Positional arguments, in order; an optional one that was left out is undefined. */
  args: readonly (string | undefined)[];
  options: Options;
  out: Output;
  /** Aborted by Ctrl-C and its like. */
  signal: AbortSignal;
  lifecycle: Lifecycle;
  /** Where downloads are kept between calls. */
  cacheDir: string;
}

/** What the help of a command says besides its options. */
export interface Documentation {
  /** Command lines without the program's name, each with what it does: `["task list", "all families"]`. */
  examples: readonly (readonly [line: string, what: string])[];
  /** What standard output carries with `--json`. */
  json: string;
  /** Exit statuses beyond 0, 2 and 130, which every command has. */
  exits?: readonly ExitCode[];
}

/** Adds `--json` and the parts of the help that every command has. */
export function addDocumentation(
  command: Command,
  cli: Cli,
  { examples, json, exits = [] }: Documentation,
): void {
  command.option("--json", "print JSON on standard output, for programs");
  const width = Math.max(...examples.map(([line]) => line.length));
  const statuses = [EXIT.ok, ...exits, EXIT.badInput, EXIT.interrupted].sort((a, b) => a - b);
  command.addHelpText(
    "after",
    [
      "",
      examples.length === 1 ? "Example:" : "Examples:",
      ...examples.map(([line, what]) =>
        // Side by side where both fit on a line of a terminal, else one below the other.
        width > 40 ? `  # ${what}\n  ${cli.name} ${line}` : `  ${cli.name} ${line.padEnd(width)}   ${what}`,
      ),
      "",
      `With --json: ${json}`,
      "",
      "Exit status:",
      ...statuses.map((code) => `  ${String(code).padEnd(3)}  ${EXIT_MEANINGS[code]}`),
    ].join("\n"),
  );
}

/**
 * Makes `run` the command's action.
 * @param run returns the exit status; what it throws is reported and mapped by `program.ts`.
 */
export function action<Options extends object>(
  command: Command,
  cli: Cli,
  run: (invocation: Invocation<Options>) => Promise<ExitCode>,
): void {
  command.action(async () => {
    const options = command.opts<Options & { json?: boolean }>();
    const out = createOutput(options.json === true);
    cli.started(out);
    const { lifecycle } = cli;
    const code = await run({
      args: command.processedArgs,
      options,
      out,
      signal: lifecycle.signal,
      lifecycle,
      cacheDir: cacheDir(),
    });
    out.progress("");
    cli.finish(code);
  });
}

/** `OPENFORGERL_CACHE`, else `~/.cache/openforgerl`: the folder that `./forge` uses, too. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  return env.OPENFORGERL_CACHE || `${env.HOME ?? "."}/.cache/openforgerl`;
}
