import { X_BINS, Y_BINS } from "./tokens.ts";

/** Hue bins of a region's colour, 30 degrees apart, each at three lightnesses. */
const HUES = 12;
const LIGHTNESSES = [0.28, 0.52, 0.78];
/** Lightnesses of colours without a hue. */
const GREYS = [0.1, 0.4, 0.65, 0.95];
/** Shares of its bounding box that a region fills: half for a triangle, 0.79 for a disc, all for a box. */
const EXTENTS = [0.35, 0.5, 0.65, 0.8, 0.95];

/** Length of what is known of a cell's region whatever its colour; these features come first. */
export const FORM_FEATURES = 8 + EXTENTS.length;
/** Length of what is known of a cell's region. */
export const REGION_FEATURES = FORM_FEATURES + HUES * LIGHTNESSES.length + GREYS.length;

/** Neighbouring pixels belong together when no channel differs by more. */
const TOLERANCE = 12;
/** Smaller regions are edges and letters. */
const SMALLEST_OBJECT = 12;
/** Larger regions are background; share of the picture. */
const LARGEST_OBJECT = 0.4;

/** Place of the flag for a region that stands free inside the picture, and of the cell's closeness to its middle. */
export const OBJECT_FEATURE = 0;
export const MIDDLE_FEATURE = 1;

interface Region {
  area: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Sums over the region's pixels, 0 to 255 each. */
  red: number;
  green: number;
  blue: number;
}

/**
 * What each cell of the pointing grid shows: colour, form and place of the region of one colour that a click on
 * the cell's middle would hit. Pure.
 * @param pixels RGB, row by row; width and height are multiples of X_BINS and Y_BINS.
 * @returns (Y_BINS * X_BINS) x REGION_FEATURES.
 */
export function regionFeatures(pixels: Uint8Array, width: number, height: number): Float32Array {
  const { labels, regions } = segment(pixels, width, height);
  const features = new Float32Array(Y_BINS * X_BINS * REGION_FEATURES);
  const cellWidth = width / X_BINS;
  const cellHeight = height / Y_BINS;
  for (let row = 0; row < Y_BINS; row++) {
    for (let col = 0; col < X_BINS; col++) {
      const x = Math.floor((col + 0.5) * cellWidth);
      const y = Math.floor((row + 0.5) * cellHeight);
      const label = labels[y * width + x]!;
      let inside = 0;
      for (let v = row * cellHeight; v < (row + 1) * cellHeight; v++) {
        for (let u = col * cellWidth; u < (col + 1) * cellWidth; u++) {
          if (labels[v * width + u] === label) inside++;
        }
      }
      features.set(
        describe(regions[label]!, { x, y, share: inside / (cellWidth * cellHeight), width, height }),
        (row * X_BINS + col) * REGION_FEATURES,
      );
    }
  }
  return features;
}

/** Connected regions of nearly one colour, by flood fill. */
function segment(
  pixels: Uint8Array,
  width: number,
  height: number,
): { labels: Int32Array; regions: Region[] } {
  const labels = new Int32Array(width * height).fill(-1);
  const regions: Region[] = [];
  const queue = new Int32Array(width * height);
  const alike = (a: number, b: number) =>
    Math.abs(pixels[3 * a]! - pixels[3 * b]!) <= TOLERANCE &&
    Math.abs(pixels[3 * a + 1]! - pixels[3 * b + 1]!) <= TOLERANCE &&
    Math.abs(pixels[3 * a + 2]! - pixels[3 * b + 2]!) <= TOLERANCE;
  for (let start = 0; start < labels.length; start++) {
    if (labels[start] !== -1) continue;
    const label = regions.length;
    const region = { area: 0, left: width, right: 0, top: height, bottom: 0, red: 0, green: 0, blue: 0 };
    labels[start] = label;
    queue[0] = start;
    for (let head = 0, tail = 1; head < tail; head++) {
      const at = queue[head]!;
      const x = at % width;
      const y = (at - x) / width;
      region.area++;
      region.left = Math.min(region.left, x);
      region.right = Math.max(region.right, x);
      region.top = Math.min(region.top, y);
      region.bottom = Math.max(region.bottom, y);
      region.red += pixels[3 * at]!;
      region.green += pixels[3 * at + 1]!;
      region.blue += pixels[3 * at + 2]!;
      const visit = (next: number) => {
        if (labels[next] !== -1 || !alike(at, next)) return;
        labels[next] = label;
        queue[tail++] = next;
      };
      if (x > 0) visit(at - 1);
      if (x < width - 1) visit(at + 1);
      if (y > 0) visit(at - width);
      if (y < height - 1) visit(at + width);
    }
    regions.push(region);
  }
  return { labels, regions };
}

function describe(
  region: Region,
  cell: { x: number; y: number; share: number; width: number; height: number },
): number[] {
  const { area, left, right, top, bottom } = region;
  const w = right - left + 1;
  const h = bottom - top + 1;
  const touches = left === 0 || top === 0 || right === cell.width - 1 || bottom === cell.height - 1;
  const isObject =
    !touches && area >= SMALLEST_OBJECT && area <= LARGEST_OBJECT * cell.width * cell.height ? 1 : 0;
  const dx = (cell.x + 0.5 - (left + right + 1) / 2) / (w / 2);
  const dy = (cell.y + 0.5 - (top + bottom + 1) / 2) / (h / 2);
  const aspect = Math.log(w / h);
  return [
    isObject,
    isObject * Math.max(0, 1 - Math.max(Math.abs(dx), Math.abs(dy))),
    isObject * cell.share,
    isObject * Math.sqrt(area / (cell.width * cell.height)),
    isObject * bump(aspect - 0.7, 0.7),
    isObject * bump(aspect, 0.7),
    isObject * bump(aspect + 0.7, 0.7),
    isObject * dy,
    ...EXTENTS.map((extent) => isObject * bump(area / (w * h) - extent, 0.15)),
    ...colourBins(region.red / area / 255, region.green / area / 255, region.blue / area / 255),
  ];
}

/** A colour as weights that sum to 1 over hues at three lightnesses and a few greys. */
function colourBins(red: number, green: number, blue: number): number[] {
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  const chroma = high - low;
  const lightness = (high + low) / 2;
  let hue = 0;
  if (chroma > 0) {
    if (high === red) hue = ((green - blue) / chroma + 6) % 6;
    else if (high === green) hue = (blue - red) / chroma + 2;
    else hue = (red - green) / chroma + 4;
  }
  // Hue means little in a colour with hardly any.
  const coloured = Math.min(1, chroma / 0.25);
  const byHue = Array.from({ length: HUES }, (_, i) => {
    const apart = Math.abs(hue * (HUES / 6) - i);
    return bump(Math.min(apart, HUES - apart), 1);
  });
  const byLightness = spread(LIGHTNESSES, lightness);
  return [
    ...byLightness.flatMap((light) => byHue.map((share) => coloured * light * share)),
    ...spread(GREYS, lightness).map((share) => (1 - coloured) * share),
  ];
}

/** A value as weights of its two nearest knots. */
function spread(knots: readonly number[], value: number): number[] {
  const clamped = Math.min(knots.at(-1)!, Math.max(knots[0]!, value));
  return knots.map((knot, i) => {
    const neighbour = clamped < knot ? knots[i - 1] : knots[i + 1];
    return neighbour === undefined
      ? clamped === knot
        ? 1
        : 0
      : bump(clamped - knot, Math.abs(neighbour - knot));
  });
}

/** A triangle of height 1 at 0. */
function bump(distance: number, reach: number): number {
  return Math.max(0, 1 - Math.abs(distance) / reach);
}
