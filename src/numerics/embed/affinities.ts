import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Graph, rowsPerCheck, symmetric } from "./graph.ts";

const steps = 100;
const near = 1e-5;
const tiny = 1e-8;

/**
 * How alike rows are, as probabilities: a normal distribution around each row, as wide as its perplexity says.
 *
 * neighbours: what `neighbourTable` answers. The widths are found by bisection as in scikit-learn's
 * `_binary_search_perplexity`; both directions are averaged and all add up to 1: van der Maaten and Hinton (2008), eq. 1 and § 3.1.
 */
export function affinities(neighbours: Matrix, perplexity: number, hooks: Hooks = quiet): Graph {
  const n = neighbours.n;
  const k = neighbours.d / 2;
  const rows = new Int32Array(n * k);
  const values = new Float64Array(n * k);
  const wanted = Math.log(perplexity);
  const squares = new Float64Array(k);
  for (let i = 0; i < n; i++) {
    if (i % rowsPerCheck === 0) checkCancelled(hooks);
    for (let j = 0; j < k; j++) {
      rows[i * k + j] = neighbours.data[j * n + i];
      squares[j] = neighbours.data[(k + j) * n + i] ** 2;
    }
    widen(squares, wanted, values.subarray(i * k, (i + 1) * k));
  }
  const graph = symmetric({ n, k, rows, values }, (one, other) => one + other, hooks);
  let sum = 0;
  for (const value of graph.values) sum += value;
  for (let at = 0; at < graph.values.length; at++) graph.values[at] /= Math.max(sum, Number.EPSILON);
  return graph;
}

/** Fills `out` with the probabilities whose entropy is `wanted`. */
function widen(squares: Float64Array, wanted: number, out: Float64Array): void {
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  let beta = 1;
  const k = squares.length;
  for (let step = 0; step < steps; step++) {
    let sum = 0;
    let weighted = 0;
    for (let j = 0; j < k; j++) {
      out[j] = Math.exp(-squares[j] * beta);
      sum += out[j];
    }
    if (sum === 0) sum = tiny;
    for (let j = 0; j < k; j++) {
      out[j] /= sum;
      weighted += squares[j] * out[j];
    }
    const off = Math.log(sum) + beta * weighted - wanted;
    if (Math.abs(off) <= near) return;
    if (off > 0) {
      low = beta;
      beta = high === Number.POSITIVE_INFINITY ? beta * 2 : (beta + high) / 2;
    } else {
      high = beta;
      beta = low === Number.NEGATIVE_INFINITY ? beta / 2 : (beta + low) / 2;
    }
  }
}
