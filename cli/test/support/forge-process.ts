import { spawn } from "node:child_process";
import { join } from "node:path";
import { checkoutRoot } from "../../dev/checkout.ts";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A `forge` command running as a process of its own. */
export interface ForgeProcess {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the first line of standard output that has this in it. */
  line(part: string): Promise<string>;
  ended: Promise<Ended>;
}

const MAIN = join(checkoutRoot(), "cli/main.ts");

/** Starts `forge` from source under this same Node. */
export function startForge(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): ForgeProcess {
  const child = spawn(process.execPath, ["--conditions=openforgerl", MAIN, ...args], {
    cwd: options.cwd,
    env: { ...process.env, OPENFORGERL_COMMAND: "forge", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    ended,
    line(part) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = stdout.split("\n").find((line) => line.includes(part));
          if (found !== undefined) resolve(found);
        };
        child.stdout.on("data", look);
        void ended.then(({ code }) => reject(new Error(`forge ended with ${code}: ${stderr}`)));
        look();
      });
    },
  };
}

/** Runs `forge` to its end. */
export function forge(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  return startForge(args, options).ended;
}
