import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Non-negative integers (up to 2^31 - 1) as text: LEB128 varints, zstd where that is shorter (runs of image
 * placeholders), base64. The first letter says which: `v` or `z`.
 */
export function encodeInts(values: ArrayLike<number>): string {
  const bytes = Buffer.allocUnsafe(values.length * 5);
  let at = 0;
  for (let index = 0; index < values.length; index++) {
    let value = values[index]!;
    while (value >= 0x80) {
      bytes[at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    bytes[at++] = value;
  }
  const plain = bytes.subarray(0, at);
  // Below this a zstd frame's own header outweighs what it can save.
  if (at > 64) {
    const packed = zstdCompressSync(plain);
    if (packed.length < plain.length) return `z${packed.toString("base64")}`;
  }
  return `v${plain.toString("base64")}`;
}

export function decodeInts(text: string): number[] {
  const raw = Buffer.from(text.slice(1), "base64");
  const bytes = text.startsWith("z") ? zstdDecompressSync(raw) : raw;
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const byte of bytes) {
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) {
      values.push(value);
      value = 0;
      shift = 0;
    }
  }
  return values;
}

/** Floats as text, exactly: little-endian float32 (`f`) where every value is one, else float64 (`d`). */
export function encodeFloats(values: readonly number[]): string {
  const single = values.every((value) => Object.is(Math.fround(value), value));
  const size = single ? 4 : 8;
  const bytes = Buffer.allocUnsafe(values.length * size);
  for (const [index, value] of values.entries()) {
    if (single) bytes.writeFloatLE(value, index * 4);
    else bytes.writeDoubleLE(value, index * 8);
  }
  return (single ? "f" : "d") + bytes.toString("base64");
}

export function decodeFloats(text: string): number[] {
  const bytes = Buffer.from(text.slice(1), "base64");
  const single = text.startsWith("f");
  return Array.from({ length: bytes.length / (single ? 4 : 8) }, (_, index) =>
    single ? bytes.readFloatLE(index * 4) : bytes.readDoubleLE(index * 8),
  );
}
