import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { createLocalBackend } from "../local-backend.ts";

test("hands out at most its places and passes a freed one on", async () => {
  const backend = createLocalBackend(1);
  const first = await backend.acquire("r1", new AbortController().signal);
  expect(existsSync(first.scratchDir)).toBe(true);
  let granted = false;
  const waiting = backend.acquire("r2", new AbortController().signal).then((lease) => {
    granted = true;
    return lease;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(granted).toBe(false);
  await first.release();
  const second = await waiting;
  expect(second.scratchDir).not.toBe(first.scratchDir);
  expect(existsSync(first.scratchDir)).toBe(false);
  await backend.close();
  expect(existsSync(second.scratchDir)).toBe(false);
});

test("an aborted wait is refused and takes no place", async () => {
  const backend = createLocalBackend(1);
  const lease = await backend.acquire("r1", new AbortController().signal);
  const abort = new AbortController();
  const waiting = backend.acquire("r2", abort.signal);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ boundary: "runtime", code: "cancelled" });
  await lease.release();
  await (await backend.acquire("r3", new AbortController().signal)).release();
  await backend.close();
});
