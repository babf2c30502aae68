import type { Dialogs } from "./dialogs.ts";
import type { CdpSession, ContextDriver, PageDriver } from "./engine.ts";
import { BrowserPage } from "./page.ts";

/** The tabs of an episode: which there are, which is in front. */
export class Tabs {
  readonly all: BrowserPage[] = [];
  /** Ids of every frame this episode ever had; tells whose frame a download came from. */
  readonly frames = new Set<string>();
  /** Every origin that had a document in this episode. */
  readonly origins = new Set<string>();
  readonly #context: ContextDriver;
  readonly #dialogs: Dialogs;
  readonly #prepare: (session: CdpSession) => Promise<void>;
  #active: BrowserPage | undefined;
  #arriving: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(context: ContextDriver, dialogs: Dialogs, prepare: (session: CdpSession) => Promise<void>) {
    this.#context = context;
    this.#dialogs = dialogs;
    this.#prepare = prepare;
    context.onPopup((driver) => {
      if (this.#closed) return;
      this.#arriving = this.#arriving.then(() => this.#welcome(driver));
    });
  }

  /** The tab in front. There is always one while the episode is open. */
  get active(): BrowserPage {
    if (this.#active === undefined) throw new Error("the episode has no tab yet");
    return this.#active;
  }

  /** Takes over a tab of the engine and brings it to the front. */
  async add(driver: PageDriver): Promise<BrowserPage> {
    const page = await BrowserPage.open(driver, this.#dialogs, this.#prepare);
    page.session.on("Page.frameAttached", (event) => this.frames.add(event.frameId));
    this.frames.add(page.main.frameId);
    page.session.on("Page.frameNavigated", ({ frame }) => this.#note(frame.url));
    this.#note(page.url);
    const opener = this.#active;
    this.all.push(page);
    driver.onGone((why) => {
      const at = this.all.indexOf(page);
      if (why === "crashed" || at < 0) return;
      this.all.splice(at, 1);
      if (this.#active === page)
        this.#active = opener && this.all.includes(opener) ? opener : this.all.at(-1);
    });
    this.#active = page;
    return page;
  }

  /** Opens an empty tab in front. */
  async open(): Promise<BrowserPage> {
    return await this.add(await this.#context.newPage());
  }

  async show(page: BrowserPage): Promise<void> {
    this.#active = page;
    await page.session.send("Page.bringToFront");
  }

  /** Waits for pop-ups that have announced themselves, and makes sure that there is a tab in front. */
  async settled(): Promise<void> {
    await this.#arriving;
    if (this.#active === undefined) await this.open();
  }

  /** No pop-up is taken in any more. */
  close(): void {
    this.#closed = true;
  }

  #note(url: string): void {
    if (!URL.canParse(url)) return;
    const { protocol, origin } = new URL(url);
    if (protocol === "about:" || protocol === "data:") return;
    this.origins.add(origin === "null" ? protocol : origin);
  }

  async #welcome(driver: PageDriver): Promise<void> {
    const opener = this.#active;
    try {
      const page = await this.add(driver);
      await page.session.send("Page.bringToFront");
    } catch {
      // A pop-up that closed itself while it was arriving was never a tab.
    }
    opener?.activity.popupArrived();
  }
}
