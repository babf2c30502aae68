import type { CdpSession } from "./engine.ts";

/** A requested navigation that has not begun after this long will not begin (download, 204, other scheme). */
const REQUESTED_NAVIGATION_MS = 300;
/** A download whose server has not answered after this long is not waited for. */
const DOWNLOAD_MS = 2_000;
/** A pop-up that has not shown itself after this long was blocked. */
const POPUP_MS = 2_000;
/** Resource types that may stay open for ever. */
const ENDLESS = new Set(["WebSocket", "EventSource", "Media"]);

/**
 * What one tab is busy with: requests, loading frames, navigations asked for, pop-ups on their way. Only
 * what began since `begin()` counts, except for the main frame's own loading.
 */
export class Activity {
  #epoch = 0;
  #mainFrame = "";
  /** Key of the activity, with the epoch in which it began and (for requests) the document it belongs to. */
  readonly #running = new Map<string, { epoch: number; frameId?: string; loaderId?: string }>();
  readonly #listeners = new Set<() => void>();

  constructor(session: CdpSession) {
    session.on("Network.requestWillBeSent", (event) => {
      if (ENDLESS.has(event.type ?? "")) return;
      if (event.request.url.startsWith("data:")) return;
      this.#start(`request ${event.requestId}`, { frameId: event.frameId ?? "", loaderId: event.loaderId });
    });
    session.on("Network.loadingFinished", (event) => this.#end(`request ${event.requestId}`));
    session.on("Network.loadingFailed", (event) => this.#end(`request ${event.requestId}`));
    session.on("Page.frameRequestedNavigation", ({ frameId, disposition }) => {
      if (disposition === "currentTab") this.#start(`ask ${frameId}`, {}, REQUESTED_NAVIGATION_MS);
      if (disposition === "download") this.#start(`download ${frameId}`, {}, DOWNLOAD_MS);
    });
    session.on("Page.frameStartedLoading", (event) => {
      this.#start(`load ${event.frameId}`);
      this.#end(`ask ${event.frameId}`);
    });
    session.on("Page.downloadWillBegin", (event) => this.#end(`download ${event.frameId}`));
    session.on("Page.frameStoppedLoading", (event) => this.#end(`load ${event.frameId}`));
    session.on("Page.navigatedWithinDocument", (event) => this.#end(`ask ${event.frameId}`));
    session.on("Page.frameDetached", (event) => {
      this.#end(`load ${event.frameId}`);
      this.#end(`ask ${event.frameId}`);
      this.#dropRequests(event.frameId);
    });
    session.on("Page.frameNavigated", ({ frame }) => {
      this.#end(`ask ${frame.id}`);
      this.#dropRequests(frame.id, frame.loaderId);
    });
    session.on("Page.loadEventFired", () => this.#end(`load ${this.#mainFrame}`));
    session.on("Page.windowOpen", (event) => this.#start(`popup ${event.url}`, {}, POPUP_MS));
  }

  /** Names the main frame, whose loading always counts. */
  setMainFrame(id: string): void {
    this.#mainFrame = id;
  }

  /** Marks the moment from which new activity counts. */
  begin(): void {
    this.#epoch += 1;
  }

  /** A pop-up has arrived. */
  popupArrived(): void {
    for (const key of this.#running.keys()) {
      if (!key.startsWith("popup ")) continue;
      this.#end(key);
      return;
    }
  }

  get busy(): boolean {
    for (const [key, run] of this.#running) {
      if (run.epoch === this.#epoch || key === `load ${this.#mainFrame}`) return true;
    }
    return false;
  }

  /** Resolves true when nothing that counts is running, false when `ms` have passed. */
  async idle(ms: number): Promise<boolean> {
    if (!this.busy) return true;
    return await new Promise((resolve) => {
      const finish = (idle: boolean) => {
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve(idle);
      };
      const check = () => {
        if (!this.busy) finish(true);
      };
      const timer = setTimeout(() => finish(false), ms);
      this.#listeners.add(check);
    });
  }

  /** Forgets everything, when the tab is gone. */
  clear(): void {
    this.#running.clear();
    this.#tell();
  }

  #start(key: string, of: { frameId?: string; loaderId?: string } = {}, expireMs?: number): void {
    const run = { epoch: this.#epoch, ...of };
    this.#running.set(key, run);
    if (expireMs === undefined) return;
    setTimeout(() => {
      if (this.#running.get(key) === run) this.#end(key);
    }, expireMs).unref();
  }

  #end(key: string): void {
    if (this.#running.delete(key)) this.#tell();
  }

  /** A document that is gone reports nothing about its requests any more. */
  #dropRequests(frameId: string, keepLoader?: string): void {
    for (const [key, run] of this.#running) {
      if (key.startsWith("request ") && run.frameId === frameId && run.loaderId !== keepLoader)
        this.#end(key);
    }
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
