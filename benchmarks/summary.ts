import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import { type Proportion, wilson } from "./statistics/intervals.ts";

/** Counts of a set of rollouts. Rollouts without a score stand apart and are not in the rate. */
export interface RateSummary {
  /** All rollouts asked for, scored or not. */
  rollouts: number;
  scored: Proportion;
  /** Rollouts that ended without a score, by boundary and code ("environment/browser_crashed"). */
  invalid: Record<string, number>;
}

/** Mean score, its interval and the faults of a set of rollouts. */
export function summarise(lines: readonly RolloutLine[]): RateSummary {
  const scored = lines.filter((line) => line.score !== null);
  const invalid: Record<string, number> = {};
  for (const { fault, score } of lines) {
    if (score !== null) continue;
    const key = fault ? `${fault.boundary}/${fault.code}` : "unknown";
    invalid[key] = (invalid[key] ?? 0) + 1;
  }
  return {
    rollouts: lines.length,
    scored: wilson(
      scored.reduce((sum, line) => sum + (line.score ?? 0), 0),
      scored.length,
    ),
    invalid,
  };
}

/** `summarise` for each value of a key, in order of first appearance. */
export function summariseBy(
  lines: readonly RolloutLine[],
  key: (line: RolloutLine) => string,
): Record<string, RateSummary> {
  const groups = new Map<string, RolloutLine[]>();
  for (const line of lines) {
    const group = groups.get(key(line));
    if (group) group.push(line);
    else groups.set(key(line), [line]);
  }
  return Object.fromEntries([...groups].map(([name, group]) => [name, summarise(group)]));
}
