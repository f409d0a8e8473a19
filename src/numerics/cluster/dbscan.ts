import { type Heard, searchAll, searchEuclidean } from "../neighbors/brute.ts";
import { cosineOfUnits, powerOf, reducedDistance, rowMajor, unitRows, wholeDistance } from "../neighbors/distance.ts";
import { type BoxedRows, firstLeaf, type Nearness, nearSearch } from "../neighbors/near-rows.ts";
import { checkCancelled, gatherRows, type Hooks, type Matrix, quiet } from "../types.ts";

/** Boxed rows, and the leaves from…to−1 of them, counted from the first, that a call works on. */
export type LeavesInput = {
  readonly near: Nearness;
  readonly boxed: BoxedRows;
  readonly from: number;
  readonly to: number;
};

/**
 * Which rows of some leaves have at least `min` rows near them, themselves among them: 1 for a core row, 0 for others.
 *
 * In the order of the boxes. A row is asked for until it has `min`. O(rows · near rows · d).
 */
export function coreRows(
  { near, boxed, from, to, min }: LeavesInput & { readonly min: number },
  hooks: Hooks = quiet,
): Uint8Array {
  const { start, end } = boxed;
  const first = firstLeaf(boxed);
  const search = nearSearch(near, boxed, boxed);
  const offset = start[first + from]!;
  const counts = new Int32Array(end[first + to - 1]! - offset);
  for (let leaf = first + from; leaf < first + to; leaf++) {
    hooks.progress(leaf - first - from, to - from);
    let asked = places(start[leaf]!, end[leaf]!);
    search.ask(asked);
    for (const other of search.leaves(leaf)) {
      checkCancelled(hooks);
      const pairs = search.pairs(other);
      if (pairs === 0) continue;
      for (let k = 0; k < pairs; k++) counts[search.found[2 * k]! - offset]!++;
      const left = asked.filter((place) => counts[place - offset]! < min);
      if (left.length === 0) break;
      if (left.length < asked.length) search.ask(left);
      asked = left;
    }
  }
  return Uint8Array.from(counts, (count) => (count >= min ? 1 : 0));
}

/** What `joinCores` needs to know. */
export type JoinCoresInput = LeavesInput & {
  /** 1 for each core row, in the order of the boxes. */
  readonly core: Uint8Array;
};

/**
 * Joins core rows of some leaves with all core rows near them: for each place another one of its cluster, or itself.
 *
 * Each pair of leaves is looked at from one side alone, so that the calls for all leaves together join all that are
 * near. What is joined already is not compared.
 */
export function joinCores({ near, boxed, core, from, to }: JoinCoresInput, hooks: Hooks = quiet): Int32Array {
  const { n, start, end } = boxed;
  const first = firstLeaf(boxed);
  const search = nearSearch(near, boxed, boxed);
  const parent = places(0, n);
  /** Joins these core rows with those of a leaf that are near; one pair is enough where both sides are joined in themselves. */
  const join = (asked: Int32Array, leaf: number, most?: number) => {
    if (asked.length === 0) return;
    search.ask(asked);
    const pairs = search.pairs(leaf, most);
    for (let k = 0; k < pairs; k++) {
      const other = search.found[2 * k + 1]!;
      if (core[other] === 1) unite(parent, search.found[2 * k]!, other);
    }
  };
  const known: Int32Array[] = [];
  /** The core rows of a leaf, joined among themselves. */
  const coresOf = (leaf: number): Int32Array => {
    const found = known[leaf - first];
    if (found) return found;
    const cores = places(start[leaf]!, end[leaf]!).filter((place) => core[place] === 1);
    join(cores, leaf);
    known[leaf - first] = cores;
    return cores;
  };
  for (let leaf = first + from; leaf < first + to; leaf++) {
    hooks.progress(leaf - first - from, to - from);
    const own = coresOf(leaf);
    for (const other of own.length === 0 ? own : search.leaves(leaf)) {
      if (other <= leaf) continue;
      checkCancelled(hooks);
      const theirs = coresOf(other);
      const most = mostCommon(theirs, parent);
      // Rows of that cluster need not be compared with each other.
      const [mine, others] = [outside(own, most, parent), outside(theirs, most, parent)];
      const isOne = others.length === 0 && theirs.length === end[other]! - start[other]!;
      const isOneToo = isOne && mine.length > 0 && outside(mine, root(parent, mine[0]!), parent).length === 0;
      join(mine, other, isOneToo ? 1 : undefined);
      join(others, leaf);
    }
  }
  for (let i = 0; i < n; i++) parent[i] = root(parent, i);
  return parent;
}

/** What `numberClusters` needs to know. */
export type NumberInput = {
  readonly boxed: Pick<BoxedRows, "n" | "order">;
  readonly core: Uint8Array;
  /** What the calls of `joinCores` answered. */
  readonly joined: readonly Int32Array[];
};

/** The cluster of each place's row, -1 for those that are no core: numbered as they come up from the first row on. O(n). */
export function numberClusters({ boxed, core, joined }: NumberInput): Int32Array {
  const { n, order } = boxed;
  const parent = places(0, n);
  for (const one of joined) for (let i = 0; i < n; i++) unite(parent, i, one[i]!);
  const place = new Int32Array(n);
  for (let k = 0; k < n; k++) place[order[k]!] = k;
  const number = new Int32Array(n).fill(-1);
  const labels = new Int32Array(n).fill(-1);
  let clusters = 0;
  for (let row = 0; row < n; row++) {
    const at = place[row]!;
    if (core[at] === 0) continue;
    const top = root(parent, at);
    if (number[top] === -1) number[top] = clusters++;
    labels[at] = number[top]!;
  }
  return labels;
}

/** What `nearClusters` needs to know. */
export type NearClustersInput = LeavesInput & {
  /** Rows that are in clusters, and each place's cluster, -1 where it is in none. */
  readonly known: BoxedRows;
  readonly labels: Int32Array;
  /** Places of `boxed` whose cluster is known, with -1 for those that are asked for (default: all are). */
  readonly own?: Int32Array;
};

/** The first cluster that has a row near each row of some leaves, -1 where there is none; in the order of the boxes. */
export function nearClusters(
  { near, boxed, from, to, known, labels, own }: NearClustersInput,
  hooks: Hooks = quiet,
): Int32Array {
  const { start, end } = boxed;
  const first = firstLeaf(boxed);
  const search = nearSearch(near, boxed, known);
  const offset = start[first + from]!;
  const found = new Int32Array(end[first + to - 1]! - offset).fill(-1);
  for (let leaf = first + from; leaf < first + to; leaf++) {
    hooks.progress(leaf - first - from, to - from);
    const all = places(start[leaf]!, end[leaf]!);
    const asked = own ? all.filter((place) => own[place] === -1) : all;
    if (own) for (const place of all) found[place - offset] = own[place]!;
    if (asked.length === 0) continue;
    search.ask(asked);
    for (const other of search.leaves(leaf)) {
      checkCancelled(hooks);
      const pairs = search.pairs(other);
      for (let k = 0; k < pairs; k++) {
        const at = search.found[2 * k]! - offset;
        const label = labels[search.found[2 * k + 1]!]!;
        if (label >= 0 && (found[at] === -1 || label < found[at]!)) found[at] = label;
      }
    }
  }
  return found;
}

function places(from: number, to: number): Int32Array {
  const out = new Int32Array(to - from);
  for (let k = 0; k < out.length; k++) out[k] = from + k;
  return out;
}

/** The cluster of most of the rows, where there is such. Boyer and Moore (1981). */
function mostCommon(rows: Int32Array, parent: Int32Array): number {
  let found = -1;
  let votes = 0;
  for (const place of rows) {
    const own = root(parent, place);
    if (votes === 0) found = own;
    votes += own === found ? 1 : -1;
  }
  return found;
}

const none = new Int32Array(0);

/** Those of the rows that are in another cluster. */
function outside(rows: Int32Array, cluster: number, parent: Int32Array): Int32Array {
  let count = 0;
  for (const place of rows) if (root(parent, place) !== cluster) count++;
  return count === 0 ? none : rows.filter((place) => root(parent, place) !== cluster);
}

function root(parent: Int32Array, from: number): number {
  let i = from;
  while (parent[i] !== i) {
    parent[i] = parent[parent[i]!]!;
    i = parent[i]!;
  }
  return i;
}

function unite(parent: Int32Array, i: number, j: number): void {
  const [a, b] = [root(parent, i), root(parent, j)];
  if (a < b) parent[b] = a;
  else parent[a] = b;
}

/** What `nthDistances` needs to know. */
export type NthDistancesInput = {
  readonly near: Pick<Nearness, "metric" | "p">;
  readonly x: Matrix;
  /** The rows of which it is told. */
  readonly rows: Int32Array;
  /** Which of the nearest rows, from 1, the row itself; at most as many as there are. */
  readonly nth: number;
};

/** How far the n-th nearest row is from each of some rows. O(rows · n · d). */
export function nthDistances({ near, x, rows, nth }: NthDistancesInput, hooks: Hooks = quiet): Float64Array {
  const all = rowMajor(x);
  const asked = rowMajor(gatherRows(x, rows));
  const out = new Float64Array(rows.length);
  if (near.metric === "cosine") {
    for (const each of [all, asked]) unitRows(each);
    searchAll(all, asked, nth, cosineOfUnits, (query, heap) => (out[query] = heap.distance[0]!), hooks);
    return out;
  }
  const p = powerOf(near.metric, near.p);
  const hear: Heard = (query, heap) => (out[query] = wholeDistance(heap.distance[0]!, p));
  (p === 2 ? searchEuclidean : searchAll)(all, asked, nth, reducedDistance(p), hear, hooks);
  return out;
}
