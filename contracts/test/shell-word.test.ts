import { expect, test } from "vitest";
import { shellWord } from "../errors.ts";

test.each([
  ["/runs/train-1", "/runs/train-1"],
  ["/my runs/a", "'/my runs/a'"],
  ["it's", `'it'\\''s'`],
  ["", "''"],
  ["$(rm)", "'$(rm)'"],
])("%j is pasted into a shell as %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});
