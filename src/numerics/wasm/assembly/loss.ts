/** The loops of losses over a block of scores. Lengths are bytes, multiples of 16. */

/**
 * exp(x) of two numbers up to 0; below −708 that of −708, NaN stays. Within one unit of the last digit.
 *
 * x = n·ln 2 + r with |r| ≤ ln(2)/2, and Taylor's polynomial of r. Source: Muller, Elementary Functions, 3rd ed., §11.
 */
// @ts-ignore: decorator
@inline
function exps(x: v128): v128 {
  const low: v128 = f64x2.max(x, f64x2.splat(-708));
  // Added to this number, another is rounded to a whole one, which stands in the last bits.
  const rounder: v128 = f64x2.splat(6755399441055744);
  const whole: v128 = f64x2.add(f64x2.mul(low, f64x2.splat(1.4426950408889634)), rounder);
  const n: v128 = f64x2.sub(whole, rounder);
  const most: v128 = f64x2.sub(low, f64x2.mul(n, f64x2.splat(0.6931471803691238)));
  const r: v128 = f64x2.sub(most, f64x2.mul(n, f64x2.splat(1.9082149292705877e-10)));
  let p: v128 = f64x2.splat(1.0 / 6227020800);
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 479001600));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 39916800));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 3628800));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 362880));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 40320));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 5040));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 720));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 120));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 24));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 6));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(0.5));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1));
  // The bits of a NaN may become a number's; 0 times it is none.
  return f64x2.add(i64x2.add(p, i64x2.shl(whole, 52)), f64x2.mul(low, f64x2.splat(0)));
}

/** ln(1 + e) of two numbers in 0…1: the series of 2·artanh(e / (2 + e)). */
// @ts-ignore: decorator
@inline
function logs(e: v128): v128 {
  const f: v128 = f64x2.div(e, f64x2.add(e, f64x2.splat(2)));
  const s: v128 = f64x2.mul(f, f);
  let p: v128 = f64x2.splat(2.0 / 33);
  for (let k: f64 = 31; k > 0; k -= 2) p = f64x2.add(f64x2.mul(p, s), f64x2.splat(2.0 / k));
  return f64x2.mul(p, f);
}

/**
 * Turns scores into probabilities of classes, in place: z is `rows` vectors of `step` bytes, one a class.
 *
 * Writes each place's largest score into `top`, and the sum of exp(z − top) into `sum`. Vector after vector: those of many
 * classes would throw each other out of the cache.
 */
export function softmax(z: usize, rows: i32, step: usize, top: usize, sum: usize): void {
  const end: usize = z + <usize>rows * step;
  memory.copy(top, z, step);
  memory.fill(sum, 0, step);
  for (let row: usize = z + step; row < end; row += step) {
    for (let at: usize = 0; at < step; at += 16) {
      v128.store(top + at, f64x2.max(v128.load(top + at), v128.load(row + at)));
    }
  }
  for (let row: usize = z; row < end; row += step) {
    for (let at: usize = 0; at < step; at += 16) {
      const e: v128 = exps(f64x2.sub(v128.load(row + at), v128.load(top + at)));
      v128.store(row + at, e);
      v128.store(sum + at, f64x2.add(v128.load(sum + at), e));
    }
  }
  for (let row: usize = z; row < end; row += step) {
    for (let at: usize = 0; at < step; at += 16) {
      v128.store(row + at, f64x2.div(v128.load(row + at), v128.load(sum + at)));
    }
  }
}

/** out = exp(−|z|) and log = ln(1 + out), `step` bytes of each. */
export function logistic(z: usize, out: usize, log: usize, step: usize): void {
  for (let at: usize = 0; at < step; at += 16) {
    const e: v128 = exps(f64x2.neg(f64x2.abs(v128.load(z + at))));
    v128.store(out + at, e);
    v128.store(log + at, logs(e));
  }
}
