import type { Mark } from "@openforgerl/contracts/observation";
import { DocumentGone, type FrameWorld } from "./frame.ts";
import type { Collected, PageState, Rect } from "./in-page/kit.ts";
import type { BrowserPage } from "./page.ts";

/** A frame whose document needs a world of its own: the main frame, or one of another origin. */
export interface FrameRef {
  world: FrameWorld;
  /** The frame it is embedded in, and its index there; absent for the main frame. */
  embedded?: { parent: FrameRef; index: number };
}

/** Where the node of a mark is kept. */
export interface MarkAddress {
  frame: FrameRef;
  index: number;
}

/** What one look at a page found. */
export interface Look {
  state: PageState;
  marks: Mark[];
  /** By mark id. */
  addresses: MarkAddress[];
  /** Of all that decides what is drawn; null where that cannot be told, or was not asked. */
  digest: string | null;
}

/**
 * Looks at a page: its state and, with a cap, its marks with frames of other origins inlined.
 * @param cap most marks to return; null for none.
 * @param digest whether to digest what decides the picture.
 */
export async function lookAt(page: BrowserPage, cap: number | null, digest = false): Promise<Look> {
  const main: FrameRef = { world: page.main };
  const found = await page.ask(page.main.call("look", { cap, digest }));
  const { state, marks: collected } = found;
  const look: Look = { state, marks: [], addresses: [], digest: found.digest };
  const view = { x: 0, y: 0, ...state.viewport };
  await inline(page, look, main, collected, { x: 0, y: 0 }, view, true, cap ?? 0);
  return look;
}

async function inline(
  page: BrowserPage,
  look: Look,
  frame: FrameRef,
  collected: readonly Collected[],
  offset: { x: number; y: number },
  clip: Rect,
  focused: boolean,
  cap: number,
): Promise<void> {
  for (const item of collected) {
    if (look.marks.length >= cap) return;
    if ("mark" in item) {
      const box = intersect(shift(item.mark.box, offset), clip);
      if (box === null) continue;
      const { focused: inFocus, ...mark } = item.mark;
      look.marks.push({
        id: look.marks.length,
        ...mark,
        ...(inFocus && focused ? { focused: true } : {}),
        box: rounded(box),
      });
      look.addresses.push({ frame, index: item.index });
      continue;
    }
    const box = shift(item.box, offset);
    const inside = intersect(box, clip);
    const child = inside && (await childFrame(page, frame, item.frame));
    if (!child) continue;
    try {
      const found = await page.ask(child.world.call("look", { cap: cap - look.marks.length, digest: false }));
      if (item.focused && focused) look.state.focused = found.state.focused;
      await inline(page, look, child, found.marks, box, inside, item.focused && focused, cap);
    } catch (error) {
      if (!(error instanceof DocumentGone)) throw error;
    }
  }
}

async function childFrame(page: BrowserPage, parent: FrameRef, index: number): Promise<FrameRef | undefined> {
  try {
    const objectId = await parent.world.handle("frameElement", index);
    if (objectId === undefined) return undefined;
    const { node } = await parent.world.session.send("DOM.describeNode", { objectId });
    if (node.frameId === undefined) return undefined;
    const own = await page.driver.frameSession(node.frameId);
    const world = page.child(own ?? parent.world.session, node.frameId);
    return { world, embedded: { parent, index } };
  } catch (error) {
    if (error instanceof DocumentGone) return undefined;
    throw error;
  }
}

/** Where the viewport of a frame starts in the top-level viewport now; null when the frame is gone. */
export async function frameOrigin(
  page: BrowserPage,
  frame: FrameRef,
): Promise<{ x: number; y: number } | null> {
  if (frame.embedded === undefined) return { x: 0, y: 0 };
  const { parent, index } = frame.embedded;
  const outer = await frameOrigin(page, parent);
  const box = await page.ask(parent.world.call("frameBox", index));
  return outer === null || box === null ? null : { x: outer.x + box.x, y: outer.y + box.y };
}

function shift(box: Rect, by: { x: number; y: number }): Rect {
  return { ...box, x: box.x + by.x, y: box.y + by.y };
}

function intersect(a: Rect, b: Rect): Rect | null {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width < 1 || height < 1 ? null : { x, y, width, height };
}

function rounded(box: Rect): Rect {
  const round = (value: number) => Math.round(value * 100) / 100;
  return { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) };
}
