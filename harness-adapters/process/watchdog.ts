import { type ChildProcess, spawn } from "node:child_process";
import { RUN_MARK } from "./survivors.ts";

// Told of process groups on its standard input, which ends when we do, however we end: SIGKILL included. Then
// it kills the groups that are left, and whatever else carries our mark (our pid is the mark's first part).
// It has a session of its own, so that a Ctrl-C or a kill of our whole group does not take it along.
const SCRIPT = `
trap '' INT TERM HUP QUIT
groups=" "
while read -r verb group; do
  case "$verb" in
    add) groups="$groups$group " ;;
    done) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for round in 1 2 3; do
  for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
  for file in $(grep -lsaF "$1" /proc/[0-9]*/environ); do
    pid="\${file#/proc/}"
    kill -KILL "\${pid%/environ}" 2>/dev/null
  done
  sleep 0.2
done
`;

let watchdog: ChildProcess | undefined;
// Differs between two runs of a process with the same pid, say in two containers that share /proc.
const ownMark = `${process.pid}.${Date.now().toString(36)}.${Math.random().toString(36).slice(2, 10)}`;
let runs = 0;

/** A mark for one run; the watchdog of this process knows it as its own. */
export function newRunMark(): string {
  return `${ownMark}.${runs++}`;
}

/** From now until `release`, the group dies when this process does. */
export function guardGroup(pgid: number): { release(): void } {
  tell(`add ${pgid}`);
  return { release: () => tell(`done ${pgid}`) };
}

/** Starts the watchdog of this process, before the first child that it is to guard. */
export function startWatchdog(): void {
  if (watchdog) return;
  const child = spawn("/bin/sh", ["-c", SCRIPT, "watchdog", `${RUN_MARK}=${ownMark}.`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  child.on("error", () => {});
  child.stdin!.on("error", () => {});
  child.unref();
  // The pipe must not keep this process alive either.
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  watchdog = child;
}

function tell(line: string): void {
  watchdog?.stdin?.write(`${line}\n`);
}
