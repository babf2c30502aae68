import { createHash, randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { asForgeError, ForgeError } from "@openforgerl/contracts/errors";
import { z } from "zod";

/** First bytes of a file; the digit is the format's version. */
const MAGIC = Buffer.from("OFRLPOL1");

const Header = z.object({
  schemaVersion: z.literal(1),
  model: z.string(),
  /** Names and shapes of the weights, hashed: files of another architecture are refused. */
  architecture: z.string(),
  policyVersion: z.int().nonnegative(),
  adamSteps: z.int().nonnegative(),
  /** Floats in each of the three arrays. */
  count: z.int().positive(),
  /** Over the arrays' bytes. */
  sha256: z.string(),
});
export type CheckpointHeader = z.infer<typeof Header>;

/** What a checkpoint holds besides its header: equally long arrays. */
export interface CheckpointArrays {
  weights: Float32Array;
  first: Float32Array;
  second: Float32Array;
}

/**
 * Writes a checkpoint so that the path holds either the old file or the whole new one, also after a power cut.
 * @throws ForgeError `trainer/checkpoint_write_failed`.
 */
export async function writeCheckpoint(
  path: string,
  header: Omit<CheckpointHeader, "schemaVersion" | "count" | "sha256">,
  arrays: CheckpointArrays,
): Promise<void> {
  const payload = Buffer.concat([arrays.weights, arrays.first, arrays.second].map(bytesOf));
  const full: CheckpointHeader = {
    schemaVersion: 1,
    ...header,
    count: arrays.weights.length,
    sha256: createHash("sha256").update(payload).digest("hex"),
  };
  const json = Buffer.from(JSON.stringify(full));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const building = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(building, "wx");
    try {
      await file.writeFile(Buffer.concat([MAGIC, length, json, payload]));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(building, path);
    await syncFolder(dirname(path));
  } catch (thrown) {
    await rm(building, { force: true });
    throw asForgeError(thrown, {
      boundary: "trainer",
      code: "checkpoint_write_failed",
      advice: `Check that ${dirname(path)} exists, is writable and has room for ${payload.length} bytes.`,
    });
  }
}

/**
 * Reads and checks a checkpoint of this architecture and size.
 * @throws ForgeError `trainer/checkpoint_unreadable`, `input/checkpoint_corrupt` or
 * `input/checkpoint_mismatch`.
 */
export async function readCheckpoint(
  path: string,
  architecture: string,
): Promise<{ header: CheckpointHeader; arrays: CheckpointArrays }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    throw asForgeError(thrown, {
      boundary: "trainer",
      code: "checkpoint_unreadable",
      advice: "Name a file that the embedded engine has saved.",
    });
  }
  const headerStart = MAGIC.length + 4;
  if (bytes.length < headerStart || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw corrupt(path, "it does not begin like a checkpoint of the embedded engine");
  }
  const headerEnd = headerStart + bytes.readUInt32LE(MAGIC.length);
  const header = parseHeader(path, bytes.subarray(headerStart, headerEnd).toString("utf8"));
  const payload = bytes.subarray(headerEnd);
  if (payload.length !== header.count * 3 * Float32Array.BYTES_PER_ELEMENT) {
    throw corrupt(path, `it has ${payload.length} bytes of weights where ${header.count * 12} belong`);
  }
  if (createHash("sha256").update(payload).digest("hex") !== header.sha256) {
    throw corrupt(path, "its checksum does not match its contents");
  }
  if (header.architecture !== architecture) {
    throw new ForgeError({
      boundary: "input",
      code: "checkpoint_mismatch",
      message: `${path} was saved by another version of the embedded policy`,
      advice: "Train again with this version, or use the version that saved the file.",
    });
  }
  // A copy, because the payload need not be aligned for floats.
  const floats = new Float32Array(Uint8Array.from(payload).buffer);
  const part = (i: number) => floats.subarray(i * header.count, (i + 1) * header.count);
  return { header, arrays: { weights: part(0), first: part(1), second: part(2) } };
}

function parseHeader(path: string, json: string): CheckpointHeader {
  try {
    return Header.parse(JSON.parse(json));
  } catch (thrown) {
    throw corrupt(path, "its header is damaged", thrown);
  }
}

function corrupt(path: string, why: string, cause?: unknown): ForgeError {
  return new ForgeError({
    boundary: "input",
    code: "checkpoint_corrupt",
    message: `${path} is damaged: ${why}`,
    advice: "Use an older checkpoint.",
    cause,
  });
}

function bytesOf(array: Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
