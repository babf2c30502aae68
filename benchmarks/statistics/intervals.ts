/** A proportion with the bounds of its 95% confidence interval. */
export interface Proportion {
  /** Successes. */
  successes: number;
  /** Trials. */
  n: number;
  /** successes / n; NaN when n is 0. */
  mean: number;
  /** Lower and upper bound, within 0..1. */
  interval: [number, number];
}

const Z_95 = 1.959963984540054;

/**
 * Wilson score interval at 95% (Wilson 1927; without continuity correction). It stays inside [0, 1] and is
 * usable for the small counts and extreme rates that evaluation has. Fractional successes (a judge's
 * partial scores) are accepted.
 * @throws RangeError when successes is not within 0..n.
 */
export function wilson(successes: number, n: number): Proportion {
  if (!(successes >= 0 && successes <= n)) throw new RangeError(`wilson: ${successes} successes of ${n}`);
  if (n === 0) return { successes, n, mean: Number.NaN, interval: [0, 1] };
  const mean = successes / n;
  const z2 = Z_95 * Z_95;
  const centre = (mean + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((mean * (1 - mean)) / n + z2 / (4 * n * n));
  return { successes, n, mean, interval: [Math.max(0, centre - half), Math.min(1, centre + half)] };
}
