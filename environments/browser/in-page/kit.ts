import { digestKit } from "./digest.ts";
import { geometryKit } from "./geometry.ts";
import { marksKit } from "./marks.ts";
import { quietKit } from "./quiet.ts";
import { semanticsKit } from "./semantics.ts";
import { stateKit } from "./state.ts";
import { targetsKit } from "./targets.ts";
import { textRunsKit } from "./text-runs.ts";

/** Name of the isolated world that our scripts live in: page scripts can neither see nor break them. */
export const WORLD = "openforgerl";

/** A rectangle in CSS pixels of the viewport of the frame the script runs in. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What stands at a mark: an element, or a run of text nodes. */
export type MarkNode = Element | Text;

/** A mark as collected in one frame; `frame` stands where a frame of another origin has to be inlined. */
export type CollectedMark = {
  role: string;
  name: string;
  value?: string;
  options?: string[];
  checked?: boolean;
  selected?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  focused?: boolean;
  box: Rect;
};
export type Collected =
  | { mark: CollectedMark; index: number }
  | { frame: number; box: Rect; focused: boolean };

/** What an action may want to know of the thing it is aimed at. */
export interface Traits {
  /** `role "name"`, for sentences. */
  label: string;
  /** Labels of the options where it is a native drop-down list. */
  select: string[] | null;
  file: boolean;
  /** Whether the browser starts a native drag on it. */
  draggable: boolean;
}

/** Where a mark can be clicked, or why not. */
export type Located =
  | ({ ok: true; x: number; y: number } & Traits)
  | { ok: false; code: "mark_not_found" | "out_of_view" | "covered"; message: string };

/** How an edit went. `fill`: the field is set as a whole; `empty`: it holds nothing yet. */
export type Done =
  | { ok: true; fill?: boolean; empty?: boolean }
  | {
      ok: false;
      code: "mark_not_found" | "not_editable" | "option_not_found" | "invalid_action";
      message: string;
    };

/** An element aimed at: by its index in the last collection, or by a point of this frame's viewport. */
export type Aim = { index: number } | { x: number; y: number };

/** The functions our parts offer each other, and the driver, inside a page. */
export interface Kit {
  // geometry
  visibleRect(rect: Rect, view: Window): Rect | null;
  frameOffset(view: Window): { x: number; y: number };
  hit(doc: Document, x: number, y: number): Element | null;
  contains(outer: Node, inner: Node): boolean;
  clickPoint(node: MarkNode): { x: number; y: number } | null;
  rectsOf(node: MarkNode): Rect[];
  composedParent(node: Node): Node | null;
  // semantics
  fold(text: string): string;
  roleOf(element: Element): string;
  nameOf(element: Element): string;
  isInteractive(element: Element): boolean;
  states(element: Element, role: string): Partial<CollectedMark>;
  describe(element: Element): string;
  activeElement(): Element | null;
  // text-runs
  textRuns(emit: (node: Text, mark: CollectedMark) => void): {
    add(node: Text, block: Element): void;
    flush(): void;
  };
  // marks
  nodes: MarkNode[];
  frames: Element[];
  collect(options: { cap: number }): Collected[];
  frameElement(index: number): Element | undefined;
  frameBox(index: number): Rect | null;
  look(options: { cap: number | null; digest: boolean }): {
    state: PageState;
    marks: Collected[];
    digest: string | null;
  };
  // targets
  locate(aim: { index: number }): Located;
  at(aim: { x: number; y: number }): Traits & { foreign: boolean };
  element(aim: Aim): Element | null;
  focus(aim: Aim & { clear: boolean }): Done;
  holdPicker(aim: Aim): void;
  fill(aim: Aim & { text: string }): Done;
  select(aim: Aim & { options: string[] }): Done;
  fileInput(aim: Aim): HTMLInputElement | null;
  // state
  state(): PageState;
  text(): string;
  scrolled(point: { x: number; y: number }): number[];
  // digest
  digest(): string | null;
  // quiet
  changes: number;
  watch(root: Node): void;
  quiet(options: { thorough: boolean; maxMs: number; hold: boolean }): Promise<boolean>;
}

/** The page-wide facts of an observation. */
export interface PageState {
  title: string;
  focused: string | null;
  scroll: { above: number; below: number };
  viewport: { width: number; height: number };
}

const parts = [geometryKit, semanticsKit, textRunsKit, marksKit, targetsKit, stateKit, quietKit, digestKit];

/** The script that installs the kit in the world it is evaluated in, once a document. */
export const KIT_SOURCE = `if (!globalThis.__kit) { const kit = {}; ${parts
  .map((part) => `(${part.toString()})(kit);`)
  .join("\n")} globalThis.__kit = kit; }`;
