import { checkCancelled, type Hooks, type Matrix } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";

/** The shares of the classes that a leaf holds. */
export type LeafClasses = {
  /** Nodes + 1 positions: node k has the entries start[k] to start[k+1]−1, none where it is no leaf. */
  start: Int32Array;
  /** Class codes, rising within a leaf. */
  classes: Int32Array;
  /** The class's share of the leaf. */
  shares: Float64Array;
};

/** Fitted trees, node after node, tree after tree. */
export type Trees = {
  task: "regression" | "classification";
  /** Columns the trees were grown on. */
  d: number;
  /** Numbers per node in `value`: 1 for regression, else the number of classes. */
  width: number;
  /** Trees + 1 positions: tree t owns the nodes offsets[t] to offsets[t+1]−1, its root first. */
  offsets: Int32Array;
  /** The column a node splits on, −1 in a leaf. */
  feature: Int32Array;
  /** Rows with a value ≤ this go left; 0 in a leaf. */
  threshold: Float64Array;
  /** Children, counted from the tree's own root; −1 in a leaf. */
  left: Int32Array;
  right: Int32Array;
  /** Mean of y, or share of each class, `width` numbers per node; empty where `leaves` says it. */
  value: Float64Array;
  /** The classes of each leaf alone, in place of `value`: of many classes a leaf holds few. */
  leaves?: LeafClasses;
  /** Distinct rows that reached the node; empty when grown without details. */
  nSamples: Int32Array;
  /** Impurity of the rows that reached the node; empty when grown without details. */
  impurity: Float64Array;
  /** trees×d row-major: each tree's share of impurity taken away by each column, adding up to 1. */
  importances: Float64Array;
};

const nodeBytes = 16;

/** So many bytes of rows go through tree after tree while they are in the cache: 20,000 × 300 rows take a tenth of the time. */
const blockBytes = 2 ** 19;

/** Nodes that are laid out once for all rows: 4 MB. */
const mostNodes = 262_144;

/** Rows that are laid out together where the trees have more nodes, and are laid out for them one by one; 20 columns take 11 MB. */
const mostRows = 65_536;

/** Trees and rows in the loop's memory: siblings side by side, so that a step is one address and one comparison. */
interface Walker {
  readonly loops: Loops;
  readonly at: { readonly nodes: number; readonly rows: number; readonly leaves: number };
  /** Bytes of a row: its columns, and the 0 that leaves look at. */
  readonly stride: number;
  /** Rows that are laid out together. */
  readonly rows: number;
  /** Those that go through tree after tree before the next ones do, a multiple of four. */
  readonly block: number;
  /** Which of the trees' nodes lies at a place of the loop's memory. */
  readonly nodes: Int32Array;
}

/** Would laying out a tree of so many nodes cost more than it saves on so many rows? Measured: about 16 nodes a row. */
export function isWorthWalking(nodes: number, rows: number): boolean {
  return rows >= 64 && rows * 16 > nodes;
}

/**
 * Adds to `out` what each tree answers for the rows from…to−1, as the plain walk does, five times sooner.
 *
 * out: width columns of to−from numbers. O(nodes), of many nodes for every 65,536 rows, and O(rows · depth) for each tree.
 */
export function walkTrees(
  out: Float64Array,
  trees: Trees,
  { x, from, to }: { readonly x: Matrix; readonly from: number; readonly to: number },
  hooks: Hooks,
): void {
  const { offsets } = trees;
  const count = offsets.length - 1;
  const walker = walkerFor(trees, to - from);
  const total = count * (to - from);
  let done = 0;
  let roots: number[] = [];
  for (let start = from; start < to; start += walker.rows) {
    const end = Math.min(to, start + walker.rows);
    layRows(walker, x, start, end);
    for (let tree = 0; tree < count; tree += roots.length) {
      if (roots.length < count) roots = layTrees(walker, trees, tree);
      for (let at = start; at < end; at += walker.block) {
        const rows = Math.min(walker.block, end - at);
        for (const root of roots) {
          checkCancelled(hooks);
          follow(walker, root, at - start, rows);
          addLeaves(out, walker, trees, at - from, rows);
        }
        done += roots.length * rows;
        hooks.progress(done, total);
      }
    }
  }
}

function walkerFor({ d, offsets }: Trees, n: number): Walker {
  const stride = (d + 1) * 8;
  const block = Math.max(4, Math.floor(blockBytes / stride / 4) * 4);
  const all = offsets[offsets.length - 1]!;
  const isOnce = all <= mostNodes;
  const rows = Math.min(n, isOnce ? block : mostRows);
  let nodes = isOnce ? all : 0;
  for (let t = 1; t < offsets.length; t++) nodes = Math.max(nodes, offsets[t]! - offsets[t - 1]!);
  // The loop takes four rows at a time, so up to three more are followed and forgotten.
  const { loops, at } = createLoops(nodes * nodeBytes, (rows + 3) * stride, block * 4);
  return {
    loops,
    at: { nodes: at[0]!, rows: at[1]!, leaves: at[2]! },
    stride,
    rows,
    block,
    nodes: new Int32Array(nodes),
  };
}

function follow({ loops, at, stride }: Walker, root: number, from: number, rows: number): void {
  loops.walk(root, at.rows + from * stride, at.leaves, Math.ceil(rows / 4) * 4, stride);
}

function layRows({ loops, at, stride }: Walker, x: Matrix, start: number, end: number): void {
  const width = stride / 8;
  const first = at.rows / 8;
  // Few rows at a time, so that their lines stay in the cache until every column is in.
  for (let block = start; block < end; block += 128) {
    const last = Math.min(end, block + 128);
    for (let j = 0; j < x.d; j++) {
      let to = first + (block - start) * width + j;
      for (let i = block; i < last; i++, to += width) loops.doubles[to] = x.data[j * x.n + i]!;
    }
  }
}

/** Lays out as many trees from `first` on as there is room for; the addresses of their roots. */
function layTrees(walker: Walker, trees: Trees, first: number): number[] {
  const { offsets } = trees;
  const roots: number[] = [];
  for (let tree = first; tree < offsets.length - 1; tree++) {
    const place = offsets[tree]! - offsets[first]!;
    if (place + offsets[tree + 1]! - offsets[tree]! > walker.nodes.length) break;
    layTree(walker, trees, tree, place);
    roots.push(walker.at.nodes + place * nodeBytes);
  }
  return roots;
}

/** Depth first, so that the nodes of a subtree lie together. */
function layTree({ loops, at, nodes }: Walker, trees: Trees, tree: number, rootPlace: number): void {
  const { d, feature, threshold, left, right, offsets } = trees;
  const { doubles, ints } = loops;
  const root = offsets[tree]!;
  const waiting = [0, rootPlace];
  let free = rootPlace + 1;
  while (waiting.length > 0) {
    const place = waiting.pop()!;
    const node = waiting.pop()!;
    const address = at.nodes + place * nodeBytes;
    const j = feature[root + node]!;
    const isLeaf = j < 0;
    doubles[address / 8] = isLeaf ? Infinity : threshold[root + node]!;
    ints[address / 4 + 2] = (isLeaf ? d : j) * 8;
    ints[address / 4 + 3] = isLeaf ? address : at.nodes + free * nodeBytes;
    nodes[place] = root + node;
    if (isLeaf) continue;
    waiting.push(right[root + node]!, free + 1, left[root + node]!, free);
    free += 2;
  }
}

function addLeaves(out: Float64Array, walker: Walker, trees: Trees, start: number, rows: number): void {
  const { loops, at, nodes } = walker;
  const { width, value, leaves } = trees;
  const height = out.length / width;
  const first = at.leaves / 4;
  const { ints } = loops;
  if (leaves) {
    for (let i = 0; i < rows; i++) addLeaf(out, leaves, nodes[(ints[first + i]! - at.nodes) >> 4]!, start + i, height);
    return;
  }
  for (let k = 0; k < width; k++) {
    const to = k * height + start;
    for (let i = 0; i < rows; i++) out[to + i]! += value[nodes[(ints[first + i]! - at.nodes) >> 4]! * width + k]!;
  }
}

/** Adds a leaf's shares to those of a row, in columns of `height` numbers. */
export function addLeaf(out: Float64Array, leaves: LeafClasses, node: number, row: number, height: number): void {
  const { start, classes, shares } = leaves;
  for (let at = start[node]!; at < start[node + 1]!; at++) out[classes[at]! * height + row]! += shares[at]!;
}
