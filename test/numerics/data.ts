import { readFileSync } from "node:fs";
import type { Matrix } from "../../src/numerics/types.ts";

/** What numpy, scikit-learn and pandas answer on the table below; written by reference.py. */
export const reference = JSON.parse(readFileSync(new URL("./reference.json", import.meta.url), "utf8"));

/** The table of reference.py: 240×6 eighths, a whole-number target, three classes, weights 0…3. */
export function table() {
  const n = 240;
  const d = 6;
  const data = new Float64Array(n * d);
  for (let j = 0; j < d; j++) {
    for (let i = 0; i < n; i++) {
      data[j * n + i] = ((((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009) % (40 + 150 * (j % 3))) - 20) / 8;
    }
  }
  const x: Matrix = { n, d, data };
  const at = (i: number, j: number) => data[j * n + i]!;
  const noise = Float64Array.from({ length: n }, (_, i) => ((i * 613) % 97) - 48);
  const y = noise.map((e, i) => even(4 * at(i, 0) - 3 * at(i, 1) + at(i, 2) * at(i, 0) + e / 4));
  const c = Int32Array.from(noise, (e, i) => (at(i, 0) + e / 16 > 0 ? 1 : 0) + (at(i, 4) + e / 8 > 9 ? 1 : 0));
  const w = Float64Array.from({ length: n }, (_, i) => i % 4);
  return { x, y, c, w, noise, b: c.map((k) => (k > 0 ? 1 : 0)) };
}

/** Rounds halves to even, as numpy does. */
export function even(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(value);
}

/** The first `rows` rows of `x`. */
export function head(x: Matrix, rows: number): Matrix {
  const data = new Float64Array(rows * x.d);
  for (let j = 0; j < x.d; j++) data.set(x.data.subarray(j * x.n, j * x.n + rows), j * rows);
  return { n: rows, d: x.d, data };
}

/** Columns side by side. */
export function columns(...parts: Float64Array[]): Matrix {
  const n = parts[0]!.length;
  const data = new Float64Array(n * parts.length);
  parts.forEach((part, j) => {
    data.set(part, j * n);
  });
  return { n, d: parts.length, data };
}

/** The largest difference between two lists; Infinity when their lengths differ or one alone is NaN. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Infinity;
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const known = Number.isFinite(a[i]!);
    if (known !== (b[i] !== null && Number.isFinite(b[i]!))) return Infinity;
    if (known) most = Math.max(most, Math.abs(a[i]! - b[i]!));
  }
  return most;
}
