import type { Column } from "../../src/core/frame.ts";
import type { Chain } from "../../src/session/index.ts";
import type { OddFile } from "./odd-files.ts";

/** A chain to try on a table: from its input on, knowing the columns that were read. */
export type Recipe = (table: Chain, columns: readonly Column[], file: OddFile) => Chain | readonly Chain[];

const words = (columns: readonly Column[]) => columns.filter(({ type }) => type === "string").map(({ name }) => name);
const few = ["city", "kind", "ok", "flag", "letter", "yes"];

/** Filled, encoded and split, ready for a model. */
function ready(table: Chain, y: string): Chain {
  return table
    .xy({ x: ["size", "rooms", "city"], y })
    .split({ test_size: 0.25, random_state: 3 })
    .missing({ strategy: "mean" })
    .missing({ strategy: "mode" })
    .encode({ columns: ["city"], type: "onehot" })
    .scale("standard");
}

const classes = (table: Chain) => ready(table, "kind");
const numbers = (table: Chain) => ready(table, "price");

/** A chain per column, so that one that is refused leaves the others. */
const each = (names: readonly string[], build: (name: string) => Chain): Chain[] => names.map(build);

/** Chains that only make tables. */
export const tableRecipes: Readonly<Record<string, Recipe>> = {
  "as read": (table) => table,
  mean: (table) => table.missing({ strategy: "mean" }),
  median: (table) => table.missing({ strategy: "median" }),
  mode: (table) => table.missing({ strategy: "mode" }),
  "a constant number": (table) => table.missing({ strategy: "constant", fill_value: -1.5 }),
  "a constant word": (table) => table.missing({ strategy: "constant", fill_value: 'no "word"' }),
  "a constant truth": (table) => table.missing({ strategy: "constant", fill_value: true }),
  "rows without gaps": (table) => table.missing({ strategy: "drop", columns: ["size", "rooms"] }),
  "all rows without gaps": (table) => table.missing({ strategy: "drop" }),
  "rows that a condition keeps": (table) => [
    table.filter((d) => d.size > 20 && d.city !== "Lagos"),
    table.filter("d => d.size > mean(d.size) || d.kind == null"),
    table.filter("!(['a', 'Accra'].includes(city)) && rooms != 3"),
    table.slice(5, -7).filter("size != null").sort("city", "-size"),
    table
      .xy({ y: "kind" })
      .split({ random_state: 2 })
      .filter("size > median(size)")
      .sort("-size")
      .missing({ strategy: "ffill" }),
  ],
  "columns by expressions": (table) => [
    table.derive({
      columns: { v: (d) => d.size * d.rooms + 1, w: "v / size", r: "round(v / 7, 2)", t: "`${city}-${rooms}`" },
    }),
    table.derive({ columns: { share: "size / sum(size)", most: "max(rooms)", n: "count()" }, by: "city" }),
    table.derive({
      columns: { before: "lag(size)", total: "cumsum(rooms)", k: "rowNumber()" },
      by: "city",
      order: "-rooms",
    }),
    table.derive({ columns: { size: "size ?? 0", big: "size > 30 ? 'big' : 'small'", rest: "rooms % 2" } }),
    table
      .xy({ y: "kind" })
      .split({ random_state: 2 })
      .derive({ columns: { c: "size - mean(size)", s: "rooms / mean(rooms)", l: "lag(size)" } }),
    table
      .xy({ y: "kind" })
      .split({ random_state: 2 })
      .derive({ columns: { m: "mean(size)", l: "cumsum(size)" }, by: "city" })
      .rename({ names: { size: "large" } })
      .select("large", "m", "l", "kind"),
  ],
  "new tables": (table) => [
    table.summarize({
      by: ["city", "kind"],
      columns: {
        ...{ n: "count()", m: "mean(size)", k: "countDistinct(rooms)", s: "sum(rooms) / count(rooms)" },
        ...{ q: "quantile(size, 0.3)", f: "first(size)" },
      },
    }),
    table.summarize({ columns: { n: "count()", m: "std(size)", c: "corr(size, rooms)" } }),
    table.sample({ n: 12, random_state: 3 }).derive({ columns: { l: "lag(size)" } }),
    table.sample({ frac: 0.4, by: "city", random_state: 3 }),
    table
      .xy({ y: "kind" })
      .split({ random_state: 2 })
      .sample({ frac: 1.2, replace: true, random_state: 5 })
      .filter("size > 10"),
    table.longer({ columns: ["size", "rooms"], names_to: "what", values_to: "v" }),
    table
      .filter("city != null")
      .summarize({ by: ["city", "rooms"], columns: { m: "max(size)" } })
      .wider({ names_from: "city", values_from: "m" }),
    table.select("city", "kind", "size").wider({ names_from: "kind", values_from: "size", aggregate: "mean" }),
    table.select("city", "kind", "size").append({ others: [1] }),
    table.join({ other: 1, on: ["city"], how: "left", columns: ["rooms", "size"] }).slice(0, 300),
    table.filter("rooms > 2").join({ other: 1, on: { city: "city", kind: "kind" }, suffix: "_b" }),
    table.filter("rooms > 2").join({ other: 1, on: ["city"], how: "anti" }),
    table
      .xy({ y: "kind" })
      .split({ random_state: 2 })
      .join({ other: 1, on: ["rooms"], how: "left", columns: ["city"] })
      .sort("-size"),
    table
      .slice(0, 5)
      .select("city")
      .join({ other: 1, how: "cross", columns: ["kind"] }),
  ],
  "columns without gaps": (table) => table.missing({ strategy: "drop_columns" }),
  ffill: (table) => table.missing({ strategy: "ffill" }),
  bfill: (table) => table.missing({ strategy: "bfill" }),
  linear: (table) => table.missing({ strategy: "linear" }),
  "fills of training rows": (table) =>
    table
      .xy({ y: "kind" })
      .split({ random_state: 2, stratify: "kind" })
      .missing({ strategy: "mean" })
      .missing({ strategy: "mode" }),
  "fills along training rows": (table) =>
    table
      .xy({ y: "kind" })
      .split({ random_state: 2, test_size: 20 })
      .missing({ strategy: "linear" })
      .missing({ strategy: "ffill" })
      .missing({ strategy: "bfill" }),
  "in order": (table) =>
    table.xy({ y: "kind" }).split({ test_size: 0.3, shuffle: false }).missing({ strategy: "median" }),
  onehot: (table, columns) => each(few.concat(words(columns)), (name) => table.encode({ columns: [name] })),
  label: (table, columns) =>
    each(
      columns.map(({ name }) => name),
      (name) => table.encode({ columns: [name], type: "label" }),
    ),
  "label of training rows": (table, columns) =>
    each(
      columns.map(({ name }) => name).filter((name) => name !== "kind"),
      (name) =>
        table
          .xy({ y: "kind" })
          .split({ random_state: 1 })
          .encode({ columns: [name], type: "label" }),
    ),
  binary: (table, columns) => each(words(columns), (name) => table.encode({ columns: [name], type: "binary" })),
  target: (table, columns) =>
    each(
      columns.map(({ name }) => name).filter((name) => !["kind", "price"].includes(name)),
      (name) =>
        table
          .xy({ y: "price" })
          .split({ random_state: 4 })
          .encode({ columns: [name], type: "target" }),
    ),
  "target of classes": (table) =>
    table
      .xy({ y: "kind" })
      .split({ random_state: 4 })
      .missing("mode")
      .encode({ columns: ["city"], type: "target" }),
  "target of a truth": (table) =>
    table
      .xy({ y: "ok" })
      .split({ random_state: 4 })
      .encode({ columns: ["city"], type: "target" }),
  hash: (table, columns) =>
    each(
      columns.map(({ name }) => name),
      (name) => table.encode({ columns: [name], type: "hash" }),
    ),
  "numbers in words": (table, columns) =>
    each(words(columns), (name) => table.encode({ columns: [name], type: "extract_numbers" })),
  minmax: (table) => table.scale("minmax"),
  standard: (table) => table.scale("standard"),
  robust: (table) => table.scale("robust"),
  maxabs: (table) => table.xy({ y: "kind" }).split({ random_state: 7 }).scale("maxabs"),
  "columns dropped": (table, columns) => table.drop(columns[0].name, columns.at(-1)?.name ?? ""),
  "columns moved": (table, columns) => table.reorder(columns[0].name, 2).reorder(-1, 0),
  "rows of a slice": (table) => table.xy({ x_boundaries: "5:-10, 0:2", y_boundaries: "5:-10, 3" }),
  "rows without repeats": (table) => table.dropDuplicates("city", "rooms"),
  "rows without repeats, the last kept": (table) => table.dropDuplicates({ columns: ["city", "kind"], keep: "last" }),
  "rows that stand alone": (table) => table.dropDuplicates({ columns: ["rooms", "kind"], keep: "none" }),
  "repeats dropped after a split": (table) =>
    table.xy({ y: "kind" }).split({ random_state: 5 }).dropDuplicates("city", "rooms").missing({ strategy: "mean" }),
  "dates taken apart": (table, columns) =>
    each(
      columns.map(({ name }) => name),
      (name) => table.dates(name),
    ),
  "days first": (table, _, file) => each(file.dates ?? [], (name) => table.dates(name, { dayfirst: true, drop: true })),
  "months first": (table, _, file) =>
    each(file.dates ?? [], (name) => table.dates(name, { dayfirst: false, drop: true })),
  ...Object.fromEntries(
    (["int", "float", "str", "bool", "datetime", "category"] as const).map((type): [string, Recipe] => [
      `as ${type}`,
      (table, columns) =>
        each(
          columns.map(({ name }) => name),
          (name) => table.astype({ type, columns: [name] }),
        ),
    ]),
  ),
  "numbers to words and back": (table) =>
    table
      .astype({ type: "str", columns: ["size", "rooms"] })
      .astype({ type: "float", columns: ["size"] })
      .astype({ type: "int", columns: ["rooms"] }),
  components: (table) =>
    table
      .xy({ x: ["size", "rooms", "price"], y: "kind" })
      .missing("mean")
      .pca(2),
  "components of training rows": (table) =>
    table
      .xy({ x: ["size", "rooms", "price"], y: "kind" })
      .split({ random_state: 6 })
      .missing("median")
      .scale()
      .pca(0.9),
  terms: (table, columns) =>
    each(words(columns), (name) =>
      table
        .xy({ x: [name], y: "price" })
        .split({ random_state: 1 })
        .vectorize("tfidf"),
    ),
  counts: (table, columns) =>
    each(words(columns), (name) => table.vectorize("count", { columns: [name], max_features: 5 })),
  hashes: (table) => table.vectorize("hashing", { columns: ["city"], n_features: 16 }),
  windows: (table) => table.timesteps({ column: "price", lookback: 3, lookforward: 2 }),
  "gaps in windows": (table) => table.timesteps({ column: "size", lookback: 2 }),
  ...Object.fromEntries(
    [
      "RandomOverSampler",
      "RandomUnderSampler",
      "SMOTE",
      "BorderlineSMOTE",
      "ADASYN",
      "NearMiss",
      "TomekLinks",
      "SMOTETomek",
    ].flatMap((kind): [string, Recipe][] => [
      [
        `${kind} of all rows`,
        (table) =>
          table
            .xy({ x: ["size", "rooms", "price"], y: "kind" })
            .missing("mean")
            .resample(kind as "SMOTE", { random_state: 5 }),
      ],
      [
        `${kind} of training rows`,
        (table) =>
          table
            .xy({ x: ["size", "rooms", "price"], y: "kind" })
            .split({ random_state: 5 })
            .missing("mean")
            .resample(kind as "SMOTE", { random_state: 5 })
            .scale(),
      ],
    ]),
  ),
  "prepared by itself": (table) => table.auto({ y: "kind", test_size: 0.25, random_state: 3 }),
  "prepared without a split": (table) => table.auto({ y: "price", strategy: "median" }),
  "prepared with exceptions": (table) =>
    table.auto({
      y: "kind",
      excluded_columns: ["rooms"],
      excluded_scaling_columns: ["size"],
      excluded_encoding_columns: ["city"],
      excluded_fillmissing_columns: ["size"],
      le_thresh: 1,
      ohe_thresh: 20,
      strategy: "mode",
    }),
  inspections: (table) => table.info().describe().dtypes().correlations().uniques().counts("city").duplicates(),
};

const named = (wanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(tableRecipes).filter(([name]) => wanted(name)));

/** Chains that work on every column that they are told. */
export const columnRecipes = named(
  (name) => (tableRecipes[name] as Recipe).length > 1 && !/training|moved|dropped/.test(name),
);

/** Chains that work on a table as a whole. */
export const wholeRecipes = named((name) =>
  /^(as read|mean|mode|a constant word|ffill|fills of training rows|standard|prepared by itself|inspections)$/.test(
    name,
  ),
);

const judged = (chain: Chain): Chain[] => [chain.metrics(), chain.predict({ test_data: "x_train_url" })];

/** Chains that train a model, predict and judge. */
export const modelRecipes: Readonly<Record<string, Recipe>> = {
  simpleLinear: (table) =>
    judged(
      table
        .xy({ x: ["size"], y: "price" })
        .split({ random_state: 2 })
        .missing("mean")
        .simpleLinear(),
    ),
  linear: (table) => judged(numbers(table).linear()),
  "linear, unscaled": (table) =>
    judged(
      table
        .xy({ x: ["size", "rooms"], y: "price" })
        .missing("median")
        .linear(),
    ),
  ridge: (table) => judged(numbers(table).ridge({ alpha: "auto" })),
  lasso: (table) => judged(numbers(table).lasso({ alpha: 0.5 })),
  elasticNet: (table) => judged(numbers(table).elasticNet({ alpha: "auto", positive: true })),
  "elasticNet without intercept": (table) => judged(numbers(table).elasticNet({ alpha: 0.2, fit_intercept: false })),
  poisson: (table) => judged(numbers(table).poisson({ alpha: 0.1 })),
  "poisson without a penalty": (table) => judged(numbers(table).poisson({ alpha: 0, fit_intercept: false })),
  quantileRegressor: (table) => judged(numbers(table).quantileRegressor({ quantile: 0.8 })),
  "quantileRegressor, penalised": (table) => judged(numbers(table).quantileRegressor({ alpha: 0.5 })),
  knnRegressor: (table) => judged(numbers(table).knnRegressor({ n_neighbors: 7, weights: "distance" })),
  polynomial: (table) => judged(numbers(table).polynomial({ degree: 3 })),
  svr: (table) => judged(numbers(table).svr()),
  "svr, linear": (table) => judged(numbers(table).svr({ kernel: "linear", C: 10, epsilon: 0.5 })),
  treeRegressor: (table) => judged(numbers(table).treeRegressor({ max_depth: 3 })),
  forestRegressor: (table) => judged(numbers(table).forestRegressor({ n_estimators: 5 })),
  logistic: (table) => judged(classes(table).logistic()),
  "logistic, unscaled": (table) =>
    judged(
      table
        .xy({ x: ["size", "rooms", "price"], y: "kind" })
        .split({ random_state: 1 })
        .missing("mean")
        .logistic(),
    ),
  "logistic of a truth": (table) => judged(ready(table, "ok").logistic({ C: 0.5, class_weight: "balanced" })),
  "logistic without intercept": (table) => judged(classes(table).logistic({ fit_intercept: false, C: 100 })),
  "logistic that leaves features out": (table) =>
    judged(classes(table).logistic({ penalty: "elasticnet", l1_ratio: 0.8, C: 0.3 })),
  knn: (table) => judged(classes(table).knn({ n_neighbors: 7, weights: "distance" })),
  "knn of a truth": (table) => judged(ready(table, "ok").knn({ distance: "manhattan" })),
  svm: (table) => judged(classes(table).svm()),
  "svm of a truth": (table) => judged(ready(table, "ok").svm()),
  kernelSvm: (table) => judged(classes(table).kernelSvm({ C: 2 })),
  naiveBayes: (table) => judged(classes(table).naiveBayes()),
  "naiveBayes of a truth": (table) => judged(ready(table, "ok").naiveBayes()),
  treeClassifier: (table) => judged(classes(table).treeClassifier({ max_depth: 3 })),
  "treeClassifier of a truth": (table) =>
    judged(ready(table, "ok").treeClassifier({ criterion: "entropy", max_depth: 3 })),
  forestClassifier: (table) => judged(classes(table).forestClassifier({ n_estimators: 5 })),
  boost: (table) => judged(classes(table).boost({ max_iter: 20, min_samples_leaf: 5 })),
  "boost of text and gaps": (table) =>
    judged(
      table
        .missing({ strategy: "drop", columns: ["kind"] })
        .xy({ x: ["size", "price", "city"], y: "kind" })
        .split({ random_state: 0 })
        .boost({ max_iter: 20, min_samples_leaf: 5 }),
    ),
  "forestClassifier of a truth": (table) => judged(ready(table, "ok").forestClassifier({ n_estimators: 5 })),
  ann: (table) => judged(classes(table).ann([8]).train({ epochs: 5 })),
  "ann of a truth": (table) => judged(ready(table, "ok").ann([8]).train({ epochs: 5, validation_split: 0.2 })),
  "ann of numbers": (table) => judged(numbers(table).ann([8]).train({ epochs: 5, learning_rate: 1e-4, loss: "mae" })),
  ...Object.fromEntries(
    Object.entries({
      kmeans: (table: Chain) => table.kmeans(),
      hierarchical: (table: Chain) => table.hierarchical(),
      dbscan: (table: Chain) => table.dbscan(),
      hdbscan: (table: Chain) => table.hdbscan(),
    }).flatMap(([helper, cluster]): [string, Recipe][] => [
      [
        helper,
        (table) => {
          const filled = table.missing({ strategy: "mean" });
          const found = cluster(filled.xy({ x: ["size", "price"], y: "kind" }).scale());
          return [...judged(found), found.predict({ test_data: "dataset_url" })];
        },
      ],
      [`${helper} of training rows`, (table) => judged(cluster(numbers(table)))],
    ]),
  ),
  som: (table) => {
    const found = table
      .missing({ strategy: "mean" })
      .xy({ x: ["size", "rooms"], y: "kind" })
      .scale()
      .som(3, 3)
      .train();
    return [
      found.predict(),
      found.predict({ test_data: "x_value_url" }).encode({ columns: ["city"] }),
      found.evaluate(),
    ];
  },
  "som of training rows": (table) => {
    const found = numbers(table).som(4, 2).train();
    return [found.predict(), found.evaluate(), found.evaluate({ test_data: "x_train_url" })];
  },
  rbm: (table) => {
    const found = numbers(table).scale("minmax").rbm(3, { n_iter: 2 }).train();
    return [found.predict(), found.evaluate(), ...judged(found.predict().ridge())];
  },
  "a code as class": (table) =>
    judged(
      table
        .missing({ strategy: "drop", columns: ["size", "rooms"] })
        .xy({ x: ["size", "price"], y: "rooms" })
        .naiveBayes(),
    ),
  "a cast truth": (table) =>
    judged(
      table
        .encode({ columns: ["ok"], type: "label" })
        .astype({ type: "bool", columns: ["ok"] })
        .xy({ x: ["size", "price"], y: "ok" })
        .missing("mean")
        .split({ random_state: 0 })
        .logistic(),
    ),
  "targets with gaps": (table) =>
    judged(
      table
        .xy({ x: ["price"], y: "size" })
        .split({ random_state: 0 })
        .missing({ strategy: "drop", columns: ["size"] })
        .linear(),
    ),
  "texts to classes": (table) =>
    judged(
      table
        .xy({ x: ["city"], y: "kind" })
        .missing({ strategy: "constant", fill_value: "none" })
        .split({ random_state: 0 })
        .vectorize("tfidf")
        .logistic(),
    ),
  "prepared by itself": (table) => judged(table.auto({ y: "kind", test_size: 0.3, random_state: 1 }).logistic()),
  "searched classes": (table) =>
    judged(
      table
        .missing({ strategy: "drop", columns: ["kind"] })
        .xy({ x: ["size", "price", "city", "ok"], y: "kind" })
        .split({ random_state: 0 })
        .autoClassifier({ models: ["boost", "naiveBayes"], max_trials: 4, scoring: "log_loss" }),
    ),
  "searched numbers": (table) =>
    judged(
      table
        .missing({ strategy: "drop", columns: ["price"] })
        .xy({ x: ["size", "city", "ok"], y: "price" })
        .autoRegressor({ models: ["ridge", "linear"], max_trials: 4 }),
    ),
  gridSearch: (table) =>
    judged(classes(table).gridSearch({ model: "naiveBayes", grid: { var_smoothing: [1e-9, 0.1] }, cv: 3 })),
  tune: (table) =>
    judged(
      classes(table).tune({
        model: "naiveBayes",
        space: { var_smoothing: { low: 1e-9, high: 0.1, log: true } },
        cv: 3,
        n_trials: 12,
      }),
    ),
  "a search": (table) => judged(classes(table).knn({ grid: { n_neighbors: [3, 9] }, cv: 3 })),
};

/** A sample's numbers and words filled, encoded, split and scaled. */
function prepared(table: Chain, x: readonly string[], y: string, encoded: readonly string[] = []): Chain {
  const split = table.xy({ x: [...x, ...encoded], y }).split({ test_size: 0.3, random_state: 8 });
  const filled = split.missing({ strategy: "median" }).missing({ strategy: "mode" });
  return (encoded.length === 0 ? filled : filled.encode({ columns: [...encoded] })).scale("minmax");
}

/** Every model on a sample. */
function modelsOf(
  x: readonly string[],
  kind: string,
  amount: string,
  encoded: readonly string[] = [],
): Readonly<Record<string, Recipe>> {
  const present = (table: Chain, y: string) =>
    prepared(table.missing({ strategy: "drop", columns: [y] }), x, y, encoded);
  const asClass = (build: (chain: Chain) => Chain) => (table: Chain) => judged(build(present(table, kind)));
  const asNumber = (build: (chain: Chain) => Chain) => (table: Chain) => judged(build(present(table, amount)));
  return {
    "as read": (table) => table,
    inspections: (table) => table.info().describe().dtypes().correlations().uniques().duplicates(),
    auto: (table) => judged(table.auto({ y: kind, test_size: 0.25, random_state: 5 }).logistic()),
    logistic: asClass((chain) => chain.logistic()),
    knn: asClass((chain) => chain.knn({ n_neighbors: 9 })),
    svm: asClass((chain) => chain.svm()),
    kernelSvm: asClass((chain) => chain.kernelSvm()),
    naiveBayes: asClass((chain) => chain.naiveBayes()),
    treeClassifier: asClass((chain) => chain.treeClassifier({ max_depth: 3 })),
    forestClassifier: asClass((chain) => chain.forestClassifier({ n_estimators: 5 })),
    boost: asClass((chain) => chain.boost({ max_iter: 20 })),
    "boost of numbers": asNumber((chain) => chain.boost({ max_iter: 20 })),
    linear: asNumber((chain) => chain.linear()),
    polynomial: asNumber((chain) => chain.polynomial()),
    svr: asNumber((chain) => chain.svr()),
    treeRegressor: asNumber((chain) => chain.treeRegressor({ max_depth: 3 })),
    forestRegressor: asNumber((chain) => chain.forestRegressor({ n_estimators: 5 })),
    components: asClass((chain) => chain.pca(2).naiveBayes()),
  };
}

/** Chains on the samples, by their names. */
export const sampleRecipes: Readonly<Record<string, Readonly<Record<string, Recipe>>>> = {
  penguins: modelsOf(["bill_length_mm", "bill_depth_mm", "flipper_length_mm"], "species", "body_mass_g", [
    "island",
    "sex",
  ]),
  iris: modelsOf(["sepal_length", "sepal_width", "petal_length"], "species", "petal_width"),
  weather: modelsOf(["precipitation", "temp_min", "wind"], "weather", "temp_max"),
  birdstrikes: modelsOf(["cost_total", "speed_ias_in_knots"], "wildlife_size", "cost_repair", ["time_of_day"]),
  digits: modelsOf(["pixel_20", "pixel_21", "pixel_28", "pixel_43"], "digit", "pixel_36"),
};
