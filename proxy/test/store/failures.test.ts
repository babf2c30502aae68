import { readFile, truncate, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { blobPath } from "../../store/blobs.ts";
import { nodeFiles, type StoreFiles } from "../../store/files.ts";
import { sha256 } from "../../store/parts.ts";
import { journalPath } from "../../store/session-writer.ts";
import { openStore } from "../../store.ts";
import { recordsDir, sessionWriter, writeCall } from "../support/records.ts";

const body = (text: string): Buffer =>
  Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] }));
const long = "a long text of the prompt ".repeat(60);
const tokens = { prompt: [1, 2, 3], sampled: [4], logprobs: [-0.5], images: [] };

/** A file system that has room for so many bytes more. */
function smallDisk(room: number): StoreFiles & { room: number } {
  const take = (bytes: Uint8Array): void => {
    if (bytes.length > disk.room) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    disk.room -= bytes.length;
  };
  const disk = {
    ...nodeFiles,
    room,
    writeAtomic: async (path: string, bytes: Uint8Array) => {
      take(bytes);
      await nodeFiles.writeAtomic(path, bytes);
    },
    openAppend: async (path: string) => {
      const file = await nodeFiles.openAppend(path);
      const append = async (bytes: Uint8Array): Promise<void> => {
        take(bytes);
        await file.append(bytes);
      };
      return { ...file, append };
    },
  };
  return disk;
}

test("a full disk names the path and the bytes needed, and damages nothing that was sealed", async () => {
  const dir = await recordsDir();
  const disk = smallDisk(20_000);
  const sealed = sessionWriter(dir, "first", { files: disk });
  await writeCall(sealed, "first", 0, body(long), Buffer.from("answer"), tokens);
  await sealed.seal();

  const doomed = sessionWriter(dir, "second", { files: disk });
  await writeCall(doomed, "second", 0, body("short"), Buffer.from("answer"), tokens);
  disk.room = 500;
  const other = long.replaceAll("long", "different");
  await expect(writeCall(doomed, "second", 1, body(other), Buffer.from("x"), tokens)).rejects.toMatchObject({
    boundary: "proxy",
    code: "disk_full",
    message: expect.stringContaining(`${other.length} bytes needed`),
    advice: expect.stringContaining(dir),
  });
  await expect(doomed.seal()).rejects.toMatchObject({ code: "disk_full" });
  await doomed.close();

  const store = openStore(dir);
  expect(await store.verify("first")).toEqual([]);
  expect(await store.readSession("second")).toMatchObject({ sealedAt: null, calls: 1, torn: false });
});

test("a journal cut in its last line keeps every line before it, and says so", async () => {
  const dir = await recordsDir();
  const writer = sessionWriter(dir, "s");
  for (let index = 0; index < 3; index++) {
    await writeCall(writer, "s", index, body(`${long}${index}`), Buffer.from(`answer ${index}`), tokens);
  }
  await writer.close();
  const path = journalPath(dir, "s");
  const whole = await readFile(path);
  const lastLine = whole.lastIndexOf("\n", whole.length - 2) + 1;
  for (const size of [lastLine + 1, lastLine + 40, whole.length - 1]) {
    await writeFile(path, whole.subarray(0, size));
    const store = openStore(dir);
    expect(await store.readSession("s")).toMatchObject({ sealedAt: null, calls: 2, torn: true });
    const [first] = await store.readCalls("s");
    expect((await store.openCall(first!)).tokens).toEqual(tokens);
    expect(await store.report("s")).toMatchObject({ calls: 2, completeCalls: 2 });
    expect((await store.verify("s")).map(({ message }) => message)).toEqual([
      expect.stringMatching(/cut short/),
      "the session was never sealed",
    ]);
  }
});

test("an altered blob, a missing blob and an altered line are found", async () => {
  const dir = await recordsDir();
  const writer = sessionWriter(dir, "s");
  const record = await writeCall(writer, "s", 0, body(long), Buffer.from("answer"), tokens);
  await writer.seal();
  const path = blobPath(dir, sha256(long));
  await writeFile(path, long.toUpperCase());
  expect(await openStore(dir).verify("s")).toMatchObject([
    { callId: record.id, message: expect.stringContaining("damaged") },
  ]);
  await truncate(path, 0);
  expect(await openStore(dir).verify("s")).toHaveLength(1);
  await writeFile(path, long);
  expect(await openStore(dir).verify("s")).toEqual([]);
  const journal = journalPath(dir, "s");
  await writeFile(journal, (await readFile(journal, "utf8")).replace('"answer"', '"another"'));
  expect(await openStore(dir).verify("s")).toMatchObject([{ message: expect.stringContaining("response") }]);
});

test("a sealed journal is durable before its seal returns: blobs first, then the journal", async () => {
  const dir = await recordsDir();
  const synced: string[] = [];
  const files: StoreFiles = {
    ...nodeFiles,
    sync: async (path) => {
      synced.push(path);
      await nodeFiles.sync(path);
    },
    openAppend: async (path) => {
      const file = await nodeFiles.openAppend(path);
      return {
        ...file,
        sync: async () => {
          synced.push(path);
          expect((await readFile(path, "utf8")).trimEnd().split("\n").at(-1)).toContain('"t":"end"');
          await file.sync();
        },
      };
    },
  };
  const writer = sessionWriter(dir, "s", { files, durability: "fsync" });
  await writeCall(writer, "s", 0, body(long), Buffer.from("answer"));
  expect(synced).toEqual([]);
  await writer.seal();
  const blob = blobPath(dir, sha256(long));
  expect(synced.indexOf(blob)).toBeGreaterThanOrEqual(0);
  expect(synced.indexOf(journalPath(dir, "s"))).toBeGreaterThan(synced.indexOf(blob));
});

test("a session that isn't there is named", async () => {
  await expect(openStore(await recordsDir()).readCalls("nobody")).rejects.toMatchObject({
    boundary: "input",
    code: "no_such_session",
    message: expect.stringContaining("nobody"),
  });
});
