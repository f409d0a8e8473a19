import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "n,k,t\n0,5,x\n2,5,y\n4,5,x\n";

describe("scale (DP_5)", () => {
  it.each([
    ["standard", [-1.224744871391589, 0, 1.224744871391589]],
    ["minmax", [0, 0.5, 1]],
    ["robust", [-1, 0, 1]],
    ["maxabs", [0, 0.5, 1]],
  ])("scales by %s; what is constant is centred only", async (scaler, expected) => {
    const record = await lab.last(csv, ["scale", { scaler, columns: ["n", "k"] }]);
    const values = (await lab.column(record, "n")).map(Number);
    for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i], 12);
    expect(await lab.column(record, "k")).toEqual(scaler === "maxabs" ? [1, 1, 1] : [0, 0, 0]);
  });

  it("learns from training rows alone once there is a split, and writes no data", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("n\n0\n2\n1000\n") }]);
    await lab.block(id, 2, 1, ["split", { test_size: 1, shuffle: false }]);
    const before = lab.files();
    const record = await lab.block(id, 3, 2, ["scale", { scaler: "minmax" }]);
    expect(lab.files()).toBe(before);
    expect(await lab.column(record, "n")).toEqual([0, 1, 500]);
  });

  it("keeps what it learnt under a name of at most 200 characters", async () => {
    const failure = await lab.failure(csv, ["scale", { columns: ["n"], save_name: "x".repeat(201) }]);
    expect(failure).toMatchObject({
      status: 400,
      message: "scale (DP_5): save_name must have at most 200 characters, got 201.",
      detail: { block: "DP_5", path: "save_name", got: 201 },
    });
    await lab.last(csv, ["scale", { columns: ["n"], save_name: "x".repeat(200) }]);
  });

  it("takes flags, an index within X, remainder and the misspelt boundaries", async () => {
    const record = await lab.last(
      csv,
      ["xy", { y: "t" }],
      ["DP_5", { scaler: "minmax", encode: true, remainder: "drop", index: 0, xtrain: true }],
    );
    expect((await lab.table(record.x_value_url)).header).toEqual(["n"]);
    const misspelt = await lab.last(csv, ["DP_5", { scaler: "minmax", boundariestoscale: ":, 0:1" }]);
    expect(await lab.column(misspelt, "k")).toEqual([5, 5, 5]);
  });

  it("leaves text alone with a notice, refuses it when asked for by name", async () => {
    expect((await lab.last(csv, ["scale"])).notices).toEqual(["scale (DP_5): t is not numeric and stayed as before."]);
    expect((await lab.failure(csv, ["scale", { columns: ["t"] }])).message).toBe(
      'scale (DP_5): column "t" is string; only numbers can be scaled. Encode it first with encode (DP_3), or leave it out.',
    );
    expect((await lab.failure(csv, ["scale", { scaler: "standart" }])).message).toMatch(/Did you mean "standard"\?/);
  });

  it("takes several columns as index, drops the remainder, and leaves all alone with encode false", async () => {
    const table = "a,b,c\n1,4,x\n3,2,x\n";
    const both = await lab.last(table, [
      "DP_5",
      { scaler: "minmax", encode: true, index: [0, "b"], remainder: "drop" },
    ]);
    expect(await lab.table(both.dataset_url)).toMatchObject({
      header: ["a", "b"],
      rows: [
        [0, 1],
        [1, 0],
      ],
    });
    const off = await lab.last(table, ["DP_5", { encode: false, remainder: "drop", index: 0 }]);
    expect((await lab.table(off.dataset_url)).header).toEqual(["a", "b", "c"]);
  });

  it("takes an empty table and a wholly missing column", async () => {
    expect(await lab.column(await lab.last("n\n", ["scale"]), "n")).toEqual([]);
    expect(await lab.column(await lab.last("n,m\n,1\n,3\n", ["scale"]), "n")).toEqual([null, null]);
  });

  it("says what it scaled, and on which rows", async () => {
    expect(await lab.view(await lab.last(csv, ["scale", { columns: ["n"] }]))).toMatchInlineSnapshot(`
      "Scaled n (standard, fitted on all 3 rows).

             n        k  t
        number  integer  string
      ────────  ───────  ──────
      -1.22474        5  x
       0.00000        5  y
       1.22474        5  x"
    `);
  });
});
