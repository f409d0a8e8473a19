import { bidiagonalize, diagonalize, type Turn } from "../algebra/bidiagonal.ts";
import type { Hooks } from "../types.ts";

/**
 * The shortest x that brings a·x closest to b when singular values up to `tolerance` times the largest count as 0.
 *
 * a: rows×cols column-major, any shape and rank; b: rows×targets. Returns cols×targets and the rank. Singular vectors are
 * never made: what turns the bidiagonal form's rows turns b along, and what turns its columns is kept for x, so that all
 * but the reduction is O(cols²). RangeError for numbers that are not finite. Source: LAPACK's gelss, and Golub and Van
 * Loan, §5.5 and §8.6.
 */
export function truncatedSolution(
  a: Float64Array,
  rows: number,
  cols: number,
  b: Float64Array,
  targets: number,
  tolerance: number,
  hooks: Hooks,
): { solution: Float64Array; rank: number } {
  // A wide matrix is turned over: its left vectors are the right ones of what is reduced.
  const isWide = rows < cols;
  const [height, width] = isWide ? [cols, rows] : [rows, cols];
  const unit = unitOf(a);
  const matrix = new Float64Array(rows * cols);
  for (let j = 0; j < cols; j++)
    for (let i = 0; i < rows; i++) matrix[isWide ? i * cols + j : j * rows + i] = a[j * rows + i]! * unit;
  const form = bidiagonalize(matrix, height, width, hooks);
  const [turnIn, turnOut] = isWide ? [form.turnColumns, form.turnRows] : [form.turnRows, form.turnColumns];
  const wanted = Array.from({ length: targets }, (_, t) => b.slice(t * rows, (t + 1) * rows));
  for (const each of wanted) turnIn(each);
  const along: Turn = (i, j, c, s) => {
    for (const each of wanted) {
      const [x, y] = [each[i]!, each[j]!];
      each[i] = c * x + s * y;
      each[j] = c * y - s * x;
    }
  };
  const kept = keptTurns();
  diagonalize(form, isWide ? kept.keep : along, isWide ? along : kept.keep, hooks);
  const { diagonal } = form;
  const least = tolerance * diagonal.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const solution = new Float64Array(cols * targets);
  for (const [t, each] of wanted.entries()) {
    const x = solution.subarray(t * cols, (t + 1) * cols);
    for (let k = 0; k < width; k++) if (Math.abs(diagonal[k]!) > least) x[k] = (each[k]! / diagonal[k]!) * unit;
    kept.turnBack(x);
    turnOut(x, true);
  }
  return { solution, rank: diagonal.reduce((rank, value) => rank + Number(Math.abs(value) > least), 0) };
}

/** A power of two, which changes no digit, that brings the largest number near 1. */
function unitOf(a: Float64Array): number {
  let most = 0;
  for (const value of a) most = Math.max(most, Math.abs(value));
  if (!Number.isFinite(most))
    throw new RangeError("the numbers are too large, their squares or products pass 1e308; scale them first");
  return most > 0 ? 2 ** Math.max(-1000, Math.min(1000, -Math.floor(Math.log2(most)))) : 1;
}

/** Turns that are kept, a block at a time, until they are turned back. */
function keptTurns(): { readonly keep: Turn; turnBack(x: Float64Array): void } {
  const size = 4096;
  const blocks: { places: Int32Array; turns: Float64Array }[] = [];
  let count = 0;
  return {
    keep(i, j, c, s) {
      const at = (count % size) * 2;
      if (at === 0) blocks.push({ places: new Int32Array(2 * size), turns: new Float64Array(2 * size) });
      const { places, turns } = blocks.at(-1)!;
      places[at] = i;
      places[at + 1] = j;
      turns[at] = c;
      turns[at + 1] = s;
      count += 1;
    },
    turnBack(x) {
      for (let k = count - 1; k >= 0; k--) {
        const { places, turns } = blocks[Math.floor(k / size)]!;
        const at = (k % size) * 2;
        const [i, j, c, s] = [places[at]!, places[at + 1]!, turns[at]!, turns[at + 1]!];
        const [y, z] = [x[i]!, x[j]!];
        x[i] = c * y - s * z;
        x[j] = s * y + c * z;
      }
    },
  };
}
