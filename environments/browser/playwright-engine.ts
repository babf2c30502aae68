import type { BrowserContext, Dialog, Page } from "playwright-core";
import type { CdpSession, ContextDriver, DialogDriver, PageDriver } from "./engine.ts";

/**
 * The engine seam over a Playwright browser context, for one episode: `detach` takes its listeners away
 * again, so that the context can serve another.
 */
export function playwrightContext(
  context: BrowserContext,
  browserSession: CdpSession,
): ContextDriver & { detach(): void } {
  let creating: Promise<Page> | undefined;
  const undo: (() => void)[] = [];
  return {
    browserSession,
    async newPage() {
      creating = context.newPage();
      try {
        return await pageDriver(await creating);
      } finally {
        creating = undefined;
      }
    },
    onPopup(handler) {
      const listener = async (page: Page) => {
        // `newPage` announces its page here too.
        const own = creating === undefined ? undefined : await creating.catch(() => undefined);
        if (page === own) return;
        const driver = await pageDriver(page).catch(() => undefined);
        if (driver !== undefined) handler(driver);
      };
      context.on("page", listener);
      undo.push(() => context.off("page", listener));
    },
    onDialog(handler) {
      const listener = (dialog: Dialog) =>
        handler({
          kind: dialog.type() as DialogDriver["kind"],
          message: dialog.message(),
          answer: (accept, text) => (accept ? dialog.accept(text) : dialog.dismiss()),
        });
      context.on("dialog", listener);
      undo.push(() => context.off("dialog", listener));
    },
    onDisconnect(handler) {
      const browser = context.browser();
      browser?.once("disconnected", handler);
      undo.push(() => browser?.off("disconnected", handler));
    },
    detach() {
      for (const each of undo.splice(0)) each();
    },
  };
}

/** The engine seam over a Playwright page. Its session is new: what earlier ones set is not seen here. */
export async function pageDriver(page: Page): Promise<PageDriver> {
  const session = await page.context().newCDPSession(page);
  return {
    session,
    async frameSession(frameId) {
      for (const frame of page.frames()) {
        if (frame === page.mainFrame()) continue;
        // Playwright refuses a session for a frame that shares its parent's process.
        const own = await page
          .context()
          .newCDPSession(frame)
          .catch(() => undefined);
        if (own === undefined) continue;
        const tree = await own.send("Page.getFrameTree");
        if (tree.frameTree.frame.id === frameId) return own;
        await own.detach();
      }
      return undefined;
    },
    onGone(handler) {
      let told = false;
      const tell = (why: "closed" | "crashed") => () => {
        if (!told) handler(why);
        told = true;
      };
      page.once("close", tell("closed"));
      page.once("crash", tell("crashed"));
    },
    release: () => session.detach().catch(() => {}),
    close: () => page.close({ runBeforeUnload: false }),
  };
}
