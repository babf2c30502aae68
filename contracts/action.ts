import { z } from "zod";

/** A point in CSS pixels of the viewport (browser) or pixels of the screen (desktop), not of a scaled image. */
const Point = z.object({ x: z.number(), y: z.number() });

/** What a pointer action is aimed at: a point, or an element by its mark in the latest observation. */
export const Target = z.discriminatedUnion("by", [
  z.object({ by: z.literal("point"), ...Point.shape }),
  z.object({ by: z.literal("mark"), mark: z.int().nonnegative() }),
]);
export type Target = z.infer<typeof Target>;

export const PointerButton = z.enum(["left", "middle", "right"]);
export type PointerButton = z.infer<typeof PointerButton>;

/**
 * The canonical action union (DESIGN.md 3). Every dialect parses into it and prints from it.
 * Key names follow the W3C `KeyboardEvent.key` values, joined with `+` for chords ("Control+a").
 */
export const Action = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("click"),
    at: Target,
    button: PointerButton.default("left"),
    count: z.int().min(1).max(3).default(1),
  }),
  z.object({ type: z.literal("hover"), at: Target }),
  z.object({ type: z.literal("drag"), from: Target, to: Target }),
  z.object({
    type: z.literal("type"),
    text: z.string(),
    /** The field to focus first; without it the text goes to whatever has the focus. */
    into: Target.optional(),
    /** Replace what the field holds. Only with `into`. */
    clear: z.boolean().default(false),
    /** Press Enter afterwards. */
    submit: z.boolean().default(false),
  }),
  z.object({ type: z.literal("press"), keys: z.string().min(1) }),
  z.object({
    type: z.literal("scroll"),
    /** Where the pointer is while the wheel turns; without it, the middle of the viewport. */
    at: Target.optional(),
    /** CSS pixels; positive is right and down. */
    dx: z.number().default(0),
    dy: z.number().default(0),
  }),
  z.object({ type: z.literal("wait"), ms: z.number().min(0).max(60_000) }),
  z.object({ type: z.literal("goto"), url: z.string().min(1) }),
  z.object({ type: z.literal("back") }),
  z.object({ type: z.literal("forward") }),
  z.object({ type: z.literal("reload") }),
  z.object({ type: z.literal("tab_new"), url: z.string().optional() }),
  z.object({ type: z.literal("tab_switch"), index: z.int().nonnegative() }),
  z.object({ type: z.literal("tab_close"), index: z.int().nonnegative().optional() }),
  /** Chooses options of a native select by their visible labels. */
  z.object({ type: z.literal("select"), at: Target, options: z.array(z.string()).min(1) }),
  /** Answers a file chooser; paths are on the environment's machine. */
  z.object({ type: z.literal("upload"), at: Target, files: z.array(z.string()).min(1) }),
  /** Answers an open JavaScript dialog. */
  z.object({ type: z.literal("dialog"), accept: z.boolean(), text: z.string().optional() }),
  z.object({ type: z.literal("answer"), text: z.string() }),
  z.object({ type: z.literal("done") }),
  z.object({ type: z.literal("infeasible"), reason: z.string() }),
]);
export type Action = z.infer<typeof Action>;
/** An action as a caller may write it, defaults left out. */
export type ActionInput = z.input<typeof Action>;
export type ActionType = Action["type"];
