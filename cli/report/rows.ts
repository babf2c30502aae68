import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import { lastEvaluation } from "./families.ts";
import type { RolloutRow } from "./model.ts";

/** A line of rollouts.jsonl as the page lists it. */
export function rolloutRow(line: RolloutLine): RolloutRow {
  const { labels, fault } = line;
  return {
    id: line.rolloutId,
    task: line.taskId,
    family: line.family,
    level: line.level,
    split: line.split,
    seed: line.seed,
    phase: String(labels.phase ?? "run"),
    step: typeof labels.step === "number" ? labels.step : null,
    score: line.score,
    stop: line.stopReason,
    fault: fault ? `${fault.boundary}/${fault.code}` : null,
    actions: line.steps,
    seconds: line.wallMs / 1000,
  };
}

/**
 * Chooses the rollouts that a report file holds: of the last evaluation, of each family one that succeeded and
 * one that failed; then some without a score; easiest families first.
 */
export function chooseShown(rollouts: readonly RolloutLine[], most: number): RolloutLine[] {
  const families = new Map<string, RolloutLine[]>();
  for (const line of lastEvaluation(rollouts)) {
    const group = families.get(line.family);
    if (group) group.push(line);
    else families.set(line.family, [line]);
  }
  const pick = (wanted: (line: RolloutLine) => boolean) =>
    [...families.values()].flatMap((lines) => lines.find(wanted) ?? []);
  const solved = pick(({ score }) => score !== null && score >= 0.5);
  const failed = pick(({ score }) => score !== null && score < 0.5);
  const unscored = pick(({ score }) => score === null).slice(0, Math.ceil(most / 6));
  const half = Math.ceil((most - unscored.length) / 2);
  // Where one half is short, the other may have its places.
  const chosen = [
    ...solved.slice(0, Math.max(half, most - unscored.length - failed.length)),
    ...failed.slice(0, Math.max(half, most - unscored.length - solved.length)),
    ...unscored,
  ].slice(0, most);
  return chosen.sort((a, b) => a.level - b.level || a.family.localeCompare(b.family));
}
