import type { SiteState } from "../types.ts";

/** Viewport of the board's pages, in CSS pixels. */
export const BOARD_VIEWPORT = { width: 320, height: 240 };

/** A figure painted on the canvas; the box is in CSS pixels of the page. */
export interface Figure {
  /** What a click on it is recorded as: "red", "blue circle". */
  name: string;
  form: "button" | "circle" | "square" | "triangle";
  /** CSS colour. */
  fill: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A control of a board made of elements. `name` is its accessible name. */
export type Control =
  | { kind: "button" | "link"; name: string }
  | { kind: "switch" | "checkbox"; name: string }
  | { kind: "tab" | "radio"; name: string; group: string }
  | { kind: "field"; name: string }
  | { kind: "select"; name: string; options: readonly string[] };

/** How a board's page is laid out. */
export type Layout = "picture" | "scatter" | "rows" | "form" | "inbox";

export interface BoardState extends SiteState {
  layout: Layout;
  heading: string;
  /** Hue of the page, 0 to 359. */
  hue: number;
  figures: Figure[];
  controls: Control[];
  /** Place of each control on a `scatter` board, as [x, y] of its top left corner. */
  places: [number, number][];
  /** Rows of an `inbox`: entries with a short text that only their own page or row shows. */
  entries: { name: string; note: string }[];
  /** Buttons, links and figures clicked, in order, as `role name`. */
  clicks: string[];
  /** Switches and checkboxes by name; chosen member of each group; texts of fields as last sent. */
  values: Record<string, string | boolean>;
  /** Entries put away. */
  archived: string[];
}

/** A board with nothing on it. */
export function emptyBoard(layout: Layout, heading: string, hue: number): BoardState {
  return {
    view: "",
    layout,
    heading,
    hue,
    figures: [],
    controls: [],
    places: [],
    entries: [],
    clicks: [],
    values: {},
    archived: [],
  };
}

/** The topmost figure at a point, if any. */
export function figureAt(figures: readonly Figure[], x: number, y: number): Figure | undefined {
  return figures.findLast((figure) => contains(figure, x, y));
}

function contains({ form, x: left, y: top, width, height }: Figure, x: number, y: number): boolean {
  const u = (x - left) / width;
  const v = (y - top) / height;
  if (u < 0 || u > 1 || v < 0 || v > 1) return false;
  if (form === "circle") return (u - 0.5) ** 2 + (v - 0.5) ** 2 <= 0.25;
  if (form === "triangle") return Math.abs(u - 0.5) <= v / 2;
  return true;
}
