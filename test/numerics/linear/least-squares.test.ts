import { describe, expect, it } from "vitest";
import { cholesky, dot } from "../../../src/numerics/linear/least-squares.ts";
import { RandomState } from "../../../src/numerics/random.ts";

const random = new RandomState(3);

/** The product of a random matrix of d rows with its transpose. */
function products(d: number, columns: number): Float64Array {
  const rows = Float64Array.from({ length: d * columns }, () => random.normal());
  return Float64Array.from({ length: d * d }, (_, at) =>
    dot(rows, Math.floor(at / d) * columns, rows, (at % d) * columns, columns),
  );
}

describe("Cholesky's factor", () => {
  it.each([1, 2, 31, 32, 33, 47, 80])("of %i rows times its transpose is the matrix", (d) => {
    const matrix = products(d, d + 3);
    const l = matrix.slice();
    expect(cholesky(l, d, 0)).toBe(true);
    for (let i = 0; i < d; i++)
      for (let j = 0; j <= i; j++) expect(dot(l, i * d, l, j * d, j + 1)).toBeCloseTo(matrix[i * d + j]!, 10);
  });

  it.each([5, 40])("is refused for %i rows that depend on each other, and for NaN", (d) => {
    expect(cholesky(products(d, d - 1), d, 1e-9)).toBe(false);
    const missing = products(d, d + 3);
    missing[(d - 1) * d + 2] = Number.NaN;
    expect(cholesky(missing, d, 0)).toBe(false);
  });
});
