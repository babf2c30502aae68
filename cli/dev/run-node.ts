import { spawn } from "node:child_process";

/** A program of the checkout to run under this same Node. */
export interface NodeProgram {
  /** The checkout's root: where it runs. */
  root: string;
  args: readonly string[];
  /** Collected and returned, shown on stderr, or passed on: stdout to stdout, stderr to stderr. */
  output: "collect" | "show" | "pass";
  signal: AbortSignal;
  env?: NodeJS.ProcessEnv;
}

const STDIO = {
  collect: ["ignore", "pipe", "pipe"],
  show: ["ignore", 2, 2],
  pass: ["ignore", 1, 2],
} satisfies Record<NodeProgram["output"], ("ignore" | "pipe" | number)[]>;

/** Runs a program to its end; `output` is empty unless collected. Rejects when `signal` aborts. */
export function runNode({
  root,
  args,
  output,
  signal,
  env = {},
}: NodeProgram): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: STDIO[output],
      signal,
      killSignal: "SIGTERM",
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    }
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: text.trim() }));
  });
}
