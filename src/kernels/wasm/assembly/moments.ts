/**
 * How many numbers there are, the least, the largest and their sum: four doubles at `out`.
 *
 * x: `length` doubles, a multiple of 4; NaN is none. Without any number: 0, Infinity, -Infinity, 0.
 */
export function range(x: usize, out: usize, length: i32): void {
  const end: usize = x + (<usize>length << 3);
  const one: v128 = f64x2.splat(1);
  const none: v128 = f64x2.splat(0);
  const high: v128 = f64x2.splat(Infinity);
  const low: v128 = f64x2.splat(-Infinity);
  let n0: v128 = none, n1: v128 = none, s0: v128 = none, s1: v128 = none;
  let min0: v128 = high, min1: v128 = high, max0: v128 = low, max1: v128 = low;
  for (let at: usize = x; at < end; at += 32) {
    const a: v128 = v128.load(at);
    const b: v128 = v128.load(at, 16);
    const isA: v128 = f64x2.eq(a, a);
    const isB: v128 = f64x2.eq(b, b);
    n0 = f64x2.add(n0, v128.and(isA, one));
    n1 = f64x2.add(n1, v128.and(isB, one));
    s0 = f64x2.add(s0, v128.and(isA, a));
    s1 = f64x2.add(s1, v128.and(isB, b));
    // The second one is taken where it is less, or more; NaN never is.
    min0 = f64x2.pmin(min0, a);
    min1 = f64x2.pmin(min1, b);
    max0 = f64x2.pmax(max0, a);
    max1 = f64x2.pmax(max1, b);
  }
  const n: v128 = f64x2.add(n0, n1);
  const s: v128 = f64x2.add(s0, s1);
  const min: v128 = f64x2.min(min0, min1);
  const max: v128 = f64x2.max(max0, max1);
  store<f64>(out, f64x2.extract_lane(n, 0) + f64x2.extract_lane(n, 1));
  store<f64>(out + 8, Math.min(f64x2.extract_lane(min, 0), f64x2.extract_lane(min, 1)));
  store<f64>(out + 16, Math.max(f64x2.extract_lane(max, 0), f64x2.extract_lane(max, 1)));
  store<f64>(out + 24, f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1));
}

/** The sum of ((x - mean) · unit)² over `length` doubles, a multiple of 4; NaN is none. */
export function spread(x: usize, mean: f64, unit: f64, length: i32): f64 {
  const end: usize = x + (<usize>length << 3);
  const middle: v128 = f64x2.splat(mean);
  const scale: v128 = f64x2.splat(unit);
  let s0: v128 = f64x2.splat(0), s1: v128 = s0;
  for (let at: usize = x; at < end; at += 32) {
    const a: v128 = f64x2.mul(f64x2.sub(v128.load(at), middle), scale);
    const b: v128 = f64x2.mul(f64x2.sub(v128.load(at, 16), middle), scale);
    s0 = f64x2.add(s0, v128.and(f64x2.eq(a, a), f64x2.mul(a, a)));
    s1 = f64x2.add(s1, v128.and(f64x2.eq(b, b), f64x2.mul(b, b)));
  }
  const s: v128 = f64x2.add(s0, s1);
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}
