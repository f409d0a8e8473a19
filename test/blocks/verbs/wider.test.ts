import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "id,what,v\n2,b,1\n1,a,2\n2,a,3\n1,,4\n";

describe("wider (BL_WIDER)", () => {
  it("makes columns of values, in order of first appearance; a missing name is a column too", async () => {
    const record = await lab.last(csv, ["wider", { names_from: "what", values_from: "v" }]);
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["id", "b", "a", "missing"],
      types: ["integer", "integer", "integer", "integer"],
      rows: [
        [2, 1, 3, null],
        [1, null, 2, 4],
      ],
    });
  });

  it("sums up several cells, and takes numbers and dates as names", async () => {
    const sums = await lab.last("k,n,v\na,1,1\na,1,2\na,2,5\n", [
      "wider",
      { names_from: "n", values_from: "v", aggregate: "mean" },
    ]);
    expect(await lab.table(sums.dataset_url)).toMatchObject({ header: ["k", "1", "2"], rows: [["a", 1.5, 5]] });
    const days = await lab.last("k,d,v\na,2026-01-31,x\na,2026-02-01,y\n", [
      "wider",
      { names_from: "d", values_from: "v" },
    ]);
    expect((await lab.table(days.dataset_url)).rows).toEqual([["a", "x", "y"]]);
  });

  it("takes an empty table and a column of gaps", async () => {
    expect(
      (await lab.table((await lab.last("k,n,v\n", ["wider", { names_from: "n", values_from: "v" }])).dataset_url))
        .header,
    ).toEqual(["k"]);
    const gaps = await lab.last("k,n,v\n1,a,\n2,b,\n", ["wider", { names_from: "n", values_from: "v" }]);
    expect((await lab.table(gaps.dataset_url)).rows).toEqual([
      [1, null, null],
      [2, null, null],
    ]);
  });

  it("refuses several cells for one place, with their number, and thousands of columns", async () => {
    const twice = await lab.failure("k,n,v\na,1,1\na,1,2\na,1,3\n", ["wider", { names_from: "n", values_from: "v" }]);
    expect([twice.status, twice.message]).toEqual([
      422,
      expect.stringMatching(/2 cells of "v" would stand in a place that has one/),
    ]);
    const wide = `k,n,v\n${Array.from({ length: 2001 }, (_, k) => `1,n${k},1`).join("\n")}\n`;
    expect((await lab.failure(wide, ["wider", { names_from: "n", values_from: "v" }])).message).toMatch(
      /"n" has 2,001 values, and at most 2,000/,
    );
    expect((await lab.failure(csv, ["wider", { names_from: "v", values_from: "v" }])).status).toBe(400);
    expect(
      (await lab.failure(csv, ["wider", { names_from: "id", values_from: "what", aggregate: "mean" }])).status,
    ).toBe(422);
  });

  it("says what became columns", async () => {
    expect(
      await lab.view(await lab.last(csv, ["wider", { names_from: "what", values_from: "v" }])),
    ).toMatchInlineSnapshot(`
      "v by what: b, a, missing; 2 rows now.

           id        b        a  missing
      integer  integer  integer  integer
      ───────  ───────  ───────  ───────
            2        1        3        ·
            1        ·        2        4
      missing: b 1, missing 1"
    `);
  });
});
