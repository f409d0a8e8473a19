/** The k nearest rows of one query: a max-heap of distances, the farthest first. */
export type Nearest = {
  /** k distances; Infinity where nothing is kept yet. */
  readonly distance: Float64Array;
  /** The rows they belong to. */
  readonly row: Int32Array;
};

/** Room for k neighbours. */
export function nearestOf(k: number): Nearest {
  return { distance: new Float64Array(k), row: new Int32Array(k) };
}

/** Forgets all neighbours. */
export function clearNearest(heap: Nearest): void {
  heap.distance.fill(Infinity);
  heap.row.fill(-1);
}

/**
 * Keeps a row when it is nearer than the farthest kept; an equally far one is not kept.
 *
 * Which of several equally far rows gives way depends on the order of pushes alone, and is what scikit-learn's
 * heap_push does, so that ties at the k-th place fall alike. O(log k).
 */
export function pushNearest(heap: Nearest, value: number, row: number): void {
  const { distance, row: rows } = heap;
  if (value >= distance[0]!) return;
  const size = distance.length;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    if (left >= size) break;
    const child = right >= size || distance[left]! >= distance[right]! ? left : right;
    if (!(value < distance[child]!)) break;
    distance[at] = distance[child]!;
    rows[at] = rows[child]!;
    at = child;
  }
  distance[at] = value;
  rows[at] = row;
}
