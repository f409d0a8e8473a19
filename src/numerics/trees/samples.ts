/** The samples one tree grows on, renumbered 0…m−1, with every column's order over them. */
export type Samples = {
  readonly m: number;
  /** Where columns are sorted when they are looked at: all nodes' samples, each node's by number. */
  readonly members?: Int32Array;
  /** d×m sample numbers; each node owns the same range of every column, sorted by that column. */
  readonly order: Int32Array;
  /** d×m: rank of a sample's value in a column; only equality and order count. */
  readonly rank: Int32Array;
  /** The row of the matrix behind each sample. */
  readonly rows: Int32Array;
  readonly weight: Float64Array;
  /** Regression: weight·y. Classification: the class code. */
  readonly target: Float64Array;
};

/** Room for `m` samples over `d` columns. */
export function samplesOf(m: number, d: number): Samples {
  return {
    m,
    order: new Int32Array(m * d),
    rank: new Int32Array(m * d),
    rows: new Int32Array(m),
    weight: new Float64Array(m),
    target: new Float64Array(m),
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
  const first = columns[0]! * s.m + start;
  for (let i = 0; i < m; i++) {
    const id = s.order[first + i]!;
    renumbered[id] = i;
    out.rows[i] = s.rows[id]!;
    out.weight[i] = s.weight[id]!;
    out.target[i] = s.target[id]!;
  }
  for (const column of columns) {
    const from = column * s.m;
    const to = column * m;
    for (let i = 0; i < m; i++) {
      const id = s.order[from + start + i]!;
      const local = renumbered[id]!;
      out.order[to + i] = local;
      out.rank[to + local] = s.rank[from + id]!;
    }
  }
  return out;
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
