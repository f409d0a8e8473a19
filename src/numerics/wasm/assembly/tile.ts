/** Tiles of inner products, which columns and rows share. Two lanes hold a sum until the end, where they are added. */

/**
 * Adds the inner products of two vectors `p` and `p + step` with four vectors from `q`, `stride` apart, to four sums each.
 *
 * to[j] = bias[j] + p · q_j, next[j] = nextBias[j] + (p + step) · q_j; `width` bytes of each vector.
 */
// @ts-ignore: decorator
@inline
export function dots2x4(
  p: usize,
  step: usize,
  q: usize,
  stride: usize,
  width: usize,
  bias: usize,
  to: usize,
  nextBias: usize,
  next: usize,
): void {
  let s0: v128 = f64x2.splat(0), s1: v128 = s0, s2: v128 = s0, s3: v128 = s0;
  let t0: v128 = s0, t1: v128 = s0, t2: v128 = s0, t3: v128 = s0;
  for (let k: usize = 0; k < width; k += 16) {
    const u: v128 = v128.load(p + k);
    const v: v128 = v128.load(p + step + k);
    const at: usize = q + k;
    const b0: v128 = v128.load(at);
    s0 = f64x2.add(s0, f64x2.mul(u, b0));
    t0 = f64x2.add(t0, f64x2.mul(v, b0));
    const b1: v128 = v128.load(at + stride);
    s1 = f64x2.add(s1, f64x2.mul(u, b1));
    t1 = f64x2.add(t1, f64x2.mul(v, b1));
    const b2: v128 = v128.load(at + 2 * stride);
    s2 = f64x2.add(s2, f64x2.mul(u, b2));
    t2 = f64x2.add(t2, f64x2.mul(v, b2));
    const b3: v128 = v128.load(at + 3 * stride);
    s3 = f64x2.add(s3, f64x2.mul(u, b3));
    t3 = f64x2.add(t3, f64x2.mul(v, b3));
  }
  store4(to, bias, s0, s1, s2, s3);
  store4(next, nextBias, t0, t1, t2, t3);
}

/** to[j] = bias[j] + the lanes of s_j. */
// @ts-ignore: decorator
@inline
export function store4(to: usize, bias: usize, s0: v128, s1: v128, s2: v128, s3: v128): void {
  const low: v128 = f64x2.add(v128.shuffle<f64>(s0, s1, 0, 2), v128.shuffle<f64>(s0, s1, 1, 3));
  const high: v128 = f64x2.add(v128.shuffle<f64>(s2, s3, 0, 2), v128.shuffle<f64>(s2, s3, 1, 3));
  v128.store(to, f64x2.add(low, v128.load(bias)));
  v128.store(to, f64x2.add(high, v128.load(bias, 16)), 16);
}

/** The sum of a vector's two numbers. */
// @ts-ignore: decorator
@inline
export function lanes(s: v128): f64 {
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}
