import type { Rng } from "../core/rng.ts";
import { BOARD_VIEWPORT } from "./state.ts";

/** Space kept free around a thing, in CSS pixels. */
const GAP = 4;

/** Places a box at random in each of `sizes.length` distinct cells of a grid, so that none overlap. */
export function scatter(
  rng: Rng,
  sizes: readonly { width: number; height: number }[],
  grid: { columns: number; rows: number },
): { x: number; y: number }[] {
  const cellWidth = BOARD_VIEWPORT.width / grid.columns;
  const cellHeight = BOARD_VIEWPORT.height / grid.rows;
  const cells = rng.sample(
    Array.from({ length: grid.columns * grid.rows }, (_, i) => i),
    sizes.length,
  );
  return sizes.map(({ width, height }, i) => {
    const cell = cells[i] ?? 0;
    const left = (cell % grid.columns) * cellWidth;
    const top = Math.floor(cell / grid.columns) * cellHeight;
    return {
      x: Math.round(left) + rng.int(GAP, Math.max(GAP, Math.floor(cellWidth - width - GAP))),
      y: Math.round(top) + rng.int(GAP, Math.max(GAP, Math.floor(cellHeight - height - GAP))),
    };
  });
}
