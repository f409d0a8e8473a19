import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = `a,y\n${Array.from({ length: 10 }, (_, k) => `${k},${k % 2 ? "o" : "e"}`).join("\n")}\n`;

describe("split (DP_4)", () => {
  it("gives the rows of train_test_split(range(10), test_size=0.3, random_state=42), in its order", async () => {
    const record = await lab.last(csv, ["xy", { y: "y" }], ["split", { test_size: 0.3, random_state: 42 }]);
    expect((await lab.table(record.x_test_url)).rows.flat()).toEqual([8, 1, 5]);
    expect((await lab.table(record.x_train_url)).rows.flat()).toEqual([0, 7, 2, 9, 4, 3, 6]);
    expect((await lab.table(record.y_test_url)).rows.flat()).toEqual(["e", "o", "o"]);
  });

  it("keeps shares when stratified, and order without shuffling", async () => {
    const stratified = await lab.last(
      csv,
      ["xy", { y: "y" }],
      ["split", { test_size: 4, stratify: "y", random_state: 1 }],
    );
    expect((await lab.table(stratified.y_test_url)).rows.flat().sort()).toEqual(["e", "e", "o", "o"]);
    const ordered = await lab.last(csv, ["xy", { y: "y" }], ["split", { test_size: 2, shuffle: false }]);
    expect((await lab.table(ordered.x_test_url)).rows.flat()).toEqual([8, 9]);
  });

  it("draws a seed once and records it", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const first = await lab.block(id, 2, 1, ["split"]);
    const again = await lab.block(id, 2, 1, ["split"]);
    expect(again.id).toBe(first.id);
  });

  it("names the blocks that learnt from rows which are test rows now", async () => {
    const leaky = await lab.last(csv, ["xy", { y: "y" }], ["scale"], ["split"]);
    expect(leaky.notices).toEqual([
      "Leakage: scale (DP_5, block 3: a) learnt from rows that are test rows now, so scores on them may flatter. Split first, then fit.",
    ]);
    const clean = await lab.last(csv, ["xy", { y: "y" }], ["split"], ["scale"]);
    expect(clean.notices).toBeUndefined();
  });

  it("says that resampled rows have relatives on both sides, and how many test rows have a copy", async () => {
    const few = `a,y\n${Array.from({ length: 20 }, (_, k) => `${k},${k < 4 ? "rare" : "often"}`).join("\n")}\n`;
    const over = ["resample", { resampler: "RandomOverSampler", random_state: 1 }] as const;
    const split = ["split", { random_state: 0 }] as const;
    const record = await lab.last(few, ["xy", { y: "y" }], over, split);
    const [train, test] = [await lab.table(record.x_train_url), await lab.table(record.x_test_url)];
    const known = new Set(train.rows.map(([a]) => a));
    const twins = test.rows.filter(([a]) => known.has(a)).length;
    expect(twins).toBeGreaterThan(1);
    expect(record.notices).toEqual([
      `Leakage: resample (DP_RES, block 3: a, y) drew, made or dropped rows before the split, so test rows have relatives among the training rows (${twins} of ${test.rows.length} test rows have an exact copy there), and scores on them flatter. Split first, then resample.`,
    ]);
    const after = await lab.chain(few, ["xy", { y: "y" }], split, over);
    expect(after.map(({ notices }) => notices)).toEqual([undefined, undefined, undefined, undefined]);
    const cv = await lab.last(few, ["xy", { y: "y" }], split, over, ["logistic", { cv: 2 }]);
    expect(cv.notices?.[0]).toMatch(/resample \(DP_RES, block 4\) came before, so folds of the cross-validation hold/);
  });

  it("says that overlapping windows should not be shuffled", async () => {
    const windows = ["timesteps", { column: "a", lookback: 2 }] as const;
    const shuffled = await lab.last(csv, windows, ["split", { random_state: 0 }]);
    expect(shuffled.notices).toEqual([
      "Leakage: timesteps (DP_7, block 2: a) made windows that overlap, so shuffled test rows hold values that training rows hold too. Split with shuffle: false.",
    ]);
    expect((await lab.last(csv, windows, ["split", { shuffle: false }])).notices).toBeUndefined();
  });

  it("refuses sizes that leave nothing, a missing stratum, and an empty table", async () => {
    expect((await lab.failure("a\n1\n", ["split"])).message).toBe(
      "split (DP_4): with 1 row this leaves 0 for training and 1 for test; both need at least one.",
    );
    expect((await lab.failure(csv, ["split", { test_size: 10 }])).message).toMatch(/below the 10 rows, got 10/);
    expect((await lab.failure(csv, ["split", { test_size: -1 }])).message).toBe(
      "split (DP_4): test_size must be more than 0, got -1.",
    );
    expect((await lab.failure("a\n", ["split"])).status).toBe(422);
    expect((await lab.failure("a,b\n1,\n2,x\n3,x\n", ["split", { stratify: "b" }])).message).toMatch(/missing cells/);
  });

  it("refuses sides with fewer rows than strata, as scikit-learn does", async () => {
    const three = "y\na\nb\nc\na\nb\nc\n";
    const failed = await lab.failure(three, ["split", { stratify: "y", test_size: 2 }]);
    expect(failed).toMatchObject({
      status: 422,
      message:
        'split (DP_4): column "y" has 3 different values, and stratify puts one row or more of each on both sides, but test_size leaves 2 rows. Raise it to 3 or more.',
    });
    const other = await lab.failure(three, ["split", { stratify: "y", test_size: 3, train_size: 0.2 }]);
    expect(other).toMatchObject({ status: 422, message: expect.stringMatching(/train_size leaves 1 row\./) });
  });

  it("shows how many rows each side has", async () => {
    expect(await lab.view(await lab.last(csv, ["split", { test_size: 0.2, random_state: 0 }]))).toMatchInlineSnapshot(`
      "8 training rows, 2 test rows.

            a  y
      integer  string
      ───────  ──────
            4  e
            9  o
            1  o
            6  e
            7  o
      8 rows × 2 columns"
    `);
  });
});
