import { kernelBase64 } from "../kernel/gemm.wasm.ts";

interface KernelExports {
  gemm(
    m: number,
    n: number,
    k: number,
    a: number,
    rowStride: number,
    colStride: number,
    b: number,
    c: number,
    accumulate: number,
  ): void;
  transpose(rows: number, cols: number, from: number, to: number): void;
  adam(
    count: number,
    weight: number,
    grad: number,
    first: number,
    second: number,
    step: number,
    beta1: number,
    beta2: number,
    eps: number,
    scale: number,
  ): void;
}

const PAGE = 65536;
let compiled: WebAssembly.Module | undefined;

/**
 * Float memory shared with the SIMD kernel: a stack of allocations. What is allocated before a `mark` stays;
 * `release(mark)` gives back all that came after it. The memory has a fixed size, because growing it would
 * detach every array that points into it; untouched pages cost no RAM.
 */
export class FloatMemory {
  readonly kernel: KernelExports;
  readonly #buffer: ArrayBuffer;
  #top = 1024;

  /** @param megabytes capacity. */
  constructor(megabytes = 192) {
    const pages = (megabytes * 1024 * 1024) / PAGE;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    compiled ??= new WebAssembly.Module(Buffer.from(kernelBase64, "base64"));
    const instance = new WebAssembly.Instance(compiled, { env: { memory } });
    this.kernel = instance.exports as unknown as KernelExports;
    this.#buffer = memory.buffer;
  }

  /** Zeroed floats, 16-byte aligned; `byteOffset` of the result is its address in the kernel. */
  allocate(length: number): Float32Array {
    const array = this.allocateRaw(length);
    array.fill(0);
    return array;
  }

  /** As `allocate`, with whatever the memory held before. */
  allocateRaw(length: number): Float32Array {
    const start = this.#top;
    const end = start + ((length + 3) & ~3) * 4;
    if (end > this.#buffer.byteLength) {
      throw new RangeError(`policy needs more than ${this.#buffer.byteLength} bytes of working memory`);
    }
    this.#top = end;
    return new Float32Array(this.#buffer, start, length);
  }

  mark(): number {
    return this.#top;
  }

  release(mark: number): void {
    this.#top = mark;
  }
}
