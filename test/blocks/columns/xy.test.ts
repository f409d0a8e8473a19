import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c\n1,2,x\n3,4,y\n5,6,x\n";

describe("xy (DP_FSP)", () => {
  it("takes names, slices and lists; X is all others when only Y is given", async () => {
    const record = await lab.last(csv, ["xy", { y: "c" }]);
    expect((await lab.table(record.x_value_url)).header).toEqual(["a", "b"]);
    expect((await lab.table(record.y_value_url)).rows).toEqual([["x"], ["y"], ["x"]]);
    const sliced = await lab.last(csv, ["DP_FSP", { x_boundaries: ":, a:c", y_boundaries: "-1" }]);
    expect((await lab.table(sliced.x_value_url)).header).toEqual(["a", "b"]);
  });

  it("keeps the rows of a row part, the same for X and Y", async () => {
    const record = await lab.last(csv, ["xy", { x: "-2:, 0:2", y: "-2:, -1" }]);
    expect((await lab.table(record.dataset_url)).rows).toEqual([
      [3, 4, "y"],
      [5, 6, "x"],
    ]);
    const error = await lab.failure(csv, ["xy", { x: "0:2, 0:2", y: ":, -1" }]);
    expect([error.status, error.message]).toEqual([
      400,
      "xy (DP_FSP): x_boundaries and y_boundaries must select the same rows, got rows 0:2 and all rows.",
    ]);
  });

  it("refuses nothing at all, a column in both, an unknown name, and a split before", async () => {
    expect((await lab.failure(csv, ["xy"])).message).toMatch(/^xy \(DP_FSP\) needs x_boundaries or y_boundaries/);
    expect((await lab.failure(csv, ["xy", { x: ["a", "c"], y: "c" }])).message).toMatch(/"c" is in X and in Y/);
    expect((await lab.failure(csv, ["xy", { y: "cc" }])).message).toBe(
      'xy (DP_FSP): column "cc" is not in the table. Did you mean "c"? Columns: a, b, c.',
    );
    expect((await lab.failure(csv, ["xy", { y: "c" }], ["split"], ["xy", { y: "b" }])).message).toMatch(
      /are split already/,
    );
  });

  it("works on an empty table and says what it chose", async () => {
    const record = await lab.last("a,b\n", ["xy", { y: "b" }]);
    expect((await lab.table(record.x_value_url)).rows).toEqual([]);
    expect(await lab.view(await lab.last(csv, ["xy", { y: "c" }]))).toMatchInlineSnapshot(`
      "X: a, b. Y: c.

               a           b  c
      integer ○X  integer ○X  string ●Y
      ──────────  ──────────  ─────────
               1           2  x
               3           4  y
               5           6  x"
    `);
  });
});
