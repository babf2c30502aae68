// Runs a shell command as a harness is run, then says so. Tests kill this process in the middle of it.
import { runProcess } from "@openforgerl/harness-adapters/process/run-process";

const [command, scratchDir] = process.argv.slice(2) as [string, string];
const result = await runProcess({
  executable: "/bin/sh",
  args: ["-c", command],
  env: { PATH: "/usr/bin:/bin" },
  cwd: scratchDir,
  stdoutPath: `${scratchDir}/stdout`,
  stderrPath: `${scratchDir}/stderr`,
  signal: new AbortController().signal,
});
console.log(JSON.stringify(result));
