import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSession } from "../../../src/index.ts";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

/** Roles over iris in a project of their own. */
async function prepared(): Promise<number> {
  const { id } = await lab.project();
  await lab.block(id, 1, 0, ["input", { dburl: "sample:iris" }]);
  await lab.block(id, 2, 1, ["xy", { y: "species" }]);
  return id;
}

describe("a model's name", () => {
  it("is the helper's, and numbered for a second block; one that runs again keeps its own", async () => {
    const id = await prepared();
    const first = await lab.block(id, 3, 2, ["naiveBayes"]);
    const second = await lab.block(id, 4, 2, ["naiveBayes", { var_smoothing: 0.1 }]);
    const third = await lab.block(id, 5, 2, ["naiveBayes", { var_smoothing: 0.2 }]);
    expect([first, second, third].map((record) => Object.keys(output(record)))).toEqual([
      ["naiveBayes"],
      ["naiveBayes-2"],
      ["naiveBayes-3"],
    ]);
    expect(first.notices).toBeUndefined();
    expect(second.notices).toEqual([
      'naiveBayes (ML_CN_5): block 3 has a model "naiveBayes" already, so this one is "naiveBayes-2". Give model_name to call it otherwise, or to replace that one.',
    ]);
    const again = await lab.block(id, 4, 2, ["naiveBayes", { var_smoothing: 0.3 }]);
    expect(Object.keys(output(again))).toEqual(["naiveBayes-2"]);
    const same = await lab.block(id, 3, 2, ["naiveBayes", { var_smoothing: 0.4 }]);
    expect([Object.keys(output(same)), same.notices]).toEqual([["naiveBayes"], undefined]);
  });

  it("replaces another block's model when it is given, and says so", async () => {
    const id = await prepared();
    await lab.block(id, 3, 2, ["naiveBayes", { model_name: "best" }]);
    const second = await lab.block(id, 4, 2, ["treeClassifier", { model_name: "best" }]);
    expect(second.notices).toEqual([
      'treeClassifier (ML_CN_6): model "best" of block 3 is replaced; it had the same name.',
    ]);
    const kept = await lab.block(id, 5, 2, ["scale", { scaler: "minmax", save_name: "range" }]);
    expect(kept.notices?.some((notice) => notice.includes("is replaced"))).not.toBe(true);
    const anew = await lab.block(id, 6, 2, ["scale", { scaler: "robust", save_name: "range" }]);
    expect(anew.notices).toContain('scale (DP_5): what block 5 saved under "range" is replaced.');
  });

  it("ranks both in a comparison, and is written down in the code that makes the chain again", async () => {
    const session = createSession({ home: join(lab.home, "session") });
    try {
      const base = session.input("sample:iris").xy({ y: "species" }).split({ random_state: 0 });
      await base.branch().naiveBayes();
      const second = await base.branch().naiveBayes({ var_smoothing: 0.5 }).metrics();
      const { ranking } = await session.compare();
      expect(ranking.map(({ model }) => model).sort()).toEqual(["naiveBayes", "naiveBayes-2"]);
      expect(await second.code()).toMatch(
        /\.naiveBayes\(\{ var_smoothing: 0\.5, model_name: "naiveBayes-2" \}\)\n {2}\.metrics\(\{ model_name: "naiveBayes-2" \}\)/,
      );
    } finally {
      await session.close();
    }
  });
});
