import { resamplers } from "../../src/numerics/sampling/resample.ts";
import type { Link } from "../support/lab.ts";

/** The names of a table's columns: two of numbers, one of words, one of dates, one of two classes. */
export interface Names {
  readonly n: string;
  readonly m: string;
  readonly words: string;
  readonly date: string;
  readonly y: string;
}

const each = (values: readonly string[], link: (value: string) => readonly Link[]) => values.map(link);

/** What each block can be asked of such a table: chains whose last link is the block. */
export function everyUse({ n, m, words, date, y }: Names): Record<string, readonly (readonly Link[])[]> {
  const numeric: Link = ["xy", { x: [n, m], y }];
  const all: Link = ["xy", { y }];
  const zeroToOne: Link = ["scale", { scaler: "minmax", columns: [n, m] }];
  const text: Link = ["xy", { x: [words], y }];
  const judged = (helper: string, code: string, args: object = {}): readonly (readonly Link[])[] => [
    [numeric, [helper, { ...args }]],
    [numeric, [helper, { ...args }], [`${code}_P`, { model_name: helper }]],
    [numeric, [helper, { ...args }], [`${code}_M`, { model_name: helper }]],
  ];
  const d = (name: string) => `d[${JSON.stringify(name)}]`;
  return {
    append: [[["append", { others: [1] }]]],
    collect: [[["collect"]]],
    derive: [
      [["derive", { columns: { twice: `d => ${d(n)} * 2`, near: `d => ${d(m)} - mean(${d(m)})` } }]],
      [
        [
          "derive",
          { columns: { share: `d => ${d(n)} / sum(${d(n)})`, before: `d => lag(${d(m)})` }, by: words, order: n },
        ],
      ],
      [["derive", { columns: { letters: `d => length(${d(words)})` } }]],
    ],
    filter: [
      [["filter", { where: `d => ${d(n)} > mean(${d(n)})` }]],
      [["filter", { where: `d => ${d(words)} == null` }]],
    ],
    gaps: [[["gaps"]]],
    pairs: [[["pairs", { columns: [n, m] }]], [["pairs", { columns: [n, m], color: words }]]],
    plot: [
      [["plot", { spec: { mark: "bar", encoding: { x: { field: n, bin: true }, y: { aggregate: "count" } } } }]],
      [["plot", { spec: { mark: "point", encoding: { x: { field: n }, y: { field: m }, color: { field: words } } } }]],
    ],
    join: [
      ...each(["inner", "left", "right", "full", "semi", "anti"], (how) => [["join", { other: 1, on: [words], how }]]),
      [["join", { other: 1, how: "cross", columns: [n] }]],
    ],
    longer: [[["longer", { columns: [n, m] }]]],
    query: [[["query", { sql: "SELECT count(*) AS rows FROM data" }]]],
    rename: [[["rename", { names: { [n]: "other" } }]]],
    sample: [
      [["sample", { frac: 0.5, random_state: 1 }]],
      [["sample", { n: 2, replace: true, by: words, random_state: 1 }]],
    ],
    select: [[["select", { columns: [m, words] }]]],
    slice: [[["slice", { from: 1, to: -1 }]]],
    sort: [[["sort", { by: [words, `-${n}`] }]]],
    summarize: [
      [
        [
          "summarize",
          { by: words, columns: { rows: "count()", mean: `d => mean(${d(n)})`, most: `d => max(${d(m)})` } },
        ],
      ],
      [["summarize", { columns: { middle: `d => median(${d(n)})`, spread: `d => std(${d(m)})` } }]],
    ],
    wider: [
      [
        ["select", { columns: [words, y, n] }],
        ["wider", { names_from: y, values_from: n, aggregate: "mean" }],
      ],
    ],
    astype: [
      ...each(["int", "float", "str", "bool", "category"], (type) => [["astype", { columns: [n], type }]]),
      [["astype", { columns: [date], type: "datetime" }]],
    ],
    auto: [
      [["auto", { y, save_name: n }]],
      [["auto", { y, excluded_columns: [date], excluded_scaling_columns: [n], test_size: 0.5, random_state: 0 }]],
    ],
    area: [[["area", { x: n, y: m }]], [["area", { x: date, color: words }]], [["area", { x: n, facet: y }]]],
    bar: [
      [["bar", { x: words, y: m, aggregate: "sum", color: y }]],
      [["bar", { x: n, top: 2, horizontal: true, sort: "-y" }]],
      [["bar", { x: date, facet: words }]],
    ],
    box: [[["box", { y: n, x: words }]], [["box", { y: [n, m] }]], [["box", { y: m, facet: y }]]],
    compareScatter: [
      [["compareScatter", { xvalue: n, yvalue: m, avalue: m, bvalue: n }]],
      [["compareScatter", { xvalue: date, yvalue: m, avalue: date, is_grid: true }]],
    ],
    correlations: [[["correlations"]]],
    counts: [[["counts", { index: n }]], [["counts", { index: words }]], [["counts", { index: date }]]],
    density: [[["density", { x: n, color: y }]], [["density", { x: m, bandwidth: 1, facet: words }]]],
    dates: [[["dates", { index: date }]], [["dates", { index: date, drop: true }]]],
    describe: [[["describe"]]],
    drop: [[["drop", { columns: [n, words] }]], [all, ["drop", { x_columns: [0], y_columns: [0] }]]],
    dropDuplicates: [[["dropDuplicates"]], [["dropDuplicates", { columns: [n, words] }]]],
    dtypes: [[["dtypes"]]],
    duplicates: [[["duplicates"]], [["duplicates", { columns: [words] }]]],
    encode: [
      ...each(["onehot", "label", "binary", "target", "hash", "extract_numbers"], (type) => [
        all,
        ["encode", { xvalue: { encode: true, encoding_type: type, index: words, remainder: "drop" }, save_name: n }],
      ]),
      [all, ["encode", { yvalue: { encode: true, encoding_type: "label", index: 0 } }]],
    ],
    heatmap: [[["heatmap"]], [["heatmap", { of: "values" }]]],
    histogram: [
      [["histogram", { x: n, color: words }]],
      [["histogram", { x: date, bins: "month" }]],
      [["histogram", { x: words, facet: y }]],
    ],
    info: [[["info"]]],
    line: [[["line", { x: date, y: n }]], [["line", { x: n, y: m, is_grid: true }]]],
    missing: [
      ...each(["mean", "median", "mode", "drop", "drop_columns", "ffill", "bfill", "linear"], (strategy) => [
        ["missing", { strategy }],
      ]),
      [["missing", { strategy: "constant", fill_value: 0, columns: [n] }]],
    ],
    pca: [
      [numeric, ["pca"]],
      [numeric, ["pca", { n_components: 1 }]],
      [numeric, ["pca", { n_components: "mle" }]],
    ],
    pie: [[["pie", { dataset: words }]], [["pie", { dataset: words, values: m }]]],
    reorder: [
      [["reorder", { column: words, position: 0, dataset: true }]],
      [all, ["reorder", { column: n, position: -1 }]],
    ],
    resample: each(resamplers, (resampler) => [
      numeric,
      ["resample", { resampler, random_state: 0, save_name: words }],
    ]),
    reshape: [[numeric, ["reshape", { data: "x", dimensions: [-1, 1] }]]],
    scale: [
      ...each(["standard", "minmax", "robust", "maxabs"], (scaler) => [["scale", { scaler, save_name: n }]]),
      [all, ["scale", { columns: [n] }]],
    ],
    scatter: [
      [["scatter", { x: n, y: m, color: words }]],
      [["scatter", { x: date, y: m }]],
      [["scatter", { x: words, y: m }]],
      [numeric, ["scatter", { is_grid: true }]],
    ],
    split: [[["split", { random_state: 0 }]], [all, ["split", { test_size: 0.5, random_state: 0, stratify: y }]]],
    forecast: [
      [["forecast", { y: n, time: date, horizon: 3 }]],
      [["forecast", { y: n, time: date, method: "naive", season: 2, level: 0.8, backtests: 0 }]],
    ],
    tsne: [
      [numeric, ["tsne", { perplexity: 2, max_iter: 250 }]],
      [["tsne", { perplexity: 1, max_iter: 250, color: words }]],
    ],
    umap: [
      [numeric, ["umap", { n_neighbors: 3, n_epochs: 10 }]],
      [["umap", { n_neighbors: 2, n_epochs: 10, init: "random" }]],
    ],
    timesteps: [[["timesteps", { index: n, lookback: 2, lookforward: 2 }]]],
    uniques: [[["uniques"]]],
    vectorize: [
      ...each(["tfidf", "count", "hashing"], (vectorizer) => [text, ["vectorize", { vectorizer }]]),
      [text, ["vectorize", { ngram_range: [1, 2], max_features: 4, save_name: n }]],
    ],
    xy: [[["xy", { x: [n, date], y: words }]], [["xy", { x: ":, :2", y: "-1" }]]],

    autoClassifier: judged("autoClassifier", "AUTO_CN_1", { max_trials: 2, cv: 2 }),
    autoRegressor: judged("autoRegressor", "AUTO_R_1", { max_trials: 2, cv: 2 }),
    boost: [
      ...judged("boost", "MS_XGBOOST", { max_iter: 3 }),
      [
        ["xy", { x: [n], y }],
        ["boost", { max_iter: 2, sample_weight: m }],
      ],
      [numeric, ["boost", { max_iter: 2, model_name: "first" }], ["boost", { max_iter: 2, warm_start: "first" }]],
    ],
    dbscan: [[["dbscan", { eps: 2 }]], ...judged("dbscan", "ML_CG_3", { eps: 2 })],
    elasticNet: judged("elasticNet", "BL_ELASTICNET"),
    forestClassifier: judged("forestClassifier", "ML_CN_7", { n_estimators: 3 }),
    forestRegressor: judged("forestRegressor", "ML_R_6", { n_estimators: 3 }),
    gaussianMixture: [
      [["gaussianMixture", { n_components: [1, 2] }]],
      ...judged("gaussianMixture", "BL_GAUSSIAN_MIXTURE", { n_components: 2, covariance_type: "diag" }),
    ],
    gridSearch: [
      [numeric, ["gridSearch", { model: "naiveBayes", grid: { var_smoothing: [1e-9, 1e-3] }, cv: 2 }]],
      [
        numeric,
        ["gridSearch", { model: "treeRegressor", grid: [{ max_depth: [1, 2] }, { max_leaf_nodes: [2] }], cv: 2 }],
      ],
    ],
    tune: [
      [
        numeric,
        [
          "tune",
          { model: "naiveBayes", space: { var_smoothing: { low: 1e-9, high: 0.1, log: true } }, cv: 2, n_trials: 12 },
        ],
      ],
      [
        numeric,
        [
          "tune",
          { model: "treeRegressor", space: { max_depth: [1, 4], max_features: [1, "sqrt", 0.5] }, cv: 2, n_trials: 3 },
        ],
      ],
    ],
    hdbscan: [
      [["hdbscan", { min_cluster_size: 2 }]],
      ...judged("hdbscan", "BL_HDBSCAN", { min_cluster_size: 2, cluster_selection_method: "leaf" }),
    ],
    hierarchical: [[["hierarchical", { n_clusters: 2 }]], ...judged("hierarchical", "ML_CG_1", { n_clusters: 2 })],
    isolationForest: [
      [["isolationForest", { n_estimators: 3 }]],
      ...judged("isolationForest", "ML_ISF", { n_estimators: 3, contamination: 0.2 }),
    ],
    kernelSvm: judged("kernelSvm", "ML_CN_4"),
    kmeans: [[["kmeans", { n_clusters: 2 }]], ...judged("kmeans", "ML_CG_2", { n_clusters: 2 })],
    knn: judged("knn", "ML_CN_2"),
    knnRegressor: judged("knnRegressor", "BL_KNNR"),
    lasso: judged("lasso", "BL_LASSO", { alpha: "auto" }),
    mlp: judged("mlp", "BL_MLP", { hidden_layer_sizes: 3, max_iter: 2 }),
    linear: judged("linear", "ML_R_2"),
    poisson: judged("poisson", "BL_POISSON", { alpha: 0 }),
    quantileRegressor: judged("quantileRegressor", "BL_QUANTILE", { quantile: 0.9 }),
    logistic: judged("logistic", "ML_CN_1"),
    naiveBayes: judged("naiveBayes", "ML_CN_5"),
    polynomial: judged("polynomial", "ML_R_3"),
    ridge: judged("ridge", "BL_RIDGE", { alpha: "auto" }),
    errors: [
      [numeric, ["logistic"], ["errors", { n: 2 }]],
      [numeric, ["svm"], ["errors"]],
    ],
    calibration: [
      [numeric, ["logistic"], ["calibration"]],
      [numeric, ["treeClassifier"], ["calibration", { strategy: "quantile", n_bins: 2 }]],
    ],
    threshold: [
      [numeric, ["logistic"], ["threshold"]],
      [numeric, ["naiveBayes"], ["threshold", { costs: { false_positive: 1, false_negative: 2 } }]],
    ],
    learningCurve: [[numeric, ["logistic"], ["learningCurve", { cv: 2, train_sizes: [1] }]]],
    lift: [[numeric, ["logistic"], ["lift", { n_bins: 2 }]]],
    partialDependence: [
      [numeric, ["logistic"], ["partialDependence", { columns: n, ice: 2 }]],
      [numeric, ["treeClassifier"], ["partialDependence", { columns: [n, m], grid_resolution: 3 }]],
    ],
    shap: [
      [numeric, ["logistic"], ["shap"]],
      [numeric, ["treeClassifier"], ["shap", { row: 0 }]],
      [numeric, ["naiveBayes"], ["shap", { column: n, rows: 2, background: 2 }]],
    ],
    simpleLinear: [[["xy", { x: [n], y }], ["simpleLinear"]], ...judged("simpleLinear", "ML_R_1")],
    svm: judged("svm", "ML_CN_3"),
    svr: judged("svr", "ML_R_4"),
    treeClassifier: judged("treeClassifier", "ML_CN_6"),
    treeRegressor: judged("treeRegressor", "ML_R_5"),
    ann: [
      [numeric, ["ann", { layer_list: [3] }], ["DL_ANN_T", { epochs: 2, validation_split: 0.5 }], ["DL_ANN_P", {}]],
      [numeric, ["ann"], ["DL_ANN_T", { epochs: 1 }], ["DL_ANN_E", {}]],
    ],
    rbm: [
      [
        zeroToOne,
        numeric,
        ["rbm", { n_components: 2, n_iter: 1, random_state: 0 }],
        ["DL_RBM_T", { model_name: "r" }],
        ["DL_RBM_P", { model_name: "r" }],
      ],
    ],
    som: [
      [numeric, ["som", { x: 2, y: 2 }], ["DL_SOM_T", { epochs: 1 }], ["DL_SOM_P", {}]],
      [numeric, ["som", { x: 2, y: 1, topology: "rectangular" }], ["DL_SOM_T", { epochs: 1 }], ["DL_SOM_E", {}]],
    ],
    textClassifier: [
      [text, ["textClassifier", { max_trials: 1, random_state: 0 }], ["A_DL_TXC_T", { model_name: "t", epochs: 1 }]],
    ],
  };
}
