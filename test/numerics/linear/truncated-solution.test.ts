import { expect, it } from "vitest";
import { diagonalize, type Turn } from "../../../src/numerics/algebra/bidiagonal.ts";
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

const sizes: [string, number[], number][] = [
  ["graded", Array.from({ length: 40 }, (_, k) => 10 ** (-k / 4.1)), 25],
  ["on both sides of the tolerance", [3, 2, 1, 3.6e-6, 2.4e-6, 1e-9, 0, 0], 4],
  ["all the same", Array.from({ length: 12 }, () => 7), 12],
  ["far from 1", Array.from({ length: 9 }, (_, k) => 1e200 / (k + 1)), 9],
  ["all nothing", [0, 0, 0], 0],
];

it.each(
  sizes.flatMap(([name, ...rest]) => ["tall", "wide"].map((shape) => [`${name}, ${shape}`, shape, ...rest] as const)),
)("the shortest solution leaves singular values up to the tolerance out: %s", (_, shape, sigma, rank) => {
  const short = sigma.length;
  const [rows, cols] = shape === "tall" ? [short + 21, short] : [short, short + 20];
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
  const size = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  for (const [j, value] of wanted.entries()) expect(Math.abs(found.solution[j]! - value) / size).toBeLessThan(1e-9);
});

it.each([
  ["its second number", [1, 0, 2, 3], [0, 1, 1, 1]],
  ["its first number", [0, 2, 3, 4], [0, 1, 1, 1]],
  ["its last number", [1, 2, 3, 0], [0, 1, 1, 1]],
  ["all", [0, 0, 0, 0], [0, 1, 2, 3]],
])("a bidiagonal matrix with nothing on its diagonal becomes diagonal by turns: %s", (_, diagonal, above) => {
  const d = diagonal.length;
  const form = { diagonal: Float64Array.from(diagonal), above: Float64Array.from(above) };
  const b = Array.from({ length: d }, (_, i) =>
    Float64Array.from({ length: d }, (_, j) => (i === j ? diagonal[i]! : j === i + 1 ? above[j]! : 0)),
  );
  const columns: Turn = (i, j, c, s) => {
    for (const row of b) [row[i], row[j]] = [c * row[i]! + s * row[j]!, c * row[j]! - s * row[i]!];
  };
  const rows: Turn = (i, j, c, s) => {
    for (let k = 0; k < d; k++) [b[i]![k], b[j]![k]] = [c * b[i]![k]! + s * b[j]![k]!, c * b[j]![k]! - s * b[i]![k]!];
  };
  diagonalize(form, rows, columns, quiet);
  for (const [i, row] of b.entries())
    for (const [j, value] of row.entries()) expect(value).toBeCloseTo(i === j ? form.diagonal[i]! : 0, 14);
});
