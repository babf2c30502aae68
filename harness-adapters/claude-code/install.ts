import { execFile } from "node:child_process";
import { access, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { HarnessInstallation } from "@openforgerl/contracts/harness";

const execute = promisify(execFile);

export const PACKAGE = "@anthropic-ai/claude-code";
/** The recipe in `configure.ts` and the reading in `parse.ts` were verified with this version. */
export const VERSION = "2.1.332";

/**
 * Installs the CLI from the npm registry as it is published, under `<cacheDir>/harnesses`. An installation
 * that is complete is used without running anything.
 * @throws ForgeError `harness/install_failed`.
 */
export async function install(cacheDir: string, signal: AbortSignal): Promise<HarnessInstallation> {
  const home = join(cacheDir, "harnesses");
  const target = join(home, `claude-code-${VERSION}`);
  const installation = { version: VERSION, executable: join(target, "node_modules/.bin/claude") };
  if (await isComplete(target)) return installation;
  try {
    await mkdir(home, { recursive: true });
    const lock = await acquireLock(`${target}.lock`, signal);
    try {
      if (!(await isComplete(target))) await installInto(target, signal);
    } finally {
      await lock.release();
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw installFailed(thrown);
  }
  return installation;
}

/** Builds beside the target and renames, so that a target which exists was finished and verified. */
async function installInto(target: string, signal: AbortSignal): Promise<void> {
  const draft = `${target}.draft`;
  await rm(draft, { recursive: true, force: true });
  await rm(target, { recursive: true, force: true });
  await mkdir(draft);
  // npm silently picks older versions of packages that don't fit the node it runs under: ours goes first.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ""}` };
  const flags = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts=false", "--loglevel=error"];
  const npm = ["install", "--prefix", draft, ...flags, `${PACKAGE}@${VERSION}`];
  // Not in the caller's folder, whose .npmrc may be anyone's.
  await execute("npm", npm, { cwd: draft, env, signal });
  const scratch = join(draft, "home");
  await mkdir(scratch);
  const { stdout } = await execute(join(draft, "node_modules/.bin/claude"), ["--version"], {
    env: { PATH: env.PATH, HOME: scratch, DISABLE_AUTOUPDATER: "1" },
    signal,
  });
  if (!stdout.startsWith(`${VERSION} `)) {
    throw new Error(`the installed CLI says it is version ${JSON.stringify(stdout.trim())}, not ${VERSION}`);
  }
  await rm(scratch, { recursive: true, force: true });
  await writeFile(join(draft, "complete"), stdout);
  await rename(draft, target);
}

async function isComplete(target: string): Promise<boolean> {
  try {
    await access(join(target, "complete"));
    await access(join(target, "node_modules/.bin/claude"));
    return true;
  } catch {
    return false;
  }
}

/** One installer at a time, over processes. A lock whose holder has died is taken over. */
async function acquireLock(path: string, signal: AbortSignal): Promise<{ release(): Promise<void> }> {
  for (;;) {
    try {
      const file = await open(path, "wx");
      await file.writeFile(String(process.pid));
      await file.close();
      return { release: () => rm(path, { force: true }) };
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
    const holder = Number(await readFile(path, "utf8").catch(() => ""));
    // An empty file is a holder about to write its id.
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    else await sleep(200, undefined, { signal });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

function installFailed(cause: unknown): ForgeError {
  const stderr = (cause as { stderr?: string }).stderr?.trim();
  const reason = stderr || (cause instanceof Error ? cause.message : String(cause));
  return new ForgeError({
    boundary: "harness",
    code: "install_failed",
    message: `Claude Code ${VERSION} could not be installed: ${reason.slice(0, 600)}`,
    advice: `Check that \`npm view ${PACKAGE}@${VERSION}\` works here and that the disk has 1 GB free.`,
    retryable: true,
    cause,
  });
}
