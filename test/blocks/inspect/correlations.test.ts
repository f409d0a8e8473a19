import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("correlations (DP_CRR)", () => {
  it("correlates numeric columns on the rows where both are there", async () => {
    const record = await lab.last("a,b,c,t\n1,2,5,x\n2,4,3,y\n3,6,,z\n", ["correlations"]);
    const { columns, matrix } = output<{ columns: string[]; matrix: number[][] }>(record);
    expect(columns).toEqual(["a", "b", "c"]);
    expect(matrix[0][1]).toBeCloseTo(1, 12);
    expect(matrix[2][0]).toBeCloseTo(-1, 12);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "       a      b      c
      ─  ─────  ─────  ─────
      a   1.00   1.00  -1.00
      b   1.00   1.00  -1.00
      c  -1.00  -1.00   1.00"
    `);
  });

  it("numbers the columns where their names are too long for a line, and names the strongest pairs", async () => {
    const names = ["sepal_length_in_mm", "sepal_width_in_mm", "petal_length_in_mm", "petal_width_in_mm"];
    const record = await lab.last(`${names.join()}\n1,1,9,4\n2,3,7,3\n3,2,8,5\n4,5,1,1\n`, ["correlations"]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "                          1      2      3      4
      ────────────────────  ─────  ─────  ─────  ─────
      1 sepal_length_in_mm   1.00   0.83  -0.83  -0.53
      2 sepal_width_in_mm    0.83   1.00  -0.96  -0.89
      3 petal_length_in_mm  -0.83  -0.96   1.00   0.91
      4 petal_width_in_mm   -0.53  -0.89   0.91   1.00

      Strongest: sepal_width_in_mm and petal_length_in_mm -0.96, petal_length_in_mm
      and petal_width_in_mm 0.91, sepal_width_in_mm and petal_width_in_mm -0.89."
    `);
  });

  it("refuses a matrix that could not be stored", async () => {
    const names = Array.from({ length: 2001 }, (_, k) => `c${k}`);
    const failure = await lab.failure(`${names.join(",")}\n${names.map(() => 1).join(",")}\n`, ["correlations"]);
    expect([failure.status, failure.message]).toEqual([
      422,
      "correlations (DP_CRR): 2,001 numeric columns are too many for a matrix; at most 2,000 fit. Drop some with drop (DP_6), or begin with pca (DP_PCA).",
    ]);
  });

  it("has no value for constant, missing and empty columns; refuses a table of text", async () => {
    expect(output(await lab.last("a,b\n,1\n,2\n", ["correlations"])).matrix).toEqual([
      [null, null],
      [null, expect.closeTo(1, 12)],
    ]);
    expect(output(await lab.last("a\n", ["correlations"])).matrix).toEqual([[null]]);
    expect((await lab.failure("t\nx\n", ["correlations"])).status).toBe(422);
    expect((await lab.failure("a\n1\n", ["correlations", { x: 1 }])).status).toBe(400);
  });
});
