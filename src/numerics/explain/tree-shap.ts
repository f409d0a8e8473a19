import { checkCancelled, createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";
import { gaussLegendre } from "./gauss-legendre.ts";

/** Trees of any kind whose answers add up: which way a row goes at each node, and what the leaves add. */
export type AddedTrees = {
  /** Columns the trees were grown on. */
  readonly d: number;
  /** How many numbers the trees answer for a row. */
  readonly outputs: number;
  /** Numbers per node in `value`: `outputs`, or 1 where tree t adds to output t % outputs alone. */
  readonly width: number;
  /** Where each tree's nodes begin, its root first. */
  readonly offsets: Int32Array;
  /** The column a node asks for; -1 in a leaf. */
  readonly feature: Int32Array;
  /** Rows with a value ≤ this go left. */
  readonly threshold: Float64Array;
  /** 1 where missing cells go left. */
  readonly missing: Int32Array;
  /** Children, counted from the tree's first node. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly value: Float64Array;
  /** Which 256 bits of `sets` say which codes go left, 8 words each; -1 where the column has numbers. */
  readonly setAt: Int32Array;
  readonly sets: Int32Array;
  /** What each tree's answer counts. */
  readonly scale: number;
  /** What is added to all trees, for each output. */
  readonly baseline: Float64Array;
};

/** What `treeCovers` needs to know. */
export type CoversInput = {
  readonly x: Matrix;
  readonly trees: AddedTrees;
};

/** How many of the rows come to each node of the trees. O(rows · trees · depth). Progress per tree. */
export function treeCovers({ x, trees }: CoversInput, hooks: Hooks = quiet): Int32Array {
  const { offsets, feature, left, right } = trees;
  const covers = new Int32Array(feature.length);
  const count = offsets.length - 1;
  for (let t = 0; t < count; t++) {
    const root = offsets[t]!;
    for (let i = 0; i < x.n; i++) {
      if ((i & 4095) === 0) checkCancelled(hooks);
      let node = root;
      covers[node]!++;
      for (let j = feature[node]!; j >= 0; j = feature[node]!) {
        node = root + (goesLeft(trees, node, x.data[j * x.n + i]!) ? left[node]! : right[node]!);
        covers[node]!++;
      }
    }
    hooks.progress(t + 1, count);
  }
  return covers;
}

/** What the trees answer on average of the rows that were counted: one number for each output. O(nodes). */
export function treeBase(trees: AddedTrees, covers: Int32Array): Float64Array {
  const { offsets, outputs, width, feature, value, scale } = trees;
  const base = trees.baseline.slice();
  for (let t = 0; t + 1 < offsets.length; t++) {
    const root = covers[offsets[t]!]!;
    for (let node = offsets[t]!; node < offsets[t + 1]!; node++) {
      if (feature[node]! >= 0) continue;
      const share = (scale * covers[node]!) / root;
      for (let k = 0; k < width; k++) base[width === 1 ? t % outputs : k]! += share * value[node * width + k]!;
    }
  }
  return base;
}

/** What `treeShap` needs to know. */
export type TreeShapInput = {
  /** n×d rows to explain. */
  readonly x: Matrix;
  readonly trees: AddedTrees;
  /** Rows that came to each node, by `treeCovers`. */
  readonly covers: Int32Array;
  /** Which group each column is of: the values of a group are added up. */
  readonly groups: Int32Array;
  readonly groupCount: number;
  /** Explain only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/** Rows that are led down a tree together. */
const block = 2048;

/**
 * Shapley values of trees, exact, where a column that is not known is answered by both ways, by their covers.
 *
 * Returns rows×(outputs · groupCount), output after output. A row's values of an output add up to what the trees answer
 * less `treeBase`. The values are those of Lundberg et al., From local explanations to global understanding with
 * explainable AI for trees (2020), Algorithm 2, here as the integral over t from 0 to 1 of products of z(1−t) + o·t, one
 * for each column on the way to a leaf (Owen, Multilinear extensions of games, 1972); Gauss-Legendre's rule is exact for
 * it. Rows that agree in which columns let them through are worked out once. O(rows · leaves · columns of a path).
 */
export function treeShap(input: TreeShapInput, hooks: Hooks = quiet): Matrix {
  const { x, trees, groupCount, from = 0, to = x.n } = input;
  if (x.d !== trees.d) throw new RangeError(`the trees were grown on ${trees.d} columns, got ${x.d}`);
  const out = createMatrix(to - from, trees.outputs * groupCount);
  const count = trees.offsets.length - 1;
  const most = mostColumns(trees);
  const rule = ruleOf(Math.max(1, Math.ceil(most / 2)));
  const total = count * Math.ceil((to - from) / block);
  let done = 0;
  for (let start = from; start < to; start += block) {
    const walk = new Walk(input, { rule, most, start, end: Math.min(to, start + block), out, at: start - from });
    for (let t = 0; t < count; t++) {
      walk.down(t, hooks);
      hooks.progress(++done, total);
    }
  }
  return out;
}

/** Points t between 0 and 1, what is left to 1, and weights. */
interface Rule {
  readonly t: Float64Array;
  readonly rest: Float64Array;
  readonly weight: Float64Array;
  /** weight / rest. */
  readonly inverse: Float64Array;
}

function ruleOf(points: number): Rule {
  const { nodes, weights } = gaussLegendre(points);
  const rest = nodes.map((node) => (1 - node) / 2);
  const weight = weights.map((each) => each / 2);
  return { t: nodes.map((node) => (1 + node) / 2), rest, weight, inverse: weight.map((each, q) => each / rest[q]!) };
}

/** How many different columns a way down any of the trees asks for at most. */
function mostColumns({ d, offsets, feature, left, right }: AddedTrees): number {
  const times = new Int32Array(d);
  let most = 0;
  for (let t = 0; t + 1 < offsets.length; t++) {
    const root = offsets[t]!;
    const waiting = [root];
    let columns = 0;
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      // A node comes again, as ~node, when all below it has been seen.
      const j = feature[node < 0 ? ~node : node]!;
      if (j < 0) most = Math.max(most, columns);
      else if (node < 0) columns -= --times[j]! === 0 ? 1 : 0;
      else {
        columns += times[j]!++ === 0 ? 1 : 0;
        waiting.push(~node, root + left[node]!, root + right[node]!);
      }
    }
  }
  return most;
}

/** What is known at a node on the way down: the columns asked for, and groups of rows that these let through alike. */
class Level {
  /** The columns, each once, and for each the share of covers that its questions let through. */
  columns = 0;
  readonly feature: Int32Array;
  readonly share: Float64Array;
  /** Which group each row is of. */
  readonly row: Int32Array;
  groups = 0;
  /** The product over the columns at each point, group after group. */
  product = new Float64Array(0);
  /** A bit for each column that lets a group's rows through, `words` for a group. */
  passes = new Int32Array(0);

  constructor(most: number, rows: number) {
    this.feature = new Int32Array(most);
    this.share = new Float64Array(most);
    this.row = new Int32Array(rows);
  }

  /** Empties it, with room for so many groups. */
  reserve(groups: number, points: number, words: number): void {
    this.groups = 0;
    if (groups * points <= this.product.length && groups * words <= this.passes.length) return;
    this.product = new Float64Array(2 * groups * points);
    this.passes = new Int32Array(2 * groups * words);
  }
}

/** What a walk is made for. */
interface Way {
  readonly rule: Rule;
  readonly most: number;
  readonly start: number;
  readonly end: number;
  readonly out: Matrix;
  /** Where the block's first row stands in `out`. */
  readonly at: number;
}

/** Leaves after which it looks whether it is wanted still. */
const leavesAtATime = 32;

/** One block of rows on its way down the trees. */
class Walk {
  readonly #input: TreeShapInput;
  readonly #way: Way;
  readonly #rows: number;
  readonly #points: number;
  readonly #words: number;
  readonly #levels: Level[] = [];
  /** The places of a level's groups among those of the level below: two for each, for rows stopped and let through. */
  #places = new Int32Array(32);
  #effects = new Float64Array(256);
  /** 1 for each row that goes left at the node at hand. */
  readonly #sides: Uint8Array;
  /** By what a question changes the products of groups that it lets through, and that it stops. */
  readonly #through: Float64Array;
  readonly #stopped: Float64Array;

  constructor(input: TreeShapInput, way: Way) {
    this.#input = input;
    this.#way = way;
    this.#rows = way.end - way.start;
    this.#points = way.rule.t.length;
    this.#words = Math.max(1, Math.ceil(way.most / 32));
    this.#sides = new Uint8Array(this.#rows);
    this.#through = new Float64Array(this.#points);
    this.#stopped = new Float64Array(this.#points);
    const root = this.#level(0);
    root.reserve(1, this.#points, this.#words);
    root.groups = 1;
    root.product.fill(1, 0, this.#points);
  }

  /** Adds what a tree does for the rows, depth first; without recursion, since a tree may be as deep as it has rows. */
  down(tree: number, hooks: Hooks): void {
    const { offsets, feature, left, right } = this.#input.trees;
    const root = offsets[tree]!;
    if (feature[root]! < 0) return;
    const waiting = [root, root + right[root]!, 0, root, root + left[root]!, 0];
    let leaves = 0;
    while (waiting.length > 0) {
      const depth = waiting.pop()!;
      const node = waiting.pop()!;
      const parent = waiting.pop()!;
      this.#step(depth, parent, node, node === root + left[parent]!);
      if (feature[node]! < 0) {
        if (leaves++ % leavesAtATime === 0) checkCancelled(hooks);
        this.#addLeaf(depth + 1, node, tree);
      } else waiting.push(node, root + right[node]!, depth + 1, node, root + left[node]!, depth + 1);
    }
  }

  #level(depth: number): Level {
    const known = this.#levels[depth];
    if (known) return known;
    const fresh = new Level(this.#way.most, this.#rows);
    this.#levels[depth] = fresh;
    return fresh;
  }

  /** Goes from a node at this depth to one of its children. */
  #step(depth: number, node: number, child: number, isLeft: boolean): void {
    const { trees, covers } = this.#input;
    const before = this.#level(depth);
    const after = this.#level(depth + 1);
    const j = trees.feature[node]!;
    let place = before.columns;
    for (let k = 0; k < before.columns; k++) {
      after.feature[k] = before.feature[k]!;
      after.share[k] = before.share[k]!;
      if (before.feature[k] === j) place = k;
    }
    const isNew = place === before.columns;
    const old = isNew ? 1 : before.share[place]!;
    // Where none of the counted rows came, either way is as likely.
    const share = old * (covers[node]! > 0 ? covers[child]! / covers[node]! : 0.5);
    after.columns = before.columns + (isNew ? 1 : 0);
    after.feature[place] = j;
    after.share[place] = share;
    this.#askFor(old, share, isNew);
    after.reserve(Math.min(2 * before.groups, this.#rows), this.#points, this.#words);
    const same = old > 0 ? share / old : 0;
    const places = this.#placesFor(before.groups);
    const sides = this.#sidesAt(node);
    const through = isLeft ? 1 : 0;
    const [from, to] = [before.row, after.row];
    for (let i = 0; i < this.#rows; i++) {
      const at = 2 * from[i]! + (sides[i] === through ? 1 : 0);
      let group = places[at]!;
      if (group < 0) {
        group = this.#group(before, after, at, place, same, isNew);
        places[at] = group;
      }
      to[i] = group;
    }
  }

  /** What a question makes of the products, whose share of covers was `old` and is `share` now. */
  #askFor(old: number, share: number, isNew: boolean): void {
    const { t, rest } = this.#way.rule;
    for (let q = 0; q < this.#points; q++) {
      const was = isNew ? 1 : old * rest[q]! + t[q]!;
      this.#through[q] = (share * rest[q]! + t[q]!) / was;
      this.#stopped[q] = (share * rest[q]!) / was;
    }
  }

  /** Which rows go left at a node. */
  #sidesAt(node: number): Uint8Array {
    const { trees, x } = this.#input;
    const sides = this.#sides;
    const column = x.data;
    const first = trees.feature[node]! * x.n + this.#way.start;
    const threshold = trees.threshold[node]!;
    const rows = this.#rows;
    if (trees.setAt[node]! >= 0) {
      for (let i = 0; i < rows; i++) sides[i] = goesLeft(trees, node, column[first + i]!) ? 1 : 0;
    } else if (trees.missing[node] === 1) {
      for (let i = 0; i < rows; i++) sides[i] = column[first + i]! > threshold ? 0 : 1;
    } else {
      for (let i = 0; i < rows; i++) sides[i] = column[first + i]! <= threshold ? 1 : 0;
    }
    return sides;
  }

  /** A new group of the level below: rows of group `at >> 1`, which the question lets through where `at` is odd. */
  #group(before: Level, after: Level, at: number, place: number, same: number, isNew: boolean): number {
    const points = this.#points;
    const words = this.#words;
    const parent = at >> 1;
    const word = place >> 5;
    const bit = 1 << (place & 31);
    const wasThrough = isNew || (before.passes[parent * words + word]! & bit) !== 0;
    const isThrough = wasThrough && (at & 1) === 1;
    const group = after.groups++;
    for (let k = 0; k < words; k++) after.passes[group * words + k] = before.passes[parent * words + k]!;
    if (isThrough) after.passes[group * words + word]! |= bit;
    else after.passes[group * words + word]! &= ~bit;
    const from = parent * points;
    const to = group * points;
    if (wasThrough) {
      const factors = isThrough ? this.#through : this.#stopped;
      for (let q = 0; q < points; q++) after.product[to + q] = before.product[from + q]! * factors[q]!;
    } else {
      for (let q = 0; q < points; q++) after.product[to + q] = before.product[from + q]! * same;
      // Rows that were stopped before are not told apart again.
      this.#places[at ^ 1] = group;
    }
    return group;
  }

  #placesFor(groups: number): Int32Array {
    if (this.#places.length < 2 * groups) this.#places = new Int32Array(4 * groups);
    for (let k = 0; k < 2 * groups; k++) this.#places[k] = -1;
    return this.#places;
  }

  /** Adds what a leaf does for each row. */
  #addLeaf(depth: number, node: number, tree: number): void {
    const { trees, groups, groupCount } = this.#input;
    const { width, outputs, value, scale } = trees;
    const level = this.#level(depth);
    const { columns, row } = level;
    if (columns === 0) return;
    const effects = this.#effectsAt(level);
    const { n, data } = this.#way.out;
    for (let k = 0; k < width; k++) {
      const answer = scale * value[node * width + k]!;
      if (answer === 0) continue;
      const output = width === 1 ? tree % outputs : k;
      for (let place = 0; place < columns; place++) {
        const to = (output * groupCount + groups[level.feature[place]!]!) * n + this.#way.at;
        const own = place * level.groups;
        for (let i = 0; i < this.#rows; i++) data[to + i]! += answer * effects[own + row[i]!]!;
      }
    }
  }

  /** What each column does at a leaf that answers 1, for each group of rows; column after column. */
  #effectsAt({ columns, groups, share, product, passes }: Level): Float64Array {
    const { t, rest, weight, inverse } = this.#way.rule;
    const points = this.#points;
    const words = this.#words;
    const size = columns * (groups + points);
    if (this.#effects.length < size) this.#effects = new Float64Array(2 * size);
    const effects = this.#effects;
    const by = columns * groups;
    for (let place = 0; place < columns; place++) {
      const z = share[place]!;
      for (let q = 0; q < points; q++)
        effects[by + place * points + q] = ((1 - z) * weight[q]!) / (z * rest[q]! + t[q]!);
    }
    for (let group = 0; group < groups; group++) {
      const own = group * points;
      // All columns that stop these rows do the same.
      let stopped = 0;
      for (let q = 0; q < points; q++) stopped -= inverse[q]! * product[own + q]!;
      for (let place = 0; place < columns; place++) {
        let effect = stopped;
        if ((passes[group * words + (place >> 5)]! & (1 << (place & 31))) !== 0) {
          effect = 0;
          const factors = by + place * points;
          for (let q = 0; q < points; q++) effect += effects[factors + q]! * product[own + q]!;
        }
        effects[place * groups + group] = effect;
      }
    }
    return effects;
  }
}

function goesLeft({ threshold, missing, setAt, sets }: AddedTrees, node: number, value: number): boolean {
  const set = setAt[node]!;
  if (Number.isNaN(value)) return missing[node] === 1;
  return set < 0 ? value <= threshold[node]! : ((sets[8 * set + (value >> 5)]! >> (value & 31)) & 1) === 1;
}
