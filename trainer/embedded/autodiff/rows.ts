import { type Tape, type Tensor, wantsGrad } from "./tape.ts";

/** Matrices of equal height side by side; one of a single row is repeated for every row. */
export function concatCols(tape: Tape, parts: readonly Tensor[]): Tensor {
  const rows = Math.max(...parts.map((part) => part.rows));
  const cols = parts.reduce((sum, part) => sum + part.cols, 0);
  const out = tape.output(rows, cols);
  let left = 0;
  for (const part of parts) {
    const repeated = part.rows === 1;
    for (let i = 0; i < rows; i++) {
      const from = repeated ? 0 : i * part.cols;
      for (let c = 0; c < part.cols; c++) out.data[i * cols + left + c] = part.data[from + c]!;
    }
    left += part.cols;
  }
  tape.record(() => {
    let offset = 0;
    for (const part of parts) {
      if (wantsGrad(part)) {
        const repeated = part.rows === 1;
        for (let i = 0; i < rows; i++) {
          const to = repeated ? 0 : i * part.cols;
          for (let c = 0; c < part.cols; c++) {
            part.grad[to + c] = part.grad[to + c]! + out.grad[i * cols + offset + c]!;
          }
        }
      }
      offset += part.cols;
    }
  });
  return out;
}

/** Rows of a table by index; index -1 gives a row of zeros. */
export function gatherRows(tape: Tape, table: Tensor, indices: readonly number[]): Tensor {
  return bagMean(
    tape,
    table,
    indices.map((index) => (index < 0 ? [] : [index])),
  );
}

/** One row a bag: the mean of the table's rows named by the bag, zeros for an empty bag. */
export function bagMean(tape: Tape, table: Tensor, bags: ReadonlyArray<readonly number[]>): Tensor {
  const { cols } = table;
  const out = tape.output(bags.length, cols);
  out.data.fill(0);
  bags.forEach((bag, i) => {
    const weight = 1 / bag.length;
    for (const index of bag) {
      for (let c = 0; c < cols; c++) {
        out.data[i * cols + c] = out.data[i * cols + c]! + table.data[index * cols + c]! * weight;
      }
    }
  });
  tape.record(() => {
    if (!wantsGrad(table)) return;
    bags.forEach((bag, i) => {
      const weight = 1 / bag.length;
      for (const index of bag) {
        for (let c = 0; c < cols; c++) {
          const to = index * cols + c;
          table.grad[to] = table.grad[to]! + out.grad[i * cols + c]! * weight;
        }
      }
    });
  });
  return out;
}

/** Mean over rows (1 x cols). */
export function meanRows(tape: Tape, x: Tensor): Tensor {
  const out = tape.output(1, x.cols);
  out.data.fill(0);
  const { cols } = x;
  for (let i = 0; i < x.data.length; i++) out.data[i % cols] = out.data[i % cols]! + x.data[i]! / x.rows;
  tape.record(() => {
    for (let i = 0; i < x.grad.length; i++) x.grad[i] = x.grad[i]! + out.grad[i % cols]! / x.rows;
  });
  return out;
}

/** Largest value of each column (1 x cols); the gradient goes to the first row that has it. */
export function maxRows(tape: Tape, x: Tensor): Tensor {
  const out = tape.output(1, x.cols);
  const winner = new Int32Array(x.cols);
  for (let c = 0; c < x.cols; c++) {
    let best = 0;
    for (let i = 1; i < x.rows; i++) if (x.data[i * x.cols + c]! > x.data[best * x.cols + c]!) best = i;
    winner[c] = best;
    out.data[c] = x.data[best * x.cols + c]!;
  }
  tape.record(() => {
    if (!wantsGrad(x)) return;
    for (let c = 0; c < x.cols; c++) {
      const to = winner[c]! * x.cols + c;
      x.grad[to] = x.grad[to]! + out.grad[c]!;
    }
  });
  return out;
}

/** Rows [start, end), sharing memory with x. */
export function sliceRows(x: Tensor, start: number, end: number): Tensor {
  const from = start * x.cols;
  const to = end * x.cols;
  return {
    rows: end - start,
    cols: x.cols,
    data: x.data.subarray(from, to),
    grad: wantsGrad(x) ? x.grad.subarray(from, to) : x.grad,
  };
}

/** Columns [start, end). */
export function sliceCols(tape: Tape, x: Tensor, start: number, end: number): Tensor {
  const out = tape.output(x.rows, end - start);
  for (let i = 0; i < x.rows; i++) {
    out.data.set(x.data.subarray(i * x.cols + start, i * x.cols + end), i * out.cols);
  }
  tape.record(() => {
    if (!wantsGrad(x)) return;
    for (let i = 0; i < out.grad.length; i++) {
      const to = Math.floor(i / out.cols) * x.cols + start + (i % out.cols);
      x.grad[to] = x.grad[to]! + out.grad[i]!;
    }
  });
  return out;
}

/** One column as a vector (1 x rows). */
export function column(tape: Tape, x: Tensor, index: number): Tensor {
  const out = tape.output(1, x.rows);
  for (let i = 0; i < x.rows; i++) out.data[i] = x.data[i * x.cols + index]!;
  tape.record(() => {
    for (let i = 0; i < x.rows; i++) {
      const to = i * x.cols + index;
      x.grad[to] = x.grad[to]! + out.grad[i]!;
    }
  });
  return out;
}
