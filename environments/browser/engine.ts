import type { CDPSession } from "playwright-core";

/**
 * A DevTools session, typed by Playwright's copy of the protocol. Both engines hand out sessions of this
 * shape, so everything above this file is written once.
 */
export type CdpSession = Pick<CDPSession, "send" | "on" | "off">;

/** An open JavaScript dialog, answered at most once. */
export interface DialogDriver {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload";
  readonly message: string;
  answer(accept: boolean, text?: string): Promise<void>;
}

/** One tab of an engine. */
export interface PageDriver {
  readonly session: CdpSession;
  /** The session of a frame that lives in another renderer process; undefined when there is none. */
  frameSession(frameId: string): Promise<CdpSession | undefined>;
  /** Called once, when the tab is closed by anyone or its renderer crashed. */
  onGone(handler: (why: "closed" | "crashed") => void): void;
  /** Ends the session and with it all that was set through it; the tab stays. */
  release(): Promise<void>;
  /** Closes the tab without asking its `beforeunload` handlers. */
  close(): Promise<void>;
}

/** One isolated browser context of an engine: what an episode owns. */
export interface ContextDriver {
  /** A session on the browser itself, shared by all contexts. */
  readonly browserSession: CdpSession;
  newPage(): Promise<PageDriver>;
  /** Called for each tab that the site opened by itself. */
  onPopup(handler: (page: PageDriver) => void): void;
  /** Called for each dialog in any tab. The dialog stays open until it is answered. */
  onDialog(handler: (dialog: DialogDriver) => void): void;
  /** Called once, when the connection to the browser is lost. */
  onDisconnect(handler: () => void): void;
}
