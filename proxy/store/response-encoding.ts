import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Sha256 } from "@openforgerl/contracts/content";
import type { ResponseBody } from "./journal-format.ts";
import { type Blob, sha256 } from "./parts.ts";

/** Below this zstd saves less than base64 adds. */
const COMPRESS_BYTES = 400;
/** Compressed bodies longer than this go to the content store. */
const INLINE_BYTES = 16 * 1024;

const IDS_KEY = Buffer.from('"prompt_token_ids":');

/**
 * Encodes the exact bytes of a response. The prompt's token ids, which a server repeats in every answer and
 * which the journal already holds, are cut out where their text can be printed again to the byte.
 */
export function encodeResponse(
  bytes: Buffer,
  promptIds: ArrayLike<number> | undefined,
  keep: (blob: Blob) => void,
): ResponseBody {
  const cut = promptIds === undefined ? undefined : cutIds(bytes, promptIds);
  const body = cut?.body ?? bytes;
  const ids = cut === undefined ? {} : { ids: cut.ids };
  if (body.length < COMPRESS_BYTES) {
    const text = body.toString("utf8");
    if (Buffer.from(text).equals(body)) return { u: text, ...ids };
  }
  const packed = zstdCompressSync(body);
  if (packed.length <= INLINE_BYTES) return { z: packed.toString("base64"), ...ids };
  const address = sha256(packed);
  keep({ sha256: address, bytes: packed });
  return { b: address, ...ids };
}

/** The exact bytes again. @param promptIds needed where the ids were cut out. */
export async function decodeResponse(
  body: ResponseBody,
  promptIds: readonly number[],
  read: (address: Sha256) => Promise<Uint8Array>,
): Promise<Buffer> {
  const whole =
    body.u !== undefined
      ? Buffer.from(body.u)
      : zstdDecompressSync(body.z !== undefined ? Buffer.from(body.z, "base64") : await read(body.b ?? ""));
  if (body.ids === undefined) return whole;
  const [at, separator] = body.ids;
  return Buffer.concat([whole.subarray(0, at), Buffer.from(promptIds.join(separator)), whole.subarray(at)]);
}

function cutIds(
  bytes: Buffer,
  promptIds: ArrayLike<number>,
): { body: Buffer; ids: [number, string] } | undefined {
  const key = bytes.indexOf(IDS_KEY);
  if (key === -1) return undefined;
  const open = bytes.indexOf(0x5b, key + IDS_KEY.length);
  const close = bytes.indexOf(0x5d, open);
  if (open === -1 || close === -1) return undefined;
  const text = bytes.toString("latin1", open + 1, close);
  const separator = text.includes(", ") ? ", " : ",";
  if (text === "" || Array.prototype.join.call(promptIds, separator) !== text) return undefined;
  return {
    body: Buffer.concat([bytes.subarray(0, open + 1), bytes.subarray(close)]),
    ids: [open + 1, separator],
  };
}
