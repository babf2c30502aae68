import type { ToolStyle, Viewport } from "@openforgerl/contracts/environment";
import { ForgeError, inputError } from "@openforgerl/contracts/errors";
import { Split } from "@openforgerl/contracts/task";
import type { GeneratedTask, SiteState, TaskFamily, TaskInstance } from "../types.ts";
import { judgeState } from "./judge.ts";
import { countSteps, follow, type Script } from "./moves.ts";
import { Rng } from "./rng.ts";
import { splitOf } from "./split.ts";

/** What a family says about itself; `defineFamily` does the rest. P: parameters; S: state of its site. */
export interface FamilySpec<P, S extends SiteState> {
  /** `site/name`. */
  id: string;
  level: number;
  title: string;
  viewport: Viewport;
  /** Default `marks`. */
  toolStyle?: ToolStyle;
  maxSteps: number;
  /** Lower bound of the number of distinct keys. */
  distinct: number;
  /** Draws parameters, whatever the split. */
  draw(rng: Rng): P;
  /** The part of the parameters that makes the task a different one. Default: all of them. */
  key?(params: P): unknown;
  /** The world at the start; `rng` decides what is incidental. */
  world(params: P, rng: Rng): S;
  startPath?(params: P): string;
  /** Ways to ask for it; one is drawn. Text to be typed is in double quotes, names are as on the page. */
  phrasings(params: P): readonly string[];
  /** Changes the state at the start into the one asked for. Families without it are questions. */
  goal?(params: P, state: S): void;
  /** The answer, as the page shows it, where the task is a question. */
  answer?(params: P, state: S): string;
  /** Solves the task; `state` is the state at the start. */
  oracle(params: P, state: S): Script;
  /** Fails it in a plausible way. */
  wrong(params: P, state: S): Script;
}

/** Draws for dev and test hit one time in ten; this many misses in a row mean an empty split. */
const MAX_DRAWS = 2000;

/** Turns a family's own words into the interface that servers, judges and checks use. */
export function defineFamily<P, S extends SiteState>(spec: FamilySpec<P, S>): TaskFamily {
  const site = spec.id.slice(0, spec.id.indexOf("/"));
  const toolStyle = spec.toolStyle ?? "marks";
  const keyOf = (params: P) => JSON.stringify(spec.key ? spec.key(params) : params);

  function draw(seed: number, split: Split): { params: P; key: string } {
    for (let i = 0; i < MAX_DRAWS; i++) {
      const params = spec.draw(new Rng(`${spec.id}/${split}/${seed}/${i}`));
      const key = keyOf(params);
      if (splitOf(spec.id, key) === split) return { params, key };
    }
    throw new ForgeError({
      boundary: "runtime",
      code: "empty_split",
      message: `${spec.id} drew no task for the ${split} split in ${MAX_DRAWS} tries.`,
      advice: "Give the family more parameter combinations.",
    });
  }

  function instantiate(seed: number, split: Split): TaskInstance {
    if (!Number.isInteger(seed) || seed < 0) throw inputError("seed", seed, "Give a whole number from 0 up.");
    if (!Split.options.includes(split)) {
      throw inputError("split", split, `Choose one of: ${Split.options.join(", ")}.`);
    }
    const { params, key } = draw(seed, split);
    const origin = `${spec.id}/${split}/${seed}`;
    // Each world gets parameters of its own: it may keep parts of them in its state and change them.
    const fresh = () => spec.world(structuredClone(params), new Rng(`${origin}/world`));
    const state = fresh();
    const answer = spec.answer?.(params, state);
    const task: GeneratedTask = {
      site,
      family: spec.id,
      seed,
      split,
      level: spec.level,
      title: spec.title,
      instruction: new Rng(`${origin}/words`).pick(spec.phrasings(params)),
      startPath: spec.startPath?.(params) ?? "/",
      viewport: spec.viewport,
      toolStyle,
      maxSteps: spec.maxSteps,
      oracleSteps: countSteps(spec.oracle(params, state)),
      key,
    };
    const solvedState = () => {
      const solved = fresh();
      spec.goal?.(structuredClone(params), solved);
      return solved;
    };
    return {
      task,
      state,
      answer,
      solvedState,
      verdict: (given, judged = state) => judgeState(solvedState(), judged, { expected: answer, given }),
      oracle: () => follow(spec.oracle(params, fresh())),
      wrong: () => follow(spec.wrong(params, fresh())),
    };
  }

  return {
    id: spec.id,
    site,
    level: spec.level,
    title: spec.title,
    viewport: spec.viewport,
    toolStyle,
    maxSteps: spec.maxSteps,
    distinct: spec.distinct,
    instantiate,
  };
}
