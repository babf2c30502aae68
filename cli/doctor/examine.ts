import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { availableParallelism, freemem, totalmem } from "node:os";
import { promisify } from "node:util";
import { ForgeError } from "@openforgerl/contracts/errors";
import { findChromium } from "@openforgerl/environments/browser/find-chromium";
import { launchBrowser } from "@openforgerl/environments/browser/launch";
import { listHarnesses } from "@openforgerl/harness-adapters/registry";
import { isInstalled } from "../harness-cache.ts";
import type { Finding } from "./finding.ts";

const execute = promisify(execFile);

const GIB = 2 ** 30;
/** A training run with its screenshots stays well below this. */
const DISK_WANTED = 2 * GIB;
/** Chromium, the policy and this process together. */
const MEMORY_WANTED = 2 * GIB;

/** Where to look. */
export interface Machine {
  cacheDir: string;
  /** The folder that runs are written below. */
  workDir: string;
  env: NodeJS.ProcessEnv;
}

/** Looks at everything a run needs. Each finding stands alone: none keeps the others from being made. */
export async function examine({ cacheDir, workDir, env }: Machine): Promise<Finding[]> {
  const findings = await Promise.all([
    node(),
    npm(),
    chromium(env),
    imageEncoder(),
    disk(workDir),
    cores(),
    memory(),
    ...listHarnesses().map((adapter) => harness(adapter, cacheDir)),
  ]);
  return findings.flat();
}

function node(): Finding {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= 24
    ? { name: "Node", status: "ok", detail: `${process.version} at ${process.execPath}` }
    : {
        name: "Node",
        status: "missing",
        detail: `${process.version} is too old; 24 or newer is needed`,
        mend: "start it as ./forge, which fetches Node 24",
      };
}

async function npm(): Promise<Finding> {
  try {
    const { stdout } = await execute("npm", ["--version"]);
    return { name: "npm", status: "ok", detail: stdout.trim() };
  } catch {
    return { name: "npm", status: "missing", detail: "not on the PATH", mend: "apt-get install npm" };
  }
}

async function chromium(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const { path, version } = await findChromium(env);
    const tip = path.includes("headless") ? "" : "; chromium-headless-shell would run episodes twice as fast";
    const found: Finding = { name: "Chromium", status: "ok", detail: `${version} at ${path}${tip}` };
    return [found, await headless(path)];
  } catch (error) {
    return [broken("Chromium", error)];
  }
}

/** That it runs at all says little: shared libraries, sandboxes and fonts show when a page is drawn. */
async function headless(path: string): Promise<Finding> {
  const began = performance.now();
  try {
    const browser = await launchBrowser(path, []);
    try {
      const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
      await page.setContent("<p>ready</p>");
      const { length } = await page.screenshot();
      const ms = Math.round(performance.now() - began);
      return {
        name: "headless page",
        status: "ok",
        detail: `drawn and captured in ${ms} ms (${length} bytes)`,
      };
    } finally {
      await browser.close();
    }
  } catch (error) {
    return broken("headless page", error);
  }
}

async function imageEncoder(): Promise<Finding> {
  try {
    const { default: sharp } = await import("sharp");
    const pixel = { create: { width: 1, height: 1, channels: 3, background: "white" } } as const;
    await sharp(pixel).png().toBuffer();
    return { name: "sharp", status: "ok", detail: `${sharp.versions.sharp}, libvips ${sharp.versions.vips}` };
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { name: "sharp", status: "missing", detail, mend: "npm ci --include=optional" };
  }
}

async function disk(workDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(workDir);
  const free = bavail * bsize;
  const detail = `${gib(free)} free at ${workDir}`;
  return free >= DISK_WANTED
    ? { name: "disk", status: "ok", detail }
    : { name: "disk", status: "missing", detail, mend: `free up to ${gib(DISK_WANTED)}` };
}

function cores(): Finding {
  const count = availableParallelism();
  return count >= 2
    ? { name: "cores", status: "ok", detail: String(count) }
    : { name: "cores", status: "note", detail: "1: it works, at half the pace or less" };
}

function memory(): Finding {
  const detail = `${gib(freemem())} free of ${gib(totalmem())}`;
  return totalmem() >= MEMORY_WANTED
    ? { name: "memory", status: "ok", detail }
    : { name: "memory", status: "note", detail, mend: `${gib(MEMORY_WANTED)} are comfortable` };
}

function harness(adapter: ReturnType<typeof listHarnesses>[number], cacheDir: string): Finding {
  const name = `harness ${adapter.name}`;
  if (adapter.capabilities.inProcess) return { name, status: "ok", detail: "built in" };
  if (isInstalled(adapter, cacheDir)) return { name, status: "ok", detail: adapter.version };
  return {
    name,
    status: "note",
    detail: `${adapter.version} is fetched when it is first used`,
    mend: `forge harness install ${adapter.name}`,
  };
}

function broken(name: string, error: unknown): Finding {
  if (error instanceof ForgeError) {
    return { name, status: "missing", detail: error.message, mend: error.advice };
  }
  return { name, status: "missing", detail: error instanceof Error ? error.message : String(error) };
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
