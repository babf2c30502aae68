import type { FloatMemory } from "./memory.ts";

/** A matrix (rows x cols, row-major) with its gradient. `grad` has length 0 where none is kept. */
export interface Tensor {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float32Array;
  readonly grad: Float32Array;
}

const NO_GRAD = new Float32Array(0);

/**
 * Records operations as they run, to be walked backwards once. Tensors live in the memory's stack: after
 * `backward`, release the memory and start a new tape.
 */
export class Tape {
  readonly memory: FloatMemory;
  /** False: forward only, nothing is recorded and no gradients are kept. */
  readonly recording: boolean;
  readonly #steps: Array<() => void> = [];

  constructor(memory: FloatMemory, recording: boolean) {
    this.memory = memory;
    this.recording = recording;
  }

  /** An empty result of an operation; its data is not cleared. */
  output(rows: number, cols: number): Tensor {
    return {
      rows,
      cols,
      data: this.memory.allocateRaw(rows * cols),
      grad: this.recording ? this.memory.allocate(rows * cols) : NO_GRAD,
    };
  }

  /** A constant input of zeros. */
  zeros(rows: number, cols: number): Tensor {
    return { rows, cols, data: this.memory.allocate(rows * cols), grad: NO_GRAD };
  }

  /** A constant input, copied into the memory. */
  constant(rows: number, cols: number, values: ArrayLike<number>): Tensor {
    const data = this.memory.allocateRaw(rows * cols);
    data.set(values);
    return { rows, cols, data, grad: NO_GRAD };
  }

  /** Registers how a step passes its output's gradient on to its inputs. */
  record(step: () => void): void {
    if (this.recording) this.#steps.push(step);
  }

  /** Runs the recorded steps backwards; the caller has put gradients into the outputs before. */
  backward(): void {
    for (let i = this.#steps.length - 1; i >= 0; i--) this.#steps[i]!();
    this.#steps.length = 0;
  }
}

/** Whether an operation has to pass a gradient to this input. */
export function wantsGrad(tensor: Tensor): boolean {
  return tensor.grad.length > 0;
}
