import { z } from "zod";
import type { ActionInput } from "./action.ts";
import type { Observation, ObservationRequest } from "./observation.ts";

export const Viewport = z.object({
  /** CSS pixels. */
  width: z.int().min(64).max(4096),
  height: z.int().min(64).max(4096),
});
export type Viewport = z.infer<typeof Viewport>;

/** Which tools the environment offers a harness: aim by mark, by pixel, or both. */
export const ToolStyle = z.enum(["marks", "pixels", "both"]);
export type ToolStyle = z.infer<typeof ToolStyle>;

/** Everything that pins what a page may read from its surroundings. */
export const Determinism = z.object({
  seed: z.int().nonnegative(),
  /** ISO time at which the page's clock starts. */
  clock: z.string().default("2026-01-15T09:00:00.000Z"),
});
export type Determinism = z.infer<typeof Determinism>;

export const BrowserSpec = z.object({
  kind: z.literal("browser"),
  viewport: Viewport.default({ width: 1280, height: 720 }),
  locale: z.string().default("en-US"),
  timeZone: z.string().default("UTC"),
  toolStyle: ToolStyle.default("marks"),
  /** Absent: the page sees the real clock and real randomness. */
  determinism: Determinism.optional(),
  start: z.discriminatedUnion("at", [
    z.object({ at: z.literal("url"), url: z.string().min(1) }),
    /** A self-hosted site of ours: one seeded world for this episode alone. */
    z.object({
      at: z.literal("site"),
      site: z.string().min(1),
      family: z.string().min(1),
      seed: z.int().nonnegative(),
      split: z.enum(["train", "dev", "test"]),
    }),
  ]),
});
export type BrowserSpec = z.infer<typeof BrowserSpec>;

/** Later kinds (desktop, shell) join this union. */
export const EnvironmentSpec = z.discriminatedUnion("kind", [BrowserSpec]);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;

/** The outcome of one action. A failed action is data that the agent may read, never an exception. */
export type ActResult = { ok: true; note?: string } | { ok: false; code: ActFailureCode; message: string };

/** Why an action did not happen (closed set). */
export const ActFailureCode = z.enum([
  "mark_not_found",
  "out_of_view",
  "not_editable",
  "option_not_found",
  "no_such_key",
  "no_such_tab",
  "no_history",
  "no_dialog",
  "dialog_open",
  "navigation_failed",
  "file_not_found",
  "covered",
  "timeout",
  "invalid_action",
  "not_supported",
]);
export type ActFailureCode = z.infer<typeof ActFailureCode>;

/** A question about the environment's hidden state, asked by a judge and never by an agent. */
export type ProbeQuery =
  | { type: "site_verdict"; answer: string | undefined }
  | { type: "page_text" }
  | { type: "evaluate"; expression: string };
export type ProbeResult = { ok: true; value: unknown } | { ok: false; message: string };

/** What an environment can do; the orchestrator checks a task's needs against it before it starts. */
export interface EnvironmentCapabilities {
  screenshot: boolean;
  marks: boolean;
  tabs: boolean;
  /** The DevTools endpoint of the browser, for harnesses that bring their own tools. */
  cdp: boolean;
}

/**
 * One episode's world. It serves one episode and has no reset: make it, use it, close it.
 *
 * Every method throws `ForgeError` with boundary `environment` when the environment itself is broken
 * (browser crashed, connection lost), and for nothing else. Calls are serialised by the environment.
 */
export interface Environment {
  readonly capabilities: EnvironmentCapabilities;
  observe(want?: ObservationRequest): Promise<Observation>;
  act(action: ActionInput): Promise<ActResult>;
  probe(query: ProbeQuery): Promise<ProbeResult>;
  /** The DevTools WebSocket address of this episode's browser, where `capabilities.cdp`. */
  cdpUrl(): Promise<string | undefined>;
  close(): Promise<void>;
}
