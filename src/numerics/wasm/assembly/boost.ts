/**
 * The loops of gradient boosting, over memory that threads share.
 *
 * Rows are told by their bins, a byte for each feature, four features side by side: feature f of row r lies at
 * `(f >> 2) · 4n + 4r + (f & 3)`. Histograms are sums of whole numbers, two of 64 bits for each bin: the gradients, and the
 * hessians above the count of rows. Whole numbers add up to the same in any order, so any division of rows among threads
 * comes to the same bytes, and a parent less one child is the other child exactly.
 */

/** Rows of which the numbers are gathered at a time, so that they stay in the first cache. */
const CHUNK: i32 = 1024;

/**
 * The bin of each value: how many of the 255 ascending `edges` lie below it, `missing` for one that is missing.
 *
 * Writes every fourth byte from `out` on.
 */
export function bins(values: usize, count: i32, edges: usize, missing: i32, out: usize): void {
  for (let i: i32 = 0; i < count; i++) {
    const value: f64 = load<f64>(values + (<usize>i << 3));
    let at: usize = edges;
    at += <usize>(load<f64>(at, 127 * 8) < value) << 10;
    at += <usize>(load<f64>(at, 63 * 8) < value) << 9;
    at += <usize>(load<f64>(at, 31 * 8) < value) << 8;
    at += <usize>(load<f64>(at, 15 * 8) < value) << 7;
    at += <usize>(load<f64>(at, 7 * 8) < value) << 6;
    at += <usize>(load<f64>(at, 3 * 8) < value) << 5;
    at += <usize>(load<f64>(at, 1 * 8) < value) << 4;
    at += <usize>(load<f64>(at) < value) << 3;
    const bin: i32 = <i32>((at - edges) >> 3);
    store<u8>(out + (<usize>i << 2), value != value ? missing : bin);
  }
}

/**
 * Gradients and hessians of rows from…to−1 as whole numbers: 16 bytes a row.
 *
 * The hessian stands above the lowest `bits` bits, which count the row. Without `hessians` (0) rows are counted alone.
 */
export function records(gradients: usize, hessians: usize, from: i32, to: i32, out: usize, g: f64, h: f64, bits: i64): void {
  for (let i: usize = from; i < <usize>to; i++) {
    const second: i64 = hessians == 0 ? 0 : (<i64>(nearest<f64>(load<f64>(hessians + (i << 3)) * h)) << bits);
    store<i64>(out + (i << 4), <i64>(nearest<f64>(load<f64>(gradients + (i << 3)) * g)));
    store<i64>(out + (i << 4), second | 1, 8);
  }
}

/**
 * Adds rows to histograms, those of feature f beginning `starts[f]` bytes behind `hist`.
 *
 * `rows`: `count` row numbers. Blocks of four features from…to−1 are done. `scratch` has room for 1,024 records.
 */
export function histograms(
  rows: usize, count: i32, bins: usize, stride: usize, from: i32, to: i32, records: usize, scratch: usize, starts: usize, hist: usize,
): void {
  for (let begin: i32 = 0; begin < count; begin += CHUNK) {
    const m: i32 = min(CHUNK, count - begin);
    const list: usize = rows + (<usize>begin << 2);
    for (let i: usize = 0; i < <usize>m; i++) {
      v128.store(scratch + (i << 4), v128.load(records + (<usize>load<u32>(list + (i << 2)) << 4)));
    }
    for (let block: i32 = from; block < to; block++) {
      const column: usize = bins + <usize>block * stride;
      const h0: usize = hist + load<u32>(starts + (<usize>block << 4));
      const h1: usize = hist + load<u32>(starts + (<usize>block << 4), 4);
      const h2: usize = hist + load<u32>(starts + (<usize>block << 4), 8);
      const h3: usize = hist + load<u32>(starts + (<usize>block << 4), 12);
      for (let i: usize = 0; i < <usize>m; i++) {
        const four: u32 = load<u32>(column + (<usize>load<u32>(list + (i << 2)) << 2));
        const record: v128 = v128.load(scratch + (i << 4));
        const a0: usize = h0 + <usize>((four & 255) << 4);
        const a1: usize = h1 + <usize>((four >> 4) & 4080);
        const a2: usize = h2 + <usize>((four >> 12) & 4080);
        const a3: usize = h3 + <usize>((four >> 24) << 4);
        v128.store(a0, i64x2.add(v128.load(a0), record));
        v128.store(a1, i64x2.add(v128.load(a1), record));
        v128.store(a2, i64x2.add(v128.load(a2), record));
        v128.store(a3, i64x2.add(v128.load(a3), record));
      }
    }
  }
}

/** into += from, slots of 16 bytes. */
export function addSlots(into: usize, from: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(into + at, i64x2.add(v128.load(into + at), v128.load(from + at)));
}

/** from −= part, slots of 16 bytes. */
export function takeSlots(from: usize, part: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(from + at, i64x2.sub(v128.load(from + at), v128.load(part + at)));
}

/** Sets bytes to 0. */
export function clear(at: usize, bytes: usize): void {
  memory.fill(at, 0, bytes);
}

/** Copies bytes. */
export function copy(to: usize, from: usize, bytes: usize): void {
  memory.copy(to, from, bytes);
}

/**
 * Divides rows by whether the bit of their bin is set in the 256 bits of `mask`; answers how many it is set for.
 *
 * Those go to `left`, the others to `right`, in order. `column`: the address of the feature's first byte.
 */
export function divide(rows: usize, count: i32, column: usize, mask: usize, left: usize, right: usize): i32 {
  let l: usize = left;
  let r: usize = right;
  for (let i: usize = 0; i < <usize>count; i++) {
    const row: u32 = load<u32>(rows + (i << 2));
    const bin: u32 = load<u8>(column + (<usize>row << 2));
    const goes: usize = (load<u8>(mask + (bin >> 3)) >> (bin & 7)) & 1;
    store<u32>(l, row);
    store<u32>(r, row);
    l += goes << 2;
    r += (1 - goes) << 2;
  }
  return <i32>((l - left) >> 2);
}

/**
 * Looks for the best split of a node by the numbers among features from…to−1, and writes it to `best`.
 *
 * `facts`, 4 integers for each feature: where its histogram begins, in bytes; its bins without the missing one; whether rows
 * of training miss it; which way its values may go (-1, 0, 1; 2 for one that is not to be looked at). `node`, 7 doubles: the
 * units of gradients and of hessians, what is added to hessians, the least hessian of a side, the bounds of values, and
 * whether gains begin at the node's own loss, 1, or at 0.
 * `best`: the gain, a double, 0 for none; 3 integers, the feature, the last bin that goes left, whether missing cells go
 * left; at 24 the sums of the left side; at 72 those of the node.
 */
export function scanSplits(
  hist: usize, facts: usize, from: i32, to: i32, node: usize, leaf: i64, bits: i64, counted: bool, best: usize,
): void {
  const g: f64 = load<f64>(node);
  const h: f64 = load<f64>(node, 8);
  const added: f64 = load<f64>(node, 16);
  const more: v128 = f64x2.splat(added);
  const least: f64 = load<f64>(node, 24);
  const low: v128 = v128.load64_splat(node, 32);
  const high: v128 = v128.load64_splat(node, 40);
  const mask: i64 = (<i64>1 << bits) - 1;
  let most: f64 = 0;
  for (let f: i32 = from; f < to; f++) {
    const fact: usize = facts + (<usize>f << 4);
    const way: i32 = load<i32>(fact, 12);
    const slots: usize = hist + load<u32>(fact);
    const known: i32 = load<i32>(fact, 4);
    const misses: bool = load<i32>(fact, 8) != 0;
    if (way == 2 && f > from) continue;
    let all: v128 = i64x2.splat(0);
    for (let b: usize = 0; b <= <usize>known; b++) all = i64x2.add(all, v128.load(slots + (b << 4)));
    if (f == from) v128.store(best, all, 72);
    if (way == 2) continue;
    const total: i64 = i64x2.extract_lane(all, 1);
    const rows: i64 = total & mask;
    const sum: f64 = <f64>i64x2.extract_lane(all, 0) * g;
    const value: f64 = -sum / (<f64>(counted ? rows : total >> bits) * h + added);
    const loss: f64 = load<f64>(node, 48) * sum * max(load<f64>(node, 32), min(load<f64>(node, 40), value));
    // From the left, missing cells on the right; then from the right, missing cells on the left. Of cuts among bins that no
    // row of the node has, the one nearest to where a pass begins counts.
    for (let pass: i32 = 0; pass <= <i32>misses; pass++) {
      let moved: v128 = i64x2.splat(0);
      const end: i32 = misses && !pass ? known : known - 1;
      for (let k: i32 = 0; k < end; k++) {
        const b: i32 = pass ? end - 1 - k : k;
        const slot: v128 = v128.load(slots + (<usize>(b + pass) << 4));
        // No row of the node has this bin: the side would be the one before.
        if (i64x2.extract_lane(slot, 1) == 0) continue;
        moved = i64x2.add(moved, slot);
        const rest: v128 = i64x2.sub(all, moved);
        const n: i64 = i64x2.extract_lane(moved, 1) & mask;
        if (n < leaf) continue;
        if (rows - n < leaf) break;
        const hm: f64 = <f64>(counted ? n : i64x2.extract_lane(moved, 1) >> bits) * h;
        const ho: f64 = <f64>(counted ? rows - n : i64x2.extract_lane(rest, 1) >> bits) * h;
        if (hm < least) continue;
        if (ho < least) break;
        const gs: v128 = f64x2.replace_lane(
          f64x2.splat(<f64>i64x2.extract_lane(moved, 0) * g), 1, <f64>i64x2.extract_lane(rest, 0) * g,
        );
        const hs: v128 = f64x2.add(f64x2.replace_lane(f64x2.splat(hm), 1, ho), more);
        const values: v128 = f64x2.pmax(low, f64x2.pmin(high, f64x2.neg(f64x2.div(gs, hs))));
        if (way != 0) {
          const rise: f64 = f64x2.extract_lane(values, 1) - f64x2.extract_lane(values, 0);
          if (way > 0 == !pass ? rise < 0 : rise > 0) continue;
        }
        const losses: v128 = f64x2.mul(gs, values);
        const lm: f64 = f64x2.extract_lane(losses, 0);
        const lo: f64 = f64x2.extract_lane(losses, 1);
        // The left side's first, as in scikit-learn: which of two cuts is taken may hang on the last bit.
        const gain: f64 = pass ? loss - lo - lm : loss - lm - lo;
        if (gain <= most) continue;
        most = gain;
        store<f64>(best, gain);
        store<i32>(best, f, 8);
        store<i32>(best, b, 12);
        store<i32>(best, pass, 16);
        v128.store(best, pass ? rest : moved, 24);
      }
    }
  }
}

/**
 * Adds to `out[row]` what a tree answers for each of `count` rows.
 *
 * A node has 48 bytes: the offset of its feature's column, the addresses of its children (4 bytes each), and at 16 the 256 bits of bins that go left; a leaf's children are
 * itself, and at 16 it has its value.
 */
export function walkRows(root: usize, bins: usize, rows: usize, count: i32, out: usize): void {
  let i: usize = 0;
  for (; i + 4 <= <usize>count; i += 4) {
    const list: usize = rows + (i << 2);
    const r0: usize = load<u32>(list);
    const r1: usize = load<u32>(list, 4);
    const r2: usize = load<u32>(list, 8);
    const r3: usize = load<u32>(list, 12);
    const b0: usize = bins + (r0 << 2);
    const b1: usize = bins + (r1 << 2);
    const b2: usize = bins + (r2 << 2);
    const b3: usize = bins + (r3 << 2);
    let n0: usize = root, n1: usize = root, n2: usize = root, n3: usize = root;
    while (true) {
      const c0: usize = next(n0, b0);
      const c1: usize = next(n1, b1);
      const c2: usize = next(n2, b2);
      const c3: usize = next(n3, b3);
      if (((c0 ^ n0) | (c1 ^ n1) | (c2 ^ n2) | (c3 ^ n3)) == 0) break;
      n0 = c0;
      n1 = c1;
      n2 = c2;
      n3 = c3;
    }
    store<f64>(out + (r0 << 3), load<f64>(out + (r0 << 3)) + load<f64>(n0, 16));
    store<f64>(out + (r1 << 3), load<f64>(out + (r1 << 3)) + load<f64>(n1, 16));
    store<f64>(out + (r2 << 3), load<f64>(out + (r2 << 3)) + load<f64>(n2, 16));
    store<f64>(out + (r3 << 3), load<f64>(out + (r3 << 3)) + load<f64>(n3, 16));
  }
  for (; i < <usize>count; i++) {
    const row: usize = load<u32>(rows + (i << 2));
    let node: usize = root;
    while (true) {
      const child: usize = next(node, bins + (row << 2));
      if (child == node) break;
      node = child;
    }
    store<f64>(out + (row << 3), load<f64>(out + (row << 3)) + load<f64>(node, 16));
  }
}

// @ts-ignore: a decorator of AssemblyScript.
@inline
function next(node: usize, row: usize): usize {
  const bin: u32 = load<u8>(row + load<u32>(node));
  const goes: bool = ((load<u8>(node + (bin >> 3), 16) >> (bin & 7)) & 1) != 0;
  return goes ? load<u32>(node, 4) : load<u32>(node, 8);
}

/** Adds `value` to `out[row]` for each of `count` rows. */
export function addToRows(rows: usize, count: i32, value: f64, out: usize): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const at: usize = out + (<usize>load<u32>(rows + (i << 2)) << 3);
    store<f64>(at, load<f64>(at) + value);
  }
}
