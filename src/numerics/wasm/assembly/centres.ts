import { gaps } from "./reach";

/** A hair less than 1, so that rounding decides nothing. */
const HAIR: f64 = 1 - 1e-12;

/**
 * Moves the bounds of rows as their centres moved, and lists the rows to which another centre may be nearer.
 *
 * Of each row the number of its centre in `labels`, and bounds of its distance from that, and from any other. Of each
 * centre how far it went and how far any other did at most, and half of its distance from the nearest. Answers how many
 * rows are in the list.
 */
export function looseRows(
  labels: usize, upper: usize, lower: usize, count: i32, moved: usize, others: usize, half: usize, taken: usize,
): i32 {
  let n: i32 = 0;
  for (let i: i32 = 0; i < count; i++) {
    const at: usize = <usize>i << 3;
    const centre: usize = <usize>load<i32>(labels + (<usize>i << 2)) << 3;
    const high: f64 = load<f64>(upper + at) + load<f64>(moved + centre);
    const low: f64 = load<f64>(lower + at) - load<f64>(others + centre);
    store<f64>(upper + at, high);
    store<f64>(lower + at, low);
    store<i32>(taken + (<usize>n << 2), i);
    n += i32(high >= Math.max(load<f64>(half + centre), low) * HAIR);
  }
  return n;
}

/**
 * Finds the centre nearest to each listed row, of equally near ones the first, and how far that and the second one are.
 *
 * rows: d numbers each; centres: d columns, `step` bytes apart, a multiple of 16, of which the last may be infinitely far.
 * A row that is nearer to its centre than its bounds of others keeps these. Squared distances are added up as a loop over
 * one row adds them.
 */
export function nearestTwo(
  rows: usize, taken: usize, count: i32, d: i32, centres: usize, step: usize, half: usize, labels: usize, upper: usize,
  lower: usize,
): void {
  for (let n: i32 = 0; n < count; n++) {
    const i: usize = <usize>load<i32>(taken + (<usize>n << 2));
    const at: usize = i << 3;
    const row: usize = rows + at * <usize>d;
    const label: usize = <usize>load<i32>(labels + (i << 2));
    const pair: v128 = gaps(centres + (label >> 1 << 4), step, d, row, 2);
    const own: f64 = Math.sqrt(label & 1 ? f64x2.extract_lane(pair, 1) : f64x2.extract_lane(pair, 0));
    if (own < Math.max(load<f64>(half + (label << 3)), load<f64>(lower + at)) * HAIR) {
      store<f64>(upper + at, own);
      continue;
    }
    let best: i32 = 0;
    let least: f64 = Infinity;
    let second: f64 = Infinity;
    for (let c: usize = 0; c < step; c += 16) {
      const both: v128 = gaps(centres + c, step, d, row, 2);
      for (let side: i32 = 0; side < 2; side++) {
        const gap: f64 = side ? f64x2.extract_lane(both, 1) : f64x2.extract_lane(both, 0);
        if (gap < least) {
          second = least;
          least = gap;
          best = (<i32>c >> 3) + side;
        } else if (gap < second) second = gap;
      }
    }
    store<i32>(labels + (i << 2), best);
    store<f64>(upper + at, Math.sqrt(least));
    store<f64>(lower + at, Math.sqrt(second));
  }
}
