import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openStore } from "../../store.ts";
import { recordsDir } from "../support/records.ts";

const writer = fileURLToPath(new URL("../support/endless-writer.ts", import.meta.url));

test("kill -9 amid writing loses no call that was written, and leaves nothing unreadable", async () => {
  const dir = await recordsDir();
  const child = spawn(process.execPath, ["--conditions=openforgerl", writer, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let last = -1;
  try {
    let seen = "";
    for await (const chunk of child.stdout) {
      seen += String(chunk);
      last = Number(seen.trimEnd().split("\n").at(-1));
      if (last >= 40) break;
    }
  } finally {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  const store = openStore(dir);
  const records = await store.readCalls("s");
  expect(records.length).toBeGreaterThan(last);
  expect(await store.readSession("s")).toMatchObject({ sealedAt: null, calls: records.length });
  const problems = (await store.verify("s")).map(({ message }) => message);
  expect(problems.at(-1)).toBe("the session was never sealed");
  expect(problems.slice(0, -1).filter((message) => !message.includes("cut short"))).toEqual([]);
  const opened = await store.openCall(records.at(-1)!);
  expect((opened.request as { messages: unknown[] }).messages).toHaveLength(records.length);
  expect((await store.sequences("s"))[0]?.spans).toHaveLength(records.length);
});
