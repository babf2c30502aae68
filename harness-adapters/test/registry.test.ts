import { ForgeError } from "@openforgerl/contracts/errors";
import { getHarness, listHarnesses } from "@openforgerl/harness-adapters/registry";
import { expect, test } from "vitest";

test("every harness is found by its own name", () => {
  for (const adapter of listHarnesses()) expect(getHarness(adapter.name)).toBe(adapter);
  expect(listHarnesses().map((adapter) => adapter.name)).toContain("builtin");
});

test("an unknown name is answered with the nearest and with all of them", () => {
  const failure = (() => {
    try {
      getHarness("Built-in");
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(failure).toBeInstanceOf(ForgeError);
  expect(failure).toMatchObject({ boundary: "input", code: "bad_input" });
  expect((failure as ForgeError).message).toContain('"Built-in"');
  expect((failure as ForgeError).advice).toMatch(/Did you mean "builtin"\?.*builtin/);
});
