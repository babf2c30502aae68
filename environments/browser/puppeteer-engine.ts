import type { BrowserContext, CDPSession, Page, Target } from "puppeteer-core";
import type { CdpSession, ContextDriver, DialogDriver, PageDriver } from "./engine.ts";

/** The engine seam over a puppeteer-core browser context. */
export function puppeteerContext(
  context: BrowserContext,
  browserSession: CDPSession,
): ContextDriver & { close(): Promise<void> } {
  const dialogHandlers: ((dialog: DialogDriver) => void)[] = [];
  const known = new WeakSet<Page>();
  let creating: Promise<Page> | undefined;

  function adopt(page: Page): void {
    if (known.has(page)) return;
    known.add(page);
    page.on("dialog", (dialog) => {
      const driver: DialogDriver = {
        kind: dialog.type(),
        message: dialog.message(),
        answer: (accept, text) => (accept ? dialog.accept(text) : dialog.dismiss()),
      };
      for (const handler of dialogHandlers) handler(driver);
    });
  }

  return {
    browserSession: browserSession as unknown as CdpSession,
    async newPage() {
      creating = context.newPage();
      try {
        const page = await creating;
        adopt(page);
        return await pageDriver(page);
      } finally {
        creating = undefined;
      }
    },
    onPopup(handler) {
      context.on("targetcreated", async (target: Target) => {
        if (target.type() !== "page") return;
        const page = await target.page().catch(() => null);
        if (page === null) return;
        adopt(page);
        const own = creating === undefined ? undefined : await creating.catch(() => undefined);
        if (page === own) return;
        const driver = await pageDriver(page).catch(() => undefined);
        if (driver !== undefined) handler(driver);
      });
    },
    onDialog(handler) {
      dialogHandlers.push(handler);
    },
    onDisconnect(handler) {
      context.browser().once("disconnected", handler);
    },
    close: () => context.close(),
  };
}

async function pageDriver(page: Page): Promise<PageDriver> {
  const session = await page.createCDPSession();
  /** Sessions of out-of-process frames, by frame id (which is the id of their target). */
  const frames = new Map<string, CDPSession>();
  session.on("Target.attachedToTarget", (event) => {
    const child = session.connection()?.session(event.sessionId);
    if (event.targetInfo.type === "iframe" && child) frames.set(event.targetInfo.targetId, child);
  });
  session.on("Target.detachedFromTarget", (event) => {
    for (const [id, child] of frames) if (child.id() === event.sessionId) frames.delete(id);
  });
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: true,
    filter: [{ type: "iframe", exclude: false }, { exclude: true }],
  });
  return {
    session: session as unknown as CdpSession,
    frameSession: async (frameId) => frames.get(frameId) as unknown as CdpSession | undefined,
    onGone(handler) {
      let told = false;
      const tell = (why: "closed" | "crashed") => () => {
        if (!told) handler(why);
        told = true;
      };
      page.once("close", tell("closed"));
      session.once("Inspector.targetCrashed", tell("crashed"));
    },
    release: () => session.detach().catch(() => {}),
    close: () => page.close({ runBeforeUnload: false }),
  };
}
