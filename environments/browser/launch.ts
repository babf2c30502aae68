import { ForgeError } from "@openforgerl/contracts/errors";
import { type Browser, chromium } from "playwright-core";

// The last --disable-features wins, so this repeats what Playwright would pass and adds RenderDocument,
// which swaps the renderer's frame on every navigation and costs a quarter of its time.
const DISABLED_FEATURES = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "RenderDocument",
  "ThirdPartyStoragePartitioning",
];

const ARGS = [
  `--disable-features=${DISABLED_FEATURES.join(",")}`,
  "--disable-smooth-scrolling",
  // Redrawing only the changed part of a tile draws the soft edges of rounded corners a shade differently
  // from run to run.
  "--disable-partial-raster",
];

/**
 * Starts a headless Chromium that is talked to over a pipe: when this process dies, however it dies, the
 * pipe closes and Chromium exits.
 * @throws ForgeError `environment/browser_launch_failed`.
 */
export async function launchBrowser(executablePath: string, args: readonly string[]): Promise<Browser> {
  try {
    return await chromium.launch({
      executablePath,
      args: [...ARGS, ...args],
      // Ctrl-C is the caller's: it closes its episodes, and the pool after them.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (cause) {
    throw new ForgeError({
      boundary: "environment",
      code: "browser_launch_failed",
      message: `${executablePath} could not be started as a headless browser.`,
      advice:
        "Run it with --headless --version by hand to see why; on Debian, apt-get install --reinstall chromium-headless-shell.",
      retryable: true,
      cause,
    });
  }
}
