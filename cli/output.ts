/** Where a command's words go: results to standard output, all else to standard error. */
export interface Output {
  /** `--json` was given: standard output carries JSON alone. */
  readonly json: boolean;
  /** Whether a person at a terminal reads the results. */
  readonly isTerminal: boolean;
  /** A result for a person; silent with `--json`. */
  print(text: string): void;
  /** A result for a program, one line of JSON; silent without `--json`. */
  emit(value: unknown): void;
  /** A line of log for whoever watches. */
  log(line: string): void;
  /**
   * A line that replaces the one before it on a terminal, and is left out elsewhere: progress.
   * The empty string takes it away.
   */
  progress(line: string): void;
}

/** Writes to the process's own streams. */
export function createOutput(json: boolean): Output {
  let shown = "";
  function clear(): void {
    if (shown !== "") process.stderr.write("\r\u001b[K");
    shown = "";
  }
  return {
    json,
    isTerminal: process.stdout.isTTY === true,
    print(text) {
      if (json) return;
      clear();
      process.stdout.write(`${text}\n`);
    },
    emit(value) {
      if (json) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    log(line) {
      clear();
      process.stderr.write(`${line}\n`);
    },
    progress(line) {
      if (process.stderr.isTTY !== true || line === shown) return;
      clear();
      if (line === "") return;
      process.stderr.write(line.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1)));
      shown = line;
    },
  };
}

/**
 * Keeps a process whose output is no longer read (`forge task list | head -1`) from dying of it.
 * @param onGone called once.
 */
export function watchPipes(onGone: () => void): void {
  let gone = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (gone) return;
      gone = true;
      onGone();
    });
  }
}
