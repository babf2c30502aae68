import { ForgeError } from "@openforgerl/contracts/errors";
import { Activity } from "./activity.ts";
import type { Dialogs } from "./dialogs.ts";
import type { CdpSession, PageDriver } from "./engine.ts";
import { FrameWorld } from "./frame.ts";
import { KIT_SOURCE, WORLD } from "./in-page/kit.ts";

/** A page that has not answered a plain question for this long is taken for hung. */
const ANSWER_MS = 15_000;

/** Thrown when the tab was closed under a call. */
export class TabGone extends Error {}

/** One tab: its session, our world in it, and what it is busy with. */
export class BrowserPage {
  readonly driver: PageDriver;
  readonly activity: Activity;
  readonly main: FrameWorld;
  /** Address of the document shown (of the failed one, where an error page is shown). */
  url: string;
  title = "";
  gone: "closed" | "crashed" | undefined;
  /** The file input whose chooser is waiting for an answer. */
  fileChooser: number | undefined;
  readonly #children = new Map<string, FrameWorld>();
  readonly #dialogs: Dialogs;
  readonly #whenGone: Promise<never>;

  private constructor(
    driver: PageDriver,
    dialogs: Dialogs,
    activity: Activity,
    mainFrame: { id: string; url: string },
  ) {
    this.driver = driver;
    this.#dialogs = dialogs;
    this.activity = activity;
    activity.setMainFrame(mainFrame.id);
    this.url = mainFrame.url;
    this.main = new FrameWorld(this.session, mainFrame.id);
    this.session.on("Page.frameNavigated", ({ frame }) => {
      this.#children.delete(frame.id);
      if (frame.id !== this.main.frameId) return;
      this.url = frame.unreachableUrl ?? frame.url;
      this.main.reset();
      this.fileChooser = undefined;
    });
    this.session.on("Page.navigatedWithinDocument", (event) => {
      if (event.frameId === this.main.frameId) this.url = event.url;
    });
    this.session.on("Page.fileChooserOpened", (event) => {
      this.fileChooser = event.backendNodeId;
    });
    this.#whenGone = new Promise((_, reject) => {
      driver.onGone((why) => {
        this.gone = why;
        activity.clear();
        reject(new TabGone(`the tab was ${why}`));
      });
    });
    this.#whenGone.catch(() => {});
  }

  /**
   * Takes over a tab of an engine.
   * @param prepare runs after the session listens and before anything else is asked of the page.
   */
  static async open(
    driver: PageDriver,
    dialogs: Dialogs,
    prepare: (session: CdpSession) => Promise<void>,
  ): Promise<BrowserPage> {
    const { session } = driver;
    const activity = new Activity(session);
    const [, , , , , tree] = await Promise.all([
      session.send("Page.enable"),
      session.send("Network.enable"),
      session.send("Page.setInterceptFileChooserDialog", { enabled: true }),
      session.send("Page.addScriptToEvaluateOnNewDocument", { source: KIT_SOURCE, worldName: WORLD }),
      prepare(session),
      session.send("Page.getFrameTree"),
    ]);
    return new BrowserPage(driver, dialogs, activity, tree.frameTree.frame);
  }

  get session(): CdpSession {
    return this.driver.session;
  }

  /** Our world in a frame of another origin. */
  child(session: CdpSession, frameId: string): FrameWorld {
    let world = this.#children.get(frameId);
    if (world?.session !== session) {
      world = new FrameWorld(session, frameId);
      this.#children.set(frameId, world);
    }
    return world;
  }

  /**
   * Waits for something asked of the page.
   * @throws DialogInTheWay when a dialog opens first, TabGone when the tab closes first, and ForgeError
   *   `environment/page_unresponsive` when there is no answer in time.
   */
  async ask<T>(work: Promise<T>, ms = ANSWER_MS): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new ForgeError({
            boundary: "environment",
            code: "page_unresponsive",
            message: `The page at ${this.url} did not answer for ${ms} ms.`,
            advice: "Its scripts are probably in an endless loop; try the task again.",
            retryable: true,
          }),
        );
      }, ms);
    });
    try {
      return await Promise.race([this.#dialogs.race(work), this.#whenGone, late]);
    } catch (error) {
      if (!/target closed|session closed|has been closed/i.test(String(error))) throw error;
      // The call heard of the end before we did: the engine is about to tell whether it was a crash.
      await Promise.race([
        this.#whenGone.catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, 1_000)),
      ]);
      throw new TabGone("the tab was closed", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
