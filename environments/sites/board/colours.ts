import type { Rng } from "../core/rng.ts";

/** Hue in degrees, saturation and lightness in per cent. */
const HSL: Record<string, readonly [number, number, number]> = {
  red: [0, 78, 50],
  orange: [28, 92, 54],
  yellow: [52, 92, 56],
  green: [125, 55, 42],
  blue: [218, 78, 52],
  purple: [276, 58, 48],
  pink: [335, 85, 76],
  brown: [24, 50, 28],
  black: [220, 8, 12],
  grey: [220, 4, 60],
};

/** Colours of the canvas lessons. */
export const COLOURS = Object.keys(HSL);

/** A CSS colour that a person would call by that name, varied a little. */
export function shade(colour: string, rng: Rng): string {
  const [hue, saturation, lightness] = HSL[colour] ?? [0, 0, 50];
  const vary = (value: number, by: number, high: number) =>
    Math.min(high, Math.max(0, value + rng.int(-by, by)));
  return `hsl(${(hue + rng.int(-5, 5) + 360) % 360} ${vary(saturation, 6, 100)}% ${vary(lightness, 4, 100)}%)`;
}
