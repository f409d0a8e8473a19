import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const judge = ["ML_CN_7_M", { model_name: "m" }] as const;
const forest = ["forestClassifier", { n_estimators: 3, model_name: "m" }] as const;

/** Two branches behind iris with roles: block 3 split, 4 the model there; what follows is for each test to add. */
async function trained(...before: readonly (readonly [string, Record<string, unknown>?])[]) {
  const { id } = await lab.project();
  const run = (block: number, parent: number, link: readonly [string, Record<string, unknown>?]) =>
    lab.block(id, block, parent, link);
  await run(1, 0, ["input", { dburl: "sample:iris" }]);
  await run(2, 1, ["xy", { y: "species" }]);
  await run(3, 2, ["split", { random_state: 0 }]);
  let last = 3;
  for (const [k, link] of before.entries()) {
    last = 30 + k;
    await run(last, k === 0 ? 3 : last - 1, link);
  }
  await run(4, last, forest);
  return run;
}

describe("a model named where it was not trained", () => {
  it("is refused on features that are prepared otherwise, behind it or beside it", async () => {
    const run = await trained(["scale"]);
    const refused = {
      status: 422,
      message:
        'metrics (ML_CN_7_M): sepal_length, sepal_width, petal_length, petal_width are prepared otherwise here than where model "m" (block 4) learnt, so what it says of these rows would mean nothing. Ask it behind block 4, as from session.at(4), or train a model here.',
    };
    await expect(run(5, 3, judge)).rejects.toMatchObject(refused);
    await run(6, 4, ["drop", { x_columns: ["sepal_width"] }]);
    await run(7, 4, ["scale", { scaler: "minmax" }]);
    await expect(run(8, 7, judge)).rejects.toMatchObject({ status: 422, detail: { code: "other_preparation" } });
    const predicted = run(9, 3, ["ML_CN_7_P", { model_name: "m", test_data: "x_test_url" }]);
    await expect(predicted).rejects.toMatchObject({ status: 422, detail: { code: "other_preparation" } });
  });

  it("answers without a word behind its block, and beside it where all is the same", async () => {
    const run = await trained(["scale"]);
    const own = await run(5, 4, judge);
    await run(6, 4, ["describe"]);
    await run(7, 6, ["counts", { index: "species" }]);
    await run(8, 3, ["scale"]);
    await run(9, 2, ["split", { random_state: 0 }]);
    await run(10, 9, ["scale"]);
    for (const [block, parent] of [7, 8, 10].entries()) {
      const there = await run(20 + block, parent, judge);
      expect([there.notices, output(there)]).toEqual([undefined, output(own)]);
    }
    await run(11, 7, ["missing", { strategy: "mean" }]);
    const filled = await run(23, 11, judge);
    expect([filled.notices?.length, output(filled)]).toEqual([1, output(own)]);
  });

  it("is told to know test rows of another split, and that these were scaled by other values", async () => {
    const run = await trained(["scale"]);
    await run(5, 2, ["split", { random_state: 1 }]);
    await run(6, 5, ["scale"]);
    expect((await run(7, 6, judge)).notices).toEqual([
      expect.stringMatching(/^metrics \(ML_CN_7_M\): sepal_length, .* were prepared with other fitted values than/),
      expect.stringMatching(
        /^metrics \(ML_CN_7_M\): model "m" \(block 4\) learnt behind another split, and has learnt from \d+ of these 38 test rows, so scores flatter\./,
      ),
    ]);
  });

  it("is told to know all test rows where it was trained before the split", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: "sample:iris" }]);
    await lab.block(id, 2, 1, ["xy", { y: "species" }]);
    await lab.block(id, 3, 2, forest);
    await lab.block(id, 4, 3, ["split", { random_state: 0 }]);
    expect((await lab.block(id, 5, 4, judge)).notices?.[0]).toMatch(
      /learnt from all rows, before the split, and has learnt from 38 of these 38 test rows/,
    );
  });

  it("answers rows of another input, and says where they were not prepared as its own", async () => {
    const run = await trained(["scale", { save_name: "z" }]);
    await run(5, 0, ["input", { dburl: "sample:iris" }]);
    await run(6, 5, ["xy", { y: "species" }]);
    expect((await run(7, 6, judge)).notices).toEqual([
      expect.stringMatching(/come from another input, and not by the steps by which model "m" \(block 4\) had them/),
    ]);
    await run(8, 6, ["scale", { load_name: "z" }]);
    expect((await run(9, 8, judge)).notices).toBeUndefined();
  });
});
