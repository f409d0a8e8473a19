import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { affinities } from "./affinities.ts";
import { type Graph, rowsPerCheck } from "./graph.ts";
import { QuadTree } from "./quad-tree.ts";

/** What `tsneRows` is asked. */
export type TsneInput = {
  /** What `neighbourTable` answers, of 3·perplexity + 1 neighbours. */
  readonly neighbours: Matrix;
  /** Where rows begin, n×2, or null for places drawn around zero. */
  readonly start: Matrix | null;
  readonly perplexity: number;
  readonly exaggeration: number;
  readonly learningRate: number;
  readonly maxIter: number;
  /** Ends where so many steps bring no progress, or the gradient is as short as this. */
  readonly patience: number;
  readonly shortest: number;
  /** How wide a cell may look to be taken for a point: 0 is exact, 0.5 usual. */
  readonly angle: number;
  readonly seed: number;
};

/** A layout in the plane. */
export type Layout = {
  /** n×2. */
  readonly places: Matrix;
  /** The Kullback–Leibler divergence that is left. */
  readonly divergence: number;
  readonly iterations: number;
};

/** Steps in which likenesses are exaggerated, and after how many the divergence is looked at: those of scikit-learn. */
const early = 250;
const looks = 50;

/**
 * t-SNE by Barnes and Hut's approximation: lays rows out so that near ones stay near.
 *
 * van der Maaten (2014), "Accelerating t-SNE using tree-based algorithms"; steps, gains and momentum as in scikit-learn's
 * TSNE. The same layout for the same input. O(n·log n + n·k) a step.
 */
export function tsneRows(input: TsneInput, hooks: Hooks = quiet): Layout {
  const { neighbours, seed, maxIter } = input;
  const n = neighbours.n;
  const graph = affinities(neighbours, input.perplexity, hooks);
  const at = new Float64Array(2 * n);
  if (input.start) {
    for (let i = 0; i < n; i++) {
      at[2 * i] = input.start.data[i];
      at[2 * i + 1] = input.start.data[n + i];
    }
  } else {
    const random = new RandomState(seed);
    for (let i = 0; i < 2 * n; i++) at[i] = 1e-4 * random.normal();
  }
  const descent = new Descent(at, graph, input, hooks);
  const first = Math.min(early, maxIter);
  const exploring = descent.run(0, first, { exaggeration: input.exaggeration, momentum: 0.5, patience: early });
  const found =
    exploring < maxIter
      ? descent.run(exploring, maxIter, { exaggeration: 1, momentum: 0.8, patience: input.patience })
      : exploring;
  const data = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    data[i] = at[2 * i];
    data[n + i] = at[2 * i + 1];
  }
  return { places: { n, d: 2, data }, divergence: descent.divergence(), iterations: found };
}

/** How one stretch of the descent goes. */
type Stretch = { readonly exaggeration: number; readonly momentum: number; readonly patience: number };

/** Moves the places down the gradient of the divergence. */
class Descent {
  readonly #at: Float64Array;
  readonly #graph: Graph;
  readonly #input: TsneInput;
  readonly #hooks: Hooks;
  readonly #tree: QuadTree;
  readonly #gradient: Float64Array;
  #sum = 0;

  constructor(at: Float64Array, graph: Graph, input: TsneInput, hooks: Hooks) {
    this.#at = at;
    this.#graph = graph;
    this.#input = input;
    this.#hooks = hooks;
    this.#tree = new QuadTree(at.length / 2);
    this.#gradient = new Float64Array(at.length);
  }

  /** Steps from…to−1; answers the number of the step after the last one done. */
  run(from: number, to: number, { exaggeration, momentum, patience }: Stretch): number {
    const { learningRate, shortest, maxIter } = this.#input;
    const at = this.#at;
    const gradient = this.#gradient;
    const moves = new Float64Array(at.length);
    const gains = new Float64Array(at.length).fill(1);
    let best = Number.POSITIVE_INFINITY;
    let bestAt = from;
    for (let step = from; step < to; step++) {
      this.#hooks.progress(step, maxIter);
      this.#slope(exaggeration);
      let length = 0;
      for (let c = 0; c < at.length; c++) {
        gains[c] = moves[c] * gradient[c] < 0 ? gains[c] + 0.2 : Math.max(0.01, gains[c] * 0.8);
        const gained = gains[c] * gradient[c];
        length += gained * gained;
        moves[c] = momentum * moves[c] - learningRate * gained;
        at[c] += moves[c];
      }
      if ((step + 1) % looks !== 0) continue;
      const divergence = this.#divergenceOf(exaggeration);
      if (divergence < best) {
        best = divergence;
        bestAt = step;
      } else if (step - bestAt > patience) return step + 1;
      if (Math.sqrt(length) <= shortest) return step + 1;
    }
    return to;
  }

  /** The divergence of the places as they are. */
  divergence(): number {
    this.#slope(1);
    return this.#divergenceOf(1);
  }

  /** The gradient: likeness pulls along the graph, all else pushes, far cells as one point. */
  #slope(exaggeration: number): void {
    const at = this.#at;
    const gradient = this.#gradient;
    const n = at.length / 2;
    this.#tree.build(at);
    const { x, y, weight, width, skip, isLeaf, size } = this.#tree;
    const angle = this.#input.angle ** 2;
    let total = 0;
    for (let i = 0; i < n; i++) {
      if (i % rowsPerCheck === 0) checkCancelled(this.#hooks);
      const px = at[2 * i];
      const py = at[2 * i + 1];
      let pushX = 0;
      let pushY = 0;
      let sum = 0;
      for (let c = 0; c < size; ) {
        const dx = px - x[c];
        const dy = py - y[c];
        const square = dx * dx + dy * dy;
        if (isLeaf[c] === 0 && width[c] >= angle * square) {
          c++;
          continue;
        }
        // A point neither pushes itself nor what lies in its very place.
        if (square > 0) {
          const q = 1 / (1 + square);
          const many = weight[c] * q;
          sum += many;
          const force = many * q;
          pushX += force * dx;
          pushY += force * dy;
        }
        c = skip[c];
      }
      total += sum;
      gradient[2 * i] = -pushX;
      gradient[2 * i + 1] = -pushY;
    }
    this.#sum = Math.max(total, Number.EPSILON);
    const { start, columns, values } = this.#graph;
    const share = 1 / this.#sum;
    for (let i = 0; i < n; i++) {
      const px = at[2 * i];
      const py = at[2 * i + 1];
      let pullX = 0;
      let pullY = 0;
      for (let e = start[i]; e < start[i + 1]; e++) {
        const j = 2 * columns[e];
        const dx = px - at[j];
        const dy = py - at[j + 1];
        const force = values[e] / (1 + dx * dx + dy * dy);
        pullX += force * dx;
        pullY += force * dy;
      }
      gradient[2 * i] = 4 * (exaggeration * pullX + share * gradient[2 * i]);
      gradient[2 * i + 1] = 4 * (exaggeration * pullY + share * gradient[2 * i + 1]);
    }
  }

  /** Of the likenesses times `exaggeration`, with the sum that the last slope found. */
  #divergenceOf(exaggeration: number): number {
    const at = this.#at;
    const { start, columns, values } = this.#graph;
    let sum = 0;
    for (let i = 0; i + 1 < start.length; i++) {
      for (let e = start[i]; e < start[i + 1]; e++) {
        const j = 2 * columns[e];
        const square = (at[2 * i] - at[j]) ** 2 + (at[2 * i + 1] - at[j + 1]) ** 2;
        const p = exaggeration * values[e];
        const q = 1 / (1 + square) / this.#sum;
        if (p > 0) sum += p * Math.log(p / Math.max(q, Number.MIN_VALUE));
      }
    }
    return sum;
  }
}
