import { expect, test } from "vitest";
import { wilson } from "../../statistics/intervals.ts";

test("gives the interval that Wilson's formula gives by hand", () => {
  // 8 of 10 at z = 1.95996: (0.8 + 0.19207) / 1.38415 ± (1.95996 / 1.38415) * sqrt(0.016 + 0.0096036)
  const { mean, interval } = wilson(8, 10);
  expect(mean).toBe(0.8);
  expect(interval[0]).toBeCloseTo(0.49016, 4);
  expect(interval[1]).toBeCloseTo(0.94332, 4);
});

test("stays inside 0..1 at the extremes and says nothing without trials", () => {
  expect(wilson(0, 5).interval[0]).toBe(0);
  expect(wilson(5, 5).interval[1]).toBe(1);
  expect(wilson(5, 5).interval[0]).toBeCloseTo(0.56552, 4);
  expect(wilson(0, 0)).toMatchObject({ mean: Number.NaN, interval: [0, 1] });
});

test("refuses counts that cannot be", () => {
  expect(() => wilson(3, 2)).toThrow(RangeError);
});
