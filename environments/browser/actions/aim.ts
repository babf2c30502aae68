import type { Target } from "@openforgerl/contracts/action";
import type { ActResult } from "@openforgerl/contracts/environment";
import { DocumentGone, type FrameWorld } from "../frame.ts";
import { frameOrigin, type MarkAddress } from "../frames.ts";
import type { Aim, Traits } from "../in-page/kit.ts";
import type { BrowserPage } from "../page.ts";

/** What actions work on: the active tab and the marks of the latest observation. */
export interface Stage {
  page: BrowserPage;
  marks: readonly MarkAddress[];
  /** CSS pixels. */
  viewport: { width: number; height: number };
}

export type Failure = Extract<ActResult, { ok: false }>;

/** An action's target in the terms of the frame it is in. */
export interface InFrame {
  world: FrameWorld;
  aim: Aim;
}

/** A place for the pointer, in CSS pixels of the top-level viewport. */
export interface Spot extends Traits, InFrame {
  x: number;
  y: number;
}

export function failure(code: Failure["code"], message: string): Failure {
  return { ok: false, code, message };
}

/** Finds the frame and the node (or point) of a target without scrolling to it. */
export function inFrame(stage: Stage, target: Target): InFrame | Failure {
  if (target.by === "point") {
    return outside(stage, target) ?? { world: stage.page.main, aim: { x: target.x, y: target.y } };
  }
  const address = stage.marks[target.mark];
  if (address === undefined) return unknownMark(stage, target.mark);
  return { world: address.frame.world, aim: { index: address.index } };
}

/** Finds where to put the pointer for a target, scrolling its mark into view if need be. */
export async function spotOf(stage: Stage, target: Target): Promise<Spot | Failure> {
  const { page } = stage;
  const place = inFrame(stage, target);
  if ("ok" in place) return place;
  if (!("index" in place.aim)) {
    const traits = await page.ask(page.main.call("at", place.aim));
    return { ...traits, ...place, x: place.aim.x, y: place.aim.y };
  }
  const mark = (target as { mark: number }).mark;
  try {
    const address = stage.marks[mark]!;
    const found = await page.ask(place.world.call("locate", place.aim));
    if (!found.ok) return failure(found.code, name(mark, place.aim.index, found.message));
    const origin = await frameOrigin(page, address.frame);
    if (origin === null) return goneMark(mark);
    const { ok: _, ...spot } = found;
    const at = { ...spot, ...place, x: spot.x + origin.x, y: spot.y + origin.y };
    return outside(stage, at)
      ? failure("out_of_view", `Mark ${mark} is outside the viewport; scroll to it.`)
      : at;
  } catch (error) {
    if (error instanceof DocumentGone) return goneMark(mark);
    throw error;
  }
}

/** Pages know marks by their index in the frame; agents know them by their number in the observation. */
export function name(mark: number, index: number, message: string): string {
  return message.replace(new RegExp(`^Mark ${index}\\b`), `Mark ${mark}`);
}

export function goneMark(mark: number): Failure {
  return failure("mark_not_found", `Mark ${mark} is no longer on the page; look again to get fresh marks.`);
}

function unknownMark(stage: Stage, mark: number): Failure {
  const count = stage.marks.length;
  return failure(
    "mark_not_found",
    count === 0
      ? `There is no mark ${mark}: no marks have been given out for this page yet; look at it first.`
      : `There is no mark ${mark}; the latest observation has marks 0 to ${count - 1}.`,
  );
}

function outside(stage: Stage, point: { x: number; y: number }): Failure | undefined {
  const { width, height } = stage.viewport;
  if (point.x >= 0 && point.y >= 0 && point.x < width && point.y < height) return undefined;
  return failure(
    "out_of_view",
    `The point (${point.x}, ${point.y}) is outside the viewport of ${width} x ${height}; scroll instead.`,
  );
}
