import { expect, it } from "vitest";
import { dot } from "../../../src/numerics/linear/least-squares.ts";
import { truncatedSolution } from "../../../src/numerics/linear/truncated-solution.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { quiet } from "../../../src/numerics/types.ts";

const random = new RandomState(6);

/** Column k of a reflection of `n` numbers. */
function reflection(n: number): (k: number) => Float64Array {
  const u = Float64Array.from({ length: n }, () => random.normal());
  const square = dot(u, 0, u, 0, n);
  return (k) => u.map((value, i) => (i === k ? 1 : 0) - (2 * value * u[k]!) / square);
}

it.each<[string, number[], number]>([
  ["graded", Array.from({ length: 40 }, (_, k) => 10 ** (-k / 4.1)), 25],
  ["on both sides of the tolerance", [3, 2, 1, 3.6e-6, 2.4e-6, 1e-9, 0, 0], 4],
  ["all the same", Array.from({ length: 12 }, () => 7), 12],
])("the shortest solution leaves singular values up to the tolerance out: %s", (_, sigma, rank) => {
  const cols = sigma.length;
  const rows = cols + 21;
  const [u, v] = [reflection(rows), reflection(cols)];
  const a = new Float64Array(rows * cols);
  const b = Float64Array.from({ length: rows }, () => random.normal());
  const wanted = new Float64Array(cols);
  for (const [k, value] of sigma.entries()) {
    const [left, right] = [u(k), v(k)];
    for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) a[j * rows + i]! += value * left[i]! * right[j]!;
    if (k < rank) for (let j = 0; j < cols; j++) wanted[j]! += (dot(left, 0, b, 0, rows) / value) * right[j]!;
  }
  const found = truncatedSolution(a, rows, cols, b, 1, 1e-6, quiet);
  expect(found.rank).toBe(rank);
  const size = Math.max(...wanted.map(Math.abs));
  for (const [j, value] of wanted.entries()) expect(Math.abs(found.solution[j]! - value) / size).toBeLessThan(1e-9);
});
