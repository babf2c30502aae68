import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { promisify } from "node:util";
import { ForgeError } from "@openforgerl/contracts/errors";
import { chromium } from "playwright-core";

const run = promisify(execFile);

// Chromium's headless shell has no browser window to keep up, and an episode in it costs less than half the CPU
// time of one in the full browser, so it comes first.
const SYSTEM_PATHS = [
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

// Debian's launcher stays as the parent of the program it starts, and a signal to it would not reach the browser.
const LAUNCHED: Readonly<Record<string, string>> = {
  "/usr/bin/chromium-headless-shell": "/usr/lib/chromium/chromium-headless-shell",
};

/** Where a usable Chromium is. */
export interface ChromiumInstallation {
  path: string;
  /** As the binary prints it, e.g. `156.0.8078.114`. */
  version: string;
}

/**
 * Finds a Chromium: `OPENFORGERL_CHROMIUM`, then the system's (its headless shell first), then the one Playwright
 * installed.
 * @param env where the variable is read from.
 * @throws ForgeError `environment/chromium_not_found`, or `input/bad_chromium` when the variable names
 *   something that does not run.
 */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<ChromiumInstallation> {
  const chosen = env.OPENFORGERL_CHROMIUM;
  if (chosen) return await probeChosen(LAUNCHED[chosen] ?? chosen);
  const tried = [...SYSTEM_PATHS, chromium.executablePath()].filter(Boolean);
  for (const path of tried) {
    const version = await versionOf(path).catch(() => undefined);
    if (version !== undefined) return { path, version };
  }
  throw new ForgeError({
    boundary: "environment",
    code: "chromium_not_found",
    message: `No Chromium was found (looked at ${tried.join(", ")}).`,
    advice:
      "Install one (Debian: apt-get install chromium-headless-shell; anywhere: npx playwright-core install chromium) or set OPENFORGERL_CHROMIUM to its path.",
  });
}

async function probeChosen(path: string): Promise<ChromiumInstallation> {
  try {
    return { path, version: await versionOf(path) };
  } catch (cause) {
    throw new ForgeError({
      boundary: "input",
      code: "bad_chromium",
      message: `OPENFORGERL_CHROMIUM is "${path}", which does not run as a Chromium.`,
      advice: "Set it to the path of a Chromium or Chrome executable, or unset it to search for one.",
      cause,
    });
  }
}

async function versionOf(path: string): Promise<string> {
  await access(path, constants.X_OK);
  const { stdout } = await run(path, ["--version"], { timeout: 20_000 });
  const version = /\d+(?:\.\d+)+/.exec(stdout)?.[0];
  if (version === undefined) throw new Error(`"${path} --version" printed ${JSON.stringify(stdout)}`);
  return version;
}
