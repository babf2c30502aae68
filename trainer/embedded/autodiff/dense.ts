import { type Tape, type Tensor, wantsGrad } from "./tape.ts";

/** a (m x k) · b (k x n). */
export function matmul(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const out = tape.output(a.rows, b.cols);
  const { kernel } = tape.memory;
  kernel.gemm(a.rows, b.cols, a.cols, at(a.data), a.cols, 1, at(b.data), at(out.data), 0);
  tape.record(() => matmulBackward(tape, a, b, out));
  return out;
}

/** x · weight + bias, the bias (1 x n) added to every row. */
export function linear(tape: Tape, x: Tensor, weight: Tensor, bias: Tensor): Tensor {
  const out = tape.output(x.rows, weight.cols);
  const { kernel } = tape.memory;
  for (let i = 0; i < x.rows; i++) out.data.set(bias.data, i * out.cols);
  kernel.gemm(x.rows, out.cols, x.cols, at(x.data), x.cols, 1, at(weight.data), at(out.data), 1);
  tape.record(() => {
    if (wantsGrad(bias)) addRows(out.grad, out.cols, bias.grad);
    matmulBackward(tape, x, weight, out);
  });
  return out;
}

/** a (m x k) · transpose of b (n x k). */
export function matmulTransposed(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const out = tape.output(a.rows, b.rows);
  const { kernel, allocateRaw } = {
    kernel: tape.memory.kernel,
    allocateRaw: (n: number) => tape.memory.allocateRaw(n),
  };
  const flipped = allocateRaw(b.rows * b.cols);
  kernel.transpose(b.rows, b.cols, at(b.data), at(flipped));
  kernel.gemm(a.rows, b.rows, a.cols, at(a.data), a.cols, 1, at(flipped), at(out.data), 0);
  tape.record(() => {
    if (wantsGrad(a)) kernel.gemm(a.rows, a.cols, b.rows, at(out.grad), b.rows, 1, at(b.data), at(a.grad), 1);
    if (wantsGrad(b)) kernel.gemm(b.rows, b.cols, a.rows, at(out.grad), 1, b.rows, at(a.data), at(b.grad), 1);
  });
  return out;
}

/** Element by element; shapes are equal, or b is one row that is added to every row of a. */
export function add(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const out = tape.output(a.rows, a.cols);
  const size = b.data.length;
  for (let i = 0; i < out.data.length; i++) out.data[i] = a.data[i]! + b.data[i % size]!;
  tape.record(() => {
    if (wantsGrad(a)) addRows(out.grad, out.grad.length, a.grad);
    if (wantsGrad(b)) addRows(out.grad, size, b.grad);
  });
  return out;
}

/** a + constant * scalar, the scalar a learned 1 x 1 tensor. */
export function addScaled(tape: Tape, a: Tensor, constant: Tensor, scalar: Tensor): Tensor {
  const out = tape.output(a.rows, a.cols);
  const factor = scalar.data[0]!;
  for (let i = 0; i < out.data.length; i++) out.data[i] = a.data[i]! + constant.data[i]! * factor;
  tape.record(() => {
    if (wantsGrad(a)) addRows(out.grad, out.grad.length, a.grad);
    let sum = 0;
    for (let i = 0; i < out.grad.length; i++) sum += out.grad[i]! * constant.data[i]!;
    scalar.grad[0] = scalar.grad[0]! + sum;
  });
  return out;
}

/** a scaled by a fixed number. */
export function scale(tape: Tape, a: Tensor, factor: number): Tensor {
  const out = tape.output(a.rows, a.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = a.data[i]! * factor;
  tape.record(() => {
    if (!wantsGrad(a)) return;
    for (let i = 0; i < out.grad.length; i++) a.grad[i] = a.grad[i]! + out.grad[i]! * factor;
  });
  return out;
}

/** Feature-wise modulation (FiLM, Perez et al. 2018): every row of x times (1 + gain) plus shift. */
export function modulate(tape: Tape, x: Tensor, gain: Tensor, shift: Tensor): Tensor {
  const out = tape.output(x.rows, x.cols);
  const { cols } = x;
  for (let i = 0; i < out.data.length; i++) {
    const c = i % cols;
    out.data[i] = x.data[i]! * (1 + gain.data[c]!) + shift.data[c]!;
  }
  tape.record(() => {
    for (let i = 0; i < out.grad.length; i++) {
      const c = i % cols;
      const g = out.grad[i]!;
      gain.grad[c] = gain.grad[c]! + g * x.data[i]!;
      shift.grad[c] = shift.grad[c]! + g;
      if (wantsGrad(x)) x.grad[i] = x.grad[i]! + g * (1 + gain.data[c]!);
    }
  });
  return out;
}

/** max(0, x). */
export function relu(tape: Tape, x: Tensor): Tensor {
  const out = tape.output(x.rows, x.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = Math.max(0, x.data[i]!);
  tape.record(() => {
    for (let i = 0; i < out.grad.length; i++) {
      if (x.data[i]! > 0) x.grad[i] = x.grad[i]! + out.grad[i]!;
    }
  });
  return out;
}

/** limit * tanh(x / limit): x near zero, never beyond the limit. */
export function softCap(tape: Tape, x: Tensor, limit: number): Tensor {
  const out = tape.output(x.rows, x.cols);
  for (let i = 0; i < out.data.length; i++) out.data[i] = limit * Math.tanh(x.data[i]! / limit);
  tape.record(() => {
    for (let i = 0; i < out.grad.length; i++) {
      const share = out.data[i]! / limit;
      x.grad[i] = x.grad[i]! + out.grad[i]! * (1 - share * share);
    }
  });
  return out;
}

/** The sigmoid form of GELU, x * sigmoid(1.702 x) (Hendrycks & Gimpel 2016). */
export function gelu(tape: Tape, x: Tensor): Tensor {
  const out = tape.output(x.rows, x.cols);
  const gate = tape.memory.allocateRaw(x.data.length);
  for (let i = 0; i < out.data.length; i++) {
    gate[i] = 1 / (1 + Math.exp(-1.702 * x.data[i]!));
    out.data[i] = x.data[i]! * gate[i]!;
  }
  tape.record(() => {
    for (let i = 0; i < out.grad.length; i++) {
      const g = gate[i]!;
      x.grad[i] = x.grad[i]! + out.grad[i]! * g * (1 + 1.702 * x.data[i]! * (1 - g));
    }
  });
  return out;
}

function matmulBackward(tape: Tape, a: Tensor, b: Tensor, out: Tensor): void {
  const { kernel } = tape.memory;
  if (wantsGrad(a)) {
    const mark = tape.memory.mark();
    const flipped = tape.memory.allocateRaw(b.rows * b.cols);
    kernel.transpose(b.rows, b.cols, at(b.data), at(flipped));
    kernel.gemm(a.rows, a.cols, b.cols, at(out.grad), out.cols, 1, at(flipped), at(a.grad), 1);
    tape.memory.release(mark);
  }
  if (wantsGrad(b)) kernel.gemm(b.rows, b.cols, a.rows, at(a.data), 1, a.cols, at(out.grad), at(b.grad), 1);
}

function addRows(from: Float32Array, width: number, to: Float32Array): void {
  for (let i = 0; i < from.length; i++) to[i % width] = to[i % width]! + from[i]!;
}

function at(array: Float32Array): number {
  return array.byteOffset;
}
