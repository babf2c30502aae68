import type { BrowserSpec, Environment } from "@openforgerl/contracts/environment";
import { ForgeError } from "@openforgerl/contracts/errors";
import puppeteer, { type Browser } from "puppeteer-core";
import { pinSurroundings } from "./determinism.ts";
import type { CdpSession, PageDriver } from "./engine.ts";
import { BrowserEnvironment } from "./environment.ts";
import type { EpisodeExtras } from "./pool.ts";
import { puppeteerContext } from "./puppeteer-engine.ts";

export interface AttachOptions {
  /** The browser's DevTools address: `ws://host:port/devtools/browser/…`, or `http://host:port`. */
  cdpUrl: string;
  spec: BrowserSpec;
  /** Where the episode starts. */
  url: string;
  extras?: EpisodeExtras;
}

/**
 * Opens an episode in a Chromium that somebody else runs, in a context of its own. Closing the episode
 * removes the context and leaves the browser as it was.
 * @throws ForgeError `environment/attach_failed` when the address answers no DevTools, and what
 *   `BrowserPool.open` throws.
 */
export async function attachBrowser(options: AttachOptions): Promise<Environment> {
  const { spec, url, extras = {} } = options;
  const browser = await connect(options.cdpUrl);
  const anchor = Date.now();
  let page: PageDriver;
  let context: ReturnType<typeof puppeteerContext>;
  let userAgent: string;
  try {
    const own = await browser.createBrowserContext();
    context = puppeteerContext(own, await browser.target().createCDPSession());
    page = await context.newPage();
    userAgent = await browser.userAgent();
  } catch (cause) {
    await browser.disconnect();
    throw attachFailed(options.cdpUrl, cause);
  }
  return await BrowserEnvironment.open(
    {
      context,
      page,
      viewport: spec.viewport,
      async prepare(session) {
        await emulate(session, spec, userAgent, extras.deviceScaleFactor ?? 1);
        await pinSurroundings(session, spec.determinism, anchor);
      },
      screenshot: extras.maxScreenshotWidth === undefined ? {} : { maxWidth: extras.maxScreenshotWidth },
      holdAnimations: spec.determinism !== undefined,
      renders: undefined,
      cdpUrl: browser.wsEndpoint(),
      async release() {
        await context.close().catch(() => {});
        await browser.disconnect();
      },
    },
    url,
  );
}

async function connect(cdpUrl: string): Promise<Browser> {
  try {
    return await puppeteer.connect({
      ...(/^wss?:/.test(cdpUrl) ? { browserWSEndpoint: cdpUrl } : { browserURL: cdpUrl }),
      defaultViewport: null,
    });
  } catch (cause) {
    throw attachFailed(cdpUrl, cause);
  }
}

function attachFailed(cdpUrl: string, cause: unknown): ForgeError {
  return new ForgeError({
    boundary: "environment",
    code: "attach_failed",
    message: `No browser could be used at ${cdpUrl}.`,
    advice: "Start Chromium with --remote-debugging-port and give the address it prints.",
    retryable: true,
    cause,
  });
}

/** What Playwright sets from context options, set by hand on a browser that is not ours. */
async function emulate(
  session: CdpSession,
  spec: BrowserSpec,
  userAgent: string,
  deviceScaleFactor: number,
): Promise<void> {
  await Promise.all([
    session.send("Emulation.setDeviceMetricsOverride", {
      ...spec.viewport,
      deviceScaleFactor,
      mobile: false,
    }),
    session.send("Emulation.setLocaleOverride", { locale: spec.locale }).catch((error) => {
      // A pop-up shares its opener's process, and the override with it.
      if (!/already in effect/.test(String(error))) throw error;
    }),
    session.send("Emulation.setUserAgentOverride", { userAgent, acceptLanguage: spec.locale }),
    session.send("Emulation.setTimezoneOverride", { timezoneId: spec.timeZone }),
    session.send("Emulation.setFocusEmulationEnabled", { enabled: true }),
    session.send("Emulation.setScrollbarsHidden", { hidden: true }),
    session.send("Emulation.setEmulatedMedia", {
      features: spec.determinism === undefined ? [] : [{ name: "prefers-reduced-motion", value: "reduce" }],
    }),
  ]);
}
