import { EXIT } from "./exit-codes.ts";

type Closer = () => void | Promise<void>;

/** How a command learns that it should stop, and where it leaves what has to be closed. */
export interface Lifecycle {
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP, or when nobody reads the output any more. */
  readonly signal: AbortSignal;
  /** Registers what must be closed however the command ends; the last registered is closed first. */
  onClose(closer: Closer): void;
  /** Resolves when the signal aborts; for commands that serve until they are stopped. */
  untilStopped(): Promise<void>;
  /** Aborts as a signal would. */
  stop(): void;
  /** Runs the closers, once; failures are told and do not keep others from closing. */
  end(): Promise<void>;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Listens for the signals that end a process. The first one only aborts `signal`, so that the command can
 * finish cleanly; the second one exits at once.
 * @param say where sentences for the person at the terminal go.
 */
export function createLifecycle(say: (sentence: string) => void): Lifecycle {
  const abort = new AbortController();
  const closers: Closer[] = [];

  function onSignal(): void {
    if (abort.signal.aborted) process.exit(EXIT.interrupted);
    say("Stopping (once more to stop at once).");
    abort.abort();
  }
  for (const name of SIGNALS) process.on(name, onSignal);

  return {
    signal: abort.signal,
    onClose: (closer) => void closers.push(closer),
    untilStopped: () =>
      new Promise((resolve) => {
        // A promise keeps no process alive; a server that is being served until now may have closed.
        const hold = setInterval(() => {}, 60_000);
        const done = () => {
          clearInterval(hold);
          resolve();
        };
        if (abort.signal.aborted) done();
        else abort.signal.addEventListener("abort", done, { once: true });
      }),
    stop: () => abort.abort(),
    async end() {
      for (const closer of closers.splice(0).reverse()) {
        try {
          await closer();
        } catch (error) {
          say(`While closing: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
