import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Action, type ActionInput } from "@openforgerl/contracts/action";
import type {
  ActResult,
  Environment,
  EnvironmentCapabilities,
  ProbeQuery,
  ProbeResult,
} from "@openforgerl/contracts/environment";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { Observation, ObservationRequest, Screenshot } from "@openforgerl/contracts/observation";
import { failure, type Stage } from "./actions/aim.ts";
import { perform } from "./actions/perform.ts";
import { axTree } from "./ax-tree.ts";
import { DialogInTheWay, Dialogs } from "./dialogs.ts";
import { Downloads } from "./downloads.ts";
import type { CdpSession, ContextDriver, PageDriver } from "./engine.ts";
import { DocumentGone } from "./frame.ts";
import { type Look, lookAt, type MarkAddress } from "./frames.ts";
import { type BrowserPage, TabGone } from "./page.ts";
import { type EpisodeRenders, renderKey } from "./render-cache.ts";
import { blankScreenshot, capture, encodeScreenshot, type ScreenshotOptions } from "./screenshot.ts";
import { DEFAULT_BUDGET, type SettleOptions, settle } from "./settle.ts";
import { Tabs } from "./tabs.ts";

const MARK_CAP = 150;
/** The first page of an episode gets longer than the page after an action: servers warm up, fonts load. */
const FIRST_LOAD_MS = 30_000;

/** How long closing waits for the call under way. */
const CLOSE_PATIENCE_MS = 1_000;

export interface BrowserEnvironmentOptions {
  context: ContextDriver;
  /** A pristine tab of that context. */
  page: PageDriver;
  viewport: { width: number; height: number };
  /** Prepares each tab before it loads anything: emulation, determinism. */
  prepare: (session: CdpSession) => Promise<void>;
  screenshot: ScreenshotOptions;
  /** Bring animations to rest, so that a page looks the same each time. */
  holdAnimations: boolean;
  /** Pictures known from other episodes; undefined where each is drawn. */
  renders: EpisodeRenders | undefined;
  cdpUrl: string | undefined;
  /** What becomes of the context when the episode is over. Called once. */
  release: (tabs: Tabs, broken: boolean) => Promise<void>;
}

/** One episode in a browser, over whichever engine. */
export class BrowserEnvironment implements Environment {
  readonly capabilities: EnvironmentCapabilities;
  readonly #options: BrowserEnvironmentOptions;
  readonly #dialogs = new Dialogs();
  readonly #tabs: Tabs;
  #downloads!: Downloads;
  #marks: readonly MarkAddress[] = [];
  #lastShot: Screenshot | undefined;
  #lastError: string | undefined;
  #settled = { ok: true, ms: 0 };
  /** No action has been taken yet. */
  #untouched = true;
  #broken: ForgeError | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(options: BrowserEnvironmentOptions) {
    this.#options = options;
    this.capabilities = { screenshot: true, marks: true, tabs: true, cdp: options.cdpUrl !== undefined };
    this.#tabs = new Tabs(options.context, this.#dialogs, options.prepare);
    options.context.onDialog((dialog) => {
      if (this.#closed === undefined) this.#dialogs.add(dialog);
      else dialog.answer(true).catch(() => {});
    });
    options.context.onDisconnect(() => {
      this.#broken ??= crashed("The browser is gone.", "browser_crashed");
    });
  }

  /**
   * Opens an episode at an address.
   * @throws ForgeError `environment/navigation_failed` when the first page does not come.
   */
  static async open(options: BrowserEnvironmentOptions, url: string): Promise<BrowserEnvironment> {
    const env = new BrowserEnvironment(options);
    try {
      await env.#start(url);
      return env;
    } catch (error) {
      const fault = env.#fault(error);
      await env.close().catch(() => {});
      throw fault;
    }
  }

  async #start(url: string): Promise<void> {
    const page = await this.#tabs.add(this.#options.page);
    const { targetInfo } = await page.session.send("Target.getTargetInfo");
    const directory = await mkdtemp(join(tmpdir(), "openforgerl-downloads-"));
    this.#downloads = new Downloads(
      this.#options.context.browserSession,
      targetInfo.browserContextId,
      directory,
      (frame) => this.#tabs.frames.has(frame),
    );
    await this.#downloads.start();
    try {
      const reply = await page.ask(page.session.send("Page.navigate", { url }), FIRST_LOAD_MS);
      if (reply.errorText !== undefined) {
        throw new ForgeError({
          boundary: "environment",
          code: "navigation_failed",
          message: `The first page, ${url}, could not be opened (${reply.errorText}).`,
          advice: "Check that the address is right and that its server is up.",
          retryable: true,
        });
      }
    } catch (error) {
      if (!(error instanceof DialogInTheWay)) throw error;
    }
    await this.#settle({ budget: { ...DEFAULT_BUDGET, totalMs: FIRST_LOAD_MS / 3 }, thorough: true });
    await page.session.send("Page.resetNavigationHistory");
  }

  observe(want: ObservationRequest = {}): Promise<Observation> {
    return this.#exclusive(() => this.#observe(want));
  }

  act(input: ActionInput): Promise<ActResult> {
    return this.#exclusive(async () => {
      const parsed = Action.safeParse(input);
      const result = parsed.success
        ? await this.#act(parsed.data)
        : failure(
            "invalid_action",
            parsed.error.issues
              .map((issue) => `${issue.path.join(".") || "action"}: ${issue.message}`)
              .join("; "),
          );
      this.#lastError = result.ok ? undefined : result.message;
      return result;
    });
  }

  probe(query: ProbeQuery): Promise<ProbeResult> {
    return this.#exclusive(async () => {
      if (query.type === "site_verdict") {
        return {
          ok: false,
          message: "This page is not one of our sites: it has no hidden state to judge by.",
        };
      }
      if (this.#dialogs.current !== undefined) await this.#dialogs.answer(false);
      const page = this.#tabs.active;
      if (query.type === "page_text")
        return { ok: true, value: await page.ask(page.main.call("text", undefined)) };
      const reply = await page.ask(
        page.session.send("Runtime.evaluate", {
          expression: query.expression,
          returnByValue: true,
          awaitPromise: true,
        }),
      );
      if (reply.exceptionDetails === undefined) return { ok: true, value: reply.result.value };
      return {
        ok: false,
        message: reply.exceptionDetails.exception?.description ?? reply.exceptionDetails.text,
      };
    });
  }

  async cdpUrl(): Promise<string | undefined> {
    return this.#options.cdpUrl;
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.#tabs.close();
      while (this.#dialogs.current !== undefined) await this.#dialogs.answer(true);
      // What is under way may hang with the page; its connection is about to be cut anyway.
      this.#closing.abort();
      await Promise.race([this.#queue, sleep(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
      await this.#downloads?.close();
      await this.#options.release(this.#tabs, this.#broken !== undefined);
    })();
    return this.#closed;
  }

  /** Calls run one after the other; what breaks the environment breaks it for good. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(async () => {
      if (this.#closed !== undefined)
        throw crashed("The environment has been closed.", "environment_closed", false);
      if (this.#broken !== undefined) throw this.#broken;
      try {
        return await work();
      } catch (error) {
        throw this.#fault(error);
      }
    });
    this.#queue = next.catch(() => {});
    return next;
  }

  #fault(error: unknown): ForgeError {
    if (error instanceof ForgeError) this.#broken ??= error;
    else if (this.#tabs.all.some((page) => page.gone === "crashed")) {
      this.#broken ??= crashed("The page crashed.", "page_crashed", true, error);
    } else {
      this.#broken ??= crashed(
        `The browser failed: ${error instanceof Error ? error.message : String(error)}`,
        "browser_failed",
        true,
        error,
      );
    }
    return this.#broken;
  }

  async #settle(options: SettleOptions): Promise<void> {
    const hold = this.#options.holdAnimations;
    this.#settled = await settle(this.#tabs, this.#dialogs, this.#downloads, { ...options, hold });
  }

  async #act(action: Action): Promise<ActResult> {
    const stage: Stage = { page: this.#tabs.active, marks: this.#marks, viewport: this.#options.viewport };
    this.#untouched = false;
    for (const page of this.#tabs.all) page.activity.begin();
    let result: ActResult;
    try {
      result = await perform(action, stage, this.#tabs, this.#dialogs, this.#closing.signal);
    } catch (error) {
      if (error instanceof DialogInTheWay || error instanceof TabGone) result = { ok: true };
      else if (error instanceof DocumentGone)
        result = failure("mark_not_found", "The page changed while acting; look again.");
      else throw error;
    }
    // A key or wheel may start a smooth scroll, of which nothing is to be seen at first.
    const thorough = action.type === "press" || action.type === "scroll" || action.type === "drag";
    const waits = action.type !== "answer" && action.type !== "done" && action.type !== "infeasible";
    if (waits) await this.#settle({ thorough });
    return result;
  }

  async #observe(want: ObservationRequest): Promise<Observation> {
    await this.#tabs.settled();
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#look(want);
      } catch (error) {
        if (error instanceof DialogInTheWay) return await this.#behindDialog(want);
        // The page navigated, or its tab closed, under our eyes: look at what is there now.
        const moved = error instanceof DocumentGone || error instanceof TabGone;
        if (!moved || attempt >= 5) throw error;
        await this.#settle({ thorough: true });
      }
    }
  }

  async #look(want: ObservationRequest): Promise<Observation> {
    const page = this.#tabs.active;
    const wantShot = want.screenshot ?? true;
    const wantMarks = want.marks ?? true;
    const renders = this.#untouched ? this.#options.renders : undefined;
    const [look, captured, tree] = await Promise.all([
      lookAt(page, wantMarks || renders !== undefined ? MARK_CAP : null, renders !== undefined),
      wantShot && renders === undefined ? capture(page) : undefined,
      want.axTree ? axTree(page) : undefined,
    ]);
    page.title = look.state.title;
    if (wantMarks) this.#marks = look.addresses;
    if (wantShot) this.#lastShot = await this.#picture(page, look, captured, renders);
    return {
      ...(wantShot ? { screenshot: this.#lastShot! } : {}),
      ...(wantMarks ? { marks: look.marks } : {}),
      ...(tree === undefined ? {} : { axTree: tree }),
      ...this.#common(await this.#tabList(), look),
    };
  }

  /** The picture that goes with a look: known from before (first looks only), or drawn now. */
  async #picture(
    page: BrowserPage,
    look: Look,
    captured: Buffer | undefined,
    renders: EpisodeRenders | undefined,
  ): Promise<Screenshot> {
    const options = this.#options.screenshot;
    const { width } = look.state.viewport;
    if (captured !== undefined) return await encodeScreenshot(captured, width, options);
    const key = renders && this.#settled.ok ? renderKey(renders, look) : undefined;
    const known = key === undefined ? undefined : renders?.cache.get(key);
    if (known !== undefined) return known;
    const drawn = await encodeScreenshot(await capture(page), width, options);
    if (key !== undefined && renders !== undefined) {
      // Kept only where the page was the same before and after it was drawn.
      const after = renderKey(renders, await lookAt(page, MARK_CAP, true));
      if (after === key) renders.cache.put(key, drawn);
    }
    return drawn;
  }

  /** A page behind a dialog draws and answers nothing: its last picture is what a person would see. */
  async #behindDialog(want: ObservationRequest): Promise<Observation> {
    this.#lastShot ??= await blankScreenshot(this.#options.viewport, this.#options.screenshot);
    if (want.marks ?? true) this.#marks = [];
    return {
      ...((want.screenshot ?? true) ? { screenshot: this.#lastShot } : {}),
      ...((want.marks ?? true) ? { marks: [] } : {}),
      ...(want.axTree ? { axTree: "" } : {}),
      ...this.#common(await this.#tabList(), undefined),
    };
  }

  #common(tabs: Observation["tabs"], look: Look | undefined) {
    const dialog = this.#dialogs.current;
    return {
      url: this.#tabs.active.url,
      title: this.#tabs.active.title,
      tabs,
      ...(look?.state.focused ? { focused: look.state.focused } : {}),
      ...(dialog === undefined ? {} : { dialog: { kind: dialog.kind, message: dialog.message } }),
      scroll: look?.state.scroll ?? { above: 0, below: 0 },
      downloads: [...this.#downloads.finished],
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
      settled: this.#settled,
    };
  }

  async #tabList(): Promise<Observation["tabs"]> {
    const { active, all } = this.#tabs;
    if (all.length > 1) {
      // The browser process knows titles, and answers even where a page does not.
      await Promise.all(
        all.map(async (page) => {
          const info = await page.session.send("Target.getTargetInfo").catch(() => undefined);
          if (info !== undefined) page.title = info.targetInfo.title;
        }),
      );
    }
    return all.map((page, index) => ({ index, url: page.url, title: page.title, active: page === active }));
  }
}

function crashed(message: string, code: string, retryable = true, cause?: unknown): ForgeError {
  return new ForgeError({
    boundary: "environment",
    code,
    message,
    advice: retryable
      ? "Try the task again in a new environment."
      : "Open a new environment for each episode.",
    retryable,
    cause,
  });
}
