import { expect, test } from "vitest";
import { describeTokens } from "../../embedded/describe-tokens.ts";
import { spell } from "../../embedded/grammar.ts";

test("names the verb, each argument by its kind, and the end", () => {
  expect(describeTokens(spell({ verb: "click", choices: [3] }))).toEqual(["click", "mark 3", "end"]);
  expect(describeTokens(spell({ verb: "type_text", choices: [1, 4, 5, 1] }))).toEqual([
    "type_text",
    "mark 1",
    "from word 4",
    "to word 5",
    "and Enter",
    "end",
  ]);
  expect(describeTokens(spell({ verb: "press_key", choices: [0] }))).toEqual(["press_key", "Enter", "end"]);
});

test("gives a token out of place as its number", () => {
  expect(describeTokens([7, 8])).toEqual(["7", "8"]);
  expect(describeTokens([...spell({ verb: "done", choices: [] }), 9])).toEqual(["done", "end", "9"]);
});
