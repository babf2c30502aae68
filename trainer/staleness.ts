import type { TrainingSequence } from "@openforgerl/contracts/sequence";

/**
 * How many policy versions behind the learner the oldest trained token of a sequence is. Versions are decimal
 * counts of published updates; a span without a version counts as infinitely old.
 */
export function stalenessOf(sequence: TrainingSequence, learnerVersion: string): number {
  let lag = 0;
  for (const { trained, policyVersion } of sequence.spans) {
    if (!trained) continue;
    if (policyVersion === null) return Number.POSITIVE_INFINITY;
    lag = Math.max(lag, Number(learnerVersion) - Number(policyVersion));
  }
  return lag;
}
