import type { Datum } from "@openforgerl/contracts/engine";
import type { TrainingSequence } from "@openforgerl/contracts/sequence";
import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import { grpoAdvantages } from "../advantages/grpo.ts";
import { toDatum } from "../batch.ts";
import { stalenessOf } from "../staleness.ts";

/** The part of the proxy's record store that training reads. */
export interface SequenceSource {
  sequences(sessionId: string): Promise<TrainingSequence[]>;
}

/** A batch made from recordings, and what was left out of it. */
export interface Batch {
  /** Groups of rollouts of one task that scored differently: what GRPO learns from. */
  groups: Datum[][];
  /**
   * Groups that failed throughout. They have no advantage to learn from; only their entropy is raised, since a
   * policy that has settled on a wrong habit would otherwise never leave it.
   */
  failed: Datum[][];
  /** Largest lag of a trained token, in policy versions. */
  staleness: number;
  /** Sampled tokens that the batch trains. */
  tokens: number;
  /** Groups whose episodes all scored the same. */
  uniformGroups: number;
  /** Episodes left out because they are too old or have no score. */
  skippedEpisodes: number;
}

/**
 * Turns finished rollouts into a batch. It reads the proxy's recordings and the judge's scores, and nothing
 * else: where there is no recording there is nothing to train on.
 */
export async function buildBatch(
  source: SequenceSource,
  groups: ReadonlyArray<readonly RolloutLine[]>,
  learnerVersion: string,
  maxStaleness: number,
): Promise<Batch> {
  const batch: Batch = {
    groups: [],
    failed: [],
    staleness: 0,
    tokens: 0,
    uniformGroups: 0,
    skippedEpisodes: 0,
  };
  for (const group of groups) {
    const advantages = grpoAdvantages(group.map((line) => line.score ?? Number.NaN));
    const isUniform = advantages.every((advantage) => advantage === 0);
    if (isUniform) batch.uniformGroups++;
    if (isUniform && group.some((line) => line.score !== 0)) continue;
    const data: Datum[] = [];
    for (const [i, line] of group.entries()) {
      // A rollout without a score may never have had a session: there is nothing to read.
      if (line.score === null) {
        batch.skippedEpisodes++;
        continue;
      }
      const sequences = (await source.sequences(line.sessionId)).filter(({ role }) => role !== "judge");
      const lag = Math.max(0, ...sequences.map((sequence) => stalenessOf(sequence, learnerVersion)));
      if (lag > maxStaleness) {
        batch.skippedEpisodes++;
        continue;
      }
      batch.staleness = Math.max(batch.staleness, lag);
      for (const sequence of sequences) {
        batch.tokens += sequence.mask.reduce<number>((sum, bit) => sum + bit, 0);
        data.push(toDatum(sequence, advantages[i] ?? 0));
      }
    }
    if (data.length > 0) (isUniform ? batch.failed : batch.groups).push(data);
  }
  return batch;
}
