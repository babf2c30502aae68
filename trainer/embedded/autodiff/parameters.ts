import type { AdamConfig } from "@openforgerl/contracts/engine";
import { randomStream } from "../../random.ts";
import type { FloatMemory } from "./memory.ts";
import type { Tensor } from "./tape.ts";

/**
 * Shape and start of one learned matrix: normal with this standard deviation, all of one value, or given; `lean`
 * is added to single weights, by [row, column].
 */
export interface ParameterSpec {
  rows: number;
  cols: number;
  init: { std: number } | { value: number } | { values: readonly number[] };
  lean?: ReadonlyArray<{ row: number; column: number; by: number }>;
}

/** Learned matrices by name, laid out one after the other in one stretch of memory. */
export class Parameters<Name extends string> {
  /** All weights, in the order of the specification. */
  readonly weights: Float32Array;
  readonly tensors: Readonly<Record<Name, Tensor>>;
  readonly #grads: Float32Array;

  /** @param withGrad false for weights that are only sampled from. */
  constructor(memory: FloatMemory, specs: Readonly<Record<Name, ParameterSpec>>, withGrad: boolean) {
    const names = Object.keys(specs) as Name[];
    const sizes = names.map((name) => (specs[name].rows * specs[name].cols + 3) & ~3);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    this.weights = memory.allocate(total);
    this.#grads = withGrad ? memory.allocate(total) : new Float32Array(0);
    const tensors: Partial<Record<Name, Tensor>> = {};
    let offset = 0;
    names.forEach((name, i) => {
      const { rows, cols } = specs[name];
      const end = offset + rows * cols;
      tensors[name] = {
        rows,
        cols,
        data: this.weights.subarray(offset, end),
        grad: withGrad ? this.#grads.subarray(offset, end) : this.#grads,
      };
      offset += sizes[i]!;
    });
    this.tensors = tensors as Record<Name, Tensor>;
  }

  /** All gradients, in the order of the weights; empty where none are kept. */
  get grads(): Float32Array {
    return this.#grads;
  }

  /** Fills in the starting weights; the same seed gives the same bits. */
  initialise(specs: Readonly<Record<Name, ParameterSpec>>, seed: number): void {
    const random = randomStream(seed);
    for (const name of Object.keys(specs) as Name[]) {
      const { init, lean = [], cols } = specs[name];
      const { data } = this.tensors[name];
      for (let i = 0; i < data.length; i++) {
        if ("values" in init) data[i] = init.values[i]!;
        else data[i] = "value" in init ? init.value : init.std * normal(random.next(), random.next());
      }
      for (const { row, column, by } of lean) data[row * cols + column]! += by;
    }
  }
}

/** Adam's moments for a set of parameters. */
export class AdamState {
  readonly first: Float32Array;
  readonly second: Float32Array;
  /** Updates done. */
  steps = 0;
  readonly #memory: FloatMemory;

  constructor(memory: FloatMemory, size: number) {
    this.#memory = memory;
    this.first = memory.allocate(size);
    this.second = memory.allocate(size);
  }

  /** One update (Kingma & Ba 2015) from the gradients, which it clears. Returns their norm before clipping. */
  update(weights: Float32Array, grads: Float32Array, config: AdamConfig): number {
    let square = 0;
    for (let i = 0; i < grads.length; i++) square += grads[i]! * grads[i]!;
    const norm = Math.sqrt(square);
    const scale = config.gradClip > 0 && norm > config.gradClip ? config.gradClip / norm : 1;
    this.steps++;
    const bias1 = 1 - config.beta1 ** this.steps;
    const bias2 = 1 - config.beta2 ** this.steps;
    // The bias corrections are folded into the step size and eps, so that the kernel has one division.
    this.#memory.kernel.adam(
      weights.length,
      weights.byteOffset,
      grads.byteOffset,
      this.first.byteOffset,
      this.second.byteOffset,
      (config.learningRate * Math.sqrt(bias2)) / bias1,
      config.beta1,
      config.beta2,
      config.eps * Math.sqrt(bias2),
      scale,
    );
    grads.fill(0);
    return norm;
  }
}

/** Box-Muller. */
function normal(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v);
}
