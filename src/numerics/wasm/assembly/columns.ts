import { dots2x4, store4 } from "./tile";

/**
 * Inner products: out[i · stride + j] += a_i · b_j.
 *
 * a: na vectors, b: nb vectors, each of `length` doubles, one after the other; nb a multiple of 4, length of 2.
 */
export function dots(a: usize, b: usize, out: usize, na: i32, nb: i32, length: i32, stride: i32): void {
  const size: usize = <usize>length << 3;
  const line: usize = <usize>stride << 3;
  let i: i32 = 0;
  for (; i + 1 < na; i += 2) {
    const p: usize = a + <usize>i * size;
    for (let j: i32 = 0; j < nb; j += 4) {
      const to: usize = out + <usize>i * line + (<usize>j << 3);
      dots2x4(p, size, b + <usize>j * size, size, size, to, to, to + line, to + line);
    }
  }
  if (i == na) return;
  const p: usize = a + <usize>i * size;
  for (let j: i32 = 0; j < nb; j += 4) {
    dots1x4(p, b + <usize>j * size, out + <usize>i * line + (<usize>j << 3), size);
  }
}

// @ts-ignore: decorator
@inline
function dots1x4(p: usize, q: usize, to: usize, size: usize): void {
  let s0: v128 = f64x2.splat(0), s1: v128 = s0, s2: v128 = s0, s3: v128 = s0;
  for (let k: usize = 0; k < size; k += 16) {
    const u: v128 = v128.load(p + k);
    const at: usize = q + k;
    s0 = f64x2.add(s0, f64x2.mul(u, v128.load(at)));
    s1 = f64x2.add(s1, f64x2.mul(u, v128.load(at + size)));
    s2 = f64x2.add(s2, f64x2.mul(u, v128.load(at + 2 * size)));
    s3 = f64x2.add(s3, f64x2.mul(u, v128.load(at + 3 * size)));
  }
  store4(to, to, s0, s1, s2, s3);
}

/**
 * Sums of columns: out_c += Σ_j w[c · columns + j] · x_j.
 *
 * x: `columns` vectors, out: `sums` vectors, each of `rows` doubles, a multiple of 8.
 */
export function combine(x: usize, w: usize, out: usize, rows: i32, columns: i32, sums: i32): void {
  const size: usize = <usize>rows << 3;
  addVectors(x, size, w, out, size, size, columns, sums);
}

/** Vectors that are added together: more would lie on more pages of memory than are looked up at once. */
const GROUP: i32 = 16;

/** `combine` of the first `width` bytes, a multiple of 64, of vectors that lie `step` and `outStep` bytes apart. */
export function addVectors(
  x: usize,
  step: usize,
  w: usize,
  out: usize,
  outStep: usize,
  width: usize,
  columns: i32,
  sums: i32,
): void {
  const line: usize = <usize>columns << 3;
  for (let j: i32 = 0; j < columns; j += GROUP) {
    const count: usize = <usize>min(GROUP, columns - j) << 3;
    addGroup(x + <usize>j * step, step, w + (<usize>j << 3), line, count, out, outStep, width, sums);
  }
}

/** `addVectors` of a few vectors, whose weights are `count` bytes of each `line` bytes. */
function addGroup(
  x: usize,
  step: usize,
  w: usize,
  line: usize,
  count: usize,
  out: usize,
  outStep: usize,
  width: usize,
  sums: i32,
): void {
  let c: i32 = 0;
  let weights: usize = w;
  let to: usize = out;
  // Two sums together load each vector once; every sum is added up in the same order as alone.
  for (; c + 1 < sums; c += 2, weights += 2 * line, to += 2 * outStep) {
    const next: usize = to + outStep;
    for (let r: usize = 0; r < width; r += 64) {
      let s0: v128 = v128.load(to + r);
      let s1: v128 = v128.load(to + r, 16);
      let s2: v128 = v128.load(to + r, 32);
      let s3: v128 = v128.load(to + r, 48);
      let t0: v128 = v128.load(next + r);
      let t1: v128 = v128.load(next + r, 16);
      let t2: v128 = v128.load(next + r, 32);
      let t3: v128 = v128.load(next + r, 48);
      let from: usize = x + r;
      for (let at: usize = weights; at < weights + count; at += 8, from += step) {
        const u: v128 = v128.load64_splat(at);
        const v: v128 = v128.load64_splat(at + line);
        const x0: v128 = v128.load(from);
        s0 = f64x2.add(s0, f64x2.mul(u, x0));
        t0 = f64x2.add(t0, f64x2.mul(v, x0));
        const x1: v128 = v128.load(from, 16);
        s1 = f64x2.add(s1, f64x2.mul(u, x1));
        t1 = f64x2.add(t1, f64x2.mul(v, x1));
        const x2: v128 = v128.load(from, 32);
        s2 = f64x2.add(s2, f64x2.mul(u, x2));
        t2 = f64x2.add(t2, f64x2.mul(v, x2));
        const x3: v128 = v128.load(from, 48);
        s3 = f64x2.add(s3, f64x2.mul(u, x3));
        t3 = f64x2.add(t3, f64x2.mul(v, x3));
      }
      v128.store(to + r, s0);
      v128.store(to + r, s1, 16);
      v128.store(to + r, s2, 32);
      v128.store(to + r, s3, 48);
      v128.store(next + r, t0);
      v128.store(next + r, t1, 16);
      v128.store(next + r, t2, 32);
      v128.store(next + r, t3, 48);
    }
  }
  if (c == sums) return;
  for (let r: usize = 0; r < width; r += 64) {
    let s0: v128 = v128.load(to + r);
    let s1: v128 = v128.load(to + r, 16);
    let s2: v128 = v128.load(to + r, 32);
    let s3: v128 = v128.load(to + r, 48);
    let from: usize = x + r;
    for (let at: usize = weights; at < weights + count; at += 8, from += step) {
      const weight: v128 = v128.load64_splat(at);
      s0 = f64x2.add(s0, f64x2.mul(weight, v128.load(from)));
      s1 = f64x2.add(s1, f64x2.mul(weight, v128.load(from, 16)));
      s2 = f64x2.add(s2, f64x2.mul(weight, v128.load(from, 32)));
      s3 = f64x2.add(s3, f64x2.mul(weight, v128.load(from, 48)));
    }
    v128.store(to + r, s0);
    v128.store(to + r, s1, 16);
    v128.store(to + r, s2, 32);
    v128.store(to + r, s3, 48);
  }
}

/** x += by, `length` doubles, a multiple of 4. */
export function shift(x: usize, by: f64, length: i32): void {
  const amount: v128 = f64x2.splat(by);
  const end: usize = x + (<usize>length << 3);
  for (let at: usize = x; at < end; at += 32) {
    v128.store(at, f64x2.add(v128.load(at), amount));
    v128.store(at, f64x2.add(v128.load(at, 16), amount), 16);
  }
}

/** out = x², `length` doubles, a multiple of 4. */
export function squares(x: usize, out: usize, length: i32): void {
  const size: usize = <usize>length << 3;
  for (let k: usize = 0; k < size; k += 32) {
    const a: v128 = v128.load(x + k);
    const b: v128 = v128.load(x + k, 16);
    v128.store(out + k, f64x2.mul(a, a));
    v128.store(out + k, f64x2.mul(b, b), 16);
  }
}
