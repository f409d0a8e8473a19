import { checkCancelled, type Hooks } from "../types.ts";
import { type GrowingTree, goesLeft } from "./boosted.ts";
import { nodeBytes } from "./layout.ts";
import { isByRank, rankedValue } from "./losses.ts";
import type { Team } from "./team.ts";
import { WaitingLeaves } from "./waiting.ts";
import { type BoostWork, found, task } from "./work.ts";

/** How far a tree may grow, and what its leaves answer. */
export interface GrowLimits {
  readonly learningRate: number;
  readonly maxLeaves: number;
  readonly maxDepth: number;
  readonly minLeaf: number;
  readonly l2: number;
}

/** What is known of a node's rows. */
interface Sums {
  readonly g: number;
  readonly h: number;
  readonly n: number;
}

/** A split that was found. */
interface Split {
  readonly gain: number;
  readonly feature: number;
  readonly bin: number;
  readonly missing: boolean;
  readonly set: Int32Array | null;
  readonly left: readonly [bigint, bigint];
}

/** A leaf that may still be split: its rows are `start` … `start + n − 1` of those in order. */
interface Leaf {
  readonly node: number;
  readonly start: number;
  readonly depth: number;
  readonly sums: Sums;
  readonly whole: readonly [bigint, bigint];
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Which histogram of the pool is its own; -1 for none. */
  hist: number;
  split: Split | null;
}

/** The least sum of hessians on a side, and what keeps a division from being one by 0; scikit-learn's. */
const leastHessian = 1e-3;
const tiny = 1e-15;

/** Work of a task, in additions of a row to a histogram, from which on it is worth dividing among threads. */
const worthSharing = 40_000;

/** Bins to look at from which on several threads do so. */
const worthLooking = 4_000;

/**
 * Grows trees leaf by leaf, the best split first, on what `Team` shares.
 *
 * Source: Ke and others, LightGBM (2017); ties and limits as in scikit-learn's TreeGrower.
 */
export class BoostGrower {
  readonly #work: BoostWork;
  readonly #team: Team;
  readonly #limits: GrowLimits;
  readonly #monotone: Int32Array;
  readonly #hooks: Hooks;
  readonly #slots: number;
  #free: number[] = [];
  #units: readonly [number, number] = [1, 1];

  constructor(work: BoostWork, team: Team, limits: GrowLimits, monotone: Int32Array, hooks: Hooks) {
    this.#work = work;
    this.#team = team;
    this.#limits = limits;
    this.#monotone = monotone;
    this.#hooks = hooks;
    this.#slots = work.shared.sizes.slots.reduce((sum, each) => sum + each, 0);
  }

  /** One tree on the derivatives of column `k`, in units of `units`; adds what it answers to the raw answers. */
  grow(k: number, units: readonly [number, number]): GrowingTree {
    const { layout, sizes } = this.#work.shared;
    this.#units = units;
    this.#free = Array.from({ length: sizes.leaves + 1 }, (_, index) => sizes.leaves - index);
    // As in scikit-learn, gains of the root begin at 0: which of two that are alike counts hangs on the last bit.
    this.#ask(0, -Infinity, Infinity, 0);
    this.#run(task.records, sizes.n >= worthSharing ? this.#team.size : 1, k);
    this.#work.loops.copy(layout.rows, layout.order, 4 * sizes.train);
    const tree: GrowingTree = { feature: [], bin: [], missing: [], left: [], right: [], value: [], gain: [], set: [] };
    const root = this.#root(tree);
    const leaves = new Set([root]);
    const waiting = new WaitingLeaves<Leaf>();
    waiting.push(root);
    while (leaves.size < this.#limits.maxLeaves) {
      checkCancelled(this.#hooks);
      const best = waiting.pop();
      if (!best) break;
      leaves.delete(best);
      for (const leaf of this.#divide(tree, best, best.split!, leaves.size + 2 === this.#limits.maxLeaves)) {
        leaves.add(leaf);
        waiting.push(leaf);
      }
    }
    this.#finish(tree, [...leaves], k);
    return tree;
  }

  #run(which: number, parts: number, ...args: readonly number[]): void {
    this.#team.run(which, parts, ...args);
  }

  /** Threads worth taking for rows to be added up. */
  #partsFor(rows: number): number {
    const { d } = this.#work.shared.sizes;
    return rows * (d / 2 + 2) >= worthSharing ? this.#team.size : 1;
  }

  #partsToLook(): number {
    return this.#slots >= worthLooking ? Math.min(this.#team.size, this.#work.shared.sizes.d) : 1;
  }

  /** Writes what `scanSplits` asks of a child: 0 the small one, 1 the large one. */
  #ask(child: number, low: number, high: number, begins = 1): void {
    const at = (this.#work.shared.layout.asked + 64 * (1 + child)) / 8;
    const [g, h] = this.#units;
    this.#work.doubles.set([g, h, this.#limits.l2 + tiny, leastHessian, low, high, begins], at);
  }

  #root(tree: GrowingTree): Leaf {
    const { sizes } = this.#work.shared;
    const hist = this.#free.pop()!;
    const gathered = this.#partsFor(sizes.train);
    this.#run(task.gather, gathered, 0, sizes.train, hist);
    const parts = this.#partsToLook();
    this.#run(task.look, parts, 0, 0, gathered, hist, -1, 1, 0);
    const whole = this.#wordsAt(0, found.node);
    const sums = this.#sums(whole);
    const bounds = { low: -Infinity, high: Infinity };
    const value = this.#value(sums, bounds);
    const leaf: Leaf = { node: put(tree, value), start: 0, depth: 0, sums, whole, value, ...bounds, hist, split: null };
    if (this.#canSplit(leaf)) leaf.split = this.#found(0, parts);
    return leaf;
  }

  #sums([g, packed]: readonly [bigint, bigint]): Sums {
    return this.#work.sums(g, packed, ...this.#units);
  }

  #value({ g, h }: Sums, { low, high }: { readonly low: number; readonly high: number }): number {
    return Math.min(high, Math.max(low, -g / (h + this.#limits.l2 + tiny)));
  }

  #canSplit({ depth, sums }: Pick<Leaf, "depth" | "sums">): boolean {
    return depth < this.#limits.maxDepth && sums.n >= 2 * this.#limits.minLeaf && sums.h >= leastHessian;
  }

  /** The best split of the small (0) or the large child (1), of all parts. */
  #found(child: number, parts: number): Split | null {
    const { layout } = this.#work.shared;
    const { doubles, ints } = this.#work;
    let best = -1;
    for (let part = 0; part < parts; part++) {
      const at = layout.found + (2 * part + child) * found.bytes;
      if (doubles[at / 8]! > (best < 0 ? 0 : doubles[best / 8]!)) best = at;
    }
    if (best < 0) return null;
    const word = (name: "feature" | "bin" | "missing" | "kind") => ints[(best + found[name]) / 4]!;
    const from = (best + found.mask) / 4;
    return {
      gain: doubles[best / 8]!,
      feature: word("feature"),
      bin: word("bin"),
      missing: word("missing") === 1,
      set: word("kind") === 1 ? ints.slice(from, from + 8) : null,
      left: this.#wordsAt(best - layout.found, found.left),
    };
  }

  #wordsAt(record: number, field: number): [bigint, bigint] {
    const at = (this.#work.shared.layout.found + record + field) / 8;
    return [this.#work.words[at]!, this.#work.words[at + 1]!];
  }

  /** Splits a leaf in two; of the last one nobody asks how it could be split further. */
  #divide(tree: GrowingTree, leaf: Leaf, split: Split, isLast: boolean): [Leaf, Leaf] {
    const { layout, sizes } = this.#work.shared;
    const { feature, left } = split;
    const rest: [bigint, bigint] = [leaf.whole[0] - left[0], leaf.whole[1] - left[1]];
    const [leftSums, rightSums] = [this.#sums(left), this.#sums(rest)];
    const misses = this.#work.ints[layout.facts / 4 + 4 * feature + 2] !== 0;
    const missing = misses ? split.missing : leftSums.n > rightSums.n;
    const mask = this.#work.ints.subarray(layout.asked / 4, layout.asked / 4 + 8);
    goesLeft(mask, split.bin, missing, sizes.slots[feature]!, split.set);
    const values = [this.#value(leftSums, leaf), this.#value(rightSums, leaf)] as const;
    const middle = (values[0] + values[1]) / 2;
    const way = this.#monotone[feature]!;
    const child = (
      sums: Sums,
      whole: readonly [bigint, bigint],
      value: number,
      start: number,
      isLower: boolean,
    ): Leaf => ({
      node: put(tree, value),
      start,
      depth: leaf.depth + 1,
      sums,
      whole,
      value,
      low: way !== 0 && !isLower ? middle : leaf.low,
      high: way !== 0 && isLower ? middle : leaf.high,
      hist: -1,
      split: null,
    });
    const first = child(leftSums, left, values[0], leaf.start, way > 0);
    const second = child(rightSums, rest, values[1], leaf.start + leftSums.n, way < 0);
    tree.feature[leaf.node] = feature;
    tree.bin[leaf.node] = split.set ? -1 : split.bin;
    tree.missing[leaf.node] = missing ? 1 : 0;
    tree.left[leaf.node] = first.node;
    tree.right[leaf.node] = second.node;
    tree.gain[leaf.node] = leaf.depth > 0 ? split.gain : Math.max(0, split.gain + leaf.sums.g * leaf.value);
    tree.set[leaf.node] = split.set ? mask.slice() : null;
    this.#lookAt(leaf, feature, first, second, isLast);
    return [first, second];
  }

  /** Divides a leaf's rows among its children, and looks how these could be split. */
  #lookAt(leaf: Leaf, feature: number, first: Leaf, second: Leaf, isLast: boolean): void {
    const { layout } = this.#work.shared;
    const isLeft = first.sums.n <= second.sums.n;
    const [small, large] = isLeft ? [first, second] : [second, first];
    const asked = [small, large].map((each) => !isLast && this.#canSplit(each));
    if (asked[0] || asked[1]) small.hist = this.#free.pop()!;
    if (asked[1]) large.hist = leaf.hist;
    else if (leaf.hist >= 0) this.#free.push(leaf.hist);
    const gathered = this.#partsFor(leaf.sums.n);
    this.#run(task.divide, gathered, leaf.start, leaf.sums.n, feature, isLeft ? 1 : 0, small.hist);
    const goes = Array.from(
      { length: gathered },
      (_, part) => this.#work.ints[(layout.found + part * 2 * found.bytes) / 4]!,
    );
    this.#ask(0, small.low, small.high);
    this.#ask(1, large.low, large.high);
    const parts = small.hist < 0 ? gathered : this.#partsToLook();
    const flags = asked.map((each) => (each ? 1 : 0));
    const { start, sums } = leaf;
    this.#run(task.look, parts, start, sums.n, gathered, small.hist, large.hist, flags[0]!, flags[1]!, 0, ...goes);
    for (const [k, each] of [small, large].entries()) {
      if (asked[k]) each.split = this.#found(k, parts);
      if (each.split || each.hist < 0) continue;
      this.#free.push(each.hist);
      each.hist = -1;
    }
  }

  /** Writes down what the leaves answer, and adds it to what the rows have so far. */
  #finish(tree: GrowingTree, leaves: readonly Leaf[], k: number): void {
    const { layout, sizes, loss } = this.#work.shared;
    const { doubles, ints, lossData } = this.#work;
    for (const [at, { node, start, sums, value, low, high }] of leaves.entries()) {
      const rows = isByRank(loss) && ints.subarray(layout.rows / 4 + start, layout.rows / 4 + start + sums.n);
      const own = rows ? Math.min(high, Math.max(low, rankedValue(lossData, rows, lossData.y, lossData.raw))) : value;
      tree.value[node] = this.#limits.learningRate * own;
      ints[layout.leaves / 4 + 2 * at] = start;
      ints[layout.leaves / 4 + 2 * at + 1] = sums.n;
      doubles[layout.leafValues / 8 + at] = tree.value[node]!;
    }
    if (sizes.n > sizes.train) layTree(this.#work, tree);
    this.#run(task.answer, sizes.n >= worthSharing ? this.#team.size : 1, k, leaves.length);
  }
}

/** A new leaf of a tree; answers its number. */
function put(tree: GrowingTree, value: number): number {
  tree.feature.push(-1);
  tree.bin.push(-1);
  tree.missing.push(0);
  tree.left.push(-1);
  tree.right.push(-1);
  tree.value.push(value);
  tree.gain.push(0);
  tree.set.push(null);
  return tree.feature.length - 1;
}

/** Writes a tree as `walkRows` wants it. */
function layTree({ shared, ints, doubles }: BoostWork, tree: GrowingTree): void {
  const { layout, sizes } = shared;
  const mask = new Int32Array(8);
  for (const [node, feature] of tree.feature.entries()) {
    const at = layout.nodes + node * nodeBytes;
    const isLeaf = feature < 0;
    ints[at / 4] = isLeaf ? 0 : (feature >> 2) * sizes.n * 4 + (feature & 3);
    ints[at / 4 + 1] = isLeaf ? at : layout.nodes + tree.left[node]! * nodeBytes;
    ints[at / 4 + 2] = isLeaf ? at : layout.nodes + tree.right[node]! * nodeBytes;
    if (isLeaf) doubles[at / 8 + 2] = tree.value[node]!;
    else {
      const slots = sizes.slots[feature]!;
      ints.set(goesLeft(mask, tree.bin[node]!, tree.missing[node] === 1, slots, tree.set[node]!), at / 4 + 4);
    }
  }
}
