import { createHash, hash } from "node:crypto";
import type { Sha256 } from "@openforgerl/contracts/content";
import { longStrings } from "./json-scan.ts";

/** Text of at least this many bytes goes to the content store; what is shorter costs less in the journal. */
export const TEXT_BLOB_BYTES = 1024;
/** Strings shorter than this are not looked at: the smallest PNG there is has 90 base64 characters. */
const SHORTEST_STRING = 64;

/** A stretch cut out of a part: where it goes back in the skeleton, the blob, and how the blob is written. */
export type Hole = [offset: number, sha256: Sha256, form: "base64" | "text"];

/** A stretch of JSON text with its large strings taken out. */
export interface Part {
  /** The text without its holes and cache marks. */
  skeleton: string;
  holes: Hole[];
  /** Base64 images, decoded, in order; each is also a hole. */
  images: { sha256: Sha256; size: number }[];
  /** Cache breakpoints taken out: offset in the skeleton, text. Harnesses move them from call to call. */
  cacheMarks: [offset: number, text: string][];
}

export interface Blob {
  sha256: Sha256;
  bytes: Uint8Array;
}

export function sha256(data: string | Uint8Array): Sha256 {
  return hash("sha256", data, "hex");
}

/**
 * A cache breakpoint with a comma in front. In valid JSON the quote behind that comma can only open a key,
 * because inside a string it would carry a backslash; so a match is always a whole member.
 */
const CACHE_MARK = /,\s*"cache_control"\s*:\s*\{[^{}]*\}/g;

/** Takes a JSON text apart. Blobs are handed to `keep` as they are found. */
export function cutPart(text: Buffer, keep: (blob: Blob) => void): Part {
  const holes: Hole[] = [];
  const images: Part["images"] = [];
  let skeleton = "";
  let from = 0;
  for (const { start, end } of longStrings(text, SHORTEST_STRING)) {
    const inner = text.subarray(start + 1, end - 1);
    const prefix = base64Prefix(text, start, inner);
    const decoded = prefix === undefined ? undefined : decodeExactly(inner.subarray(prefix));
    if (decoded !== undefined) {
      const address = sha256(decoded);
      keep({ sha256: address, bytes: decoded });
      skeleton += text.toString("utf8", from, start + 1 + prefix!);
      holes.push([skeleton.length, address, "base64"]);
      images.push({ sha256: address, size: decoded.length });
      from = end - 1;
    } else if (inner.length >= TEXT_BLOB_BYTES) {
      const address = sha256(inner);
      // The body's buffer is not ours to hold on to.
      keep({ sha256: address, bytes: Buffer.from(inner) });
      skeleton += text.toString("utf8", from, start + 1);
      holes.push([skeleton.length, address, "text"]);
      from = end - 1;
    }
  }
  skeleton += text.toString("utf8", from);
  return takeCacheMarks({ skeleton, holes, images, cacheMarks: [] });
}

/** Puts a part together again. */
export async function joinPart(
  part: Pick<Part, "skeleton" | "holes" | "cacheMarks">,
  read: (address: Sha256) => Promise<Uint8Array>,
): Promise<string> {
  const inserts: [offset: number, text: string][] = [...part.cacheMarks];
  for (const [offset, address, form] of part.holes) {
    const bytes = Buffer.from(await read(address));
    inserts.push([offset, bytes.toString(form === "base64" ? "base64" : "utf8")]);
  }
  inserts.sort(([a], [b]) => a - b);
  let joined = "";
  let from = 0;
  for (const [offset, text] of inserts) {
    joined += part.skeleton.slice(from, offset) + text;
    from = offset;
  }
  return joined + part.skeleton.slice(from);
}

/** Address of a part: its skeleton and holes, cache marks left out. */
export function partAddress(part: Pick<Part, "skeleton" | "holes">): Sha256 {
  return createHash("sha256")
    .update(part.skeleton)
    .update("\0")
    .update(JSON.stringify(part.holes))
    .digest("hex");
}

/** Length of what stands before the base64 text of an image, or undefined where the string is no image. */
function base64Prefix(text: Buffer, start: number, inner: Buffer): number | undefined {
  if (inner.subarray(0, 5).equals(DATA_URL)) {
    const at = inner.subarray(0, 128).indexOf(";base64,");
    return at === -1 ? undefined : at + ";base64,".length;
  }
  const before = text.toString("latin1", Math.max(0, start - 12), start);
  return /"data"\s*:\s*$/.test(before) ? 0 : undefined;
}
const DATA_URL = Buffer.from("data:");

/** Decodes base64 that encodes back to the very same text. */
function decodeExactly(encoded: Buffer): Buffer | undefined {
  const text = encoded.toString("latin1");
  const decoded = Buffer.from(text, "base64");
  return decoded.length > 0 && decoded.toString("base64") === text ? decoded : undefined;
}

function takeCacheMarks(part: Part): Part {
  if (!part.skeleton.includes('"cache_control"')) return part;
  const marks: Part["cacheMarks"] = [];
  const shifts: [end: number, by: number][] = [];
  let removed = 0;
  const skeleton = part.skeleton.replace(CACHE_MARK, (text, offset: number) => {
    marks.push([offset - removed, text]);
    removed += text.length;
    shifts.push([offset + text.length, removed]);
    return "";
  });
  const holes = part.holes.map(([offset, address, form]): Hole => {
    const by = shifts.findLast(([end]) => end <= offset)?.[1] ?? 0;
    return [offset - by, address, form];
  });
  return { ...part, skeleton, holes, cacheMarks: marks };
}
