import { describe, expect, test } from "vitest";
import { conv1d, conv2d, convolvedShape } from "../../../embedded/autodiff/convolution.ts";
import {
  add,
  addScaled,
  gelu,
  linear,
  matmul,
  matmulTransposed,
  modulate,
  relu,
  scale,
  softCap,
} from "../../../embedded/autodiff/dense.ts";
import {
  logSumExpCols,
  maskedLogMeanExp,
  maskedLogSoftmax,
  softmaxRows,
} from "../../../embedded/autodiff/probability.ts";
import {
  bagMean,
  column,
  concatCols,
  gatherRows,
  maxRows,
  meanRows,
  sliceRows,
} from "../../../embedded/autodiff/rows.ts";
import type { Tape, Tensor } from "../../../embedded/autodiff/tape.ts";
import { gradientError, type InputShape } from "../support/gradient-check.ts";

const shape = (rows: number, cols: number, awayFromZero = false): InputShape => ({
  rows,
  cols,
  awayFromZero,
});
const IMAGE = { height: 5, width: 4 };
const CONV = { kernel: 3, stride: 2, padding: 1 };

const operations: Record<string, [InputShape[], (tape: Tape, inputs: Tensor[]) => Tensor]> = {
  matmul: [[shape(3, 5), shape(5, 6)], (t, [a, b]) => matmul(t, a!, b!)],
  linear: [[shape(3, 5), shape(5, 9), shape(1, 9)], (t, [x, w, b]) => linear(t, x!, w!, b!)],
  matmulTransposed: [[shape(3, 5), shape(4, 5)], (t, [a, b]) => matmulTransposed(t, a!, b!)],
  add: [[shape(3, 4), shape(3, 4)], (t, [a, b]) => add(t, a!, b!)],
  "add a row": [[shape(3, 4), shape(1, 4)], (t, [a, b]) => add(t, a!, b!)],
  addScaled: [
    [shape(2, 3), shape(1, 1)],
    (t, [a, s]) => addScaled(t, a!, t.constant(2, 3, [1, -2, 0, 0.5, 3, -1]), s!),
  ],
  scale: [[shape(2, 3)], (t, [a]) => scale(t, a!, -1.7)],
  modulate: [[shape(4, 3), shape(1, 3), shape(1, 3)], (t, [x, g, s]) => modulate(t, x!, g!, s!)],
  relu: [[shape(3, 4, true)], (t, [x]) => relu(t, x!)],
  gelu: [[shape(3, 4)], (t, [x]) => gelu(t, x!)],
  softCap: [[shape(3, 4)], (t, [x]) => softCap(t, x!, 0.8)],
  "the same input twice": [[shape(3, 3)], (t, [x]) => matmul(t, x!, add(t, x!, x!))],
  concatCols: [[shape(3, 2), shape(1, 4), shape(3, 1)], (t, parts) => concatCols(t, parts)],
  gatherRows: [[shape(4, 3)], (t, [table]) => gatherRows(t, table!, [2, 0, -1, 2])],
  bagMean: [[shape(4, 3)], (t, [table]) => bagMean(t, table!, [[1, 3, 1], [], [0]])],
  meanRows: [[shape(4, 3)], (t, [x]) => meanRows(t, x!)],
  maxRows: [[shape(4, 3)], (t, [x]) => maxRows(t, x!)],
  column: [[shape(4, 3)], (t, [x]) => column(t, x!, 1)],
  sliceRows: [[shape(4, 3)], (t, [x]) => scale(t, sliceRows(x!, 1, 3), 2)],
  conv1d: [[shape(5, 3), shape(9, 4), shape(1, 4)], (t, [x, w, b]) => conv1d(t, x!, w!, b!)],
  "conv1d over one row": [[shape(1, 3), shape(9, 4), shape(1, 4)], (t, [x, w, b]) => conv1d(t, x!, w!, b!)],
  conv2d: [[shape(20, 2), shape(18, 3), shape(1, 3)], (t, [x, w, b]) => conv2d(t, x!, IMAGE, w!, b!, CONV)],
  softmaxRows: [[shape(3, 4)], (t, [x]) => softmaxRows(t, x!)],
  maskedLogSoftmax: [[shape(1, 5)], (t, [x]) => maskedLogSoftmax(t, x!, [1, 0, 1, 1, 0])],
  maskedLogMeanExp: [[shape(1, 5)], (t, [x]) => maskedLogMeanExp(t, x!, [0, 1, 1, 0, 1])],
  logSumExpCols: [[shape(3, 4)], (t, [x]) => logSumExpCols(t, x!)],
};

describe("gradients agree with central finite differences", () => {
  test.each(Object.keys(operations))("%s", (name) => {
    const [shapes, operation] = operations[name]!;
    expect(gradientError(shapes, operation, 3)).toBeLessThan(2e-3);
  });
});

test("a wrong gradient is found", () => {
  const wrong = (tape: Tape, [x]: Tensor[]) => {
    const out = tape.output(x!.rows, x!.cols);
    x!.data.forEach((value, i) => {
      out.data[i] = value * value;
    });
    tape.record(() => x!.grad.set(out.grad));
    return out;
  };
  expect(gradientError([shape(2, 3)], wrong)).toBeGreaterThan(0.1);
});

test("forbidden entries have log-probability -Infinity and the others sum to one", () => {
  let sum = 0;
  gradientError([shape(1, 4)], (tape, [x]) => {
    const out = maskedLogSoftmax(tape, x!, [1, 0, 1, 0]);
    sum = out.data.reduce((total, logp) => total + Math.exp(logp), 0);
    expect(out.data[1]).toBe(Number.NEGATIVE_INFINITY);
    return out;
  });
  expect(sum).toBeCloseTo(1, 6);
});

test("a convolution's output shape", () => {
  expect(convolvedShape({ height: 72, width: 96 }, 3, 2, 1)).toEqual({ height: 36, width: 48 });
});
