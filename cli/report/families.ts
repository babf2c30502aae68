import { type RateSummary, summarise } from "@openforgerl/benchmarks/summary";
import type { RolloutLine } from "@openforgerl/contracts/trajectory";

/** How a family fared. */
export interface FamilyRow {
  family: string;
  /** 1 is easiest. */
  level: number;
  /** At its first evaluation; null where there was only one, or none. */
  first: RateSummary | null;
  /** At its last evaluation; in an evaluation run, over all rollouts. */
  last: RateSummary;
}

/**
 * Success by family, easiest first: at the first and at the last evaluation on held-out tasks. A run that
 * was never evaluated is shown by its training rollouts: first and last quarter of its steps.
 */
export function familyRows(rollouts: readonly RolloutLine[]): FamilyRow[] {
  const families = new Map<string, RolloutLine[]>();
  for (const line of judgedLines(rollouts)) {
    const group = families.get(line.family);
    if (group) group.push(line);
    else families.set(line.family, [line]);
  }
  return [...families]
    .map(([family, lines]) => ({ family, level: lines[0]?.level ?? 1, ...firstAndLast(lines) }))
    .sort((a, b) => a.level - b.level || a.family.localeCompare(b.family));
}

/** The rollouts that a run is judged by: those on held-out tasks, else all. */
export function judgedLines(rollouts: readonly RolloutLine[]): readonly RolloutLine[] {
  const heldOut = rollouts.filter(({ labels }) => labels.phase !== "train");
  return heldOut.length > 0 ? heldOut : rollouts;
}

/** The rollouts of the last evaluation. */
export function lastEvaluation(rollouts: readonly RolloutLine[]): readonly RolloutLine[] {
  const lines = judgedLines(rollouts);
  const last = Math.max(...lines.map(stepOf));
  return lines.filter((line) => stepOf(line) === last);
}

/** Training step a rollout belongs to; 0 in an evaluation. */
export function stepOf({ labels }: RolloutLine): number {
  return typeof labels.step === "number" ? labels.step : 0;
}

function firstAndLast(lines: readonly RolloutLine[]): Pick<FamilyRow, "first" | "last"> {
  const steps = lines.map(stepOf);
  const [from, to] = [Math.min(...steps), Math.max(...steps)];
  if (from === to) return { first: null, last: summarise(lines) };
  // Evaluations have many rollouts at few steps; training has few at each.
  const reach = lines[0]?.labels.phase === "train" ? (to - from) / 4 : 0;
  return {
    first: summarise(lines.filter((line) => stepOf(line) <= from + reach)),
    last: summarise(lines.filter((line) => stepOf(line) >= to - reach)),
  };
}
