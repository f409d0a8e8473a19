import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Graph, rowsPerCheck, symmetric } from "./graph.ts";

/** What `umapRows` is asked. */
export type UmapInput = {
  /** What `neighbourTable` answers. */
  readonly neighbours: Matrix;
  /** Where rows begin, n×2, or null for places drawn at random. */
  readonly start: Matrix | null;
  readonly minDist: number;
  readonly spread: number;
  readonly epochs: number;
  readonly learningRate: number;
  /** Rows that push for each that pulls, and how much. */
  readonly negatives: number;
  readonly repulsion: number;
  readonly seed: number;
};

/** A layout in the plane, and how many edges its graph has. */
export type UmapLayout = { readonly places: Matrix; readonly edges: number };

/** Where rows begin: within so much, as in umap-learn, with a little noise so that equal rows part. */
const extent = 10;
const noise = 1e-4;
/** No step moves a row farther along an axis. */
const longest = 4;
/** Edges of an epoch after which it asks whether it is still wanted. */
const edgesPerCheck = 2048;

/**
 * UMAP: links rows with their neighbours and lays the graph out so that linked rows lie near.
 *
 * McInnes, Healy and Melville (2018), algorithms 1 to 5; constants and sampling as in umap-learn 0.5. One thread draws all
 * rows in one order, so the layout is the same for the same input. O(epochs · edges · negatives).
 */
export function umapRows(input: UmapInput, hooks: Hooks = quiet): UmapLayout {
  const { neighbours, epochs, seed } = input;
  const n = neighbours.n;
  const random = new RandomState(seed);
  const at = startOf(input, random);
  const graph = fuzzyGraph(neighbours, hooks);
  const edges = edgesOf(graph, epochs);
  const curve = fitCurve(input.minDist, input.spread);
  optimize(at, edges, curve, input, random, hooks);
  const data = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    data[i] = at[2 * i];
    data[n + i] = at[2 * i + 1];
  }
  return { places: { n, d: 2, data }, edges: graph.values.length / 2 };
}

function startOf({ start, neighbours: { n } }: UmapInput, random: RandomState): Float64Array {
  const at = new Float64Array(2 * n);
  let most = 0;
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < 2; k++) {
      at[2 * i + k] = start ? start.data[k * n + i] : 2 * random.uniform() - 1;
      most = Math.max(most, Math.abs(at[2 * i + k]));
    }
  }
  for (let c = 0; c < 2 * n; c++) at[c] = (at[c] * extent) / (most || 1) + noise * random.normal();
  return at;
}

/**
 * How surely rows are linked, 0 to 1: algorithm 2 and 3, with the nearest other row linked for certain.
 *
 * Both directions are joined by the probability that one of them is there.
 */
export function fuzzyGraph(neighbours: Matrix, hooks: Hooks = quiet): Graph {
  const n = neighbours.n;
  const k = neighbours.d / 2;
  const rows = new Int32Array(n * k);
  const values = new Float64Array(n * k);
  const distances = new Float64Array(k);
  let whole = 0;
  for (let at = n * k; at < 2 * n * k; at++) whole += neighbours.data[at];
  // A row is its own first neighbour, at distance 0.
  const mean = whole / (n * (k + 1));
  for (let i = 0; i < n; i++) {
    if (i % rowsPerCheck === 0) checkCancelled(hooks);
    for (let j = 0; j < k; j++) {
      rows[i * k + j] = neighbours.data[j * n + i];
      distances[j] = neighbours.data[(k + j) * n + i];
    }
    const { rho, sigma } = smoothDistances(distances, mean);
    for (let j = 0; j < k; j++) {
      const beyond = distances[j] - rho;
      values[i * k + j] = beyond <= 0 || sigma === 0 ? 1 : Math.exp(-beyond / sigma);
    }
  }
  return symmetric({ n, k, rows, values }, (one, other) => one + other - one * other, hooks);
}

const smoothSteps = 64;
const smoothNear = 1e-5;
const leastScale = 1e-3;

/** The distance to the nearest other row, and how fast links fade beyond it: umap-learn's smooth_knn_dist. */
function smoothDistances(distances: Float64Array, meanOfAll: number): { rho: number; sigma: number } {
  const k = distances.length;
  const wanted = Math.log2(k + 1);
  const rho = distances.find((each) => each > 0) ?? 0;
  let [low, high, middle] = [0, Number.POSITIVE_INFINITY, 1];
  for (let step = 0; step < smoothSteps; step++) {
    let sum = 0;
    for (let j = 0; j < k; j++) {
      const beyond = distances[j] - rho;
      sum += beyond > 0 ? Math.exp(-beyond / middle) : 1;
    }
    if (Math.abs(sum - wanted) < smoothNear) break;
    if (sum > wanted) {
      high = middle;
      middle = (low + high) / 2;
    } else {
      low = middle;
      middle = high === Number.POSITIVE_INFINITY ? middle * 2 : (low + high) / 2;
    }
  }
  let own = 0;
  for (let j = 0; j < k; j++) own += distances[j];
  const mean = rho > 0 ? own / (k + 1) : meanOfAll;
  return { rho, sigma: Math.max(middle, leastScale * mean) };
}

/** Directed edges, and after how many epochs each is drawn again. */
type Edges = { readonly head: Int32Array; readonly tail: Int32Array; readonly every: Float64Array };

function edgesOf({ start, columns, values }: Graph, epochs: number): Edges {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  const head: number[] = [];
  const tail: number[] = [];
  const every: number[] = [];
  for (let i = 0; i + 1 < start.length; i++) {
    for (let e = start[i]; e < start[i + 1]; e++) {
      // What would be drawn less than once is not.
      if (values[e] < most / epochs) continue;
      head.push(i);
      tail.push(columns[e]);
      every.push(most / values[e]);
    }
  }
  return { head: Int32Array.from(head), tail: Int32Array.from(tail), every: Float64Array.from(every) };
}

/** How likely rows at a distance in the picture are linked: 1 / (1 + a·d^(2b)). */
export type Curve = { readonly a: number; readonly b: number };

/** The curve nearest to one that is 1 up to minDist and fades with `spread` beyond, by Gauss and Newton's steps. */
export function fitCurve(minDist: number, spread: number): Curve {
  const points = 300;
  const x = Float64Array.from({ length: points }, (_, i) => (3 * spread * i) / (points - 1));
  const y = x.map((each) => (each < minDist ? 1 : Math.exp(-(each - minDist) / spread)));
  let [a, b, damping] = [1, 1, 1e-3];
  const lossOf = (p: number, q: number) => {
    let sum = 0;
    for (let i = 0; i < points; i++) sum += (y[i] - 1 / (1 + p * x[i] ** (2 * q))) ** 2;
    return sum;
  };
  let loss = lossOf(a, b);
  for (let step = 0; step < 200 && damping < 1e12; step++) {
    let [aa, ab, bb, ra, rb] = [0, 0, 0, 0, 0];
    for (let i = 1; i < points; i++) {
      const power = x[i] ** (2 * b);
      const f = 1 / (1 + a * power);
      const da = -f * f * power;
      const db = -f * f * a * power * 2 * Math.log(x[i]);
      aa += da * da;
      ab += da * db;
      bb += db * db;
      ra += da * (y[i] - f);
      rb += db * (y[i] - f);
    }
    const [left, right] = [aa * (1 + damping), bb * (1 + damping)];
    const det = left * right - ab * ab;
    const nextA = a + (ra * right - rb * ab) / det;
    const nextB = b + (rb * left - ra * ab) / det;
    const next = nextA > 0 && nextB > 0 ? lossOf(nextA, nextB) : Number.POSITIVE_INFINITY;
    if (next <= loss) {
      const gained = loss - next;
      [a, b, loss] = [nextA, nextB, next];
      damping = Math.max(1e-12, damping / 10);
      if (gained < 1e-16) break;
    } else damping *= 10;
  }
  return { a, b };
}

/** Algorithm 5: draws edges as often as they are sure, pulls their ends together and pushes others away. */
function optimize(
  at: Float64Array,
  { head, tail, every }: Edges,
  { a, b }: Curve,
  { epochs, learningRate, negatives, repulsion }: UmapInput,
  random: RandomState,
  hooks: Hooks,
): void {
  const n = at.length / 2;
  const next = every.slice();
  const everyOther = every.map((each) => each / Math.max(1, negatives));
  const nextOther = everyOther.slice();
  for (let epoch = 0; epoch < epochs; epoch++) {
    hooks.progress(epoch, epochs);
    const alpha = learningRate * (1 - epoch / epochs);
    for (let e = 0; e < head.length; e++) {
      if (e % edgesPerCheck === 0) checkCancelled(hooks);
      if (next[e] > epoch) continue;
      const i = 2 * head[e];
      const j = 2 * tail[e];
      let dx = at[i] - at[j];
      let dy = at[i + 1] - at[j + 1];
      let square = dx * dx + dy * dy;
      if (square > 0) {
        const power = square ** b;
        const pull = (-2 * a * b * power) / square / (a * power + 1);
        const [mx, my] = [clip(pull * dx) * alpha, clip(pull * dy) * alpha];
        at[i] += mx;
        at[i + 1] += my;
        at[j] -= mx;
        at[j + 1] -= my;
      }
      next[e] += every[e];
      if (negatives === 0) continue;
      const draws = Math.floor((epoch - nextOther[e]) / everyOther[e]);
      for (let draw = 0; draw < draws; draw++) {
        const k = 2 * Math.floor(random.uint32() * (n / 4294967296));
        if (k === i) continue;
        dx = at[i] - at[k];
        dy = at[i + 1] - at[k + 1];
        square = dx * dx + dy * dy;
        if (square === 0) continue;
        const push = (2 * repulsion * b) / ((0.001 + square) * (a * square ** b + 1));
        at[i] += clip(push * dx) * alpha;
        at[i + 1] += clip(push * dy) * alpha;
      }
      nextOther[e] += draws * everyOther[e];
    }
  }
}

function clip(value: number): number {
  return value > longest ? longest : value < -longest ? -longest : value;
}
