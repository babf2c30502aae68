import { mkdir, rm } from "node:fs/promises";
import { basename } from "node:path";
import type { CdpSession } from "./engine.ts";

/** The downloads of one context: saved under their own names in a directory of the episode. */
export class Downloads {
  readonly directory: string;
  /** File names of the finished ones, in order of completion. */
  readonly finished: string[] = [];
  readonly #session: CdpSession;
  readonly #contextId: string | undefined;
  readonly #names = new Map<string, string>();
  readonly #ours: (frameId: string) => boolean;
  readonly #listeners = new Set<() => void>();

  /** @param ours whether a frame belongs to this episode: the browser tells of all downloads alike. */
  constructor(
    session: CdpSession,
    contextId: string | undefined,
    directory: string,
    ours: (frameId: string) => boolean,
  ) {
    this.directory = directory;
    this.#session = session;
    this.#contextId = contextId;
    this.#ours = ours;
    session.on("Browser.downloadWillBegin", this.#begin);
    session.on("Browser.downloadProgress", this.#progress);
  }

  async start(): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    await this.#session.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: this.directory,
      eventsEnabled: true,
      ...(this.#contextId === undefined ? {} : { browserContextId: this.#contextId }),
    });
  }

  /** Resolves when no download is running, or after `ms`. */
  async idle(ms: number): Promise<boolean> {
    if (this.#names.size === 0) return true;
    return await new Promise((resolve) => {
      const finish = (idle: boolean) => {
        clearTimeout(timer);
        this.#listeners.delete(check);
        resolve(idle);
      };
      const check = () => {
        if (this.#names.size === 0) finish(true);
      };
      const timer = setTimeout(() => finish(false), ms);
      this.#listeners.add(check);
    });
  }

  /** Stops listening and removes the files. */
  async close(): Promise<void> {
    this.#session.off("Browser.downloadWillBegin", this.#begin);
    this.#session.off("Browser.downloadProgress", this.#progress);
    await rm(this.directory, { recursive: true, force: true });
  }

  readonly #begin = (event: { guid: string; frameId: string; suggestedFilename: string }): void => {
    if (this.#ours(event.frameId)) this.#names.set(event.guid, event.suggestedFilename);
  };

  readonly #progress = (event: { guid: string; state: string; filePath?: string }): void => {
    const name = this.#names.get(event.guid);
    if (name === undefined || event.state === "inProgress") return;
    this.#names.delete(event.guid);
    if (event.state === "completed") this.finished.push(event.filePath ? basename(event.filePath) : name);
    for (const listener of [...this.#listeners]) listener();
  };
}
