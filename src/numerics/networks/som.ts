import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

/** How the units of a map lie: side by side, or as a honeycomb, whose odd rows are half a unit further. */
export type Topology = "rectangular" | "hexagonal";

/** The units of a self-organizing map, unit x·height + y at column x and row y. */
export interface SomGrid {
  readonly width: number;
  readonly height: number;
  readonly topology: Topology;
}

/** What `fitSom` needs to know. */
export interface SomInput {
  readonly x: Matrix;
  readonly grid: SomGrid;
  /** How far around the best unit others learn as well to begin with, in units. */
  readonly sigma: number;
  /** The share of the way to a row that the best unit goes to begin with. */
  readonly rate: number;
  readonly epochs: number;
  readonly seed: number;
  /** One number per epoch, in shared memory: the quantization error, as soon as it is known. */
  readonly curve: Float64Array;
}

/** Rows by which the curve judges. */
const curveRows = 1000;
/** Steps between two looks at whether to go on take about so many products. */
const products = 2 ** 24;

/**
 * Trains a self-organizing map row by row, as minisom does; answers its weights, units×features row-major.
 *
 * Each row draws the unit nearest to it, and those around, by exp(−distance² / 2σ²); rate and σ fall as
 * 1 / (1 + t / (T / 2)). It begins with rows drawn by the seed, which also orders the rows of each epoch. T. Kohonen,
 * Self-Organizing Maps (2001), chapter 3. x has no NaN. O(epochs · n · units · features); throws Cancelled.
 */
export function fitSom({ x, grid, sigma, rate, epochs, seed, curve }: SomInput, hooks: Hooks = quiet): Float64Array {
  const { n, d } = x;
  const { width, height } = grid;
  const units = width * height;
  const random = new RandomState(seed);
  const weights = new Float64Array(units * d);
  for (let u = 0; u < units; u++) readRow(x, random.randomInterval(n - 1), weights, u * d);
  const order = Int32Array.from({ length: n }, (_, i) => i);
  const judged = Int32Array.from({ length: Math.min(n, curveRows) }, (_, i, most = Math.min(n, curveRows)) =>
    Math.floor((i * n) / most),
  );
  const row = new Float64Array(d);
  const [across, down] = [new Float64Array(2 * width), new Float64Array(height)];
  const total = epochs * n;
  const often = Math.max(1, Math.floor(products / (units * d)));
  for (let t = 0, epoch = 0; epoch < epochs; epoch++) {
    random.shuffle(order);
    for (let k = 0; k < n; k++, t++) {
      if (t % often === 0) {
        checkCancelled(hooks);
        hooks.progress(t, total);
      }
      readRow(x, order[k]!, row, 0);
      const best = nearest(row, weights, d).first;
      const fall = 1 / (1 + (2 * t) / total);
      const spread = 2 * (sigma * fall) ** 2;
      draw(row, weights, grid, best, rate * fall, spread, across, down);
    }
    let sum = 0;
    for (const i of judged) {
      readRow(x, i, row, 0);
      sum += Math.sqrt(nearest(row, weights, d).square);
    }
    curve[epoch] = sum / judged.length;
  }
  hooks.progress(total, total);
  return weights;
}

function readRow({ n, d, data }: Matrix, i: number, out: Float64Array, at: number): void {
  for (let j = 0; j < d; j++) out[at + j] = data[j * n + i]!;
}

/** The units nearest to a row and second to it, and the squared distance of the first; of equals the first. */
function nearest(row: Float64Array, weights: Float64Array, d: number) {
  let [first, second, square, next] = [0, 0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let u = 0, at = 0; at < weights.length; u++) {
    let sum = 0;
    for (let j = 0; j < d; j++, at++) {
      const off = row[j]! - weights[at]!;
      sum += off * off;
    }
    if (sum < square) [second, next, first, square] = [first, square, u, sum];
    else if (sum < next) [second, next] = [u, sum];
  }
  return { first, second, square };
}

/** Where a unit lies. */
function placeOf({ height, topology }: SomGrid, unit: number): readonly [number, number] {
  const [x, y] = [Math.floor(unit / height), unit % height];
  return topology === "hexagonal" ? [x + (y % 2) / 2, (y * Math.sqrt(3)) / 2] : [x, y];
}

/** Moves units towards a row; how far is a product of what is across and what is down, so few exponentials are needed. */
function draw(
  row: Float64Array,
  weights: Float64Array,
  grid: SomGrid,
  best: number,
  rate: number,
  spread: number,
  across: Float64Array,
  down: Float64Array,
): void {
  const { width, height, topology } = grid;
  const [x0, y0] = placeOf(grid, best);
  const shifts = topology === "hexagonal" ? 2 : 1;
  for (let s = 0; s < shifts; s++) {
    for (let x = 0; x < width; x++) across[s * width + x] = Math.exp(-((x + s / 2 - x0) ** 2) / spread);
  }
  for (let y = 0; y < height; y++) down[y] = rate * Math.exp(-((placeOf(grid, y)[1] - y0) ** 2) / spread);
  const d = row.length;
  for (let x = 0, at = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      const by = down[y]! * across[(y % shifts) * width + x]!;
      for (let j = 0; j < d; j++, at++) weights[at]! += by * (row[j]! - weights[at]!);
    }
  }
}

/** What `mapSom` needs to know. */
export interface SomRows {
  readonly x: Matrix;
  readonly grid: SomGrid;
  readonly weights: Float64Array;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
}

/**
 * Of each row its unit, its distance from it, and whether the second nearest unit does not lie beside it: rows×3.
 *
 * A row's numbers don't depend on which rows it is asked with. O(rows · units · features).
 */
export function mapSom({ x, grid, weights, from = 0, to = x.n }: SomRows, hooks: Hooks = quiet): Matrix {
  const n = to - from;
  const data = new Float64Array(3 * n);
  const row = new Float64Array(x.d);
  const often = Math.max(1, Math.floor(products / weights.length));
  for (let i = 0; i < n; i++) {
    if (i % often === 0) {
      checkCancelled(hooks);
      hooks.progress(i, n);
    }
    readRow(x, from + i, row, 0);
    const { first, second, square } = nearest(row, weights, x.d);
    data[i] = first;
    data[n + i] = Math.sqrt(square);
    data[2 * n + i] = Number(first !== second && !areBeside(grid, first, second));
  }
  return { n, d: 3, data };
}

/** Do two units touch: of eight around one, of six in a honeycomb? */
function areBeside(grid: SomGrid, a: number, b: number): boolean {
  const [[x, y], [u, v]] = [placeOf(grid, a), placeOf(grid, b)];
  return (x - u) ** 2 + (y - v) ** 2 < (grid.topology === "hexagonal" ? 1.1 : 2.1);
}

/** The U-matrix: of each unit the mean distance of its weights from those of the units beside it (Ultsch and Siemon 1990). */
export function unitDistances(grid: SomGrid, weights: Float64Array): Float64Array {
  const units = grid.width * grid.height;
  const d = weights.length / units;
  return Float64Array.from({ length: units }, (_, a) => {
    let [sum, count] = [0, 0];
    const [x, y] = [Math.floor(a / grid.height), a % grid.height];
    for (let u = Math.max(0, x - 1); u <= Math.min(grid.width - 1, x + 1); u++) {
      for (let v = Math.max(0, y - 1); v <= Math.min(grid.height - 1, y + 1); v++) {
        const b = u * grid.height + v;
        if (a === b || !areBeside(grid, a, b)) continue;
        let square = 0;
        for (let j = 0; j < d; j++) square += (weights[a * d + j]! - weights[b * d + j]!) ** 2;
        sum += Math.sqrt(square);
        count++;
      }
    }
    return count > 0 ? sum / count : 0;
  });
}
