import { readdir, readFile } from "node:fs/promises";

/** A running process, read from /proc. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  command: string;
}

/** All descendants of a process (Linux). */
export async function descendants(root: number): Promise<ProcessInfo[]> {
  const all: ProcessInfo[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = await readFile(`/proc/${name}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields[0] === "Z") continue;
      const command = (await readFile(`/proc/${name}/cmdline`, "utf8")).replaceAll("\0", " ");
      all.push({ pid: Number(name), parent: Number(fields[1]), command });
    } catch {
      // It ended while we were reading.
    }
  }
  const found: ProcessInfo[] = [];
  const pending = [root];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const each of all.filter((candidate) => candidate.parent === at)) {
      found.push(each);
      pending.push(each.pid);
    }
  }
  return found;
}

/** Kills every renderer of the browsers that this process has started. */
export async function killRenderers(): Promise<void> {
  const renderers = (await descendants(process.pid)).filter((each) =>
    each.command.includes("--type=renderer"),
  );
  if (renderers.length === 0) throw new Error("no renderer is running");
  for (const { pid } of renderers) process.kill(pid, "SIGKILL");
}
