import { Split } from "@openforgerl/contracts/task";
import { describe, expect, test } from "vitest";
import { splitOf } from "../../sites/core/split.ts";
import { countDistinct, generateTask, getFamily, listFamilies, listSites } from "../../sites/families.ts";

const FAMILIES = listFamilies().map((family) => [family.id, family] as const);
/** Families up to this size are counted out; of larger ones, repeats in a sample are counted. */
const SMALL = 1000;
const SAMPLE = 3000;

describe.each(FAMILIES)("%s", (id, family) => {
  test("draws the same task from the same seed", () => {
    for (const split of Split.options) {
      const task = family.instantiate(7, split).task;
      expect(generateTask({ family: id, seed: 7, split })).toEqual(task);
      expect(family.instantiate(7, split).state).toEqual(family.instantiate(7, split).state);
      expect(task).toMatchObject({ family: id, seed: 7, split, site: id.split("/")[0], level: family.level });
      expect(task.oracleSteps).toBeLessThanOrEqual(task.maxSteps);
    }
  });

  test("has no task in two splits", () => {
    const owner = new Map<string, string>();
    for (const split of Split.options) {
      for (let seed = 0; seed < 150; seed++) {
        const { key } = family.instantiate(seed, split).task;
        expect(owner.get(key) ?? split).toBe(split);
        owner.set(key, split);
      }
    }
  });

  test("has at least as many distinct tasks as it says", () => {
    const keys = new Set<string>();
    for (let seed = 0; seed < SAMPLE; seed++) keys.add(family.instantiate(seed, "train").task.key);
    if (family.distinct > SMALL) {
      // Among n draws from N, n²/2N repeats are to be expected; 80 % of the tasks are in this split.
      expect(SAMPLE - keys.size).toBeLessThan((1.5 * SAMPLE ** 2) / 2 / (0.8 * family.distinct) + 5);
      return;
    }
    for (let seed = SAMPLE; seed < 4 * SAMPLE; seed++) keys.add(family.instantiate(seed, "train").task.key);
    for (const split of ["dev", "test"] as const) {
      for (let seed = 0; seed < SAMPLE / 2; seed++) keys.add(family.instantiate(seed, split).task.key);
    }
    expect(keys.size).toBeGreaterThanOrEqual(family.distinct * 0.97);
  });
});

test("splits take 80, 10 and 10 per cent", () => {
  const counts = { train: 0, dev: 0, test: 0 };
  for (let i = 0; i < 20_000; i++) counts[splitOf("board/click-label", `key ${i}`)] += 1;
  expect(counts.train / 20_000).toBeCloseTo(0.8, 1);
  expect(counts.dev / 20_000).toBeCloseTo(0.1, 1);
  expect(counts.test / 20_000).toBeCloseTo(0.1, 1);
});

test("there are six sites, thirty families and thousands of tasks", () => {
  expect(listSites().length).toBeGreaterThanOrEqual(6);
  expect(FAMILIES.length).toBeGreaterThanOrEqual(30);
  expect(new Set(FAMILIES.map(([id]) => id)).size).toBe(FAMILIES.length);
  for (const { name } of listSites()) expect(FAMILIES.some(([, { site }]) => site === name)).toBe(true);
  expect(FAMILIES.reduce((sum, [id]) => sum + countDistinct(id), 0)).toBeGreaterThan(10_000);
  for (const level of [1, 2, 3, 4, 5])
    expect(FAMILIES.some(([, family]) => family.level === level)).toBe(true);
});

test("bad input is refused by name", () => {
  expect(() => getFamily("board/click-color")).toThrow(
    /no task family of that name \(got "board\/click-color"\)/,
  );
  const advice = expect.objectContaining({ advice: expect.stringContaining("board/click-colour") });
  expect(catching(() => getFamily("board/click-color"))).toEqual(advice);
  expect(() => generateTask({ family: "board/toggle", seed: -1, split: "train" })).toThrow(/seed \(got -1\)/);
  expect(() => generateTask({ family: "board/toggle", seed: 0, split: "prod" as never })).toThrow(
    /split \(got "prod"\)/,
  );
});

function catching(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
