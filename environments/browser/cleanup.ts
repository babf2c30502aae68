import type { BrowserContext, Page } from "playwright-core";
import type { CdpSession } from "./engine.ts";

/**
 * Makes a used context and its page pristine again, and verifies it.
 *
 * Only contexts that saw nothing but http origins of this machine are cleaned: what the open web leaves in
 * the network stack (HSTS, TLS sessions, HTTP authentication) cannot be inspected from outside.
 * @param origins every origin that had a document in the episode.
 * @returns why the context cannot be used again, or undefined when it is as new.
 */
export async function makePristine(
  context: BrowserContext,
  page: Page,
  browser: CdpSession,
  origins: ReadonlySet<string>,
): Promise<string | undefined> {
  for (const origin of origins) {
    if (!isOwnMachine(origin)) return `it saw ${origin}`;
  }
  const session = await context.newCDPSession(page);
  try {
    return await clean(context, page, session, browser, origins);
  } finally {
    await session.detach().catch(() => {});
  }
}

async function clean(
  context: BrowserContext,
  page: Page,
  session: CdpSession,
  browser: CdpSession,
  origins: ReadonlySet<string>,
): Promise<string | undefined> {
  const { targetInfo } = await session.send("Target.getTargetInfo");
  const scope =
    targetInfo.browserContextId === undefined ? {} : { browserContextId: targetInfo.browserContextId };
  // From here on the page's own handlers (pagehide, unload) can no longer store anything.
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
  const cleared = await clearDocuments(session);
  await Promise.all([
    ...context
      .pages()
      .filter((each) => each !== page)
      .map((each) => each.close()),
    session.send("Page.navigate", { url: "about:blank" }),
  ]);
  await Promise.all([
    browser.send("Storage.clearCookies", scope),
    browser.send("Browser.resetPermissions", scope),
    session.send("Network.clearBrowserCache"),
    ...[...origins].map((origin) =>
      session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" }),
    ),
    session.send("Emulation.setScriptExecutionDisabled", { value: false }),
    session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: -10, y: -10 }),
  ]);
  await session.send("Page.resetNavigationHistory");
  return await verify(context, page, session, browser, scope, origins, cleared);
}

/** Empties what belongs to the tab and can only be reached from a document of its origin. */
async function clearDocuments(session: CdpSession): Promise<Set<string>> {
  const cleared = new Set<string>();
  const { frameTree } = await session.send("Page.getFrameTree");
  const pending = [frameTree];
  for (let tree = pending.pop(); tree !== undefined; tree = pending.pop()) {
    pending.push(...(tree.childFrames ?? []));
    const world = await session
      .send("Page.createIsolatedWorld", { frameId: tree.frame.id, worldName: "openforgerl-cleanup" })
      .catch(() => undefined);
    if (world === undefined) continue;
    const reply = await session.send("Runtime.evaluate", {
      contextId: world.executionContextId,
      returnByValue: true,
      expression:
        "(() => { sessionStorage.clear(); localStorage.clear(); window.name = ''; return sessionStorage.length + localStorage.length === 0 ? location.origin : ''; })()",
    });
    if (typeof reply.result.value === "string") cleared.add(reply.result.value);
  }
  return cleared;
}

async function verify(
  context: BrowserContext,
  page: Page,
  session: CdpSession,
  browser: CdpSession,
  scope: { browserContextId?: string },
  origins: ReadonlySet<string>,
  cleared: ReadonlySet<string>,
): Promise<string | undefined> {
  for (const origin of origins) {
    if (!cleared.has(origin)) return `its tab may hold session storage of ${origin}, which is no longer open`;
  }
  const [{ cookies }, history, state, ...usages] = await Promise.all([
    browser.send("Storage.getCookies", scope),
    session.send("Page.getNavigationHistory"),
    session.send("Runtime.evaluate", {
      returnByValue: true,
      expression:
        "[location.href, window.name, history.length, document.documentElement.outerHTML.length, scrollX, scrollY].join()",
    }),
    ...[...origins].map((origin) => session.send("Storage.getUsageAndQuota", { origin })),
  ]);
  if (cookies.length > 0) return `it still holds ${cookies.length} cookies`;
  if (context.pages().length !== 1 || context.pages()[0] !== page) return "it has other tabs";
  if (history.entries.length !== 1) return "its tab has a history";
  if (state.result.value !== PRISTINE) return `its tab is not blank (${state.result.value})`;
  const used = usages.find((usage) => usage.usage > 0);
  if (used !== undefined) return `it still stores ${used.usage} bytes`;
  return undefined;
}

const PRISTINE = ["about:blank", "", 1, "<html><head></head><body></body></html>".length, 0, 0].join();

function isOwnMachine(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === "http:" && /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname);
}
