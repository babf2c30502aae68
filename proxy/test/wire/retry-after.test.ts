import { expect, test } from "vitest";
import { retryAfterMs } from "../../forward.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test.each([
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, 5000],
  [{ "retry-after": "Thu, 01 Jan 2025 00:00:05 GMT" }, 0],
  [{ "retry-after-ms": "150", "retry-after": "9" }, 150],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{}, undefined],
])("%j is %s ms", (headers, expected) => {
  expect(retryAfterMs(headers, now)).toBe(expected);
});
