import { describe, expect, it } from "vitest";
import { targetMeans } from "../../../src/kernels/target-means.ts";
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

  it("counts the second of two classes, and has a column for each of more", async () => {
    const two = await lab.last("c,y\na,no\na,no\nb,yes\nb,yes\na,no\nb,yes\n", roles, [
      "encode",
      { columns: ["c"], type: "target" },
    ]);
    const values = (await lab.column(two, "c")).map(Number);
    expect(values[2]).toBeGreaterThan(values[0]);
    const three = await lab.last(`c,y\n${"a,p\nb,q\nc,r\n".repeat(4)}`, roles, [
      "encode",
      { columns: ["c"], type: "target" },
    ]);
    expect((await lab.table(three.x_value_url)).header).toEqual(["c_p", "c_q", "c_r"]);
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

  it("is the mean of all where a category has no rows, or nothing varies", () => {
    expect(targetMeans({ category: Int32Array.of(0, 0), y: Float64Array.of(1, 3), categories: 2 })).toEqual({
      means: Float64Array.of(2, 2),
      mean: 2,
    });
    expect(targetMeans({ category: new Int32Array(0), y: new Float64Array(0), categories: 1 }).mean).toBe(0);
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
    expect(await lab.view(record)).toMatch(/^Encoded as saved under both\./);
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
