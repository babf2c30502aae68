import type { Mark } from "@openforgerl/contracts/observation";
import sharp from "sharp";

/** Draws marks as a page might look, so that a picture and its marks agree. */
export async function pagePicture(
  marks: readonly Mark[],
  size: { width: number; height: number },
): Promise<Uint8Array> {
  const boxes = marks.map(({ box, role, name }) => {
    const { x, y, width, height } = box;
    const fill = role === "button" ? "#2f6fd6" : "#ffffff";
    const ink = role === "button" ? "#ffffff" : "#222222";
    const text = `<text x="${x + 8}" y="${y + height / 2 + 5}" font-size="14" font-family="sans-serif" fill="${ink}">${name}</text>`;
    const frame = role === "text" || role === "heading" ? "" : `stroke="#99a"`;
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="${fill}" ${frame}/>${text}`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><rect width="100%" height="100%" fill="#fff"/>${boxes.join("")}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
