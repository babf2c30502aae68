import type { TrainingSequence } from "@openforgerl/contracts/sequence";
import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import { expect, test } from "vitest";
import { buildBatch, type SequenceSource } from "../../loop/groups.ts";

/** Recordings by session; `v` is the policy version of their only span. */
function recordings(versions: Record<string, string | null>): SequenceSource {
  return {
    async sequences(sessionId): Promise<TrainingSequence[]> {
      const policyVersion = versions[sessionId];
      if (policyVersion === undefined) return [];
      return [
        {
          schemaVersion: 1,
          sessionId,
          role: "agent",
          tokens: [1, 2, 3],
          mask: [0, 0, 1],
          logprobs: [0, 0, -1],
          images: [],
          spans: [{ callId: "c", start: 2, end: 3, trained: true, policyVersion }],
        },
      ];
    },
  };
}

function line(sessionId: string, score: number | null): RolloutLine {
  return {
    schemaVersion: 1,
    rolloutId: sessionId,
    taskId: "t",
    family: "f",
    level: 1,
    split: "train",
    seed: 0,
    attempt: 1,
    stopReason: "answered",
    score,
    fault: null,
    steps: 1,
    calls: 1,
    wallMs: 1,
    sessionId,
    labels: {},
  };
}

test("each rollout's advantage reaches the sampled tokens of its own recording", async () => {
  const batch = await buildBatch(recordings({ a: "3", b: "3" }), [[line("a", 1), line("b", 0)]], "3", 1);
  expect(batch.groups).toHaveLength(1);
  expect(batch.groups[0]?.map(({ advantages }) => [...advantages])).toEqual([
    [0, 1],
    [0, -1],
  ]);
  expect(batch).toMatchObject({ tokens: 2, staleness: 0, uniformGroups: 0, skippedEpisodes: 0 });
});

test("where there is no recording there is nothing to train on", async () => {
  const batch = await buildBatch(recordings({}), [[line("a", 1), line("b", 0)]], "3", 1);
  expect(batch).toMatchObject({ groups: [], failed: [], tokens: 0 });
});

test("groups that failed throughout are kept apart; solved ones teach nothing", async () => {
  const source = recordings({ a: "1", b: "1", c: "1", d: "1" });
  const batch = await buildBatch(
    source,
    [
      [line("a", 0), line("b", 0)],
      [line("c", 1), line("d", 1)],
    ],
    "1",
    1,
  );
  expect(batch.groups).toEqual([]);
  expect(batch.failed).toHaveLength(1);
  expect(batch.failed[0]?.every(({ advantages }) => advantages.every((advantage) => advantage === 0))).toBe(
    true,
  );
  expect(batch.uniformGroups).toBe(2);
});

test("episodes without a score, of unknown age or too old are left out and counted", async () => {
  const source = recordings({ a: "5", b: "5", c: "5", d: "2", e: null });
  const group = [line("a", 1), line("b", 0), line("c", null), line("d", 0), line("e", 0)];
  const batch = await buildBatch(source, [group], "5", 1);
  expect(batch.groups[0]).toHaveLength(2);
  expect(batch.skippedEpisodes).toBe(3);
});

test("a rollout that never had a session is skipped, not read", async () => {
  const source: SequenceSource = {
    async sequences(sessionId) {
      if (sessionId === "") throw new Error("There is no session of that name.");
      return recordings({ a: "3", b: "3" }).sequences(sessionId);
    },
  };
  const batch = await buildBatch(source, [[line("a", 1), line("b", 0), line("", null)]], "3", 1);
  expect(batch.groups[0]).toHaveLength(2);
  expect(batch.skippedEpisodes).toBe(1);
});
