import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { joinTrees, type Trees } from "./trees.ts";

/** What `isolateRows` needs to know. */
export type IsolationInput = {
  /** n×d features without missing values. */
  readonly x: Matrix;
  /** One seed per tree to grow, from `treeSeeds`. */
  readonly seeds: Int32Array;
  /** Rows drawn for each tree, 1…n. */
  readonly samples: number;
  /** Columns drawn for each tree, 1…d. */
  readonly columns: number;
  /** Draws rows with replacement. */
  readonly bootstrap: boolean;
};

/**
 * Grows one isolation tree per seed: cuts a random column at a random number until each row is alone, or deep enough.
 *
 * A leaf's value is how many cuts lead to it, and how many more its rows would take on average. The draws are those of
 * scikit-learn's IsolationForest, so that the trees are the same but for what it rounds to float32. O(samples · depth) a
 * tree. Source: Liu, Ting and Zhou (2008), "Isolation Forest".
 */
export function isolateRows(input: IsolationInput, hooks: Hooks = quiet): Trees {
  const { seeds } = input;
  const grower = new IsolationTree(input, hooks);
  return joinTrees(
    Array.from(seeds, (seed, t) => {
      checkCancelled(hooks);
      hooks.progress(t, seeds.length);
      return grower.grow(seed);
    }),
  );
}

/** How many cuts isolate one of n rows on average: the way of a search that finds nothing in a binary tree of them. */
export function averagePath(n: number): number {
  if (n <= 2) return Math.max(0, n - 1);
  return 2 * (Math.log(n - 1) + 0.5772156649015329) - (2 * (n - 1)) / n;
}

/** Rows from…to−1 of a tree's order that are to be cut. */
type Part = {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** Leading columns that are known to be constant here. */
  readonly constants: number;
  /** The node above, and whether this is its left side. */
  readonly parent: number;
  readonly isLeft: boolean;
};

class IsolationTree {
  readonly #input: IsolationInput;
  readonly #hooks: Hooks;
  readonly #depth: number;
  #rows: Int32Array = new Int32Array(0);
  #columns: Int32Array = new Int32Array(0);
  /** Places in `#columns`, the constant ones first. */
  readonly #features: Int32Array;
  readonly #constants: Int32Array;
  #random = 1;

  constructor(input: IsolationInput, hooks: Hooks) {
    this.#input = input;
    this.#hooks = hooks;
    this.#depth = Math.ceil(Math.log2(Math.max(input.samples, 2)));
    this.#features = new Int32Array(input.columns);
    this.#constants = new Int32Array(input.columns);
  }

  grow(seed: number): Trees {
    const { x, samples, columns, bootstrap } = this.#input;
    const random = new RandomState(seed);
    this.#columns = drawn(x.d, columns, random);
    const rows = bootstrap ? random.integers(x.n, samples) : drawn(x.n, samples, random);
    this.#rows = bootstrap ? Int32Array.from(new Set(rows)) : rows;
    const own = new RandomState(new RandomState(seed).randomInterval(0x7ffffffe));
    this.#random = own.randomInterval(0x7ffffffe) || 1;
    for (let k = 0; k < columns; k++) this.#features[k] = k;
    const [feature, threshold, left, right, value]: number[][] = [[], [], [], [], []];
    const waiting: Part[] = [{ from: 0, to: this.#rows.length, depth: 0, constants: 0, parent: -1, isLeft: false }];
    for (let part = waiting.pop(); part; part = waiting.pop()) {
      const { from, to, depth, parent } = part;
      if (to - from > 10_000) checkCancelled(this.#hooks);
      const id = feature.length;
      if (parent >= 0) (part.isLeft ? left : right)![parent] = id;
      const cut = depth < this.#depth && to - from >= 2 ? this.#cut(part) : undefined;
      feature!.push(cut ? cut.column : -1);
      threshold!.push(cut ? cut.threshold : 0);
      left!.push(-1);
      right!.push(-1);
      value!.push(depth + averagePath(to - from));
      if (!cut) continue;
      const below = { depth: depth + 1, constants: cut.constants, parent: id };
      waiting.push({ ...below, from: cut.at, to, isLeft: false }, { ...below, from, to: cut.at, isLeft: true });
    }
    return {
      task: "regression",
      d: x.d,
      width: 1,
      offsets: Int32Array.of(0, feature!.length),
      feature: Int32Array.from(feature!),
      threshold: Float64Array.from(threshold!),
      left: Int32Array.from(left!),
      right: Int32Array.from(right!),
      value: Float64Array.from(value!),
      nSamples: new Int32Array(0),
      impurity: new Float64Array(0),
      importances: new Float64Array(0),
    };
  }

  /** Draws columns until one is not constant, and cuts the rows there; undefined where all are constant. */
  #cut({
    from,
    to,
    constants: known,
  }: Part): { column: number; threshold: number; at: number; constants: number } | undefined {
    const features = this.#features;
    let drawnConstants = 0;
    let found = 0;
    let cut: { column: number; threshold: number; at: number } | undefined;
    while (!cut && features.length > known + found) {
      let at = drawnConstants + (this.#next() % (features.length - found - drawnConstants));
      if (at < known) {
        swap(features, drawnConstants++, at);
        continue;
      }
      at += found;
      const column = this.#columns[features[at]!]!;
      const [low, high] = this.#range(column, from, to);
      if (low === high) {
        swap(features, at, known + found++);
        continue;
      }
      swap(features, features.length - 1, at);
      const threshold = ((high - low) * this.#next()) / 0x7fffffff + low;
      const below = threshold < high ? threshold : low;
      cut = { column, threshold: below, at: this.#partition(column, below, from, to) };
    }
    const constants = known + found;
    features.set(this.#constants.subarray(0, known));
    this.#constants.set(features.subarray(known, constants), known);
    return cut && { ...cut, constants };
  }

  #range(column: number, from: number, to: number): [number, number] {
    const { n, data } = this.#input.x;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let k = from; k < to; k++) {
      const value = data[column * n + this.#rows[k]!]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  }

  /** Brings rows up to the threshold to the left; where the others begin. */
  #partition(column: number, threshold: number, from: number, to: number): number {
    const { n, data } = this.#input.x;
    let left = from;
    let right = to;
    while (left < right) {
      if (data[column * n + this.#rows[left]!]! <= threshold) left++;
      else swap(this.#rows, left, --right);
    }
    return left;
  }

  /** The next of scikit-learn's xorshift. */
  #next(): number {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return this.#random & 0x7fffffff;
  }
}

/** Some of 0…n−1 without replacement, by the draws of scikit-learn's sample_without_replacement. */
function drawn(n: number, size: number, random: RandomState): Int32Array {
  const share = size / n;
  if (share > 0.01 && share < 0.99) return random.permutation(n).slice(0, size);
  if (share < 0.2) {
    const chosen = new Set<number>();
    while (chosen.size < size) chosen.add(random.randomInterval(n - 1));
    return Int32Array.from(chosen);
  }
  const out = Int32Array.from({ length: size }, (_, i) => i);
  for (let i = size; i < n; i++) {
    const at = random.randomInterval(i);
    if (at < size) out[at] = i;
  }
  return out;
}

function swap(values: Int32Array, i: number, k: number): void {
  const kept = values[i]!;
  values[i] = values[k]!;
  values[k] = kept;
}
