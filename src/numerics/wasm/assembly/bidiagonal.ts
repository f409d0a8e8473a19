import { lanes } from "./tile";

/**
 * One step of a reduction to bidiagonal form, in one pass over the columns, since they are larger than the cache.
 *
 * Of each column c: c −= v·w, then c −= share·(u·c)·u, and its number in row `row` becomes its x; sums += x·c.
 * a: `count` columns `stride` bytes apart, taken two at a time, of which `bytes` bytes count, a multiple of 16; u, w and
 * sums likewise. v and x have a number for each column; `row` is in bytes.
 */
export function reflectColumns(
  a: usize,
  stride: usize,
  count: i32,
  bytes: usize,
  u: usize,
  share: f64,
  w: usize,
  v: usize,
  row: usize,
  x: usize,
  sums: usize,
): void {
  for (let j: usize = 0; j < <usize>count << 3; j += 16, a += 2 * stride) {
    const b: usize = a + stride;
    const v0: v128 = v128.load64_splat(v + j);
    const v1: v128 = v128.load64_splat(v + j, 8);
    let s0: v128 = f64x2.splat(0), s1: v128 = s0;
    for (let k: usize = 0; k < bytes; k += 16) {
      const wk: v128 = v128.load(w + k);
      const uk: v128 = v128.load(u + k);
      const y: v128 = f64x2.sub(v128.load(a + k), f64x2.mul(v0, wk));
      const z: v128 = f64x2.sub(v128.load(b + k), f64x2.mul(v1, wk));
      v128.store(a + k, y);
      v128.store(b + k, z);
      s0 = f64x2.add(s0, f64x2.mul(y, uk));
      s1 = f64x2.add(s1, f64x2.mul(z, uk));
    }
    const f0: f64 = lanes(s0) * share, f1: f64 = lanes(s1) * share;
    const x0: f64 = load<f64>(a + row) - f0 * load<f64>(u + row);
    const x1: f64 = load<f64>(b + row) - f1 * load<f64>(u + row);
    store<f64>(x + j, x0);
    store<f64>(x + j, x1, 8);
    const p0: v128 = f64x2.splat(f0), p1: v128 = f64x2.splat(f1);
    const q0: v128 = f64x2.splat(x0), q1: v128 = f64x2.splat(x1);
    for (let k: usize = 0; k < bytes; k += 16) {
      const uk: v128 = v128.load(u + k);
      const y: v128 = f64x2.sub(v128.load(a + k), f64x2.mul(p0, uk));
      const z: v128 = f64x2.sub(v128.load(b + k), f64x2.mul(p1, uk));
      v128.store(a + k, y);
      v128.store(b + k, z);
      v128.store(sums + k, f64x2.add(v128.load(sums + k), f64x2.add(f64x2.mul(q0, y), f64x2.mul(q1, z))));
    }
  }
}
