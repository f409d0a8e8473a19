import { lanes } from "./tile";

/** Loops over the rows of a symmetric matrix and of its eigenvectors. Rows lie `stride` bytes apart. */

/**
 * A −= u·qᵀ + q·uᵀ, then p += A·v, in one pass over the lower triangle of a symmetric matrix of `size` rows.
 *
 * One pass, since the matrix is larger than the cache. What is right of the diagonal is neither read nor written.
 */
export function updateTimes(a: usize, stride: usize, size: i32, u: usize, q: usize, v: usize, p: usize): void {
  const pairs: usize = (<usize>size >> 1) << 4;
  let row: usize = a;
  for (let j: usize = 0; j < pairs; j += 16, row += 2 * stride) {
    const next: usize = row + stride;
    const u0: v128 = v128.load64_splat(u + j);
    const u1: v128 = v128.load64_splat(u + j, 8);
    const q0: v128 = v128.load64_splat(q + j);
    const q1: v128 = v128.load64_splat(q + j, 8);
    const v0: v128 = v128.load64_splat(v + j);
    const v1: v128 = v128.load64_splat(v + j, 8);
    let s0: v128 = f64x2.splat(0), s1: v128 = s0;
    for (let k: usize = 0; k < j; k += 16) {
      const uk: v128 = v128.load(u + k);
      const qk: v128 = v128.load(q + k);
      const vk: v128 = v128.load(v + k);
      const x: v128 = f64x2.sub(f64x2.sub(v128.load(row + k), f64x2.mul(u0, qk)), f64x2.mul(q0, uk));
      v128.store(row + k, x);
      const y: v128 = f64x2.sub(f64x2.sub(v128.load(next + k), f64x2.mul(u1, qk)), f64x2.mul(q1, uk));
      v128.store(next + k, y);
      s0 = f64x2.add(s0, f64x2.mul(x, vk));
      s1 = f64x2.add(s1, f64x2.mul(y, vk));
      v128.store(p + k, f64x2.add(v128.load(p + k), f64x2.add(f64x2.mul(x, v0), f64x2.mul(y, v1))));
    }
    const first: f64 = diagonal(row + j, u + j, q + j);
    const side: f64 = load<f64>(next + j) - load<f64>(u + j, 8) * load<f64>(q + j) - load<f64>(q + j, 8) * load<f64>(u + j);
    store<f64>(next + j, side);
    const second: f64 = diagonal(next + j + 8, u + j + 8, q + j + 8);
    const low: f64 = load<f64>(v + j), high: f64 = load<f64>(v + j, 8);
    store<f64>(p + j, load<f64>(p + j) + lanes(s0) + first * low + side * high);
    store<f64>(p + j, load<f64>(p + j, 8) + lanes(s1) + side * low + second * high, 8);
  }
  if (!(size & 1)) return;
  let sum: f64 = 0;
  for (let k: usize = 0; k < pairs; k += 8) {
    const x: f64 = load<f64>(row + k) - load<f64>(u + pairs) * load<f64>(q + k) - load<f64>(q + pairs) * load<f64>(u + k);
    store<f64>(row + k, x);
    sum += x * load<f64>(v + k);
    store<f64>(p + k, load<f64>(p + k) + x * load<f64>(v + pairs));
  }
  const last: f64 = diagonal(row + pairs, u + pairs, q + pairs);
  store<f64>(p + pairs, load<f64>(p + pairs) + sum + last * load<f64>(v + pairs));
}

// @ts-ignore: decorator
@inline
function diagonal(at: usize, u: usize, q: usize): f64 {
  const value: f64 = load<f64>(at) - 2 * load<f64>(u) * load<f64>(q);
  store<f64>(at, value);
  return value;
}

/**
 * Turns neighbouring rows in 16 columns: first the rows at `row` and above it, then those one further up, and so on.
 *
 * turns: `count` pairs of doubles, cosine c and sine s; (above, below) become (c·above − s·below, s·above + c·below).
 */
export function turnRows(row: usize, stride: usize, turns: usize, count: i32): void {
  let at: usize = row;
  let b0: v128 = v128.load(at, 0);
  let b1: v128 = v128.load(at, 16);
  let b2: v128 = v128.load(at, 32);
  let b3: v128 = v128.load(at, 48);
  let b4: v128 = v128.load(at, 64);
  let b5: v128 = v128.load(at, 80);
  let b6: v128 = v128.load(at, 96);
  let b7: v128 = v128.load(at, 112);
  const end: usize = turns + (<usize>count << 4);
  for (let turn: usize = turns; turn < end; turn += 16, at -= stride) {
    const c: v128 = v128.load64_splat(turn);
    const s: v128 = v128.load64_splat(turn, 8);
    const above: usize = at - stride;
    b0 = turned(above, at, b0, c, s);
    b1 = turned(above + 16, at + 16, b1, c, s);
    b2 = turned(above + 32, at + 32, b2, c, s);
    b3 = turned(above + 48, at + 48, b3, c, s);
    b4 = turned(above + 64, at + 64, b4, c, s);
    b5 = turned(above + 80, at + 80, b5, c, s);
    b6 = turned(above + 96, at + 96, b6, c, s);
    b7 = turned(above + 112, at + 112, b7, c, s);
  }
  v128.store(at, b0, 0);
  v128.store(at, b1, 16);
  v128.store(at, b2, 32);
  v128.store(at, b3, 48);
  v128.store(at, b4, 64);
  v128.store(at, b5, 80);
  v128.store(at, b6, 96);
  v128.store(at, b7, 112);
}

/** Stores what becomes of the lower pair; answers what becomes of the upper one. */
// @ts-ignore: decorator
@inline
function turned(above: usize, at: usize, below: v128, c: v128, s: v128): v128 {
  const x: v128 = v128.load(above);
  v128.store(at, f64x2.add(f64x2.mul(s, x), f64x2.mul(c, below)));
  return f64x2.sub(f64x2.mul(c, x), f64x2.mul(s, below));
}
