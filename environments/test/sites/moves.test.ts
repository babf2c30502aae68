import type { Mark, Observation } from "@openforgerl/contracts/observation";
import { expect, test } from "vitest";
import { click, countSteps, findMark, follow, guess } from "../../sites/core/moves.ts";

function mark(id: number, role: string, name: string, more: Partial<Mark> = {}): Mark {
  return { id, role, name, box: { x: 0, y: id * 20, width: 80, height: 20 }, ...more };
}

function look(marks: Mark[], below = 0): Observation {
  return {
    marks,
    url: "http://site/",
    title: "",
    tabs: [],
    scroll: { above: 0, below },
    downloads: [],
    settled: { ok: true, ms: 0 },
  };
}

test("a mark is found by role and folded name", () => {
  const marks = [
    mark(0, "link", "Save"),
    mark(1, "button", " save "),
    mark(2, "button", "Save", { disabled: true }),
  ];
  expect(findMark(marks, { role: "button", name: "Save" })?.id).toBe(1);
  expect(findMark(marks, { role: "button", name: "Send" })).toBeUndefined();
});

test("two marks of one name are told apart by the text before them, or not at all", () => {
  const marks = [
    mark(0, "text", "Desk"),
    mark(1, "button", "Remove"),
    mark(2, "text", "Lamp"),
    mark(3, "button", "Remove"),
  ];
  expect(findMark(marks, { role: "button", name: "Remove" })).toBeUndefined();
  expect(findMark(marks, { role: "button", name: "Remove", after: "lamp" })?.id).toBe(3);
});

test("a script scrolls for what is below, and ends by saying done", () => {
  const policy = follow([click("button", "Go")]);
  expect(policy(look([], 500))).toMatchObject({ type: "scroll" });
  expect(policy(look([mark(4, "button", "Go")], 180))).toEqual({
    type: "click",
    at: { by: "mark", mark: 4 },
  });
  expect(policy(look([]))).toEqual({ type: "done" });
});

test("a script that finds no way on says what there is", () => {
  const policy = follow([click("button", "Go")]);
  expect(() => policy(look([mark(0, "link", "Home")]))).toThrow(
    /no \(or more than one\) button "Go"; there are: link "Home"/,
  );
});

test("answers are no steps", () => {
  expect(countSteps([click("link", "Home"), guess("7")])).toBe(1);
});
