import { expect, test } from "vitest";
import { grpoAdvantages } from "../../advantages/grpo.ts";

test("standardises rewards within the group", () => {
  // mean 1/4, population std sqrt(3)/4
  const [win, ...losses] = grpoAdvantages([1, 0, 0, 0]);
  expect(win).toBeCloseTo(Math.sqrt(3), 12);
  for (const loss of losses) expect(loss).toBeCloseTo(-1 / Math.sqrt(3), 12);
});

test("teaches nothing when all rewards are equal", () => {
  expect(grpoAdvantages([1, 1, 1])).toEqual([0, 0, 0]);
  expect(grpoAdvantages([0, 0])).toEqual([0, 0]);
});

test("leaves episodes without a score out of the statistics", () => {
  expect(grpoAdvantages([1, Number.NaN, 0])).toEqual([1, 0, -1]);
  expect(grpoAdvantages([Number.NaN, Number.NaN])).toEqual([0, 0]);
});
