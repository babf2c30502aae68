import type { ActionInput } from "@openforgerl/contracts/action";
import type { ToolStyle, Viewport } from "@openforgerl/contracts/environment";
import type { Observation } from "@openforgerl/contracts/observation";
import type { Split } from "@openforgerl/contracts/task";

/** Names one generated task. The same three values give the same task and the same world, always. */
export interface TaskRequest {
  /** `site/name`, as `listFamilies` gives it. */
  family: string;
  seed: number;
  split: Split;
}

/** A task as data: what to tell the agent and how to set up the episode. */
export interface GeneratedTask extends TaskRequest {
  site: string;
  /** 1 (one click) to 5 (eight actions and more over several pages). */
  level: number;
  title: string;
  instruction: string;
  /** Path of the first page on the site server. */
  startPath: string;
  viewport: Viewport;
  toolStyle: ToolStyle;
  /** Environment actions allowed. */
  maxSteps: number;
  /** Environment actions of the oracle, any scrolling left out. */
  oracleSteps: number;
  /** The parameter combination that decides the split; two tasks with one key ask for the same thing. */
  key: string;
}

/** A judge's finding on one world. */
export interface SiteVerdict {
  score: 0 | 1;
  /** One sentence for a person. */
  reason: string;
  /** What differed from the state asked for, and the answer given. */
  evidence: Record<string, unknown>;
}

/**
 * Chooses the next action from the latest observation; `answer` and `done` end the episode.
 * A policy is made for one episode and remembers how far it got.
 * @throws Error naming the marks there are, where the page lacks what the policy needs.
 */
export type Policy = (look: Observation) => ActionInput;

/** State of one world. Each site extends it; the server owns it and the judge reads it. */
export interface SiteState {
  /** Path and query of the page last opened, empty parameters dropped and the rest sorted. */
  view: string;
}

/** One task with its world, ready to be served and judged. */
export interface TaskInstance {
  readonly task: GeneratedTask;
  /** The world's live state: request handlers change it. */
  readonly state: SiteState;
  /** A state that solves the task, for tests of the judge; for questions, the state to leave unchanged. */
  solvedState(): SiteState;
  /** The right answer, where the task is a question. */
  readonly answer: string | undefined;
  /** Judges a state; without one, the live state. */
  verdict(answer: string | undefined, state?: SiteState): SiteVerdict;
  /** A policy that solves the task through what an agent can see. */
  oracle(): Policy;
  /** A plausible wrong attempt (wrong item, wrong value, wrong answer), which must score 0. */
  wrong(): Policy;
}

/** A parametrised kind of task on one site. */
export interface TaskFamily {
  /** `site/name`. */
  readonly id: string;
  readonly site: string;
  readonly level: number;
  readonly title: string;
  readonly viewport: Viewport;
  readonly toolStyle: ToolStyle;
  readonly maxSteps: number;
  /** Lower bound of the number of distinct parameter combinations, all splits together. */
  readonly distinct: number;
  /** Makes the task of this seed in this split, and a fresh world for it. */
  instantiate(seed: number, split: Split): TaskInstance;
}

/** A web site that worlds are served from. */
export interface SiteInfo {
  readonly name: string;
  /** What a page calls the site. */
  readonly title: string;
  readonly description: string;
}
