import type { TrainingSequence } from "@openforgerl/contracts/sequence";
import { expect, test } from "vitest";
import { toDatum } from "../batch.ts";

const sequence: TrainingSequence = {
  schemaVersion: 1,
  sessionId: "s",
  role: "agent",
  //       text  image      text  sampled  text  sampled
  tokens: [7, 8, 0, 0, 0, 9, 20, 21, 10, 22],
  mask: [0, 0, 0, 0, 0, 0, 1, 1, 0, 1],
  logprobs: [0, 0, 0, 0, 0, 0, -0.5, -0.25, 0, -1],
  images: [
    {
      content: { sha256: "a".repeat(64), size: 3, mediaType: "image/png" },
      offset: 2,
      length: 3,
    },
  ],
  spans: [],
};

test("shifts targets by one and counts image placeholders as positions", () => {
  const datum = toDatum(sequence, 2);
  expect(datum.modelInput).toEqual([
    { type: "text", tokens: [7, 8] },
    { type: "image", sha256: "a".repeat(64), mediaType: "image/png", length: 3 },
    { type: "text", tokens: [9, 20, 21, 10] },
  ]);
  expect([...datum.targetTokens]).toEqual([8, 0, 0, 0, 9, 20, 21, 10, 22]);
  expect([...datum.mask]).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 1]);
  expect([...datum.advantages]).toEqual([0, 0, 0, 0, 0, 2, 2, 0, 2]);
  expect([...datum.logprobs]).toEqual([0, 0, 0, 0, 0, -0.5, -0.25, 0, -1]);
});

test("is as long as the input in every array", () => {
  const datum = toDatum(sequence, 1);
  const positions = datum.modelInput.reduce(
    (sum, chunk) => sum + (chunk.type === "text" ? chunk.tokens.length : chunk.length),
    0,
  );
  expect(positions).toBe(datum.targetTokens.length);
});
