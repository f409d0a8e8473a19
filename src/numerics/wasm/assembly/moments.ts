// Sums are those of twice the digits (Knuth's TwoSum in each lane), so that they are right to the last digit however
// many numbers there are.

/** What was lost in s = a + b. */
// @ts-ignore: decorator
@inline
function lost(a: v128, b: v128, s: v128): v128 {
  const c: v128 = f64x2.sub(s, a);
  return f64x2.add(f64x2.sub(a, f64x2.sub(s, c)), f64x2.sub(b, c));
}

/** Stores the sums of two lanes each of s0 and s1, and of what was lost. */
// @ts-ignore: decorator
@inline
function storeSum(s0: v128, s1: v128, e0: v128, e1: v128, out: usize): void {
  const s: v128 = f64x2.add(s0, s1);
  const e: v128 = f64x2.add(f64x2.add(e0, e1), lost(s0, s1, s));
  const a: f64 = f64x2.extract_lane(s, 0);
  const b: f64 = f64x2.extract_lane(s, 1);
  const sum: f64 = a + b;
  const c: f64 = sum - a;
  store<f64>(out, sum);
  store<f64>(out + 8, f64x2.extract_lane(e, 0) + f64x2.extract_lane(e, 1) + (a - (sum - c) + (b - c)));
}

/**
 * How many numbers there are, the least, the largest, their sum and what it lacks: five doubles at `out`.
 *
 * x: `length` doubles, a multiple of 4; NaN is none. Without any number: 0, Infinity, -Infinity, 0, 0.
 */
export function range(x: usize, out: usize, length: i32): void {
  const end: usize = x + (<usize>length << 3);
  const one: v128 = f64x2.splat(1);
  const none: v128 = f64x2.splat(0);
  const high: v128 = f64x2.splat(Infinity);
  const low: v128 = f64x2.splat(-Infinity);
  let n0: v128 = none, n1: v128 = none, s0: v128 = none, s1: v128 = none, e0: v128 = none, e1: v128 = none;
  let min0: v128 = high, min1: v128 = high, max0: v128 = low, max1: v128 = low;
  for (let at: usize = x; at < end; at += 32) {
    const a: v128 = v128.load(at);
    const b: v128 = v128.load(at, 16);
    const isA: v128 = f64x2.eq(a, a);
    const isB: v128 = f64x2.eq(b, b);
    n0 = f64x2.add(n0, v128.and(isA, one));
    n1 = f64x2.add(n1, v128.and(isB, one));
    const thereA: v128 = v128.and(isA, a);
    const thereB: v128 = v128.and(isB, b);
    const t0: v128 = f64x2.add(s0, thereA);
    const t1: v128 = f64x2.add(s1, thereB);
    e0 = f64x2.add(e0, lost(s0, thereA, t0));
    e1 = f64x2.add(e1, lost(s1, thereB, t1));
    s0 = t0;
    s1 = t1;
    // The second one is taken where it is less, or more; NaN never is.
    min0 = f64x2.pmin(min0, a);
    min1 = f64x2.pmin(min1, b);
    max0 = f64x2.pmax(max0, a);
    max1 = f64x2.pmax(max1, b);
  }
  const n: v128 = f64x2.add(n0, n1);
  const min: v128 = f64x2.min(min0, min1);
  const max: v128 = f64x2.max(max0, max1);
  store<f64>(out, f64x2.extract_lane(n, 0) + f64x2.extract_lane(n, 1));
  store<f64>(out + 8, Math.min(f64x2.extract_lane(min, 0), f64x2.extract_lane(min, 1)));
  store<f64>(out + 16, Math.max(f64x2.extract_lane(max, 0), f64x2.extract_lane(max, 1)));
  storeSum(s0, s1, e0, e1, out + 24);
}

/** The sum of ((x - mean) · unit)² over `length` doubles, a multiple of 4, and what it lacks; NaN is none. */
export function spread(x: usize, mean: f64, unit: f64, out: usize, length: i32): void {
  const end: usize = x + (<usize>length << 3);
  const middle: v128 = f64x2.splat(mean);
  const scale: v128 = f64x2.splat(unit);
  let s0: v128 = f64x2.splat(0), s1: v128 = s0, e0: v128 = s0, e1: v128 = s0;
  for (let at: usize = x; at < end; at += 32) {
    const a: v128 = f64x2.mul(f64x2.sub(v128.load(at), middle), scale);
    const b: v128 = f64x2.mul(f64x2.sub(v128.load(at, 16), middle), scale);
    const squareA: v128 = v128.and(f64x2.eq(a, a), f64x2.mul(a, a));
    const squareB: v128 = v128.and(f64x2.eq(b, b), f64x2.mul(b, b));
    const t0: v128 = f64x2.add(s0, squareA);
    const t1: v128 = f64x2.add(s1, squareB);
    e0 = f64x2.add(e0, lost(s0, squareA, t0));
    e1 = f64x2.add(e1, lost(s1, squareB, t1));
    s0 = t0;
    s1 = t1;
  }
  storeSum(s0, s1, e0, e1, out);
}
