import { describe, expect, it } from "vitest";
import { stackClasses, stackNumbers } from "../../../src/numerics/search/stack.ts";
import { quiet } from "../../../src/numerics/types.ts";

const n = 40;
const rows = Array.from({ length: n }, (_, i) => i);
const y = rows.map((i) => ((i * 37) % 41) / 10 - 2);
const matrix = (...columns: number[][]) => ({ n, d: columns.length, data: Float64Array.from(columns.flat()) });

describe("weights of a stack", () => {
  // scipy.optimize.nnls(P, y) of scipy, with the same P and y.
  it("of numbers are the least squares without a negative one", () => {
    const p = matrix(
      rows.map((i) => y[i] + (((i * 17) % 13) - 6) / 5),
      rows.map((i) => 0.8 * y[i] + (((i * 29) % 11) - 5) / 6),
      rows.map((i) => -y[i] + ((i * 7) % 5) / 3),
    );
    const weights = stackNumbers({ p, y: Float64Array.from(y) }, quiet);
    expect([...weights]).toEqual([0.376096491015301, 0.5533026853945204, 0.0].map((value) => expect.closeTo(value, 9)));
  });

  // minimize(lambda w: -mean(log(Q @ w)), bounds 0 to 1, sum 1, method="SLSQP") of scipy, with the same Q.
  it("of classes make the truth likeliest and add up to 1", () => {
    const p = matrix(
      rows.map((i) => 0.3 + ((i * 37) % 41) / 60),
      rows.map((i) => 0.25 + ((i * 29) % 31) / 45),
      rows.map((i) => 0.05 + ((i * 11) % 17) / 40),
    );
    const weights = stackClasses({ p }, quiet);
    expect([...weights]).toEqual(
      [0.8530096033514517, 0.14699039664854824, 0.0].map((value) => expect.closeTo(value, 4)),
    );
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });

  it("leave out who never says a true class a chance", () => {
    const p = matrix(
      rows.map(() => 0.5),
      rows.map(() => 0),
    );
    expect([...stackClasses({ p }, quiet)]).toEqual([1, 0].map((value) => expect.closeTo(value, 9)));
  });
});
