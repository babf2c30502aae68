import type { ForgeError } from "@openforgerl/contracts/errors";

/** What a command's exit status says. Every command keeps to it. */
export const EXIT = {
  /** It did what was asked. */
  ok: 0,
  /** It ran to its end, and what it checked was found wanting. */
  failed: 1,
  /** A flag, file or name given by the caller is wrong; nothing was started. */
  badInput: 2,
  /** Something that has to be installed is missing; the message says how. */
  missingSetup: 3,
  /** Infrastructure broke: browser, model, disk, network, or a fault of ours. */
  fault: 4,
  /** Ctrl-C, SIGTERM, or the reader of the output went away; what was finished is kept. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** One line for each exit status, for help texts. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "done",
  1: "ran, but checks failed",
  2: "bad input; nothing was started",
  3: "something has to be installed first",
  4: "infrastructure fault",
  130: "interrupted",
};

const MISSING_SETUP: ReadonlySet<string> = new Set([
  "chromium_not_found",
  "install_failed",
  "no_checkout",
  "missing_setup",
]);

/** The exit status of a command that ended with this error. */
export function exitCodeOf(error: ForgeError): ExitCode {
  if (error.code === "cancelled") return EXIT.interrupted;
  if (MISSING_SETUP.has(error.code)) return EXIT.missingSetup;
  return error.boundary === "input" ? EXIT.badInput : EXIT.fault;
}
