import { RandomState } from "../random.ts";
import { type Presorted, presort, type ValuePairs } from "../statistics/presort.ts";
import { unitOf } from "../statistics/unit.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Criterion, entropy, gini, squaredError } from "./criterion.ts";
import { type Pairs, type Room, roomFor, type Samples } from "./samples.ts";
import { type Limits, type Nodes, TreeGrower } from "./tree.ts";
import { joinTrees, leafClasses, type Trees } from "./trees.ts";

/** What `fitTrees` needs to know. */
export type TreesInput = {
  /** n×d features without missing values. */
  x: Matrix;
  /** n targets: numbers for regression, class codes 0…classes−1 for classification. */
  y: Float64Array | Int32Array;
  task: "regression" | "classification";
  /** Number of classes; classification only. */
  classes?: number;
  /** Measure of impurity (default "squared_error" or "gini"). */
  criterion?: "squared_error" | "gini" | "entropy" | "log_loss";
  /** One seed per tree to grow, from `treeSeeds`. */
  seeds: Int32Array;
  /** Grow each tree on n rows drawn with replacement (default false). */
  bootstrap?: boolean;
  /** Rows drawn for each tree (default n). */
  bootstrapSize?: number;
  /** A weight per row, at least 0; with bootstrap, the odds of being drawn. */
  sampleWeight?: Float64Array;
  /** Columns looked at per split: a count, a share below 1, "sqrt" or "log2" (default all). */
  maxFeatures?: number | "sqrt" | "log2";
  /** Levels below the root (default no limit). */
  maxDepth?: number;
  /** Samples a node needs to be split: a count, or a share below 1 (default 2). */
  minSamplesSplit?: number;
  /** Samples each side of a split keeps: a count, or a share below 1 (default 1). */
  minSamplesLeaf?: number;
  /** Leaves per tree, grown best split first (default no limit). */
  maxLeafNodes?: number;
  /** Least impurity a split takes away, weighted by its share of rows (default 0). */
  minImpurityDecrease?: number;
  /** False leaves out nSamples and impurity, and of more than 10 classes all but those that leaves hold (default true). */
  details?: boolean;
};

/** Columns per column looked at from which on these are sorted when they are. */
const sortedAhead = 10;

/**
 * One seed per tree of a forest, from the forest's own seed: those scikit-learn would draw.
 *
 * Tree t's seed depends on (randomState, t) alone, so a forest comes out the same in any number of chunks.
 */
export function treeSeeds(randomState: number, count: number): Int32Array {
  return new RandomState(randomState).integers(0x7fffffff, count);
}

/**
 * Grows one decision tree per seed by exact CART, with scikit-learn's defaults and semantics.
 *
 * Same seed, same tree as DecisionTreeClassifier or -Regressor(random_state=seed), as far as sums of y round
 * alike (scikit-learn also rounds x to float32; here it stays double). RangeError on NaN in x.
 * Targets whose squares no number holds are learnt divided by a power of two. O(d·n) to presort, then O(d·n·depth) a tree. Progress per tree. Source: Breiman, Random Forests (2001).
 */
export function fitTrees(input: TreesInput, hooks: Hooks = quiet): Trees {
  const unit = input.task === "regression" ? unitOf(input.y) : 1;
  if (unit === 1) return grown(input, hooks);
  const minImpurityDecrease = (input.minImpurityDecrease ?? 0) / unit / unit;
  const y = Float64Array.from(input.y, (value) => value / unit);
  const trees = grown({ ...input, y, minImpurityDecrease }, hooks);
  return {
    ...trees,
    value: trees.value.map((value) => value * unit),
    impurity: trees.impurity.map((value) => Math.min(value * unit * unit, Number.MAX_VALUE)),
  };
}

function grown(input: TreesInput, hooks: Hooks): Trees {
  const { x, seeds } = input;
  if (x.n < 1) throw new RangeError("a tree needs at least one row");
  const sorted = presort(x, hooks);
  const width = input.task === "regression" ? 1 : (input.classes ?? 0);
  const limits = limitsOf(input);
  const capacity = Math.min(2 * x.n, 2 * limits.maxLeaves + 1);
  const nodes = nodesOf(capacity, width, x.d);
  const room = roomFor(x.n, x.d, width);
  const grower = new TreeGrower(x, room, criterionOf(input, limits.minLeaf, room), limits, hooks, nodes);
  const parts: Trees[] = [];
  // Where few of the columns are looked at, it is quicker to sort these than to keep all of them sorted.
  const isKept = x.d < sortedAhead * limits.maxFeatures;
  if (!isKept) room.whole.rank.set(sorted.rank);
  for (let t = 0; t < seeds.length; t++) {
    checkCancelled(hooks);
    // A seed above 2³¹ comes as a negative number.
    const seed = seeds[t]! >>> 0;
    nodes.importance.fill(0);
    const samples = isKept ? drawn(input, sorted, room, seed, hooks) : members(input, sorted, room, seed);
    grower.grow(samples, new RandomState(seed).randomInterval(0x7ffffffe));
    parts.push(treeOf(nodes, input, width));
    hooks.progress(t + 1, seeds.length);
  }
  return parts.length === 1 ? parts[0]! : joinTrees(parts);
}

/** The columns per split that `maxFeatures` means for `d` columns; undefined means all. */
export function resolveMaxFeatures(maxFeatures: TreesInput["maxFeatures"], d: number): number {
  if (maxFeatures === undefined) return d;
  if (maxFeatures === "sqrt") return Math.max(1, Math.floor(Math.sqrt(d)));
  if (maxFeatures === "log2") return Math.max(1, Math.floor(Math.log2(d)));
  if (!(maxFeatures > 0)) throw new RangeError(`maxFeatures must be above 0, got ${maxFeatures}`);
  return maxFeatures < 1 ? Math.max(1, Math.floor(maxFeatures * d)) : Math.min(d, Math.floor(maxFeatures));
}

function limitsOf(input: TreesInput): Limits {
  const { n, d } = input.x;
  const count = (value: number) => (value < 1 ? Math.ceil(value * n) : value);
  const minLeaf = count(input.minSamplesLeaf ?? 1);
  return {
    maxFeatures: resolveMaxFeatures(input.maxFeatures, d),
    maxDepth: input.maxDepth ?? Infinity,
    minLeaf,
    minSplit: Math.max(2, count(input.minSamplesSplit ?? 2), 2 * minLeaf),
    maxLeaves: input.maxLeafNodes ?? Infinity,
    minDecrease: input.minImpurityDecrease ?? 0,
  };
}

function criterionOf(input: TreesInput, minLeaf: number, room: Room): Criterion {
  if (input.task === "regression") return squaredError(minLeaf, room);
  const classes = input.classes ?? 0;
  if (classes < 1) throw new RangeError("classification needs the number of classes");
  return input.criterion === "entropy" || input.criterion === "log_loss"
    ? entropy(classes, minLeaf)
    : gini(classes, minLeaf, room);
}

/** The rows a tree grows on: all with a weight, or a bootstrap draw in which a repeated row weighs more. */
function drawn(input: TreesInput, sorted: Presorted, room: Room, seed: number, hooks: Hooks): Samples {
  const { n, d } = input.x;
  const weights = input.bootstrap ? bootstrapWeights(input, seed) : input.sampleWeight;
  const id = room.spare.fill(-1);
  let m = 0;
  for (let row = 0; row < n; row++) if (!weights || weights[row]! > 0) id[row] = m++;
  if (m === 0) throw new RangeError(noRow);
  const { members, ...arrays } = room.whole;
  for (let i = 0; i < m; i++) members[i] = i;
  const pairs = sorted.pairs && { members: members.subarray(0, m), pairs: pairsAmong(sorted.pairs, id, m) };
  const out: Samples = { m, isKept: true, ...arrays, ...pairs };
  for (let row = 0; row < n; row++) {
    const i = id[row]!;
    if (i < 0) continue;
    const w = weights ? weights[row]! : 1;
    out.rows[i] = row;
    out.weight[i] = w;
    out.target[i] = input.task === "regression" ? w * input.y[row]! : input.y[row]!;
  }
  const { order, rank, rows } = out;
  for (let j = 0; j < d; j++) {
    checkCancelled(hooks);
    for (let i = 0; i < m; i++) rank[j * m + i] = sorted.rank[j * n + rows[i]!]!;
    if (sorted.pairs && sorted.pairs.level[j]! >= 0) continue;
    let at = j * m;
    for (let i = j * n; i < (j + 1) * n; i++) {
      // What isn't drawn is written over: a branch would be mispredicted in a third of all rows.
      const sample = id[sorted.order[i]!]!;
      order[at] = sample;
      at += sample < 0 ? 0 : 1;
    }
  }
  return out;
}

/** The columns of two values for `m` samples; row r is sample id[r], or −1 where it isn't drawn. */
function pairsAmong({ level, rows, starts }: ValuePairs, id: Int32Array, m: number): Pairs {
  const d = level.length;
  const [ids, from] = [new Int32Array(rows.length), new Int32Array(d + 1)];
  let to = 0;
  for (let j = 0; j < d; j++) {
    for (let k = starts[j]!; k < starts[j + 1]!; k++) {
      const sample = id[rows[k]!]!;
      if (sample >= 0) ids[to++] = sample;
    }
    from[j + 1] = to;
  }
  const [place, found] = [new Int32Array(m).fill(-1), new Int32Array(m + 1)];
  return { level, ids, starts: from, ends: from.subarray(1), place, found };
}

/** `drawn` with orders that are made when a column is looked at; samples keep the numbers of their rows, and share the ranks. */
function members(input: TreesInput, { pairs }: Presorted, { whole }: Room, seed: number): Samples {
  const { n } = input.x;
  const weights = input.bootstrap ? bootstrapWeights(input, seed) : input.sampleWeight;
  let count = 0;
  for (let row = 0; row < n; row++) {
    const w = weights?.[row] ?? 1;
    whole.rows[row] = row;
    whole.weight[row] = w;
    whole.target[row] = (input.task === "regression" ? w : 1) * input.y[row]!;
    if (w > 0) whole.members[count++] = row;
  }
  if (count === 0) throw new RangeError(noRow);
  const id = whole.rows.map((row) => (whole.weight[row]! > 0 ? row : -1));
  const listed = pairs ? { pairs: pairsAmong(pairs, id, n) } : {};
  return { ...whole, m: n, isKept: false, ...listed, members: whole.members.subarray(0, count) };
}

const noRow = "a tree needs at least one row with a weight above 0";

function bootstrapWeights(input: TreesInput, seed: number): Float64Array {
  const { n } = input.x;
  const random = new RandomState(seed);
  const size = input.bootstrapSize ?? n;
  const counts = new Float64Array(n);
  if (!input.sampleWeight) {
    for (let i = 0; i < size; i++) counts[random.randomInterval(n - 1)]!++;
    return counts;
  }
  const upTo = new Float64Array(n);
  let sum = 0;
  for (let i = 0; i < n; i++) upTo[i] = sum += input.sampleWeight[i]!;
  for (let i = 0; i < size; i++) counts[firstAbove(upTo, random.uniform() * sum)]!++;
  return counts;
}

function firstAbove(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function nodesOf(capacity: number, width: number, d: number): Nodes {
  return {
    count: 0,
    feature: new Int32Array(capacity),
    threshold: new Float64Array(capacity),
    left: new Int32Array(capacity),
    right: new Int32Array(capacity),
    value: new Float64Array(capacity * width),
    samples: new Int32Array(capacity),
    impurity: new Float64Array(capacity),
    importance: new Float64Array(d),
  };
}

/** Of more classes leaves hold few, and most of their shares would be zeros. */
const manyClasses = 10;

function treeOf(nodes: Nodes, input: TreesInput, width: number): Trees {
  const { count } = nodes;
  const told = input.details === false ? 0 : count;
  const total = nodes.importance.reduce((sum, value) => sum + value, 0);
  const value = nodes.value.subarray(0, count * width);
  const isSparse = input.details === false && width > manyClasses;
  return {
    task: input.task,
    d: input.x.d,
    width,
    offsets: Int32Array.of(0, count),
    feature: nodes.feature.slice(0, count),
    threshold: nodes.threshold.slice(0, count),
    left: nodes.left.slice(0, count),
    right: nodes.right.slice(0, count),
    value: isSparse ? new Float64Array(0) : value.slice(),
    ...(isSparse ? { leaves: leafClasses({ feature: nodes.feature.subarray(0, count), value, width }) } : {}),
    nSamples: nodes.samples.slice(0, told),
    impurity: nodes.impurity.slice(0, told),
    importances: nodes.importance.map((value) => (total > 0 ? value / total : 0)),
  };
}
