import { readdir, readFile } from "node:fs/promises";

/** Samples the memory of this process's descendants until stopped; Linux only. */
export function watchDescendants(): { stop(): Promise<number> } {
  let peak = 0;
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      peak = Math.max(peak, await descendantsPss());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    /** The largest sum seen, in MiB: proportional set size, so that shared pages count once. */
    async stop() {
      isStopped = true;
      await done;
      return peak / 1024;
    },
  };
}

async function descendantsPss(): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const parent = /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent === process.pid || (parent !== undefined && parent > 1 && isOurs(parent));
  };
  let kib = 0;
  for (const pid of parents.keys()) {
    if (!isOurs(pid)) continue;
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    kib += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
  }
  return kib;
}
