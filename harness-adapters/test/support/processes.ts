import { readdir, readFile, readlink } from "node:fs/promises";

/** Ids of processes, ourselves aside, that work in a directory or whose environment or arguments name it. */
export async function processesOf(dir: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const [cwd, environ, cmdline] = await Promise.all([
      readlink(`/proc/${name}/cwd`).catch(() => ""),
      readFile(`/proc/${name}/environ`, "latin1").catch(() => ""),
      readFile(`/proc/${name}/cmdline`, "latin1").catch(() => ""),
    ]);
    if (`${cwd}\0${environ}\0${cmdline}`.includes(dir)) found.push(Number(name));
  }
  return found;
}
