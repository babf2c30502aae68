import type { ActResult } from "@openforgerl/contracts/environment";
import type { BrowserPage } from "../page.ts";
import { failure } from "./aim.ts";

/** A server that has not begun to answer by then is given up. */
const RESPONSE_MS = 20_000;

/**
 * Reads an address as an address bar would: `example.com` means https.
 * @returns undefined where it is no address that an agent may open (only http, https, about:blank, data).
 */
export function readAddress(written: string): string | undefined {
  const text = written.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === "about") return text === "about:blank" ? text : undefined;
  if (scheme === "data") return text;
  const full =
    scheme === undefined ? `${/^(localhost|127\.|\[::1\])/.test(text) ? "http" : "https"}://${text}` : text;
  if (!URL.canParse(full) || /\s/.test(text)) return undefined;
  const { protocol, hostname } = new URL(full);
  return (protocol === "http:" || protocol === "https:") && hostname !== "" ? full : undefined;
}

export async function goto(page: BrowserPage, written: string): Promise<ActResult> {
  const url = readAddress(written);
  if (url === undefined) {
    return failure(
      "invalid_action",
      `${JSON.stringify(written)} is no web address; write one such as https://example.com/page.`,
    );
  }
  const opening = page.session.send("Page.navigate", { url });
  const reply = await page.ask(within(opening, RESPONSE_MS), RESPONSE_MS + 5_000);
  if (reply === undefined) {
    await page.ask(page.session.send("Page.stopLoading"));
    return failure("timeout", `${url} did not answer within ${RESPONSE_MS / 1000} s.`);
  }
  // A download replaces no document; it is reported among the downloads.
  if (reply.errorText !== undefined && !reply.isDownload) {
    return failure("navigation_failed", `${url} could not be opened (${reply.errorText}).`);
  }
  return { ok: true };
}

/** Goes through the tab's history by one entry. */
export async function travel(page: BrowserPage, by: -1 | 1): Promise<ActResult> {
  const { currentIndex, entries } = await page.ask(page.session.send("Page.getNavigationHistory"));
  const entry = entries[currentIndex + by];
  if (entry === undefined) {
    return failure("no_history", `There is no page to go ${by < 0 ? "back" : "forward"} to in this tab.`);
  }
  const arrived = new Promise<void>((resolve) => {
    const { session } = page;
    const done = (frameId: string) => {
      if (frameId !== page.main.frameId) return;
      session.off("Page.frameNavigated", navigated);
      session.off("Page.navigatedWithinDocument", moved);
      resolve();
    };
    const navigated = (event: { frame: { id: string } }) => done(event.frame.id);
    const moved = (event: { frameId: string }) => done(event.frameId);
    session.on("Page.frameNavigated", navigated);
    session.on("Page.navigatedWithinDocument", moved);
  });
  await page.ask(page.session.send("Page.navigateToHistoryEntry", { entryId: entry.id }));
  const ok = await page.ask(
    within(
      arrived.then(() => true),
      RESPONSE_MS,
    ),
    RESPONSE_MS + 5_000,
  );
  return ok
    ? { ok: true }
    : failure("timeout", `${entry.url} did not answer within ${RESPONSE_MS / 1000} s.`);
}

export async function reload(page: BrowserPage): Promise<ActResult> {
  await page.ask(page.session.send("Page.reload"));
  return { ok: true };
}

async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  work.catch(() => {});
  try {
    return await Promise.race([
      work,
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}
