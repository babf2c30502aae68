import sharp from "sharp";
import { expect, test } from "vitest";
import {
  FORM_FEATURES,
  MIDDLE_FEATURE,
  OBJECT_FEATURE,
  REGION_FEATURES,
  regionFeatures,
} from "../../embedded/regions.ts";
import { X_BINS, Y_BINS } from "../../embedded/tokens.ts";

const WIDTH = 96;
const HEIGHT = 72;

async function featuresOf(shapes: string): Promise<Float32Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="${WIDTH}" height="${HEIGHT}" fill="#f0f0fa"/>${shapes}</svg>`;
  const pixels = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return regionFeatures(pixels, WIDTH, HEIGHT);
}

/** The features of the cell that holds a pixel. */
function at(features: Float32Array, x: number, y: number): Float32Array {
  const cell = Math.floor(y / (HEIGHT / Y_BINS)) * X_BINS + Math.floor(x / (WIDTH / X_BINS));
  return features.subarray(cell * REGION_FEATURES, (cell + 1) * REGION_FEATURES);
}

/** The strongest of the features [from, from + count). */
function strongest(features: Float32Array, from: number, count: number): number {
  const part = features.subarray(from, from + count);
  return part.indexOf(Math.max(...part));
}

const EXTENT = FORM_FEATURES - 5;

test("a thing on a background is told from the background, and its middle from its edge", async () => {
  const features = await featuresOf(`<rect x="30" y="24" width="30" height="24" fill="#c02020"/>`);
  expect(at(features, 45, 36)[OBJECT_FEATURE]).toBe(1);
  expect(at(features, 5, 5)[OBJECT_FEATURE]).toBe(0);
  expect(at(features, 45, 36)[MIDDLE_FEATURE]).toBeGreaterThan(at(features, 32, 26)[MIDDLE_FEATURE]!);
});

test("a thing that the edge of the picture cuts off counts as background", async () => {
  const features = await featuresOf(`<rect x="0" y="24" width="30" height="24" fill="#c02020"/>`);
  expect(at(features, 15, 36)[OBJECT_FEATURE]).toBe(0);
});

test("equal colours give equal colour features wherever they are, and other colours others", async () => {
  const features = await featuresOf(
    `<rect x="6" y="6" width="20" height="20" fill="#c02020"/>` +
      `<circle cx="70" cy="50" r="12" fill="#c02020"/><rect x="60" y="6" width="20" height="20" fill="#2040c0"/>`,
  );
  const colour = (x: number, y: number) => [...at(features, x, y).subarray(FORM_FEATURES)];
  const apart = (a: number[], b: number[]) => a.reduce((sum, weight, i) => sum + Math.abs(weight - b[i]!), 0);
  // Blended pixels at an edge may belong to a thing, so its mean colour is not exact.
  expect(apart(colour(15, 15), colour(70, 50))).toBeLessThan(0.1);
  expect(apart(colour(15, 15), colour(70, 15))).toBeGreaterThan(1);
  const sum = colour(15, 15).reduce((total, weight) => total + weight, 0);
  expect(sum).toBeCloseTo(1, 5);
});

test("discs, boxes and triangles fill their bounding boxes differently", async () => {
  const features = await featuresOf(
    `<rect x="6" y="6" width="20" height="20" fill="#c02020"/>` +
      `<circle cx="70" cy="50" r="11" fill="#c02020"/><path d="M20 40L32 64L8 64Z" fill="#c02020"/>`,
  );
  const box = strongest(at(features, 15, 15), EXTENT, 5);
  const disc = strongest(at(features, 70, 50), EXTENT, 5);
  const triangle = strongest(at(features, 20, 58), EXTENT, 5);
  expect(triangle).toBeLessThan(disc);
  expect(disc).toBeLessThan(box);
});

test("every number is finite and small, whatever the picture", () => {
  let state = 1;
  const noise = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  for (const pixels of [
    noise,
    new Uint8Array(WIDTH * HEIGHT * 3),
    new Uint8Array(WIDTH * HEIGHT * 3).fill(255),
  ]) {
    const features = regionFeatures(pixels, WIDTH, HEIGHT);
    expect(features).toHaveLength(X_BINS * Y_BINS * REGION_FEATURES);
    expect(features.every((value) => Number.isFinite(value) && Math.abs(value) <= 1)).toBe(true);
  }
});
