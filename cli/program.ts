import { asForgeError } from "@openforgerl/contracts/errors";
import { Command, CommanderError } from "commander";
import type { Cli } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import { EXIT, type ExitCode, exitCodeOf } from "./exit-codes.ts";
import { createLifecycle } from "./lifecycle.ts";
import { createOutput, type Output, watchPipes } from "./output.ts";
import { overview } from "./overview.ts";
import { FORGE_VERSION } from "./runs/versions.ts";

/**
 * Runs the command line to its end: parses, acts, reports errors, closes what was opened.
 * @param argv the words behind the program's name.
 * @returns the exit status.
 */
export async function runCli(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  let out = createOutput(argv.includes("--json"));
  const lifecycle = createLifecycle((sentence) => out.log(sentence));
  let unread = false;
  watchPipes(() => {
    unread = true;
    lifecycle.stop();
  });
  const cli: Cli = {
    name: process.env.OPENFORGERL_COMMAND ?? "forge",
    lifecycle,
    finish: (status) => {
      code = status;
    },
    started: (output) => {
      out = output;
    },
  };
  try {
    const program = await buildProgram(argv, cli);
    if (argv.length === 0) out.print(overview(cli.name));
    else await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    out.progress("");
    code = thrown instanceof CommanderError ? parseCode(thrown, out) : report(thrown, out, cli);
  }
  await lifecycle.end();
  return unread ? EXIT.interrupted : code;
}

/** All commands by name; the one that is called, with its options. */
async function buildProgram(argv: readonly string[], cli: Cli): Promise<Command> {
  const program = new Command(cli.name)
    .version(FORGE_VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "what a command does, its options, examples")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(oneSentence(text)) });
  program.helpInformation = () => `${overview(cli.name)}\n`;
  const words = argv.filter((word) => !word.startsWith("-"));
  const called = words[0] === "help" ? words[1] : words[0];
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).summary(summary).description(sentence(summary));
    if (name === called) (await load()).define(command, cli);
  }
  return program;
}

/** Commander has already printed its message; with `--json` a program needs it, too. */
function parseCode(error: CommanderError, out: Output): ExitCode {
  if (error.exitCode === 0) return EXIT.ok;
  // "help" for a command that has subcommands and was given none: a question, not a mistake.
  if (error.code === "commander.help") return EXIT.ok;
  const message = oneSentence(error.message).trim();
  out.emit({
    error: { boundary: "input", code: "bad_input", message, advice: "See --help." },
    exitCode: EXIT.badInput,
  });
  return EXIT.badInput;
}

/** Tells what went wrong, in the words of the error, and what to do. */
function report(thrown: unknown, out: Output, { lifecycle: { signal }, name }: Cli): ExitCode {
  if (signal.aborted && isAbort(thrown, signal)) return EXIT.interrupted;
  const error = asForgeError(thrown, {
    boundary: "runtime",
    code: "unexpected",
    advice: "This is a fault of the program; set FORGE_DEBUG=1 to see where it happened.",
  });
  // What was being closed answers with a fault of its own when it is called once more.
  if (signal.aborted && error.code === "engine_closed") {
    out.log(
      `The run was interrupted; everything finished so far is kept. \`${name} resume\` goes on with it.`,
    );
    return EXIT.interrupted;
  }
  const code = exitCodeOf(error);
  out.log(sentence(error.message));
  // The packages don't know how the user calls this program.
  out.log(error.advice.replaceAll("`forge ", `\`${name} `));
  if (process.env.FORGE_DEBUG) out.log(stackOf(thrown));
  out.emit({ error: error.toFault(), exitCode: code });
  return code;
}

function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  return thrown === signal.reason || (thrown instanceof Error && thrown.name === "AbortError");
}

/** The stacks of an error and of its causes. */
function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = thrown.stack ?? thrown.message;
  return thrown.cause === undefined ? own : `${own}\ncaused by: ${stackOf(thrown.cause)}`;
}

/** Commander's errors as one sentence: `Unknown option '--stpes'. Did you mean --steps?` */
function oneSentence(text: string): string {
  const [first = "", ...more] = text
    .trim()
    .replace(/^error: /, "")
    .split("\n");
  const what = sentence(first);
  const hint = more
    .join(" ")
    .replace(/^\((.*)\)$/, "$1")
    .trim();
  return `${what}${hint === "" ? "" : ` ${hint}`}\n`;
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
