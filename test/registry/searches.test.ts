import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allTrainers, whyUnsearched } from "../../src/blocks/models/models.ts";
import { searchable } from "../../src/blocks/search/pipelines.ts";
import { allBlocks, byCode } from "../../src/registry/index.ts";
import { Lab, output } from "../support/lab.ts";

const lab = new Lab();

/** An argument of each model with two values to try. */
const tries: Readonly<Record<string, readonly [name: string, values: readonly (number | boolean)[]]>> = {
  boost: ["max_iter", [2, 4]],
  forestClassifier: ["n_estimators", [2, 4]],
  kernelSvm: ["C", [0.5, 2]],
  knn: ["n_neighbors", [1, 3]],
  logistic: ["C", [0.1, 1]],
  naiveBayes: ["var_smoothing", [1e-9, 0.1]],
  svm: ["C", [0.5, 2]],
  treeClassifier: ["max_depth", [1, 3]],
  ann: ["epochs", [1, 3]],
  mlp: ["max_iter", [2, 5]],
  elasticNet: ["alpha", [0.1, 1]],
  forestRegressor: ["n_estimators", [2, 4]],
  knnRegressor: ["n_neighbors", [1, 3]],
  lasso: ["alpha", [0.1, 1]],
  linear: ["fit_intercept", [true, false]],
  poisson: ["alpha", [0.1, 1]],
  polynomial: ["degree", [1, 2]],
  quantileRegressor: ["alpha", [0, 1]],
  ridge: ["alpha", [0.1, 1]],
  simpleLinear: ["fit_intercept", [true, false]],
  svr: ["C", [0.5, 2]],
  treeRegressor: ["max_depth", [1, 3]],
};

const rows = Array.from({ length: 36 }, (_, k) => `${(k * 7) % 36},${k % 2 ? "odd" : "even"},${(k * 5) % 31}`);
const csv = `a,kind,amount\n${rows.join("\n")}\n`;

/** Blocks that make models which predict and are judged. */
const models = allBlocks.filter(({ derived }) => derived !== undefined);

describe("searches of arguments", () => {
  it.each(allTrainers().map(({ name, code }) => [name, code]))("take %s", async (name, code) => {
    const [argument, values] = tries[name];
    const { task } = byCode(code);
    const y = task === "classification" ? "kind" : "amount";
    const roles = ["xy", { x: ["a"], y }] as const;
    const searches = [
      ["gridSearch", { grid: { [argument]: values } }],
      ["tune", { space: { [argument]: values }, n_trials: 2 }],
    ] as const;
    for (const [helper, args] of searches) {
      const record = await lab.last(csv, roles, [helper, { model: name, cv: 2, ...args }]);
      const found = output<Record<string, { function_code: string; grid: { best: object } }>>(record)[helper];
      expect(found.function_code).toBe(code);
      expect(Object.keys(found.grid.best)).toEqual([argument]);
    }
  });

  it("refuse every other model by name, and say why", async () => {
    const trained = allTrainers().flatMap(({ name, code, codes }) => [name, code, ...codes]);
    const others = [...models, byCode("BL_FORECAST")].filter(({ name }) => !trained.includes(name));
    expect(others.filter(({ name, code }) => !whyUnsearched(name) || !whyUnsearched(code))).toEqual([]);
    expect(models.filter(({ name, code }) => trained.includes(name) !== trained.includes(code))).toEqual([]);
    for (const { name, code } of others) {
      const grid = { model: code, grid: { n: [1, 2] } };
      expect((await lab.failure(csv, ["xy", { y: "kind" }], ["gridSearch", grid])).message).toBe(
        `gridSearch (ML_GRID): "${code}" can't be searched for: ${whyUnsearched(name)}.`,
      );
    }
    const clusters = await lab.failure(csv, ["xy", { y: "kind" }], ["tune", { model: "kmeans", space: { n: [1, 2] } }]);
    expect(clusters).toMatchObject({
      status: 400,
      message:
        'tune (BL_TUNE): "kmeans" can\'t be searched for: it learns no target, by which folds could be judged; compare its metrics().',
    });
  });

  it("are told of in the documents, model by model", () => {
    const page = readFileSync(new URL("../../docs/searches.md", import.meta.url), "utf8");
    const cells = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    const told = cells.filter((row) => row.length === 5 && /^`\w+`$/.test(row[1]));
    const names = (rows: readonly (readonly string[])[]) => rows.map((row) => row[1].slice(1, -1)).sort();
    expect(names(told)).toEqual(
      allTrainers()
        .map(({ name }) => name)
        .sort(),
    );
    expect(names(told.filter((row) => row[2].startsWith("yes")))).toEqual([...searchable("regression")].sort());
    expect(names(told.filter((row) => row[3].startsWith("yes")))).toEqual([...searchable("classification")].sort());
    const others = models.filter(({ name }) => whyUnsearched(name)).map(({ name }) => name);
    expect(others.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("take the function codes by which clients build a network", async () => {
    const grid = { model: "DL_ANN_S_I", grid: { epochs: [1] }, cv: 2 };
    const record = await lab.last(csv, ["xy", { x: ["a"], y: "kind" }], ["gridSearch", grid]);
    expect(output<{ gridSearch: { function_code: string } }>(record).gridSearch.function_code).toBe("DL_ANN_T");
  });
});
