import { z } from "zod";
import { type RandomStream, randomStream } from "../random.ts";

/** A family as the curriculum sees it. */
export interface Lesson {
  id: string;
  level: number;
}

/** What a curriculum remembers; part of every checkpoint. */
export const CurriculumState = z.object({
  /** Highest level open so far. */
  level: z.int().positive(),
  /** Groups seen since that level opened. */
  held: z.int().nonnegative(),
  random: z.int().nonnegative(),
  /** Running success and count of groups seen, by family. */
  families: z.record(z.string(), z.object({ success: z.number(), groups: z.int() })),
});
export type CurriculumState = z.infer<typeof CurriculumState>;

/** Weight of the newest group in a family's running success. */
const MEMORY = 0.3;
/** A family counts as learnt from this success on. */
const LEARNT_AT = 0.8;
/** A level opens when this share of the families before it is learnt, … */
const OPEN_AT = 0.8;
/**
 * … and at the latest after so many groups: a few hard families must not hold up all. The first level has more,
 * since all others rest on it.
 */
const LONGEST_HOLD = { first: 560, later: 320 };
/** A family that is learnt keeps this weight, so that it is not forgotten. */
const LEAST_WEIGHT = 0.05;
/** A family that fails starts with so much more, … */
const FAILING_WEIGHT = 0.3;
/** … and loses half of it in so many groups: what stays out of reach must not use up the episodes. */
const PATIENCE = 8;

/** The state before any rollout. */
export function startCurriculum(seed: number): CurriculumState {
  return { level: 1, held: 0, random: randomStream(seed).state(), families: {} };
}

/**
 * Chooses the next step's tasks among the levels that are open. A family's weight follows the chance that a group
 * of rollouts has both successes and failures, without which GRPO learns nothing from it, times what is left to
 * learn. Pure: the same state gives the same choice.
 * @param groupSize rollouts of each task.
 * @returns one (family, seed) for each group, and the state to go on with.
 */
export function chooseTasks(
  state: CurriculumState,
  lessons: readonly Lesson[],
  groups: number,
  groupSize: number,
): { tasks: Array<{ family: string; seed: number }>; state: CurriculumState } {
  const random = randomStream(state.random);
  const lowest = Math.min(...lessons.map((lesson) => lesson.level));
  const open = lessons.filter((lesson) => lesson.level <= Math.max(state.level, lowest));
  const weights = open.map(({ id }) => lessonWeight(state, id, groupSize));
  const tasks = Array.from({ length: groups }, () => ({
    family: open[drawIndex(weights, random)]?.id ?? "",
    seed: Math.floor(random.next() * 2 ** 31),
  }));
  return { tasks, state: { ...state, random: random.state() } };
}

/** Takes in the mean score of each finished group and opens the next level when the open ones are learnt. */
export function observeGroups(
  state: CurriculumState,
  lessons: readonly Lesson[],
  groups: ReadonlyArray<{ family: string; success: number }>,
): CurriculumState {
  const families = { ...state.families };
  for (const { family, success } of groups) {
    const before = families[family];
    families[family] = before
      ? { success: before.success + MEMORY * (success - before.success), groups: before.groups + 1 }
      : { success, groups: 1 };
  }
  const open = lessons.filter((lesson) => lesson.level <= state.level);
  const learnt = open.filter(({ id }) => (families[id]?.success ?? 0) >= LEARNT_AT);
  const top = Math.max(...lessons.map((lesson) => lesson.level));
  const held = state.held + groups.length;
  const longest = state.level === 1 ? LONGEST_HOLD.first : LONGEST_HOLD.later;
  const isReady = learnt.length >= OPEN_AT * open.length || held >= longest;
  if (isReady && state.level < top)
    return { level: state.level + 1, held: 0, random: state.random, families };
  return { level: state.level, held, random: state.random, families };
}

function lessonWeight(state: CurriculumState, family: string, groupSize: number): number {
  const seen = state.families[family];
  // A family not yet tried is as uncertain as can be.
  if (!seen) return 1;
  const failing = 1 - seen.success;
  const teaches = 1 - seen.success ** groupSize - failing ** groupSize;
  const outOfReach = failing ** groupSize / (1 + seen.groups / PATIENCE);
  return LEAST_WEIGHT + FAILING_WEIGHT * outOfReach + teaches * failing;
}

function drawIndex(weights: readonly number[], random: RandomStream): number {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i] ?? 0;
    if (left < 0) return i;
  }
  return weights.length - 1;
}
