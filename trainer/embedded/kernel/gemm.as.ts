// AssemblyScript source of the SIMD kernel; compiled to gemm.wasm.ts by build.ts.
//
// Every element of C is a sum over k in ascending order, whichever of the paths below computes it, so the
// result does not depend on how the matrix is cut into blocks.

/**
 * C (m x n, row-major) = [C +] A (m x k) * B (k x n, row-major). Strides are in floats: element (i, p) of A is
 * at a + i*rowStride + p*colStride, so a transposed A costs nothing. Addresses are in bytes.
 */
export function gemm(
  m: i32,
  n: i32,
  k: i32,
  a: usize,
  rowStride: i32,
  colStride: i32,
  b: usize,
  c: usize,
  accumulate: i32,
): void {
  const rowBytes = (<usize>rowStride) << 2;
  const colBytes = (<usize>colStride) << 2;
  const width = (<usize>n) << 2;
  let i: i32 = 0;
  for (; i + 4 <= m; i += 4) {
    const a0 = a + <usize>i * rowBytes;
    const c0 = c + <usize>i * width;
    let j: i32 = 0;
    for (; j + 8 <= n; j += 8)
      block4x8(k, a0, rowBytes, colBytes, b + ((<usize>j) << 2), width, c0 + ((<usize>j) << 2), accumulate);
    for (; j + 4 <= n; j += 4)
      block4x4(k, a0, rowBytes, colBytes, b + ((<usize>j) << 2), width, c0 + ((<usize>j) << 2), accumulate);
    for (; j < n; j++) {
      for (let r: usize = 0; r < 4; r++) {
        dot(
          k,
          a0 + r * rowBytes,
          colBytes,
          b + ((<usize>j) << 2),
          width,
          c0 + r * width + ((<usize>j) << 2),
          accumulate,
        );
      }
    }
  }
  for (; i < m; i++) {
    const a0 = a + <usize>i * rowBytes;
    const c0 = c + <usize>i * width;
    let j: i32 = 0;
    for (; j + 16 <= n; j += 16)
      block1x16(k, a0, colBytes, b + ((<usize>j) << 2), width, c0 + ((<usize>j) << 2), accumulate);
    for (; j + 4 <= n; j += 4)
      block1x4(k, a0, colBytes, b + ((<usize>j) << 2), width, c0 + ((<usize>j) << 2), accumulate);
    for (; j < n; j++) dot(k, a0, colBytes, b + ((<usize>j) << 2), width, c0 + ((<usize>j) << 2), accumulate);
  }
}

function start(c: usize, accumulate: i32): v128 {
  return accumulate ? v128.load(c) : f32x4.splat(0);
}

function block4x8(
  k: i32,
  a: usize,
  rowBytes: usize,
  colBytes: usize,
  b: usize,
  width: usize,
  c: usize,
  accumulate: i32,
): void {
  const a1 = rowBytes;
  const a2 = rowBytes * 2;
  const a3 = rowBytes * 3;
  const c1 = c + width;
  const c2 = c1 + width;
  const c3 = c2 + width;
  let s00 = start(c, accumulate);
  let s01 = start(c + 16, accumulate);
  let s10 = start(c1, accumulate);
  let s11 = start(c1 + 16, accumulate);
  let s20 = start(c2, accumulate);
  let s21 = start(c2 + 16, accumulate);
  let s30 = start(c3, accumulate);
  let s31 = start(c3 + 16, accumulate);
  for (let p: i32 = 0; p < k; p++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a);
    s00 = f32x4.add(s00, f32x4.mul(x0, b0));
    s01 = f32x4.add(s01, f32x4.mul(x0, b1));
    const x1 = v128.load32_splat(a + a1);
    s10 = f32x4.add(s10, f32x4.mul(x1, b0));
    s11 = f32x4.add(s11, f32x4.mul(x1, b1));
    const x2 = v128.load32_splat(a + a2);
    s20 = f32x4.add(s20, f32x4.mul(x2, b0));
    s21 = f32x4.add(s21, f32x4.mul(x2, b1));
    const x3 = v128.load32_splat(a + a3);
    s30 = f32x4.add(s30, f32x4.mul(x3, b0));
    s31 = f32x4.add(s31, f32x4.mul(x3, b1));
    a += colBytes;
    b += width;
  }
  v128.store(c, s00);
  v128.store(c, s01, 16);
  v128.store(c1, s10);
  v128.store(c1, s11, 16);
  v128.store(c2, s20);
  v128.store(c2, s21, 16);
  v128.store(c3, s30);
  v128.store(c3, s31, 16);
}

function block4x4(
  k: i32,
  a: usize,
  rowBytes: usize,
  colBytes: usize,
  b: usize,
  width: usize,
  c: usize,
  accumulate: i32,
): void {
  const a1 = rowBytes;
  const a2 = rowBytes * 2;
  const a3 = rowBytes * 3;
  const c1 = c + width;
  const c2 = c1 + width;
  const c3 = c2 + width;
  let s0 = start(c, accumulate);
  let s1 = start(c1, accumulate);
  let s2 = start(c2, accumulate);
  let s3 = start(c3, accumulate);
  for (let p: i32 = 0; p < k; p++) {
    const b0 = v128.load(b);
    s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(a), b0));
    s1 = f32x4.add(s1, f32x4.mul(v128.load32_splat(a + a1), b0));
    s2 = f32x4.add(s2, f32x4.mul(v128.load32_splat(a + a2), b0));
    s3 = f32x4.add(s3, f32x4.mul(v128.load32_splat(a + a3), b0));
    a += colBytes;
    b += width;
  }
  v128.store(c, s0);
  v128.store(c1, s1);
  v128.store(c2, s2);
  v128.store(c3, s3);
}

function block1x16(
  k: i32,
  a: usize,
  colBytes: usize,
  b: usize,
  width: usize,
  c: usize,
  accumulate: i32,
): void {
  let s0 = start(c, accumulate);
  let s1 = start(c + 16, accumulate);
  let s2 = start(c + 32, accumulate);
  let s3 = start(c + 48, accumulate);
  for (let p: i32 = 0; p < k; p++) {
    const x = v128.load32_splat(a);
    s0 = f32x4.add(s0, f32x4.mul(x, v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(x, v128.load(b, 16)));
    s2 = f32x4.add(s2, f32x4.mul(x, v128.load(b, 32)));
    s3 = f32x4.add(s3, f32x4.mul(x, v128.load(b, 48)));
    a += colBytes;
    b += width;
  }
  v128.store(c, s0);
  v128.store(c, s1, 16);
  v128.store(c, s2, 32);
  v128.store(c, s3, 48);
}

function block1x4(
  k: i32,
  a: usize,
  colBytes: usize,
  b: usize,
  width: usize,
  c: usize,
  accumulate: i32,
): void {
  let s0 = start(c, accumulate);
  for (let p: i32 = 0; p < k; p++) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(a), v128.load(b)));
    a += colBytes;
    b += width;
  }
  v128.store(c, s0);
}

function dot(k: i32, a: usize, colBytes: usize, b: usize, width: usize, c: usize, accumulate: i32): void {
  let sum: f32 = accumulate ? load<f32>(c) : 0;
  for (let p: i32 = 0; p < k; p++) {
    sum += load<f32>(a) * load<f32>(b);
    a += colBytes;
    b += width;
  }
  store<f32>(c, sum);
}

/** Writes the transpose of a row-major (rows x cols) matrix. Addresses are in bytes. */
export function transpose(rows: i32, cols: i32, from: usize, to: usize): void {
  const down = (<usize>rows) << 2;
  for (let i: i32 = 0; i < rows; i++) {
    let target = to + ((<usize>i) << 2);
    for (let j: i32 = 0; j < cols; j++) {
      store<f32>(target, load<f32>(from));
      from += 4;
      target += down;
    }
  }
}

/**
 * One Adam update (Kingma & Ba 2015) of `count` weights, count a multiple of 4. `step` is the learning rate
 * with the bias corrections folded in, `scale` multiplies the gradient (clipping). Addresses are in bytes.
 */
export function adam(
  count: i32,
  weight: usize,
  grad: usize,
  first: usize,
  second: usize,
  step: f32,
  beta1: f32,
  beta2: f32,
  eps: f32,
  scale: f32,
): void {
  const b1 = f32x4.splat(beta1);
  const b2 = f32x4.splat(beta2);
  const r1 = f32x4.splat(1 - beta1);
  const r2 = f32x4.splat(1 - beta2);
  const size = f32x4.splat(step);
  const floor = f32x4.splat(eps);
  const factor = f32x4.splat(scale);
  for (let at: usize = 0; at < (<usize>count) << 2; at += 16) {
    const g = f32x4.mul(v128.load(grad + at), factor);
    const m = f32x4.add(f32x4.mul(b1, v128.load(first + at)), f32x4.mul(r1, g));
    const v = f32x4.add(f32x4.mul(b2, v128.load(second + at)), f32x4.mul(r2, f32x4.mul(g, g)));
    v128.store(first + at, m);
    v128.store(second + at, v);
    const move = f32x4.div(f32x4.mul(size, m), f32x4.add(f32x4.sqrt(v), floor));
    v128.store(weight + at, f32x4.sub(v128.load(weight + at), move));
  }
}
