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
    expect(numbers.notices).toEqual(['encode (DP_3): 1 cell of column "v" holds no number and became missing.']);
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

  it("has one category for 0 and -0, and for 2 and 2.0", async () => {
    const zeros = await lab.last("v\n1.5\n-0.0\n0.0\n2\n", ["encode", { columns: ["v"], type: "label" }]);
    expect(await lab.column(zeros, "v")).toEqual([1, 0, 0, 2]);
    const columns = await lab.last("v\n1.5\n-0.0\n0.0\n2\n", ["encode", { columns: ["v"] }]);
    expect((await lab.table(columns.dataset_url)).header).toEqual(["v_0", "v_1.5", "v_2"]);
  });

  it("gives every column a name of its own", async () => {
    const record = await lab.last("x,x_y,z\ny_1,1,8\nq,2,9\n", ["encode", { columns: ["x", "x_y"] }]);
    expect((await lab.table(record.dataset_url)).header).toEqual(["x_q", "x_y_1", "x_y_1_1", "x_y_2", "z"]);
  });

  it("takes letters from JSON that SQL can't hold", async () => {
    const json = lab.file(JSON.stringify([{ v: "" }, { v: "\0b" }, { v: "$1" }, { v: "it's" }]), "odd.json");
    const encoded = async (type: string) => {
      const { id } = await lab.project();
      await lab.block(id, 1, 0, ["input", { dburl: json }]);
      return await lab.block(id, 2, 1, ["encode", { columns: ["v"], type }]);
    };
    expect(await lab.column(await encoded("label"), "v")).toEqual([0, 1, 2, 3]);
    expect((await lab.table((await encoded("onehot")).dataset_url)).header).toEqual(["v_", "v_␀b", "v_$1", "v_it's"]);
  });

  const extracted = async (...cells: string[]) => {
    // A CSV file's numbers are read by their marks as they come in; texts of JSON stay texts.
    const json = lab.file(JSON.stringify(cells.map((v) => ({ v, w: 1 }))), "marks.json");
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: json }]);
    const record = await lab.block(id, 2, 1, numbersOf);
    return { read: await lab.column(record, "v"), notices: record.notices ?? [] };
  };
  const numbersOf = ["encode", { columns: ["v"], type: "extract_numbers" }] as const;

  it("extracts numbers as their column writes them: thousands, decimals after a comma, signs and exponents", async () => {
    const english = ["1,234", "$1,200.50", "−4.5", "(12)", "1e3", "12%", "A-5", "10-20"];
    expect(await extracted(...english)).toEqual({
      read: [1234, 1200.5, -4.5, -12, 1000, 12, 5, 10],
      notices: ['encode (DP_3): numbers of v were read with marks between thousands, as in "1,234".'],
    });
    expect(await extracted("2,5", "1.234", "1.234,5", "-0,25")).toEqual({
      read: [2.5, 1234, 1234.5, -0.25],
      notices: ['encode (DP_3): numbers of v were read with decimals after a comma, as in "2,5".'],
    });
    expect(await extracted("1.234", "12'000")).toMatchObject({ read: [1.234, 12_000] });
    await expect(extracted("2,5", "3.5")).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(
        /with a point in 1 cell, such as "3\.5", and with a comma in 1 cell, such as "2,5"/,
      ),
    });
  });

  it("leaves names as they are unless they are chosen, and says so with the cure", async () => {
    const people = `name,sex\n${Array.from({ length: 30 }, (_, k) => `n${k},${k % 2 ? "f" : "m"}`).join("\n")}\n`;
    const record = await lab.last(people, ["encode"]);
    expect((await lab.table(record.dataset_url)).header).toEqual(["name", "sex_f", "sex_m"]);
    expect(record.notices).toEqual([
      'encode (DP_3): name is left as it is: most of the values stand in one row alone, as names do. Drop it with drop("name"), or choose an encoding, as in encode({ columns: ["name"], type: "hash" }).',
    ]);
    const asked = await lab.last(people, ["encode", { columns: ["name"] }]);
    expect((await lab.table(asked.dataset_url)).header).toHaveLength(31);
  });

  it("extracts numbers without a digit before the point", async () => {
    const record = await lab.last("v\n.5 kg\n-.25\n12.\n", ["encode", { columns: ["v"], type: "extract_numbers" }]);
    expect(await lab.column(record, "v")).toEqual([0.5, -0.25, 12]);
  });

  it("says that there is no Y yet", async () => {
    expect((await lab.failure(csv, ["DP_3", { yvalue: { encode: true, index: 0 } }])).message).toBe(
      "encode (DP_3): there is no Y yet; assign it with xy (DP_FSP) first.",
    );
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
