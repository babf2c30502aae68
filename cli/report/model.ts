import type { Box } from "@openforgerl/contracts/observation";

/** What the page is given. Everything in it is data: the page escapes what it shows. */
export interface ReportModel {
  /** `file`: the page stands alone and has its episodes in it; `served`: it fetches them. */
  mode: "file" | "served";
  rollouts: RolloutRow[];
  /** By rollout id; in a file only. */
  episodes: Record<string, EpisodeView>;
  /** Data URLs by sha256; in a file only. */
  images: Record<string, string>;
}

/** One rollout in the list. */
export interface RolloutRow {
  id: string;
  task: string;
  family: string;
  level: number;
  split: string;
  seed: number;
  /** What it was for: train, dev, eval. */
  phase: string;
  /** Training step; null in an evaluation. */
  step: number | null;
  /** null: it got no score. */
  score: number | null;
  stop: string;
  /** `boundary/code`. */
  fault: string | null;
  actions: number;
  seconds: number;
}

/** One rollout, frame by frame. */
export interface EpisodeView {
  id: string;
  task: string;
  instruction: string;
  stop: string;
  answer: string | null;
  score: number | null;
  /** The judge's reason, or the fault's message. */
  reason: string;
  /** The judge's evidence, one entry a line; or the fault's advice. */
  evidence: { name: string; value: string }[];
  /** Judge, versions, policy, session figures: name and value. */
  facts: { name: string; value: string }[];
  frames: Frame[];
  /** Why the model's calls are not shown, where they are not. */
  callsMissing: string | null;
}

/** A moment: what the agent saw, and what it did then. The last one has no action. */
export interface Frame {
  /** What was done, as a sentence. */
  title: string;
  kind: "action" | "end";
  /** Why the action failed, if it did. */
  failure: string | null;
  picture: Picture | null;
  /** The picture is from before an earlier action: none was taken since. */
  isStale: boolean;
  drawings: Drawing[];
  url: string;
  /** Milliseconds since the episode began, when the action was done. */
  atMs: number;
  calls: CallView[];
}

export interface Picture {
  sha256: string;
  mediaType: string;
  /** CSS pixels that the picture shows. */
  width: number;
  height: number;
}

/** A shape over a picture, in CSS pixels. */
export type Drawing =
  | { shape: "box"; box: Box }
  | { shape: "ring"; x: number; y: number; rings: number }
  | { shape: "arrow"; x1: number; y1: number; x2: number; y2: number }
  | { shape: "label"; x: number; y: number; text: string };

/** A model call as it was recorded. */
export interface CallView {
  index: number;
  role: string;
  /** What the model said, part by part. */
  parts: { kind: "text" | "thinking" | "tool"; text: string }[];
  /** Sampled token ids with their natural-log probabilities and what they say. */
  tokens: [id: number, logprob: number, name: string][];
  promptTokens: number;
  /** Version of the weights that sampled it. */
  policy: string | null;
  ms: number;
  /** Why it can't be trained on; null when it can. */
  incomplete: string | null;
}
