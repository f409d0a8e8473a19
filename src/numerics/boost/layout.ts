/** What decides how much memory boosting takes, and where everything lies in it. */
export interface BoostSizes {
  readonly n: number;
  readonly d: number;
  /** Rows that trees are grown on. */
  readonly train: number;
  /** Trees of a round. */
  readonly width: number;
  /** Bins of each feature, with the one of missing cells. */
  readonly slots: Int32Array;
  /** Leaves of a tree at most. */
  readonly leaves: number;
  /** Threads that may work at once. */
  readonly threads: number;
  readonly isWeighted: boolean;
  /** Are second derivatives all 1? */
  readonly isCounted: boolean;
}

/** Where each part lies, as a byte address; all begin at multiples of 64. */
export interface BoostLayout {
  /** Words by which threads agree on what to do. */
  readonly control: number;
  /** The mean loss after the last round, a double. */
  readonly told: number;
  /** A node's bins that go left, then what `scanSplits` asks of a small and a large child. */
  readonly asked: number;
  /** What each thread found: two records of 128 bytes. */
  readonly found: number;
  /** Where features' histograms begin, 4 bytes for each, those that fill up the last block too. */
  readonly starts: number;
  readonly facts: number;
  /** The 255 edges of one feature for each thread, and values to be put into bins. */
  readonly edges: number;
  readonly values: number;
  readonly bins: number;
  readonly y: number;
  readonly weight: number;
  readonly raw: number;
  readonly gradients: number;
  readonly hessians: number;
  /** The largest gradient and the sum of hessians of each run of rows. */
  readonly runs: number;
  readonly records: number;
  /** The rows that trees are grown on, in the table's order; then as a tree's nodes have divided them. */
  readonly order: number;
  readonly rows: number;
  readonly left: number;
  readonly right: number;
  readonly held: number;
  /** Leaves of the tree that is done: begin and number of rows (4 bytes each), then values. */
  readonly leaves: number;
  readonly leafValues: number;
  /** The tree that is done, for `walkRows`. */
  readonly nodes: number;
  readonly scratch: number;
  /** Bytes of one node's histograms. */
  readonly histBytes: number;
  /** Histograms of threads besides the first, then of nodes. */
  readonly privates: number;
  readonly pool: number;
  readonly bytes: number;
}

/** Rows whose derivatives are summed in one go, whatever the number of threads. */
export const runLength = 4096;

/** Values that are put into bins at a time. */
export const valuesAtATime = 4096;

/** Bytes of a node in the memory of `walkRows`. */
export const nodeBytes = 48;

/** Lays everything out. O(1) in the rows. */
export function boostLayout(sizes: BoostSizes): BoostLayout {
  const { n, d, train, width, slots, leaves, threads } = sizes;
  let bytes = 0;
  const take = (size: number) => {
    const at = bytes;
    bytes += Math.ceil(size / 64) * 64;
    return at;
  };
  const blocks = Math.ceil(d / 4);
  const histBytes = Math.ceil((slots.reduce((sum, each) => sum + each, 0) + 1) / 4) * 64;
  const places = {
    control: take(256),
    told: take(64),
    asked: take(256),
    found: take(threads * 256),
    starts: take(blocks * 16 + 4),
    facts: take(d * 16),
    edges: take(threads * 2048),
    values: take(threads * valuesAtATime * 8),
    bins: take(blocks * n * 4),
    y: take(n * 8),
    weight: take(sizes.isWeighted ? n * 8 : 0),
    raw: take(width * n * 8),
    gradients: take(width * n * 8),
    hessians: take(sizes.isCounted ? 0 : width * n * 8),
    runs: take(Math.ceil(n / runLength) * 16),
    records: take(n * 16),
    order: take(train * 4),
    rows: take(train * 4),
    left: take(train * 4),
    right: take(train * 4),
    held: take((n - train) * 4),
    leaves: take(leaves * 8),
    leafValues: take(leaves * 8),
    nodes: take(2 * leaves * nodeBytes),
    scratch: take(threads * 16384),
    histBytes,
    privates: take((threads - 1) * histBytes),
    pool: take((leaves + 1) * histBytes),
  };
  return { ...places, bytes };
}
