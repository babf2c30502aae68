import { type Tape, type Tensor, wantsGrad } from "./tape.ts";

/** Softmax of every row. */
export function softmaxRows(tape: Tape, x: Tensor): Tensor {
  const out = tape.output(x.rows, x.cols);
  const { cols } = x;
  for (let i = 0; i < x.rows; i++) {
    const from = i * cols;
    let top = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < cols; c++) top = Math.max(top, x.data[from + c]!);
    let sum = 0;
    for (let c = 0; c < cols; c++) {
      const value = Math.exp(x.data[from + c]! - top);
      out.data[from + c] = value;
      sum += value;
    }
    for (let c = 0; c < cols; c++) out.data[from + c] = out.data[from + c]! / sum;
  }
  tape.record(() => {
    for (let i = 0; i < x.rows; i++) {
      const from = i * cols;
      let dot = 0;
      for (let c = 0; c < cols; c++) dot += out.grad[from + c]! * out.data[from + c]!;
      for (let c = 0; c < cols; c++) {
        const at = from + c;
        x.grad[at] = x.grad[at]! + out.data[at]! * (out.grad[at]! - dot);
      }
    }
  });
  return out;
}

/**
 * Log-softmax over the legal entries of a vector; the others get -Infinity and no gradient.
 * @param legal one flag an entry, at least one set.
 */
export function maskedLogSoftmax(tape: Tape, x: Tensor, legal: ArrayLike<number>): Tensor {
  const out = tape.output(x.rows, x.cols);
  const total = logSumExp(x.data, legal);
  for (let i = 0; i < x.data.length; i++)
    out.data[i] = legal[i] ? x.data[i]! - total : Number.NEGATIVE_INFINITY;
  tape.record(() => {
    let sum = 0;
    for (let i = 0; i < out.grad.length; i++) if (legal[i]) sum += out.grad[i]!;
    for (let i = 0; i < out.grad.length; i++) {
      if (legal[i]) x.grad[i] = x.grad[i]! + out.grad[i]! - Math.exp(out.data[i]!) * sum;
    }
  });
  return out;
}

/**
 * Log of the mean of exp over the legal entries of a vector (1 x 1): 0 for zeros, whatever their number.
 * @param legal one flag an entry, at least one set.
 */
export function maskedLogMeanExp(tape: Tape, x: Tensor, legal: ArrayLike<number>): Tensor {
  const out = tape.output(1, 1);
  let count = 0;
  for (let i = 0; i < x.data.length; i++) if (legal[i]) count++;
  const total = logSumExp(x.data, legal);
  out.data[0] = total - Math.log(count);
  tape.record(() => {
    const g = out.grad[0]!;
    for (let i = 0; i < x.data.length; i++) {
      if (legal[i]) x.grad[i] = x.grad[i]! + g * Math.exp(x.data[i]! - total);
    }
  });
  return out;
}

/** Log-sum-exp of every column (1 x cols). */
export function logSumExpCols(tape: Tape, x: Tensor): Tensor {
  const out = tape.output(1, x.cols);
  const { rows, cols } = x;
  for (let c = 0; c < cols; c++) {
    let top = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < rows; i++) top = Math.max(top, x.data[i * cols + c]!);
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += Math.exp(x.data[i * cols + c]! - top);
    out.data[c] = top + Math.log(sum);
  }
  tape.record(() => {
    if (!wantsGrad(x)) return;
    for (let i = 0; i < x.data.length; i++) {
      const c = i % cols;
      x.grad[i] = x.grad[i]! + out.grad[c]! * Math.exp(x.data[i]! - out.data[c]!);
    }
  });
  return out;
}

function logSumExp(values: Float32Array, legal: ArrayLike<number>): number {
  let top = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) if (legal[i]) top = Math.max(top, values[i]!);
  let sum = 0;
  for (let i = 0; i < values.length; i++) if (legal[i]) sum += Math.exp(values[i]! - top);
  return top + Math.log(sum);
}
