import { z } from "zod";

/** A box in CSS pixels of the top-level viewport. */
export const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.infer<typeof Box>;

/**
 * One thing on the screen that can be pointed at or read: an interactive element or a short run of text.
 * `id` is its place in this observation's list (0, 1, 2 …, document order, frames and open shadow roots
 * inlined), and is valid until the next observation.
 */
export const Mark = z.object({
  id: z.int().nonnegative(),
  /** ARIA role, or `text` for a run of static text. */
  role: z.string(),
  /** Accessible name, white space folded. */
  name: z.string(),
  /** Current value of a field; the chosen label of a select. */
  value: z.string().optional(),
  /** Visible labels of a native select's options. */
  options: z.array(z.string()).optional(),
  checked: z.boolean().optional(),
  selected: z.boolean().optional(),
  expanded: z.boolean().optional(),
  disabled: z.boolean().optional(),
  focused: z.boolean().optional(),
  box: Box,
});
export type Mark = z.infer<typeof Mark>;

export const Tab = z.object({
  index: z.int().nonnegative(),
  url: z.string(),
  title: z.string(),
  active: z.boolean(),
});
export type Tab = z.infer<typeof Tab>;

/** What to gather. Everything left out is off, except `marks` and `screenshot`, which default to true. */
export interface ObservationRequest {
  screenshot?: boolean;
  marks?: boolean;
  /** The accessibility tree as indented text. */
  axTree?: boolean;
}

/** Encoded image bytes with their relation to the real screen. */
export interface Screenshot {
  bytes: Uint8Array;
  mediaType: "image/png" | "image/jpeg" | "image/webp";
  /** Pixels of the image. */
  width: number;
  height: number;
  /** Image pixels per CSS pixel: a point p of the screen lies at p * scale in the image. */
  scale: number;
}

/** What an agent perceives at one moment. */
export interface Observation {
  screenshot?: Screenshot;
  marks?: Mark[];
  axTree?: string;
  url: string;
  title: string;
  tabs: Tab[];
  /** Short description of the focused element (`textbox "Search"`), if any. */
  focused?: string;
  /** An open JavaScript dialog; until it is answered nothing else on the page can be acted on. */
  dialog?: { kind: "alert" | "confirm" | "prompt" | "beforeunload"; message: string };
  /** Pixels of the document above and below the viewport. */
  scroll: { above: number; below: number };
  /** Downloads finished so far in this episode, by file name. */
  downloads: string[];
  /** The sentence of the last failed action, if the last action failed. */
  lastError?: string;
  /** Whether the page came to rest within its budget, and how long that took. */
  settled: { ok: boolean; ms: number };
}
