/** The squared (2), absolute (1) or largest (0) differences of two rows from `here`, added up as a loop over one row adds them. */
// @ts-ignore: decorator
@inline
export function gaps(x: usize, step: usize, d: i32, here: usize, kind: i32): v128 {
  let sum: v128 = f64x2.splat(0);
  let j: i32 = 0;
  let at: usize = x;
  let own: usize = here;
  if (kind == 2 && d >= 16) {
    let s1: v128 = sum, s2: v128 = sum, s3: v128 = sum;
    for (; j + 3 < d; j += 4, at += 4 * step, own += 32) {
      const a: v128 = f64x2.sub(v128.load64_splat(own), v128.load(at));
      const b: v128 = f64x2.sub(v128.load64_splat(own, 8), v128.load(at + step));
      const c: v128 = f64x2.sub(v128.load64_splat(own, 16), v128.load(at + 2 * step));
      const e: v128 = f64x2.sub(v128.load64_splat(own, 24), v128.load(at + 3 * step));
      sum = f64x2.add(sum, f64x2.mul(a, a));
      s1 = f64x2.add(s1, f64x2.mul(b, b));
      s2 = f64x2.add(s2, f64x2.mul(c, c));
      s3 = f64x2.add(s3, f64x2.mul(e, e));
    }
    sum = f64x2.add(f64x2.add(sum, s1), f64x2.add(s2, s3));
  }
  for (; j < d; j++, at += step, own += 8) {
    const off: v128 = f64x2.sub(v128.load64_splat(own), v128.load(at));
    if (kind == 2) sum = f64x2.add(sum, f64x2.mul(off, off));
    else if (kind == 1) sum = f64x2.add(sum, f64x2.abs(off));
    else sum = f64x2.max(sum, f64x2.abs(off));
  }
  return sum;
}

/**
 * Lowers what is known of how far rows are from a growing tree, by mutual reachability from the row that joined last.
 *
 * x: d columns, `step` bytes apart; `least` the rows' core distances, `core` that of `here`; `reach` what is known and
 * `source` from which row. All of `size` bytes, a multiple of 16. Answers the nearest row, of equals the first; −1 where
 * none is at a distance below infinity. `kind`: of `gaps`.
 */
export function lowerReach(
  x: usize, step: usize, d: i32, here: usize, least: usize, core: f64, reach: usize, source: usize, from: f64,
  size: usize, kind: i32,
): i32 {
  if (kind == 2) return lower(x, step, d, here, least, core, reach, source, from, size, 2);
  if (kind == 1) return lower(x, step, d, here, least, core, reach, source, from, size, 1);
  return lower(x, step, d, here, least, core, reach, source, from, size, 0);
}

// @ts-ignore: decorator
@inline
function lower(
  x: usize, step: usize, d: i32, here: usize, least: usize, core: f64, reach: usize, source: usize, from: f64,
  size: usize, kind: i32,
): i32 {
  const own: v128 = f64x2.splat(core);
  const row: v128 = f64x2.splat(from);
  const two: v128 = f64x2.splat(2);
  let best: v128 = f64x2.splat(Infinity);
  let place: v128 = f64x2.splat(-1);
  let number: v128 = f64x2.replace_lane(f64x2.splat(0), 1, 1);
  for (let k: usize = 0; k < size; k += 16) {
    let known: v128 = v128.load(reach + k);
    const bound: v128 = f64x2.max(v128.load(least + k), own);
    if (v128.any_true(f64x2.gt(known, bound))) {
      const mutual: v128 = f64x2.max(gaps(x + k, step, d, here, kind), bound);
      const nearer: v128 = f64x2.lt(mutual, known);
      if (v128.any_true(nearer)) {
        known = v128.bitselect(mutual, known, nearer);
        v128.store(reach + k, known);
        v128.store(source + k, v128.bitselect(row, v128.load(source + k), nearer));
      }
    }
    const isBest: v128 = f64x2.lt(known, best);
    best = v128.bitselect(known, best, isBest);
    place = v128.bitselect(number, place, isBest);
    number = f64x2.add(number, two);
  }
  const a: f64 = f64x2.extract_lane(best, 0);
  const b: f64 = f64x2.extract_lane(best, 1);
  const p: f64 = f64x2.extract_lane(place, 0);
  const q: f64 = f64x2.extract_lane(place, 1);
  return <i32>(a < b || (a == b && p < q) ? p : q);
}
