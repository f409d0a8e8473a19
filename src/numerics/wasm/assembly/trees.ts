/**
 * Walks rows down a tree: writes the address of each row's leaf to `leaves`, an int32 each.
 *
 * A node has 16 bytes: its threshold, the byte offset of its column in a row, and the address of the children, of which
 * rows at or below the threshold take the first; a leaf's children are itself. Rows of `stride` bytes end in a 0, which
 * leaves look at. `count` is a multiple of 4: four rows at a time, since one alone waits for memory at each step.
 */
export function walk(root: usize, rows: usize, leaves: usize, count: i32, stride: i32): void {
  for (let i: i32 = 0; i < count; i += 4) {
    const r0: usize = rows + <usize>i * stride;
    const r1: usize = r0 + stride;
    const r2: usize = r1 + stride;
    const r3: usize = r2 + stride;
    let n0: usize = root, n1: usize = root, n2: usize = root, n3: usize = root;
    while (true) {
      const c0: usize = load<u32>(n0, 12);
      const c1: usize = load<u32>(n1, 12);
      const c2: usize = load<u32>(n2, 12);
      const c3: usize = load<u32>(n3, 12);
      if (((c0 ^ n0) | (c1 ^ n1) | (c2 ^ n2) | (c3 ^ n3)) == 0) break;
      n0 = c0 + (<usize>!(load<f64>(r0 + load<u32>(n0, 8)) <= load<f64>(n0)) << 4);
      n1 = c1 + (<usize>!(load<f64>(r1 + load<u32>(n1, 8)) <= load<f64>(n1)) << 4);
      n2 = c2 + (<usize>!(load<f64>(r2 + load<u32>(n2, 8)) <= load<f64>(n2)) << 4);
      n3 = c3 + (<usize>!(load<f64>(r3 + load<u32>(n3, 8)) <= load<f64>(n3)) << 4);
    }
    const to: usize = leaves + (<usize>i << 2);
    store<u32>(to, n0);
    store<u32>(to, n1, 4);
    store<u32>(to, n2, 8);
    store<u32>(to, n3, 12);
  }
}

/**
 * Moves the samples in order…end whose `side` is 1 before those with 0, each side in its order.
 *
 * order: int32s; side: a byte for each sample; `spare` has room for all of them. Writes to both sides at each step: a branch on
 * random sides would be mispredicted half the time.
 */
export function partition(order: usize, end: usize, side: usize, spare: usize): void {
  let left: usize = order;
  let right: usize = spare;
  for (let p: usize = order; p < end; p += 4) {
    const id: u32 = load<u32>(p);
    const goes: usize = <usize>load<u8>(side + <usize>id) << 2;
    store<u32>(left, id);
    store<u32>(right, id);
    left += goes;
    right += 4 - goes;
  }
  memory.copy(left, spare, right - spare);
}

/** Writes samples order…end by their new `numbers` to `to`, and the rank of each to its new place; all int32s. */
export function renumber(order: usize, end: usize, rank: usize, numbers: usize, to: usize, ranks: usize): void {
  for (let p: usize = order; p < end; p += 4, to += 4) {
    const id: usize = <usize>load<u32>(p) << 2;
    const place: u32 = load<u32>(numbers + id);
    store<u32>(to, place);
    store<u32>(ranks + (<usize>place << 2), load<u32>(rank + id));
  }
}

// A candidate is first compared without divisions. Rounding may hide a tie there, so what comes this close
// to the best is decided by scikit-learn's own formula, and the trees agree with it node for node.
const NEARLY: f64 = 1 - 1e-12;

/**
 * The place of the best split of sorted samples by squared error, from 1, or 0 where none is better than `best`.
 *
 * order: `count` int32s; rank, target and weight by sample, an int32 and two doubles; `least` samples stay on each side.
 * total and all: sums of target and weight. best: a double, what the best split so far is worth, and then what this is.
 */
export function splitMeans(
  order: usize,
  count: i32,
  least: i32,
  rank: usize,
  target: usize,
  weight: usize,
  total: f64,
  all: f64,
  best: usize,
): i32 {
  const first: usize = order + (<usize>least << 2);
  const last: usize = order + (<usize>(count - least) << 2);
  let found: usize = order;
  let bound: f64 = load<f64>(best) * NEARLY;
  let sum: f64 = 0, left: f64 = 0;
  for (let p: usize = order + 4; p <= last; p += 4) {
    const id: usize = <usize>load<u32>(p - 4);
    sum += load<f64>(target + (id << 3));
    left += load<f64>(weight + (id << 3));
    const rest: f64 = total - sum;
    const right: f64 = all - left;
    if (sum * sum * right + rest * rest * left < bound * left * right) continue;
    if (p < first || load<u32>(rank + (id << 2)) == load<u32>(rank + (<usize>load<u32>(p) << 2))) continue;
    const proxy: f64 = (sum * sum) / left + (rest * rest) / right;
    if (proxy <= load<f64>(best)) continue;
    store<f64>(best, proxy);
    found = p;
    bound = proxy * NEARLY;
  }
  return <i32>((found - order) >> 2);
}

/**
 * `splitMeans` of class codes by Gini's impurity: the weights of `classes` classes are at `sums`, with as much room behind them.
 */
export function splitClasses(
  order: usize,
  count: i32,
  least: i32,
  rank: usize,
  target: usize,
  weight: usize,
  sums: usize,
  classes: i32,
  all: f64,
  best: usize,
): i32 {
  const size: usize = <usize>classes << 3;
  const left: usize = sums + size;
  const first: usize = order + (<usize>least << 2);
  const last: usize = order + (<usize>(count - least) << 2);
  let found: usize = order;
  let bound: f64 = (load<f64>(best) + all) * NEARLY;
  let squareLeft: f64 = 0, squareRight: f64 = 0, sumLeft: f64 = 0;
  memory.fill(left, 0, size);
  for (let k: usize = 0; k < size; k += 8) squareRight += load<f64>(sums + k) * load<f64>(sums + k);
  for (let p: usize = order + 4; p <= last; p += 4) {
    const id: usize = <usize>load<u32>(p - 4);
    const w: f64 = load<f64>(weight + (id << 3));
    const k: usize = <usize>(<u32>load<f64>(target + (id << 3))) << 3;
    const before: f64 = load<f64>(left + k);
    squareLeft += w * (2 * before + w);
    squareRight += w * (w - 2 * (load<f64>(sums + k) - before));
    store<f64>(left + k, before + w);
    sumLeft += w;
    const sumRight: f64 = all - sumLeft;
    if (squareLeft * sumRight + squareRight * sumLeft < bound * sumLeft * sumRight) continue;
    if (p < first || load<u32>(rank + (id << 2)) == load<u32>(rank + (<usize>load<u32>(p) << 2))) continue;
    const proxy: f64 = -sumRight * gini(sums, left, size, sumRight) - sumLeft * gini(left, 0, size, sumLeft);
    if (proxy <= load<f64>(best)) continue;
    store<f64>(best, proxy);
    found = p;
    bound = (proxy + all) * NEARLY;
  }
  return <i32>((found - order) >> 2);
}

/** Gini's impurity of class weights, less those at `less` where that is not 0; rounded as scikit-learn rounds it. */
function gini(sums: usize, less: usize, size: usize, weight: f64): f64 {
  let square: f64 = 0;
  for (let k: usize = 0; k < size; k += 8) {
    const x: f64 = load<f64>(sums + k) - (less ? load<f64>(less + k) : 0);
    square += x * x;
  }
  return 1 - square / (weight * weight);
}
