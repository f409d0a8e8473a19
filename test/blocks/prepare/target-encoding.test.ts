import { describe, expect, it } from "vitest";
import { targetMeans } from "../../../src/numerics/statistics/target-means.ts";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const categories = [..."abacabbacacb"];
const targets = [1, 2, 3, 4, 6, 5, 2, 8, 1, 9, 4, 3];
const csv = `c,y\n${categories.map((c, k) => `${c},${targets[k]}`).join("\n")}\n`;
const roles = ["xy", { y: "y" }] as const;
const rounded = (values: readonly unknown[]) => values.map((value) => Number(Number(value).toFixed(6)));

/** What scikit-learn's TargetEncoder(smooth="auto", cv=5, random_state=0) makes of these. */
const crossFitted = [
  6.106549, 3.374496, 5.60226, 2.694805, 4.931682, 2.354824, 3.582485, 4.465023, 4.0, 4.219536, 4.0, 3.582485,
];
const encodings = [5.082595, 3.057325, 3.097561];

describe("target encoding", () => {
  it("is cross-fitted on the rows it learns from, as scikit-learn's", async () => {
    const record = await lab.last(csv, roles, ["encode", { columns: ["c"], type: "target" }]);
    expect(rounded(await lab.column(record, "c"))).toEqual(crossFitted);
  });

  it("encodes new rows by the means of all, unseen categories by the mean of the target", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    await lab.block(id, 3, 2, ["encode", { columns: ["c"], type: "target", save_name: "means" }]);
    await lab.block(id, 4, 0, ["input", { dburl: lab.file("c\na\nb\nc\nz\n\n".replace("\n\n", "\nNA\n")) }]);
    const record = await lab.block(id, 5, 4, ["encode", { load_name: "means" }]);
    expect(rounded(await lab.column(record, "c"))).toEqual([...encodings, 4, 4]);
  });

  it("learns from training rows alone, and says which categories they lack", async () => {
    const chain = [
      roles,
      ["split", { test_size: 2, shuffle: false }],
      ["encode", { columns: ["c"], type: "target" }],
    ] as const;
    const other = csv.replace("c,4\nb,3\n", "c,999\nz,3\n");
    const [one, two] = [await lab.last(csv, ...chain), await lab.last(other, ...chain)];
    expect((await lab.column(one, "c")).slice(0, 10)).toEqual((await lab.column(two, "c")).slice(0, 10));
    expect(two.notices?.join()).toMatch(
      /z of column "c" is not among the training rows and became the mean of the target/,
    );
    expect((await lab.table(two.x_test_url)).rows[1][0]).toBeCloseTo(4.1, 12);
  });

  it("counts the second of two classes, cross-fitted with their shares kept", async () => {
    const answers = ["no", "yes", "no", "yes", "no", "yes", "no", "yes", "no", "no", "yes", "yes"];
    // TargetEncoder(target_type="binary", random_state=0).fit_transform of scikit-learn 1.9.1.
    const expected = [0.289474, 0.615385, 0.281024, 0.5, 0, 0.628571, 1, 0, 1, 0.289474, 0.481328, 0.628571];
    for (const [no, yes] of [
      ["no", "yes"],
      ["0", "1"],
      ["false", "true"],
    ]) {
      const table = `c,y\n${categories.map((c, k) => `${c},${answers[k] === "no" ? no : yes}`).join("\n")}\n`;
      const record = await lab.last(table, roles, ["encode", { columns: ["c"], type: "target" }]);
      expect(rounded(await lab.column(record, "c"))).toEqual(expected);
    }
  });

  it("goes by the training rows' targets, whichever test rows lack theirs", async () => {
    const truths = `c,y\n${categories.map((c, k) => `${c},${targets[k] > 3}`).join("\n")}\n`;
    const trained = async (content: string) => {
      const chain = [
        ["split", { test_size: 2, shuffle: false }],
        ["encode", { columns: ["c"], type: "target" }],
      ] as const;
      return (await lab.table((await lab.last(content, roles, ...chain)).x_train_url)).rows;
    };
    expect(await trained(truths.replace(/false\n$/, "\n"))).toEqual(await trained(truths));
  });

  it("has a column for each of more classes", async () => {
    const table = `c,y\n${categories.map((c, k) => `${c},${"ppqrpqrpqrpq"[k]}`).join("\n")}\n`;
    const record = await lab.last(table, roles, ["encode", { columns: ["c"], type: "target" }]);
    const { header, rows } = await lab.table(record.x_value_url);
    expect(header).toEqual(["c_p", "c_q", "c_r"]);
    // TargetEncoder(target_type="multiclass", random_state=0).fit_transform of scikit-learn 1.9.1.
    expect(rows.slice(0, 3).map(rounded)).toEqual([
      [0.479339, 0.259124, 0.259124],
      [0, 1, 0],
      [0.701248, 0, 0.244074],
    ]);
  });

  it("knows whole numbers and dates again, whichever way they are stored", async () => {
    const values = [1, 1, 2.5, 2.5, 1, 2.5];
    const table = `c,y\n${values.map((value, k) => `${value},${k < 3 ? 1 : 5}`).join("\n")}\n`;
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(table) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    await lab.block(id, 3, 2, ["encode", { columns: ["c"], type: "target", save_name: "t" }]);
    await lab.block(id, 4, 0, ["input", { dburl: lab.file("c\n1\n7\n") }]);
    const [one, unseen] = await lab.column(await lab.block(id, 5, 4, ["encode", { load_name: "t" }]), "c");
    expect(one).not.toBe(unseen);
    expect(unseen).toBe(3);
  });

  it("needs two rows, and takes a table without any", async () => {
    const target = ["encode", { columns: ["c"], type: "target" }] as const;
    expect((await lab.failure("c,y\na,1\n", roles, target)).message).toMatch(/there is one row alone/);
    expect((await lab.table((await lab.last("c,y\n", roles, target)).dataset_url)).rows).toEqual([]);
  });

  it("needs a complete target that is another column", async () => {
    const target = ["encode", { columns: ["c"], type: "target" }] as const;
    expect((await lab.failure(csv, target)).message).toMatch(/"target" needs a target; assign Y with xy/);
    expect((await lab.failure("c,y\na,1\nb,\n", roles, target)).message).toMatch(/"y" has missing cells/);
    expect(
      (
        await lab.failure(
          csv,
          ["xy", { y: "c", x: "y" }],
          ["encode", { yvalue: { index: 0, encoding_type: "target" } }],
        )
      ).message,
    ).toMatch(/is the target itself/);
  });

  it("has each row's own value in a long table, whoever reads it", async () => {
    const rows = 100_000;
    const words = ["a", "b", "parts", "means_0", ""];
    const lines = Array.from({ length: rows }, (_, k) => `${words[(k * 7919) % 5]},${(k * 31) % 101},${k},${k % 3}`);
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(`parts,y,means_0,g\n${lines.join("\n")}\n`) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    await lab.block(id, 3, 2, ["split", { test_size: 0.25, random_state: 3 }]);
    const encoded = await lab.block(id, 4, 3, ["encode", { columns: ["parts", "g"], type: "target" }]);
    const { header, rows: cells } = await lab.table(encoded.x_train_url);
    const own = new Map(cells.map((row) => [row[header.indexOf("means_0")], row]));
    expect(own.size).toBe(75_000);
    const all = await lab.table(encoded.dataset_url);
    const trained = all.rows.filter((row) => own.has(row[2]));
    expect(trained.every(([parts, , row, g]) => own.get(row)?.[0] === parts && own.get(row)?.[2] === g)).toBe(true);
    // Five parts, so five values for each of five categories; test rows have the mean of all training rows.
    expect(new Set(trained.map(([parts]) => parts)).size).toBe(25);
    const test = await lab.table(encoded.x_test_url);
    expect(new Set(test.rows.map(([parts]) => parts)).size).toBe(5);
    const described = JSON.parse((await lab.block(id, 5, 4, ["describe"])).output as string);
    const mean = all.rows.reduce((sum, [parts]) => sum + Number(parts), 0) / rows;
    expect(described.columns.parts).toMatchObject({ count: rows, mean: expect.closeTo(mean, 9) });
  });

  it("stays readable for later blocks when its own block is replaced", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    await lab.block(id, 2, 1, ["xy", roles[1]]);
    await lab.block(id, 3, 2, ["encode", { columns: ["c"], type: "target" }]);
    const later = await lab.block(id, 4, 3, ["reorder", { dataset: true, column: "y", position: 0 }]);
    await lab.block(id, 3, 2, ["encode", { columns: ["c"], type: "label" }]);
    expect(rounded(await lab.column(later, "c"))).toEqual(crossFitted);
  });

  it("is the mean of all where a category has no rows, or nothing varies", () => {
    expect(targetMeans({ category: Int32Array.of(0, 0), y: Float64Array.of(1, 3), categories: 2 }).all).toEqual({
      means: Float64Array.of(2, 2),
      mean: 2,
    });
    expect(targetMeans({ category: new Int32Array(0), y: new Float64Array(0), categories: 1 }).all.mean).toBe(0);
  });
});

describe("binary encoding", () => {
  it("is the bits of the label's place", async () => {
    const record = await lab.last("c\nd\na\n\nb\nc\ne\n".replace("\n\n", "\nNA\n"), [
      "encode",
      { columns: ["c"], type: "binary" },
    ]);
    expect(await lab.table(record.dataset_url)).toMatchObject({
      header: ["c_0", "c_1", "c_2"],
      types: ["integer", "integer", "integer"],
      rows: [
        [0, 1, 1],
        [0, 0, 0],
        [null, null, null],
        [0, 0, 1],
        [0, 1, 0],
        [1, 0, 0],
      ],
    });
  });
});

describe("what encode and scale learnt", () => {
  it("is kept under a name, and applied to other data without learning", async () => {
    const { id } = await lab.project();
    const train = lab.file("v,c\n0,a\n10,b\n");
    const fresh = lab.file("c,v\nb,5\nz,20\n");
    await lab.block(id, 1, 0, ["input", { dburl: train }]);
    await lab.block(id, 2, 1, ["scale", { scaler: "minmax", save_name: "both" }]);
    await lab.block(id, 3, 2, ["encode", { columns: ["c"], save_name: "both" }]);
    await lab.block(id, 4, 0, ["input", { dburl: fresh }]);
    await lab.block(id, 5, 4, ["scale", { load_name: "both" }]);
    const record = await lab.block(id, 6, 5, ["encode", { load_name: "both" }]);
    expect(await lab.table(record.dataset_url)).toMatchObject({
      header: ["c_a", "c_b", "v"],
      rows: [
        [0, 1, 0.5],
        [0, 0, 2],
      ],
    });
    expect(record.notices).toEqual(['encode (DP_3): z of column "c" is not among those saved and became all zeros.']);
    expect(await lab.view(record)).toContain("Encoded as saved under both.");
  });

  it("is taken up again under another name, and needs no column that it only drops", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("v,w\na,1\nb,2\n") }]);
    const wire = { encode: true, index: "v", encoding_type: "label", remainder: "drop" };
    await lab.block(id, 2, 1, ["encode", { dataset: wire, save_name: "one" }]);
    await lab.block(id, 3, 0, ["input", { dburl: lab.file("v,q\nb,7\n") }]);
    await lab.block(id, 4, 3, ["encode", { load_name: "one", save_name: "two" }]);
    const record = await lab.block(id, 5, 3, ["encode", { load_name: "two" }]);
    expect(await lab.table(record.dataset_url)).toMatchObject({ header: ["v", "q"], rows: [[1, 7]] });
  });

  it("casts columns that are stored otherwise, and refuses those that can't be", async () => {
    const onto = async (saved: string, fresh: string, block: "scale" | "encode") => {
      const { id } = await lab.project();
      await lab.block(id, 1, 0, ["input", { dburl: lab.file(saved) }]);
      await lab.block(id, 2, 1, [block, { columns: ["v"], save_name: "s" }]);
      await lab.block(id, 3, 0, ["input", { dburl: lab.file(fresh) }]);
      return await lab.block(id, 4, 3, [block, { load_name: "s" }]);
    };
    const failing = async (...args: Parameters<typeof onto>) =>
      await onto(...args).then(
        () => "it worked",
        (error: Error) => error.message,
      );
    expect((await lab.table((await onto("v\n1\nx\n", "v\n1\n2\n", "encode")).dataset_url)).rows).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect((await lab.table((await onto("v\na\nb\n", "v,w\n,1\n", "encode")).dataset_url)).rows).toEqual([[0, 0, 1]]);
    expect(await failing("v\n1\n2\n", "v\n3\nx\n", "scale")).toBe(
      'scale (DP_5): what is saved under "s" was fitted on column "v" as a number, but 1 cell can\'t be read as one, the first in row 1: "x".',
    );
    expect(await failing("v\n1\n2\n", "v\n2026-01-02\n", "scale")).toMatch(/"v" as a number.*"2026-01-02"/);
    expect(await failing("v\na\nb\n", "v,v_a\na,7\n", "encode")).toBe(
      'encode (DP_3): what is saved under "s" makes a column "v_a", and the table has one already. Drop it first.',
    );
  });

  it("is missed by its name with the nearest one, and by its columns", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("v\n1\n2\n") }]);
    await lab.block(id, 2, 1, ["scale", { save_name: "first" }]);
    await lab.block(id, 3, 0, ["input", { dburl: lab.file("w\n1\n2\n") }]);
    const failing = async (parent: number, helper: string, load_name: string) =>
      await lab.block(id, 4, parent, [helper, { load_name }]).then(
        () => "it worked",
        (error: Error) => error.message,
      );
    expect(await failing(1, "scale", "fist")).toBe(
      'scale (DP_5): nothing is saved under "fist". Did you mean "first"? Saved: first.',
    );
    expect(await failing(1, "encode", "first")).toMatch(/nothing is saved under "first".*nothing yet; give save_name/);
    expect(await failing(3, "scale", "first")).toMatch(/fitted on v, which the table does not have\. Columns: w\./);
    expect(await failing(1, "ML_R_2_P", "first")).toMatch(/model_name/);
  });
});
