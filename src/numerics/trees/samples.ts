/** The samples one tree grows on, renumbered 0…m−1, with the columns' orders over them. */
export type Samples = {
  readonly m: number;
  /** All nodes' samples, each node's by number; absent where every column is kept sorted. */
  readonly members?: Int32Array;
  /** Whether columns of more than two values are kept sorted; those of one or two never are, and others when looked at. */
  readonly isKept: boolean;
  /** Columns of one or two values; absent when there are none. */
  readonly pairs?: Pairs;
  /** d×m sample numbers; each node owns the same range of every column, sorted by that column where it is kept. */
  readonly order: Int32Array;
  /** d×m: rank of a sample's value in a column; only equality and order count. */
  readonly rank: Int32Array;
  /** The row of the matrix behind each sample. */
  readonly rows: Int32Array;
  readonly weight: Float64Array;
  /** Regression: weight·y. Classification: the class code. */
  readonly target: Float64Array;
};

/** Columns of one or two values, with the samples of the rarer value of each. */
export type Pairs = {
  /** d: rank of the value whose samples are listed, −1 where a column has more than two. */
  readonly level: Int8Array;
  /** Samples of column j's rarer value, ascending, at starts[j]…ends[j]. */
  readonly ids: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** m: where a sample stands in `members`. */
  readonly place: Int32Array;
  /** m: what `listed` found. */
  readonly found: Int32Array;
};

/** Whether a column is kept sorted in every node. */
export function isKeptSorted({ isKept, pairs }: Samples, column: number): boolean {
  return isKept && (!pairs || pairs.level[column]! < 0);
}

/**
 * Writes a node's samples of a two-valued column's rarer value into `pairs.found`, ascending; answers how many.
 *
 * O(the node's samples or the rarer value's, whichever are fewer).
 */
export function listed({ m, members, pairs, rank }: Samples, column: number, start: number, end: number): number {
  const { level, ids, starts, ends, place, found } = pairs!;
  const size = end - start;
  const from = starts[column]!;
  const to = ends[column]!;
  let count = 0;
  if (to - from < size) {
    for (let k = from; k < to; k++) {
      const id = ids[k]!;
      const at = place[id]!;
      found[count] = id;
      count += at >= start && at < end ? 1 : 0;
    }
    return count;
  }
  const own = level[column]!;
  const base = column * m;
  for (let p = start; p < end; p++) {
    const id = members![p]!;
    found[count] = id;
    count += rank[base + id] === own ? 1 : 0;
  }
  return count;
}

/** Room for `m` samples over `d` columns; for those of `s` with its columns of two values. */
export function samplesOf(m: number, d: number, s?: Samples): Samples {
  return {
    m,
    ...(s?.members ? { members: new Int32Array(m) } : {}),
    ...(s?.pairs ? { pairs: pairsRoom(m, d, s.pairs.level) } : {}),
    isKept: true,
    order: new Int32Array(m * d),
    rank: new Int32Array(m * d),
    rows: new Int32Array(m),
    weight: new Float64Array(m),
    target: new Float64Array(m),
  };
}

function pairsRoom(m: number, d: number, level: Int8Array): Pairs {
  const starts = Int32Array.from({ length: d }, (_, j) => j * m);
  return {
    ...{ level, ids: new Int32Array(m * d), starts, ends: new Int32Array(d) },
    ...{ place: new Int32Array(m), found: new Int32Array(m + 1) },
  };
}

/** Arrays that `localSamples` uses again and again; `renumbered` has a cell for every sample of the tree. */
export type LocalScratch = { readonly samples: Samples; readonly renumbered: Int32Array };

/**
 * The samples [start, start+m) of a node alone, renumbered 0…m−1, in the arrays of `scratch`.
 *
 * `columns` names the columns to carry over; the others are left as they were. O(columns·m).
 */
export function localSamples(
  s: Samples,
  start: number,
  m: number,
  columns: Int32Array,
  scratch: LocalScratch,
): Samples {
  const out = { ...scratch.samples, m };
  const { renumbered } = scratch;
  // Samples of two-valued columns are listed by number, so new numbers follow the old ones.
  const numbers = s.members ?? s.order;
  const first = s.members ? start : columns[0]! * s.m + start;
  for (let i = 0; i < m; i++) {
    const id = numbers[first + i]!;
    renumbered[id] = i;
    out.rows[i] = s.rows[id]!;
    out.weight[i] = s.weight[id]!;
    out.target[i] = s.target[id]!;
    if (out.members) out.members[i] = i;
    if (out.pairs) out.pairs.place[i] = i;
  }
  for (const column of columns) {
    const from = column * s.m;
    const to = column * m;
    if (!isKeptSorted(s, column)) {
      localPair(s, out, column, start);
      continue;
    }
    for (let i = 0; i < m; i++) {
      const id = s.order[from + start + i]!;
      const local = renumbered[id]!;
      out.order[to + i] = local;
      out.rank[to + local] = s.rank[from + id]!;
    }
  }
  return out;
}

function localPair(s: Samples, out: Samples, column: number, start: number): void {
  const { m, rank } = out;
  const { level, ids, starts, ends } = out.pairs!;
  const own = level[column]!;
  let to = starts[column]!;
  for (let i = 0; i < m; i++) {
    const value = s.rank[column * s.m + s.members![start + i]!]!;
    rank[column * m + i] = value;
    if (value === own) ids[to++] = i;
  }
  ends[column] = to;
}

/**
 * Moves the samples order[from…to) whose `side` is 1 before those with 0, keeping each side's order.
 *
 * In place; `spare` holds at least to−from numbers. O(to−from).
 */
export function partition(order: Int32Array, side: Uint8Array, spare: Int32Array, from: number, to: number): void {
  // Writes to both sides at each step: a branch on random sides would be mispredicted half the time.
  let left = from;
  let right = 0;
  for (let p = from; p < to; p++) {
    const id = order[p]!;
    const goes = side[id]!;
    order[left] = id;
    spare[right] = id;
    left += goes;
    right += 1 - goes;
  }
  for (let i = 0; i < right; i++) order[left + i] = spare[i]!;
}
