import { Task } from "@openforgerl/contracts/task";
import type { Trajectory } from "@openforgerl/contracts/trajectory";

/** A complete trajectory for tests of what is done with trajectories. */
export function exampleTrajectory(rolloutId: string): Trajectory {
  return {
    schemaVersion: 1,
    rolloutId,
    task: Task.parse({
      schemaVersion: 1,
      id: "t",
      benchmark: "sites",
      family: "f",
      level: 1,
      split: "dev",
      instruction: "Click.",
      environment: { kind: "browser", start: { at: "url", url: "about:blank" } },
      limits: { maxSteps: 1, maxCalls: 2, deadlineSeconds: 10 },
      judge: { id: "j", version: "1" },
    }),
    seed: 0,
    attempt: 1,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:01.000Z",
    stopReason: "answered",
    steps: [],
    sessionId: "s",
    session: {
      calls: 1,
      completeCalls: 1,
      sequences: 1,
      mergeRatio: 1,
      sampledTokens: 2,
      deliveredTokens: 2,
      promptTokensAdded: 5,
      promptTokensTotal: 5,
      breaks: [],
    },
    verdict: { score: 1, reason: "done", evidence: {}, judge: { id: "j", version: "1" } },
    versions: {
      forge: "0",
      harness: { name: "builtin", version: "1" },
      model: { name: "m" },
      node: process.version,
    },
  };
}
