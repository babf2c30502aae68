import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeState, sameAnswer } from "../../sites/core/judge.ts";
import { listFamilies } from "../../sites/families.ts";
import type { TaskInstance } from "../../sites/types.ts";

const anyTask = { seed: fc.nat(100_000), split: fc.constantFrom("train", "dev", "test") };

/** Every leaf of a state that counts, as a way to change it. */
function leaves(instance: TaskInstance): { path: string; change: (state: object) => void }[] {
  const found: { path: string; change: (state: object) => void }[] = [];
  const solved = instance.solvedState();
  const walk = (value: unknown, path: string[]) => {
    if (typeof value === "object" && value !== null) {
      found.push({ path: `${path.join(".")} (extra)`, change: (state) => grow(at(state, path)) });
      for (const [key, child] of Object.entries(value)) walk(child, [...path, key]);
    } else if (path[0] !== "view" || solved.view !== "") {
      found.push({
        path: path.join("."),
        change: (state) => alter(at(state, path.slice(0, -1)), path.at(-1) ?? ""),
      });
    }
  };
  walk(solved, []);
  return found;
}

function at(state: object, path: readonly string[]): object {
  return path.reduce<object>((node, key) => Reflect.get(node, key) as object, state);
}

function grow(node: object): void {
  if (Array.isArray(node)) node.push("extra");
  else Reflect.set(node, "extra", "extra");
}

function alter(node: object, key: string): void {
  const value: unknown = Reflect.get(node, key);
  const other = typeof value === "boolean" ? !value : typeof value === "number" ? value + 1 : `${value}x`;
  Reflect.set(node, key, other);
}

describe.each(listFamilies().map((family) => [family.id, family] as const))("%s", (_id, family) => {
  test("the state asked for scores 1, the state at the start 0", () => {
    fc.assert(
      fc.property(anyTask.seed, anyTask.split, (seed, split) => {
        const instance = family.instantiate(seed, split as "train");
        expect(instance.verdict(instance.answer, instance.solvedState())).toMatchObject({ score: 1 });
        expect(instance.verdict(undefined)).toMatchObject({ score: 0 });
      }),
      { numRuns: 25 },
    );
  });

  test("any single thing else that is changed scores 0", () => {
    fc.assert(
      fc.property(anyTask.seed, anyTask.split, fc.nat(), (seed, split, which) => {
        const instance = family.instantiate(seed, split as "train");
        const ways = leaves(instance);
        const way = ways[which % ways.length];
        const state = instance.solvedState();
        way?.change(state);
        expect(instance.verdict(instance.answer, state), way?.path).toMatchObject({ score: 0 });
      }),
      { numRuns: 25 },
    );
  });

  test("a question needs its answer, and only a question has one", () => {
    const instance = family.instantiate(1, "train");
    const { answer } = instance;
    if (answer === undefined) return;
    const state = instance.solvedState();
    expect(instance.verdict(undefined, state)).toMatchObject({
      score: 0,
      reason: expect.stringContaining("no answer"),
    });
    expect(instance.verdict(`${answer} or so`, state)).toMatchObject({ score: 0 });
    expect(instance.verdict(` ${answer.toUpperCase().replace("$", "")} `, state)).toMatchObject({ score: 1 });
  });
});

test("a verdict names what differs, by path, and counts the rest", () => {
  const base = { view: "", cart: { a: 1 }, orders: [] as string[] };
  const verdict = judgeState(
    { ...base, cart: { a: 2 } } as never,
    { ...base, view: "/cart", orders: ["x"] } as never,
    { expected: undefined, given: undefined },
  );
  expect(verdict).toEqual({
    score: 0,
    reason: "cart.a should be 2 but is 1, and 1 more.",
    evidence: {
      differences: [
        { path: "cart.a", expected: 2, found: 1 },
        { path: "orders[0]", expected: undefined, found: "x" },
      ],
      differenceCount: 2,
    },
  });
});

test("answers are compared without white space, case, quotes and currency sign", () => {
  expect(sameAnswer("$12.50", "12.50")).toBe(true);
  expect(sameAnswer("Ada Berg", '  "ada\nberg".')).toBe(true);
  expect(sameAnswer("$12.50", "12.5")).toBe(false);
  expect(sameAnswer("Ada Berg", "Ada Berg and Bea Dahl")).toBe(false);
  expect(sameAnswer("Ada Berg", undefined)).toBe(false);
});
