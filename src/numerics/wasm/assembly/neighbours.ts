/**
 * Compares four queries with eight rows at a time, in single precision.
 *
 * Rows lie in groups of eight: their squared norms, then d times eight values of one column; queries as d times four
 * values, each already times −2. For every group in which |y|² − 2xy is at most the query's limit anywhere, it writes
 * the group's number and 32 bits (eight rows for each query) to `out`, and answers where it stopped writing.
 */
export function scan(queries: usize, rows: usize, groups: i32, d: i32, limits: usize, out: usize): usize {
  const end: usize = queries + (<usize>d << 4);
  let row: usize = rows;
  let to: usize = out;
  for (let group: i32 = 0; group < groups; group++) {
    const low: v128 = v128.load(row);
    const high: v128 = v128.load(row, 16);
    let a0: v128 = low, b0: v128 = low, c0: v128 = low, e0: v128 = low;
    let a1: v128 = high, b1: v128 = high, c1: v128 = high, e1: v128 = high;
    row += 32;
    for (let at: usize = queries; at < end; at += 16, row += 32) {
      const x0: v128 = v128.load(row);
      const x1: v128 = v128.load(row, 16);
      const a: v128 = v128.load32_splat(at);
      a0 = f32x4.add(a0, f32x4.mul(a, x0));
      a1 = f32x4.add(a1, f32x4.mul(a, x1));
      const b: v128 = v128.load32_splat(at, 4);
      b0 = f32x4.add(b0, f32x4.mul(b, x0));
      b1 = f32x4.add(b1, f32x4.mul(b, x1));
      const c: v128 = v128.load32_splat(at, 8);
      c0 = f32x4.add(c0, f32x4.mul(c, x0));
      c1 = f32x4.add(c1, f32x4.mul(c, x1));
      const e: v128 = v128.load32_splat(at, 12);
      e0 = f32x4.add(e0, f32x4.mul(e, x0));
      e1 = f32x4.add(e1, f32x4.mul(e, x1));
    }
    const hits: i32 =
      within(a0, a1, limits, 0) |
      (within(b0, b1, limits, 4) << 8) |
      (within(c0, c1, limits, 8) << 16) |
      (within(e0, e1, limits, 12) << 24);
    if (hits == 0) continue;
    store<i32>(to, group);
    store<i32>(to, hits, 4);
    to += 8;
  }
  return to;
}

// @ts-ignore: decorator
@inline
function within(low: v128, high: v128, limits: usize, offset: usize): i32 {
  const limit: v128 = v128.load32_splat(limits + offset);
  return i32x4.bitmask(f32x4.le(low, limit)) | (i32x4.bitmask(f32x4.le(high, limit)) << 4);
}

/**
 * out[i] = the squared distance of `row` from row i of `rows`, which lie one after the other.
 *
 * count: a multiple of 4; width: bytes of a row, a multiple of 16.
 */
export function squaredGaps(row: usize, rows: usize, count: i32, width: usize, out: usize): void {
  const end: usize = rows + <usize>count * width;
  const none: v128 = f64x2.splat(0);
  let to: usize = out;
  for (let at: usize = rows; at < end; at += 4 * width, to += 32) {
    let s0: v128 = none, s1: v128 = none, s2: v128 = none, s3: v128 = none;
    for (let k: usize = 0; k < width; k += 16) {
      const own: v128 = v128.load(row + k);
      const from: usize = at + k;
      const a: v128 = f64x2.sub(own, v128.load(from));
      s0 = f64x2.add(s0, f64x2.mul(a, a));
      const b: v128 = f64x2.sub(own, v128.load(from + width));
      s1 = f64x2.add(s1, f64x2.mul(b, b));
      const c: v128 = f64x2.sub(own, v128.load(from + 2 * width));
      s2 = f64x2.add(s2, f64x2.mul(c, c));
      const d: v128 = f64x2.sub(own, v128.load(from + 3 * width));
      s3 = f64x2.add(s3, f64x2.mul(d, d));
    }
    v128.store(to, f64x2.add(v128.shuffle<f64>(s0, s1, 0, 2), v128.shuffle<f64>(s0, s1, 1, 3)));
    v128.store(to, f64x2.add(v128.shuffle<f64>(s2, s3, 0, 2), v128.shuffle<f64>(s2, s3, 1, 3)), 16);
  }
}
