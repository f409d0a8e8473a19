/** What waits to be split. */
interface Waiting {
  readonly split: { readonly gain: number } | null;
}

/**
 * Leaves that may be split, of which the one with the largest gain is taken first.
 *
 * A heap with the steps of Python's heapq, so that of leaves with the same gain the one is taken that scikit-learn takes.
 */
export class WaitingLeaves<Leaf extends Waiting> {
  readonly #heap: Leaf[] = [];

  /** Adds a leaf, unless there is no split of it. */
  push(leaf: Leaf): void {
    if (leaf.split) this.#rise(this.#heap.push(leaf) - 1);
  }

  /** Takes out the leaf with the largest gain. */
  pop(): Leaf | undefined {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return last;
    const first = heap[0];
    // The hole sinks to the bottom by way of the better child, and what was last rises from there.
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const next = child + 1 < heap.length && !isBefore(heap[child]!, heap[child + 1]!) ? child + 1 : child;
      heap[at] = heap[next]!;
      at = next;
    }
    heap[at] = last;
    this.#rise(at);
    return first;
  }

  #rise(from: number): void {
    const heap = this.#heap;
    const leaf = heap[from]!;
    let at = from;
    for (; at > 0; at = (at - 1) >> 1) {
      const above = heap[(at - 1) >> 1]!;
      if (!isBefore(leaf, above)) break;
      heap[at] = above;
    }
    heap[at] = leaf;
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.split!.gain > other.split!.gain;
}
