// Calls that are refused, by block; what they answer stands on the block's page. They must be refused, or the docs fail.

const penguins = 'session.input("sample:penguins")';
const iris = 'session.input("sample:iris")';
const split = `${penguins}.xy({ y: "species" }).split({ random_state: 0 })`;
const numbers = `${iris}.drop("species")`;

/** A model that is given what it can't learn from. */
const classes = (name) => [`${split}.${name}()`, `${iris}.${name}()`];
const regression = (name) => [`${iris}.xy({ y: "species" }).${name}()`, `${numbers}.${name}()`];

export const refusals = {
  input: ['session.input("sample:penguin")', 'session.input("nowhere.csv")'],
  image: ['session.image("sample:penguins", { target_size: [64, 64] })'],
  ndarray: ['session.ndarray(["a", "b"], 1)'],
  reshape: ["session.reshape([[1, 2, 3], [4, 5, 6]], [4, -1])"],
  correlations: [
    `${penguins}.drop("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g").correlations()`,
  ],
  counts: [`${penguins}.counts("specis")`],
  duplicates: [`${penguins}.duplicates("islnd")`],
  scatter: [`${penguins}.scatter("bill_length", "bill_depth_mm")`],
  line: [`${penguins}.line("bill_length", "bill_depth_mm")`],
  compareScatter: [`${iris}.compareScatter("sepal_length", "sepal_width", "petal_size", "petal_width")`],
  pie: [`${penguins}.pie("specis")`],
  heatmap: [`${penguins}.drop("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g").heatmap()`],
  astype: [`${penguins}.astype({ type: "int", columns: ["species"] })`],
  dates: [`${penguins}.dates("species")`],
  drop: [`${penguins}.drop("islnd")`],
  filter: [`${penguins}.filter((d) => d.body_mas_g > 4000)`, `${penguins}.filter("island + 1")`],
  derive: [`${penguins}.derive({ columns: { kg: "body_mass_g / 1000 + speices" } })`],
  select: [`${penguins}.select("islnd")`],
  rename: [`${penguins}.rename({ names: { island: "sex" } })`],
  sort: [`${penguins}.sort("-body_mas_g")`],
  sample: [`${penguins}.sample(500)`, `${penguins}.sample({ frac: 2 })`],
  summarize: [
    `${penguins}.summarize({ by: ["islnd"], columns: { n: "count()" } })`,
    `${penguins}.summarize({ by: ["island"], columns: { m: (d) => d.body_mass_g } })`,
  ],
  join: [
    `${penguins}.join({ other: "sample:penguins", on: ["islnd"] })`,
    `${penguins}.join({ other: "sample:penguins", how: "inner" })`,
  ],
  append: [`${penguins}.rename({ names: { island: "body_mass_g", body_mass_g: "island" } }).append("sample:penguins")`],
  longer: [`${penguins}.longer({ columns: ["island", "body_mass_g"] })`],
  wider: [`${penguins}.select("species", "island").wider({ names_from: "island", values_from: "species" })`],
  query: [`${penguins}.query("SELECT * FROM read_csv('/etc/passwd')")`, `${penguins}.query("SELECT * FROM dta")`],
  dropDuplicates: [`${penguins}.dropDuplicates("islnd")`],
  reorder: [`${penguins}.reorder("specis", 0)`],
  xy: [`${penguins}.xy({ y: "specis" })`],
  auto: [`${penguins}.auto({ y: "specis" })`],
  encode: [`${penguins}.encode({ columns: ["islnd"] })`],
  missing: [
    `${penguins}.missing({ strategy: "mean", columns: ["sex"] })`,
    `${penguins}.missing({ strategy: "constant" })`,
  ],
  scale: [`${penguins}.scale({ columns: ["species"] })`],
  split: [`${penguins}.split({ test_size: 400 })`, `${penguins}.split({ test_size: 1.5 })`],
  timesteps: ['session.input("sample:weather").timesteps({ column: "temp_max", lookback: 5000 })'],
  pca: [`${penguins}.pca(2)`, `${iris}.xy({ y: "species" }).pca(9)`],
  vectorize: [`${iris}.vectorize("tfidf", { columns: ["petal_width"] })`],
  resample: [`${split}.resample("SMOTE")`, `${iris}.resample("SMOTE")`],
  simpleLinear: regression("simpleLinear"),
  linear: regression("linear"),
  ridge: regression("ridge"),
  lasso: regression("lasso"),
  elasticNet: regression("elasticNet"),
  knnRegressor: regression("knnRegressor"),
  polynomial: regression("polynomial"),
  svr: regression("svr"),
  treeRegressor: regression("treeRegressor"),
  forestRegressor: regression("forestRegressor"),
  mlp: classes("mlp"),
  autoRegressor: [
    `${iris}.xy({ y: "species" }).autoRegressor()`,
    `${numbers}.xy({ y: "petal_width" }).autoRegressor({ models: ["forest"] })`,
  ],
  autoClassifier: [`${iris}.autoClassifier()`, `${iris}.xy({ y: "species" }).autoClassifier({ scoring: "r2" })`],
  gridSearch: [
    `${split}.gridSearch({ model: "forest", grid: { max_depth: [2] } })`,
    `${iris}.xy({ y: "species" }).gridSearch({ model: "knn", grid: { n_neighbours: [1, 3] } })`,
    `${iris}.xy({ y: "species" }).gridSearch({ model: "knn", grid: { n_neighbors: [1, 3] }, scoring: "r2" })`,
  ],
  errors: [`${split}.errors()`, `${split}.boost({ max_iter: 2 }).errors(0)`],
  calibration: [`${split}.calibration()`, `${numbers}.xy({ y: "petal_width" }).linear().calibration()`],
  threshold: [
    `${split}.boost({ max_iter: 2 }).threshold()`,
    `${iris}.xy({ y: "species" }).svm({ probability: false }).threshold()`,
  ],
  learningCurve: [
    `${split}.learningCurve()`,
    `${iris}.xy({ y: "species" }).naiveBayes().learningCurve({ train_sizes: [50, 200] })`,
  ],
  lift: [`${split}.lift()`, `${split}.boost({ max_iter: 2 }).lift({ class: "Adelia" })`],
  partialDependence: [
    `${split}.partialDependence("island")`,
    `${split}.boost({ max_iter: 2 }).partialDependence("islnd")`,
  ],
  shap: [`${split}.shap()`, `${iris}.xy({ y: "species" }).naiveBayes().shap({ class: "setos" })`],
  forecast: [
    'session.input("sample:weather").forecast()',
    'session.input("sample:weather").forecast("temp_max", { season: 5000 })',
    'session.input("sample:weather").split({ random_state: 0 }).forecast("temp_max")',
    'session.input("sample:birdstrikes").forecast("cost_total")',
  ],
  kmeans: [`${penguins}.kmeans()`, `${iris}.kmeans({ n_clusters: 200 })`],
  dbscan: [`${penguins}.dbscan()`],
  isolationForest: [`${penguins}.isolationForest()`, `${iris}.isolationForest({ contamination: 0.8 })`],
  hierarchical: [`${penguins}.hierarchical()`, `${iris}.hierarchical({ metric: "manhattan" })`],
  logistic: classes("logistic"),
  knn: [...classes("knn"), `${iris}.xy({ y: "species" }).split({ random_state: 0 }).knn({ n_neighbors: 500 })`],
  svm: classes("svm"),
  kernelSvm: classes("kernelSvm"),
  naiveBayes: classes("naiveBayes"),
  treeClassifier: classes("treeClassifier"),
  forestClassifier: classes("forestClassifier"),
  rbm: [`${iris}.xy({ y: "species" }).rbm().train()`],
  textClassifier: [`${iris}.xy({ y: "species" }).textClassifier()`],
};
