import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const rows = Array.from({ length: 60 }, (_, k) => {
  const a = k % 7 === 3 ? null : (k * 37) % 41;
  const b = (k * 53) % 29;
  const label = (a ?? 20) + b / 2 + ((k * 17) % 11) > 30 ? (b > 18 ? "r" : "q") : "p";
  return { a, b, label, number: (a ?? 5) * 2 - b + ((k * 13) % 7) };
});
const classes = `a,b,y\n${rows.map(({ a, b, label }) => `${a ?? ""},${b},${label}`).join("\n")}\n`;
const numbers = `a,b,y\n${rows.map(({ a, b, number }) => `${a ?? ""},${b},${number}`).join("\n")}\n`;
const steps: Link[] = [["xy", { y: "y" }], ["missing", { strategy: "mean" }], ["scale"]];
const search = (args: object): Link => ["ML_GRID", { ...args }];

interface Searched {
  readonly function_code: string;
  readonly model_url: string;
  readonly grid: { readonly best: object; readonly scoring: string };
  readonly cv_results: Readonly<Record<string, unknown>>;
}

async function searched(csv: string, args: object) {
  const record = await lab.last(csv, ...steps, search(args));
  const found = output<{ gridSearch: Searched; candidates_url: string }>(record);
  return { record, found: found.gridSearch, table: await lab.table(found.candidates_url) };
}

const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 9));

describe("gridSearch (ML_GRID)", () => {
  // GridSearchCV(make_pipeline(SimpleImputer(), StandardScaler(), KNeighborsClassifier()), [{n_neighbors: [1, 3],
  // weights: ["uniform", "distance"]}, {n_neighbors: [7]}], cv=4).fit(X, y).cv_results_ of scikit-learn 1.9.1.
  it("answers what scikit-learn's cv_results_ of the whole pipeline holds, of several grids too", async () => {
    const grid = [{ weights: ["uniform", "distance"], n_neighbors: [1, 3] }, { n_neighbors: [7] }];
    const { record, found, table } = await searched(classes, { model: "knn", grid, cv: 4 });
    expect(found).toMatchObject({
      function_code: "ML_CN_2",
      grid: { best: { n_neighbors: 3, weights: "uniform" }, scoring: "accuracy", folds: 4 },
      cv_results: {
        params: [
          { n_neighbors: 1, weights: "uniform" },
          { n_neighbors: 1, weights: "distance" },
          { n_neighbors: 3, weights: "uniform" },
          { n_neighbors: 3, weights: "distance" },
          { n_neighbors: 7 },
        ],
        mean_test_score: near([0.8333333333333334, 0.8333333333333334, 0.8666666666666667, 0.85, 0.8666666666666667]),
        std_test_score: near([0.074535599249993, 0.074535599249993, 0, 0.05527707983925666, 0.06666666666666665]),
        rank_test_score: [4, 4, 1, 3, 1],
        split_test_scores: [
          near([11 / 15, 11 / 15, 13 / 15, 12 / 15, 12 / 15]),
          near([14 / 15, 14 / 15, 13 / 15, 14 / 15, 14 / 15]),
          near([12 / 15, 12 / 15, 13 / 15, 12 / 15, 12 / 15]),
          near([13 / 15, 13 / 15, 13 / 15, 13 / 15, 14 / 15]),
        ],
      },
    });
    expect(table.header).toEqual([
      ...["n_neighbors", "weights", "mean", "std", "rank"],
      ...["fold_0", "fold_1", "fold_2", "fold_3"],
    ]);
    expect(table.rows[4]).toEqual([
      7,
      null,
      ...near([13 / 15, 0.06666666666666665]),
      1,
      ...near([12 / 15, 14 / 15, 12 / 15, 14 / 15]),
    ]);
    expect(await lab.view(record)).toMatchSnapshot();
  });

  // GridSearchCV(make_pipeline(SimpleImputer(), StandardScaler(), Ridge()), …, cv=3,
  // scoring="neg_root_mean_squared_error") of scikit-learn 1.9.1, whose losses are negative.
  it("takes the smallest loss, and arguments that all combinations share", async () => {
    const grid = { fit_intercept: [true, false], alpha: [0.1, 1, 10] };
    const { found } = await searched(numbers, { estimator: "BL_RIDGE", param_grid: grid, cv: 3, scoring: "rmse" });
    expect(found.grid).toMatchObject({ best: { alpha: 0.1, fit_intercept: true }, scoring: "rmse" });
    expect(found.cv_results).toMatchObject({
      mean_test_score: near([
        10.675215145038324, 26.527748035505024, 10.697648680527564, 26.537171427643063, 11.67157664494092,
        26.94431776676692,
      ]),
      std_test_score: near([
        0.06627175887003287, 0.611792092786085, 0.1298685378631092, 0.5305718234987056, 0.8461286148240857,
        0.21622998002680655,
      ]),
      rank_test_score: [1, 4, 2, 5, 3, 6],
    });
    const shared = await searched(numbers, {
      model: "ridge",
      grid: { alpha: [0.1, 1, 10] },
      fixed: { fit_intercept: false },
      cv: 3,
      scoring: "rmse",
    });
    expect(shared.found.cv_results.mean_test_score).toEqual(
      near([26.527748035505024, 26.537171427643063, 26.94431776676692]),
    );
  });

  it("trains a model of the searched kind, which predict, metrics and shap take", async () => {
    const args = { model: "treeClassifier", grid: { max_depth: [1, 4] }, cv: 3 };
    const judge: Link = ["ML_CN_6_M", { model_name: "gridSearch" }];
    const records = await lab.chain(classes, ...steps, search(args), judge, ["shap", { rows: 3 }]);
    expect(output(records[6])).toMatchObject({ model_name: "gridSearch", rows: 3 });
    const plain = await lab.chain(
      classes,
      ...steps,
      ["treeClassifier", { max_depth: 4 }],
      ["ML_CN_6_M", { model_name: "treeClassifier" }],
    );
    expect(output(records[5])).toEqual(output(plain[5]));
  });

  it("searches networks of layers, which predict, metrics and evaluations take", async () => {
    const args = {
      model: "ann",
      grid: { layer_list: [[4], [8, { type: "dropout", rate: 0.1 }]], learning_rate: [0.01] },
      fixed: { epochs: 20 },
      cv: 3,
    };
    const ask: Link[] = [
      ["DL_ANN_P", { model_name: "gridSearch" }],
      ["DL_ANN_E", { model_name: "gridSearch" }],
    ];
    const records = await lab.chain(classes, ...steps, search(args), ...ask);
    const { gridSearch: found } = output<{ gridSearch: Searched & { history: { loss: number[] } } }>(records[4]);
    expect(found).toMatchObject({ function_code: "DL_ANN_T", cv_results: { rank_test_score: expect.any(Array) } });
    expect(found.history.loss).toHaveLength(20);
    expect(output(records[6])).toMatchObject({ n: 60, accuracy: expect.any(Number) });
    // Built and trained with the best, it is the same network.
    const { best } = found.grid as { best: { layer_list: object[] } };
    const plain = await lab.chain(
      classes,
      ...steps,
      ["ann", { layer_list: best.layer_list }],
      ["DL_ANN_T", { epochs: 20, learning_rate: 0.01 }],
      ["DL_ANN_E", {}],
    );
    expect(output(records[6])).toEqual(output(plain[6]));
    const failed = await lab.failure(classes, ...steps, search({ model: "ann", grid: { layers_list: [[4]] } }));
    expect(failed.message).toContain("ann (DL_ANN_T): grid has no field layers_list. Did you mean");
  });

  it("keeps what the data refuses as a row without a score, ranked last", async () => {
    const { found, table } = await searched(classes, { model: "knn", grid: { n_neighbors: [50, 2] }, cv: 3 });
    expect(found.cv_results).toMatchObject({ mean_test_score: [null, expect.any(Number)], rank_test_score: [2, 1] });
    expect(table.rows[0].slice(0, 4)).toEqual([50, null, null, 2]);
  });

  it.each<[object, number, string]>([
    [{ model: "forest", grid: { a: [1] } }, 400, 'gridSearch (ML_GRID): there is no model "forest" to search.'],
    [{ model: "knn", grid: { n_neighbours: [1] } }, 400, "knn (ML_CN_2): grid has no field n_neighbours."],
    [{ model: "knn", grid: { n_neighbors: [0.5] } }, 400, "knn (ML_CN_2): grid.n_neighbors[0] must be a whole number"],
    [{ model: "knn", grid: { n_neighbors: [1] }, fixed: { q: 1 } }, 400, 'knn (ML_CN_2) has no argument "q".'],
    [
      { model: "knn", grid: { n_neighbors: [1] }, fixed: { cv: 3 } },
      400,
      "gridSearch (ML_GRID): cv stands beside fixed",
    ],
    [
      { model: "knn", grid: { n_neighbors: [1, 2] }, max_fits: 9 },
      400,
      "gridSearch (ML_GRID): grid makes 2 combinations",
    ],
    [{ model: "knn", grid: { n_neighbors: [1] }, scoring: "r2" }, 400, 'gridSearch (ML_GRID): scoring "r2" is not for'],
    [{ model: "ridge", grid: { alpha: [1] } }, 422, 'gridSearch (ML_GRID): the target "y" must be a number'],
    [{ model: "knn" }, 400, "gridSearch (ML_GRID) needs grid"],
  ])("refuses %j in one sentence", async (args, status, sentence) => {
    const error = await lab.failure(classes, ...steps, search(args));
    expect(error).toMatchObject({ status, message: expect.stringContaining(sentence) });
  });
});
