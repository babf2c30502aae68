import { FloatMemory } from "../../../embedded/autodiff/memory.ts";
import { Tape, type Tensor } from "../../../embedded/autodiff/tape.ts";
import { Draws } from "./random.ts";

/** Inputs of a checked operation: rows, cols, and whether to keep values away from zero (kinks). */
export interface InputShape {
  rows: number;
  cols: number;
  awayFromZero?: boolean;
}

/**
 * Compares the gradients of an operation with central finite differences, for a random weighting of its
 * outputs, in the direction of each single input number.
 * @returns the largest difference relative to the largest gradient.
 */
export function gradientError(
  shapes: readonly InputShape[],
  operation: (tape: Tape, inputs: Tensor[]) => Tensor,
  seed = 1,
): number {
  const memory = new FloatMemory(8);
  const draws = new Draws(seed);
  const inputs = shapes.map(({ rows, cols, awayFromZero }): Tensor => {
    const data = memory.allocate(rows * cols);
    for (let i = 0; i < data.length; i++) {
      const value = draws.float() * 2 - 1;
      data[i] = awayFromZero ? Math.sign(value) * (0.2 + Math.abs(value)) : value;
    }
    return { rows, cols, data, grad: memory.allocate(rows * cols) };
  });
  const start = memory.mark();
  const tape = new Tape(memory, true);
  const out = operation(tape, inputs);
  const weights = Array.from(out.data, () => draws.float() * 2 - 1);
  out.grad.set(weights.map((weight, i) => (Number.isFinite(out.data[i]!) ? weight : 0)));
  tape.backward();
  memory.release(start);

  const value = () => {
    const result = operation(new Tape(memory, false), inputs);
    const sum = weights.reduce(
      (total, weight, i) => total + (Number.isFinite(result.data[i]!) ? weight * result.data[i]! : 0),
      0,
    );
    memory.release(start);
    return sum;
  };
  let worst = 0;
  let largest = 0;
  for (const { data, grad } of inputs) {
    for (let i = 0; i < data.length; i++) {
      const held = data[i]!;
      const step = 5e-3;
      data[i] = held + step;
      const above = value();
      data[i] = held - step;
      const below = value();
      data[i] = held;
      worst = Math.max(worst, Math.abs((above - below) / (2 * step) - grad[i]!));
      largest = Math.max(largest, Math.abs(grad[i]!));
    }
  }
  return worst / Math.max(largest, 1e-3);
}
