import { checkCancelled, type Hooks, type Matrix } from "../types.ts";
import type { Best, Criterion, Range } from "./criterion.ts";
import {
  isKeptSorted,
  LOCAL,
  listed,
  localPairs,
  localSamples,
  type Pairs,
  partition,
  type Room,
  type Samples,
} from "./samples.ts";
import { type SortScratch, sortMembers, sortScratch } from "./sort-members.ts";

/** When a tree stops growing; all counts are resolved for the data at hand. */
export type Limits = {
  /** Columns looked at per split, 1…d. */
  readonly maxFeatures: number;
  /** Levels below the root; Infinity for no limit. */
  readonly maxDepth: number;
  /** Samples a node needs to be split, at least 2. */
  readonly minSplit: number;
  /** Samples each side of a split keeps, at least 1. */
  readonly minLeaf: number;
  /** Leaves of a tree grown best split first; Infinity grows depth first. */
  readonly maxLeaves: number;
  /** Share of impurity a split has to take away. */
  readonly minDecrease: number;
};

/** The nodes of one tree, as written by `growTree`; the arrays are longer than `count`. */
export type Nodes = {
  count: number;
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly value: Float64Array;
  readonly samples: Int32Array;
  readonly impurity: Float64Array;
  readonly importance: Float64Array;
};

type Node = Range & {
  depth: number;
  impurity: number;
  /** Leading entries of `features` known to be constant here. */
  constants: number;
  parent: number;
  isLeft: boolean;
};

type Split = { feature: number; threshold: number; improvement: number; left: Node; right: Node };

const EPSILON = 2 ** -52;
const CHECK_EVERY = 2_000_000;

/**
 * Grows one tree over presorted samples into `out`; exact CART.
 *
 * Follows scikit-learn's depth-first and best-first builders draw for draw (Breiman et al. 1984; columns in
 * random order, xorshift of Marsaglia 2003), so that the same seed gives the same tree.
 * Cost O(d·m·depth): scanning and stably partitioning each column's order, without sorting again. Where columns of `s` are
 * not kept sorted, they are when they are looked at: O(maxFeatures·m·log m·depth), and the same trees. Of a column of two
 * values the samples of the rarer one are counted.
 */
export class TreeGrower {
  readonly #x: Matrix;
  readonly #criterion: Criterion;
  readonly #limits: Limits;
  readonly #hooks: Hooks;
  readonly #features: Int32Array;
  readonly #constants: Int32Array;
  readonly #best: Best = { feature: -1, pos: -1, proxy: -Infinity };
  readonly #room: Room;
  #local: Pairs | undefined;
  #scratch: SortScratch | undefined;
  #seed = 1;
  #work = 0;
  #total = 0;
  #out: Nodes;

  constructor(x: Matrix, room: Room, criterion: Criterion, limits: Limits, hooks: Hooks, out: Nodes) {
    this.#x = x;
    this.#room = room;
    this.#criterion = criterion;
    this.#limits = limits;
    this.#hooks = hooks;
    this.#out = out;
    this.#features = new Int32Array(x.d);
    this.#constants = new Int32Array(x.d);
  }

  /** Grows a tree over `s`, whose orders it permutes; `seed` is that of the xorshift generator. */
  grow(s: Samples, seed: number): void {
    for (let j = 0; j < this.#x.d; j++) this.#features[j] = j;
    this.#seed = seed === 0 ? 1 : seed;
    this.#out.count = 0;
    if (s.members) this.#place(s, 0, s.members.length);
    const size = s.members?.length ?? s.m;
    // Sorting writes of a constant column the first and the last sample alone.
    if (s.members && !isKeptSorted(s, 0)) s.order.set(s.members);
    this.#sorted(s, 0, 0, size);
    const root = this.#node(s, 0, 0, size, 0, 0);
    this.#total = root.weight;
    if (this.#limits.maxLeaves === Infinity) this.#depthFirst(s, root);
    else this.#bestFirst(s, root);
  }

  #node(s: Samples, feature: number, start: number, end: number, depth: number, constants: number): Node {
    const base = feature * s.m;
    const { weight, sums, impurity } = this.#criterion.measure(s, base + start, base + end);
    return { start, end, depth, constants, weight, sums, impurity, parent: -1, isLeft: false };
  }

  #depthFirst(s: Samples, root: Node): void {
    const stack = [root];
    for (let node = stack.pop(); node; node = stack.pop()) {
      if (s.isKept && node.end - node.start <= LOCAL && s.m > 2 * LOCAL && this.#splittable(node)) {
        const m = node.end - node.start;
        const columns = this.#features.subarray(node.constants);
        this.#local ??= localPairs(s, this.#x.d);
        const alone = localSamples(s, node.start, m, columns, this.#room, this.#local);
        this.#depthFirst(alone, { ...node, start: 0, end: m });
        continue;
      }
      const split = this.#splittable(node) ? this.#split(s, node, true) : undefined;
      const id = this.#add(node, split);
      if (!split) continue;
      split.left.parent = split.right.parent = id;
      split.left.isLeft = true;
      stack.push(split.right, split.left);
    }
  }

  #bestFirst(s: Samples, root: Node): void {
    type Open = { id: number; split: Split; feature: number };
    const open: Open[] = [];
    const add = (node: Node) => {
      node.constants = 0;
      const split = this.#splittable(node) ? this.#split(s, node, false) : undefined;
      const id = this.#add(node, undefined);
      if (!split) return;
      split.left.parent = split.right.parent = id;
      split.left.isLeft = true;
      let at = open.length;
      while (at > 0 && open[at - 1]!.split.improvement > split.improvement) at--;
      open.splice(at, 0, { id, split, feature: split.feature });
    };
    add(root);
    for (let leaves = 1; leaves < this.#limits.maxLeaves; leaves++) {
      const next = open.pop();
      if (!next) return;
      this.#mark(next.id, next.split);
      add(next.split.left);
      add(next.split.right);
    }
  }

  #splittable(node: Node): boolean {
    const { maxDepth, minSplit, minLeaf } = this.#limits;
    const size = node.end - node.start;
    return node.depth < maxDepth && size >= minSplit && size >= 2 * minLeaf && node.impurity > EPSILON;
  }

  #add(node: Node, split: Split | undefined): number {
    const out = this.#out;
    const id = out.count++;
    if (node.parent >= 0) (node.isLeft ? out.left : out.right)[node.parent] = id;
    out.feature[id] = -1;
    out.threshold[id] = 0;
    out.left[id] = out.right[id] = -1;
    out.samples[id] = node.end - node.start;
    out.impurity[id] = node.impurity;
    const width = node.sums.length;
    for (let k = 0; k < width; k++) out.value[id * width + k] = node.sums[k]! / node.weight;
    if (split) this.#mark(id, split);
    return id;
  }

  #mark(id: number, split: Split): void {
    this.#out.feature[id] = split.feature;
    this.#out.threshold[id] = split.threshold;
    this.#out.importance[split.feature]! += split.improvement;
  }

  #split(s: Samples, node: Node, skipConstants: boolean): Split | undefined {
    const best = this.#best;
    best.feature = -1;
    best.proxy = -Infinity;
    const constants = this.#search(s, node);
    if (best.feature < 0) return undefined;
    const { feature, pos } = best;
    if (s.pairs && s.pairs.level[feature]! >= 0) this.#sorted(s, feature, node.start, node.end);
    const left = this.#node(s, feature, node.start, pos, node.depth + 1, constants);
    const right = this.#node(s, feature, pos, node.end, node.depth + 1, constants);
    const lost = (right.weight / node.weight) * right.impurity + (left.weight / node.weight) * left.impurity;
    const improvement = (node.weight / this.#total) * (node.impurity - lost);
    if (improvement + EPSILON < this.#limits.minDecrease) return undefined;
    this.#partition(s, feature, left, right, skipConstants ? constants : 0);
    return { feature, threshold: this.#threshold(s, feature, pos), improvement, left, right };
  }

  #threshold(s: Samples, feature: number, pos: number): number {
    const { n, data } = this.#x;
    const below = data[feature * n + s.rows[s.order[feature * s.m + pos - 1]!]!]!;
    const above = data[feature * n + s.rows[s.order[feature * s.m + pos]!]!]!;
    const middle = below / 2 + above / 2;
    // Between neighbouring doubles the middle rounds up to `above`, which would then go left.
    return middle < above ? middle : below;
  }

  /** Draws columns without replacement and scans them; returns how many are known to be constant now. */
  #search(s: Samples, node: Node): number {
    const features = this.#features;
    const known = node.constants;
    const { maxFeatures } = this.#limits;
    let undrawn = features.length;
    let visited = 0;
    let found = 0;
    let drawn = 0;
    let constants = known;
    while (undrawn > constants && (visited < maxFeatures || visited <= found + drawn)) {
      visited++;
      let at = drawn + (this.#random() % (undrawn - found - drawn));
      if (at < known) {
        swap(features, drawn++, at);
        continue;
      }
      at += found;
      const feature = features[at]!;
      const base = feature * s.m;
      const { order, rank, pairs } = s;
      const isPair = pairs !== undefined && pairs.level[feature]! >= 0;
      const size = node.end - node.start;
      const rare = isPair ? listed(s, feature, node.start, node.end) : 0;
      if (!isPair) this.#sorted(s, feature, node.start, node.end);
      const isConstant = isPair
        ? rare === 0 || rare === size
        : rank[base + order[base + node.start]!] === rank[base + order[base + node.end - 1]!];
      if (isConstant) {
        swap(features, at, constants++);
        found++;
        continue;
      }
      swap(features, --undrawn, at);
      if (isPair) this.#criterion.scanPair(s, feature, node, this.#best, rare);
      else this.#criterion.scan(s, feature, node, this.#best);
      this.#count(size);
    }
    for (let i = 0; i < known; i++) features[i] = this.#constants[i]!;
    for (let i = known; i < constants; i++) this.#constants[i] = features[i]!;
    return constants;
  }

  /** Sees to it that a node's range of a column's order is sorted. */
  #sorted(s: Samples, feature: number, start: number, end: number): void {
    if (isKeptSorted(s, feature)) return;
    this.#scratch ??= sortScratch(s.m);
    sortMembers(s, feature, start, end, this.#scratch);
    this.#count(end - start);
  }

  /** Notes where the members of a range stand. */
  #place({ members, pairs }: Samples, start: number, end: number): void {
    if (!pairs) return;
    for (let p = start; p < end; p++) pairs.place[members![p]!] = p;
  }

  #random(): number {
    this.#seed ^= this.#seed << 13;
    this.#seed ^= this.#seed >>> 17;
    this.#seed ^= this.#seed << 5;
    return this.#seed & 0x7fffffff;
  }

  #count(work: number): void {
    this.#work += work;
    if (this.#work < CHECK_EVERY) return;
    this.#work = 0;
    checkCancelled(this.#hooks);
  }

  /** Parts each column's range into left and right; the first `constants` columns never matter below. */
  #partition(s: Samples, feature: number, left: Node, right: Node, constants: number): void {
    const goesLeft = this.#splittable(left);
    const goesRight = this.#splittable(right);
    if (!goesLeft && !goesRight) return;
    const { side } = this.#room;
    const base = feature * s.m;
    for (let p = base + left.start; p < base + left.end; p++) side[s.order[p]!] = 1;
    for (let p = base + right.start; p < base + right.end; p++) side[s.order[p]!] = 0;
    if (s.members) {
      partition(this.#room, s.members, left.start, right.end);
      this.#place(s, left.start, right.end);
    }
    if (!s.isKept) return;
    for (let i = constants; i < this.#features.length; i++) {
      const column = this.#features[i]!;
      if (column === feature || !isKeptSorted(s, column)) continue;
      partition(this.#room, s.order, column * s.m + left.start, column * s.m + right.end);
      this.#count(right.end - left.start);
    }
  }
}

function swap(values: Int32Array, i: number, j: number): void {
  const kept = values[i]!;
  values[i] = values[j]!;
  values[j] = kept;
}
