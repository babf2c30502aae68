import { crc32, deflateSync } from "node:zlib";

/**
 * A PNG that looks like a screenshot to a compressor: flat boxes and a strip of noise. Another seed gives
 * another picture; 640x400 comes to 10 to 20 KB.
 */
export function screenshotPng(seed: number, width = 640, height = 400): Buffer {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const stride = width * 3 + 1;
  const pixels = Buffer.alloc(stride * height, 240);
  for (let box = 0; box < 60; box++) {
    const [left, top] = [random(width - 80), random(height - 40)];
    const colour = [random(256), random(256), random(256)];
    for (let y = top; y < top + 10 + random(30); y++) {
      for (let x = left; x < left + 70; x++) pixels.set(colour, y * stride + 1 + x * 3);
    }
  }
  for (let at = 0; at < 3500; at++) pixels[random(pixels.length)] = random(256);
  for (let y = 0; y < height; y++) pixels[y * stride] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}
