import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "id,city,size\n1,Lagos,S\n2,,M\n3,Aba,S\n4,Lagos,L\n";

describe("encode (DP_3)", () => {
  it("puts one 0/1 column per category in the column's place", async () => {
    const record = await lab.last(csv, ["encode", { columns: ["city"] }]);
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["id", "city_Aba", "city_Lagos", "size"],
      types: ["integer", "integer", "integer", "string"],
      rows: [
        [1, 0, 1, "S"],
        [2, 0, 0, "M"],
        [3, 1, 0, "S"],
        [4, 0, 1, "L"],
      ],
    });
  });

  it("labels by sorted order, hashes stably, extracts numbers", async () => {
    expect(await lab.column(await lab.last(csv, ["encode", { columns: "city", type: "label" }]), "city")).toEqual([
      1,
      null,
      0,
      1,
    ]);
    const hashed = await lab.column(await lab.last(csv, ["encode", { columns: ["size"], type: "hash" }]), "size");
    expect(hashed[0]).toBe(hashed[2]);
    expect(hashed.every((value) => Number(value) >= 0 && Number(value) < 2 ** 32)).toBe(true);
    const numbers = await lab.last("v\n14.8 kmpl\n-3\nnone\n", ["encode", { columns: ["v"], type: "extract_numbers" }]);
    expect(await lab.column(numbers, "v")).toEqual([14.8, -3, null]);
    expect(numbers.notices).toEqual(['encode (DP_3): 1 cell of column "v" hold no number and became missing.']);
  });

  it("takes the wire's objects: within X, Y or the dataset, several, remainder, encode false", async () => {
    const wire = { encode: true, encoding_type: "label", remainder: "drop", index: [-1, "city"] };
    expect((await lab.table((await lab.last(csv, ["DP_3", { dataset: wire }])).dataset_url)).header).toEqual([
      "city",
      "size",
    ]);
    const roles = ["xy", { y: "size" }] as const;
    const both = {
      xvalue: [{ encode: "true", index: 1 }],
      yvalue: { encode: true, encoding_type: "label", index: "0" },
    };
    const record = await lab.last(csv, roles, ["DP_3", both]);
    expect((await lab.table(record.y_value_url)).rows.flat()).toEqual([2, 1, 2, 0]);
    expect((await lab.table(record.x_value_url)).header).toEqual(["id", "city_Aba", "city_Lagos"]);
    const off = await lab.last(csv, ["DP_3", { dataset: { encode: false } }]);
    expect((await lab.table(off.dataset_url)).header).toEqual(["id", "city", "size"]);
  });

  it("learns categories from training rows and says which others there are", async () => {
    const record = await lab.last(
      "c\na\nb\nz\n",
      ["split", { test_size: 1, shuffle: false }],
      ["encode", { columns: ["c"] }],
    );
    expect((await lab.table(record.dataset_url)).rows).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
    ]);
    expect(record.notices).toEqual([
      'encode (DP_3): z of column "c" is not among the training rows and became all zeros.',
    ]);
    const label = await lab.last(
      "c\na\nb\nz\n",
      ["split", { test_size: 1, shuffle: false }],
      ["encode", { columns: ["c"], type: "label" }],
    );
    expect(await lab.column(label, "c")).toEqual([0, 1, -1]);
  });

  it("takes an empty table and a wholly missing column, and quotes in categories", async () => {
    expect((await lab.table((await lab.last("a,c\n", ["encode", { columns: ["c"] }])).dataset_url)).header).toEqual([
      "a",
    ]);
    expect((await lab.table((await lab.last("a,c\n1,\n", ["encode", { columns: ["c"] }])).dataset_url)).header).toEqual(
      ["a"],
    );
    const hostile = await lab.last(`c\nit's\n"a""b"\n`, ["encode", { columns: ["c"], type: "label" }]);
    expect(await lab.column(hostile, "c")).toEqual([1, 0]);
  });

  it("refuses an unknown type, field and column", async () => {
    expect((await lab.failure(csv, ["encode", { columns: ["city"], type: "onehott" }])).message).toMatch(
      /got "onehott". Did you mean "onehot"\?/,
    );
    expect((await lab.failure(csv, ["DP_3", { dataset: { encode: true, index: 1, kind: 2 } }])).message).toMatch(
      /dataset has no field kind/,
    );
    expect((await lab.failure(csv, ["DP_3", { xvalue: { encode: true } }])).message).toMatch(/xvalue needs index/);
    expect((await lab.failure(csv, ["encode", { columns: ["town"] }])).status).toBe(400);
  });

  it("says what it learnt", async () => {
    expect(await lab.view(await lab.last(csv, ["encode", { columns: ["city"] }]))).toMatchInlineSnapshot(`
      "Encoded on all 4 rows. city → city_Aba, city_Lagos.

           id  city_Aba  city_Lagos  size
      integer   integer     integer  string
      ───────  ────────  ──────────  ──────
            1         0           1  S
            2         0           0  M
            3         1           0  S
            4         0           1  L"
    `);
  });
});
