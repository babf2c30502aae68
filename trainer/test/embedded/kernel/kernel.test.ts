import { expect, test } from "vitest";
import { FloatMemory } from "../../../embedded/autodiff/memory.ts";
import { compileKernel } from "../../../embedded/kernel/compile.ts";
import { kernelBase64 } from "../../../embedded/kernel/gemm.wasm.ts";
import { Draws } from "../support/random.ts";

test("the committed kernel is what its source compiles to", async () => {
  const compiled = await compileKernel();
  expect(Buffer.from(compiled).toString("base64")).toBe(kernelBase64);
});

test.each([
  [1, 1, 1],
  [1, 16, 7],
  [3, 5, 4],
  [4, 8, 3],
  [5, 23, 9],
  [17, 13, 1],
  [8, 4, 0],
])("matrix product %i x %i over %i, every path, plain and transposed", (m, n, k) => {
  const memory = new FloatMemory(1);
  const draws = new Draws(m * 100 + n * 10 + k);
  const fill = (length: number) => {
    const array = memory.allocate(length);
    for (let i = 0; i < length; i++) array[i] = draws.float() - 0.5;
    return array;
  };
  const [a, b, c] = [fill(m * k), fill(k * n), fill(m * n)];
  const before = Float32Array.from(c);
  const flipped = memory.allocate(m * k);
  memory.kernel.transpose(m, k, a.byteOffset, flipped.byteOffset);
  const other = memory.allocate(m * n);
  memory.kernel.gemm(m, n, k, flipped.byteOffset, 1, m, b.byteOffset, other.byteOffset, 0);
  memory.kernel.gemm(m, n, k, a.byteOffset, k, 1, b.byteOffset, c.byteOffset, 1);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum += a[i * k + p]! * b[p * n + j]!;
      expect(other[i * n + j]).toBeCloseTo(sum, 5);
      expect(c[i * n + j]).toBeCloseTo(before[i * n + j]! + sum, 5);
    }
  }
});

test("a row of the product has the same bits whatever rows stand beside it", () => {
  const memory = new FloatMemory(1);
  const draws = new Draws(5);
  const [m, n, k] = [7, 21, 33];
  const a = memory.allocate(m * k).map(() => draws.float());
  const held = memory.allocate(m * k);
  held.set(a);
  const b = memory.allocate(k * n);
  for (let i = 0; i < b.length; i++) b[i] = draws.float();
  const all = memory.allocate(m * n);
  memory.kernel.gemm(m, n, k, held.byteOffset, k, 1, b.byteOffset, all.byteOffset, 0);
  for (let i = 0; i < m; i++) {
    const one = memory.allocate(n);
    memory.kernel.gemm(1, n, k, held.byteOffset + i * k * 4, k, 1, b.byteOffset, one.byteOffset, 0);
    expect([...one]).toEqual([...all.subarray(i * n, (i + 1) * n)]);
  }
});

test("memory that runs out says so, and what was released is used again", () => {
  const memory = new FloatMemory(1);
  const mark = memory.mark();
  const first = memory.allocate(100);
  first.fill(7);
  memory.release(mark);
  const second = memory.allocate(100);
  expect(second.byteOffset).toBe(first.byteOffset);
  expect(second.every((value) => value === 0)).toBe(true);
  expect(() => memory.allocate(1024 * 1024)).toThrow(RangeError);
});
