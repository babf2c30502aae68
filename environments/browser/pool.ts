import type { BrowserSpec, Environment } from "@openforgerl/contracts/environment";
import { asForgeError, ForgeError } from "@openforgerl/contracts/errors";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { makePristine } from "./cleanup.ts";
import { pinSurroundings } from "./determinism.ts";
import type { CdpSession } from "./engine.ts";
import { BrowserEnvironment } from "./environment.ts";
import { findChromium } from "./find-chromium.ts";
import { launchBrowser } from "./launch.ts";
import { pageDriver, playwrightContext } from "./playwright-engine.ts";
import { episodeRenders, type RenderCache } from "./render-cache.ts";
import type { Tabs } from "./tabs.ts";

/** A context is retired after this many episodes, so that slow leaks of a renderer cannot add up. */
const EPISODES_A_CONTEXT = 200;

export interface BrowserPoolOptions {
  /** A Chromium executable; found by `findChromium` when left out. */
  executablePath?: string;
  /** Most contexts kept warm between episodes; 4 when left out. Episodes themselves are not limited. */
  size?: number;
  /** Further command-line switches of the browser. */
  args?: readonly string[];
  /** Pictures of deterministic self-hosted pages are kept here and drawn once; left out, all are drawn. */
  renderCache?: RenderCache;
  /** Told, one sentence each, when a context is made or thrown away, or the browser is started again. */
  log?: (sentence: string) => void;
}

/** What an episode may ask for beyond its spec. */
export interface EpisodeExtras {
  /** Screenshots wider than this many pixels are scaled down. */
  maxScreenshotWidth?: number;
  /** Device pixels per CSS pixel; 1 when left out. */
  deviceScaleFactor?: number;
}

/** One headless Chromium serving many episodes, each in an isolated context. */
export interface BrowserPool {
  /** Version of the running browser, e.g. `156.0.8078.114`. */
  readonly browserVersion: string;
  /**
   * Opens an episode in a pristine tab at an address.
   * @throws ForgeError boundary `environment`: `navigation_failed`, `browser_crashed` (retryable; the next
   *   call starts the browser again), `browser_launch_failed`, `pool_closed`.
   */
  open(spec: BrowserSpec, url: string, extras?: EpisodeExtras): Promise<Environment>;
  /** Ends all episodes and the browser. */
  close(): Promise<void>;
}

interface Warm {
  key: string;
  context: BrowserContext;
  page: Page;
  browser: Running;
  episodes: number;
}

interface Running {
  browser: Browser;
  session: CdpSession;
}

/**
 * Starts a browser and the pool of contexts over it.
 * @throws ForgeError `environment/chromium_not_found` or `environment/browser_launch_failed`.
 */
export async function openBrowserPool(options: BrowserPoolOptions = {}): Promise<BrowserPool> {
  const executablePath = options.executablePath ?? (await findChromium()).path;
  const log = options.log ?? (() => {});
  const size = options.size ?? 4;
  let closed = false;
  let running: Promise<Running> | undefined = start();
  const idle: Warm[] = [];
  /** By pool key: contexts being cleaned, each promised to at most one waiting episode. */
  const cleaning = new Map<string, Promise<Warm | undefined>[]>();
  const episodes = new Set<BrowserEnvironment>();
  const background = new Set<Promise<unknown>>();
  const browserVersion = (await running).browser.version();

  async function start(): Promise<Running> {
    const browser = await launchBrowser(executablePath, options.args ?? []);
    const session = await browser.newBrowserCDPSession();
    browser.once("disconnected", () => {
      running = undefined;
      idle.length = 0;
      if (!closed) log("The browser is gone; it is started again for the next episode.");
    });
    return { browser, session };
  }

  async function create(spec: BrowserSpec, extras: EpisodeExtras, key: string): Promise<Warm> {
    running ??= start();
    const browser = await running.catch((error) => {
      running = undefined;
      throw error;
    });
    const context = await browser.browser.newContext({
      viewport: spec.viewport,
      locale: spec.locale,
      timezoneId: spec.timeZone,
      deviceScaleFactor: extras.deviceScaleFactor ?? 1,
      reducedMotion: spec.determinism === undefined ? null : "reduce",
    });
    log(`A browser context is made (${key}).`);
    return { key, context, page: await context.newPage(), browser, episodes: 0 };
  }

  async function take(spec: BrowserSpec, extras: EpisodeExtras): Promise<Warm> {
    const key = poolKey(spec, extras);
    const at = idle.findLastIndex((warm) => warm.key === key);
    if (at >= 0) return idle.splice(at, 1)[0]!;
    return (await cleaning.get(key)?.shift()) ?? (await create(spec, extras, key));
  }

  /** Takes a context back after an episode: cleaned and kept, or thrown away. */
  async function giveBack(warm: Warm, tabs: Tabs, broken: boolean): Promise<Warm | undefined> {
    const why = await unfit(warm, tabs, broken);
    if (why === undefined) return warm;
    log(`A browser context is thrown away: ${why}.`);
    await warm.context.close().catch(() => {});
    return undefined;
  }

  async function unfit(warm: Warm, tabs: Tabs, broken: boolean): Promise<string | undefined> {
    if (closed) return "the pool is closing";
    if (broken) return "its episode broke it";
    if (warm.episodes >= EPISODES_A_CONTEXT) return `it has served ${warm.episodes} episodes`;
    if (warm.page.isClosed()) return "its first tab was closed";
    try {
      // The tabs' sessions go first: with them goes all that the episode set on the page.
      await within(Promise.all(tabs.all.map((page) => page.driver.release())), 5_000);
      return await within(makePristine(warm.context, warm.page, warm.browser.session, tabs.origins), 10_000);
    } catch (error) {
      return `cleaning it failed (${error instanceof Error ? error.message : error})`;
    }
  }

  function keep(warm: Warm): void {
    idle.push(warm);
    while (idle.length > size) track(idle.shift()!.context.close());
  }

  function track(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => background.delete(done));
    background.add(done);
  }

  return {
    browserVersion,
    async open(spec, url, extras = {}) {
      if (closed) {
        throw new ForgeError({
          boundary: "environment",
          code: "pool_closed",
          message: "The browser pool has been closed.",
          advice: "Open a new pool.",
        });
      }
      const anchor = Date.now();
      try {
        const warm = await take(spec, extras);
        warm.episodes += 1;
        const context = playwrightContext(warm.context, warm.browser.session);
        let opened: BrowserEnvironment | undefined;
        const env = await BrowserEnvironment.open(
          {
            context,
            page: await pageDriver(warm.page),
            viewport: spec.viewport,
            async prepare(session) {
              await densify(session, spec, extras);
              await pinSurroundings(session, spec.determinism, anchor);
            },
            screenshot:
              extras.maxScreenshotWidth === undefined ? {} : { maxWidth: extras.maxScreenshotWidth },
            holdAnimations: spec.determinism !== undefined,
            renders: episodeRenders(options.renderCache, spec, [browserVersion, extras]),
            cdpUrl: undefined,
            async release(tabs, broken) {
              if (opened !== undefined) episodes.delete(opened);
              const cleaned = (async () => {
                const back = await giveBack(warm, tabs, broken);
                context.detach();
                return back;
              })();
              const queue = cleaning.get(warm.key) ?? [];
              cleaning.set(warm.key, queue);
              queue.push(cleaned);
              track(
                cleaned.then((back) => {
                  const at = queue.indexOf(cleaned);
                  if (at < 0) return;
                  queue.splice(at, 1);
                  if (back !== undefined) keep(back);
                }),
              );
            },
          },
          url,
        );
        opened = env;
        episodes.add(env);
        return env;
      } catch (error) {
        throw asForgeError(error, {
          boundary: "environment",
          code: "browser_crashed",
          advice: "Try again: the browser is started anew for the next episode.",
          retryable: true,
        });
      }
    },
    async close() {
      closed = true;
      await Promise.all([...episodes].map((env) => env.close().catch(() => {})));
      while (background.size > 0) await Promise.all(background);
      const last = await running?.catch(() => undefined);
      await last?.browser.close().catch(() => {});
    },
  };
}

/** A session captures device pixels only of a density that it has set itself. */
async function densify(session: CdpSession, spec: BrowserSpec, extras: EpisodeExtras): Promise<void> {
  const deviceScaleFactor = extras.deviceScaleFactor ?? 1;
  if (deviceScaleFactor === 1) return;
  await session.send("Emulation.setDeviceMetricsOverride", {
    ...spec.viewport,
    deviceScaleFactor,
    mobile: false,
  });
}

/** Episodes that share a key can share a context, one after the other. */
function poolKey(spec: BrowserSpec, extras: EpisodeExtras): string {
  const { viewport, locale, timeZone, determinism } = spec;
  return [
    viewport.width,
    viewport.height,
    extras.deviceScaleFactor ?? 1,
    locale,
    timeZone,
    determinism === undefined ? "live" : "pinned",
  ].join(" ");
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer for ${ms} ms`)), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
