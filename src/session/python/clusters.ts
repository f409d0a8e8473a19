import { clusterFeatures } from "../../blocks/cluster/clustering.ts";
import type { Frame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { isDefault } from "../defaults.ts";
import { predictions } from "./judge.ts";
import { keep } from "./models.ts";
import { keywords, literal, NoEquivalent, type PythonStep, type Script, seen } from "./script.ts";

/** K-means, with the clusters as a column. */
export function kmeans({ block, args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.cluster", "KMeans");
  const given = ["n_clusters", "init", "n_init", "max_iter", "tol", "random_state"].filter(
    (name) => ["n_clusters", "random_state"].includes(name) || !isDefault(block.args[name], args[name]),
  );
  const name = named(script, args.model_name ?? block.name);
  const features = literal([...clusterFeatures(before)]);
  const made = after.columns.slice(before.columns.length);
  return [
    `${name} = KMeans(${keywords(args, given)}).fit(${seen(before, features)})`,
    ...made.map((column) => `df[${literal(column.name)}] = ${name}.predict(df[${features}])`),
  ];
}

const tree = `class Tree(AgglomerativeClustering):
    """Clusters are numbered as they come up from the first row on; a row that comes later is in that of the nearest."""

    def fit(self, rows, y=None):
        super().fit(rows)
        self.labels_ = pd.factorize(self.labels_)[0]
        self.nearest_ = KNeighborsClassifier(1, metric=self.metric).fit(rows, self.labels_)
        return self

    def predict(self, rows):
        return self.nearest_.predict(rows)`;

/** Hierarchical clustering, with the clusters as a column. */
export function hierarchical({ block, args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.cluster", "AgglomerativeClustering");
  script.from("sklearn.neighbors", "KNeighborsClassifier");
  const isCut = args.distance_threshold !== undefined;
  const given = ["linkage", "metric", "distance_threshold"].filter((name) => !isDefault(block.args[name], args[name]));
  const clusters = isCut ? "n_clusters=None" : keywords(args, ["n_clusters"]);
  const name = named(script, args.model_name ?? block.name);
  const words = [clusters, keywords(args, given)].filter((each) => each !== "").join(", ");
  return learntRows(`${name} = ${script.define("Tree", tree)}(${words})`, name, { before, after });
}

/** Trains a clustering that keeps the clusters of its rows, and puts those of all rows into a column. */
function learntRows(
  made: string,
  name: string,
  { before, after }: Pick<PythonStep, "before" | "after">,
  hasTies = before.split !== null,
): string[] {
  const features = literal([...clusterFeatures(before)]);
  const columns = after.columns.slice(before.columns.length);
  const labels = before.split ? `${name}.predict(df[${features}])` : `${name}.labels_`;
  return [
    `${made}.fit(${seen(before, features)})`,
    ...(hasTies ? ["# Of rows that are equally far, up to rounding, others may count as the nearest."] : []),
    ...columns.map((column) => `df[${literal(column.name)}] = ${labels}`),
  ];
}

const dense = `class Dense(HDBSCAN):
    """A row that comes later is in the cluster of the row that is nearest by mutual reachability, if it lies as densely."""

    def fit(self, rows, y=None):
        self.known_ = rows.to_numpy(float)
        return super().fit(rows)

    def predict(self, rows):
        labels, nth = self.labels_, self.min_samples or self.min_cluster_size
        distance = DistanceMetric.get_metric(self.metric).pairwise
        apart = distance(self.known_)
        core = np.sort(apart)[:, nth - 1]
        reach = np.maximum(apart, np.maximum(core, core[:, None]))
        # How dense a cluster is where it parts from all others; one alone has all rows.
        births = [reach[labels == each][:, labels != each].min() for each in range(labels.max() + 1)]
        births = np.array(births if len(births) > 1 else [np.inf])
        apart = distance(rows.to_numpy(float), self.known_)
        near = np.sort(apart)
        # A row that was learnt from is one of its own neighbours.
        own = np.where(near[:, 0] == 0, near[:, nth - 1], near[:, nth - 2] if nth > 1 else 0)
        reach = np.maximum(apart, np.maximum(core, own[:, None]))
        nearest = np.lexsort((apart, reach))[:, 0]
        every = np.arange(len(rows))
        found = labels[nearest]
        is_in = (apart[every, nearest] == 0) | (reach[every, nearest] <= births[found])
        return np.where((found >= 0) & is_in, found, -1)`;

/** With more rows the distances of all pairs take gigabytes. */
const mostPairs = 10_000;

/** Dense clusters of any density as a column. */
export function hdbscan({ block, args, before, after, script }: PythonStep): string[] {
  if (before.split) refuseManyPairs(before);
  script.use("import numpy as np");
  script.from("sklearn.cluster", "HDBSCAN");
  script.from("sklearn.metrics", "DistanceMetric");
  const own = [
    "min_samples",
    "cluster_selection_epsilon",
    "cluster_selection_method",
    "allow_single_cluster",
    "metric",
  ];
  const given = ["min_cluster_size", ...own].filter((name) => !isDefault(block.args[name], args[name]));
  const name = named(script, args.model_name ?? block.name);
  const words = ["copy=True", keywords(args, given)].filter((each) => each !== "").join(", ");
  return learntRows(`${name} = ${script.define("Dense", dense)}(${words})`, name, { before, after }, true);
}

function refuseManyPairs({ rows }: Frame): void {
  if (rows <= mostPairs) return;
  throw new NoEquivalent(
    `scikit-learn gives no cluster to rows that it has not learnt from, and the distances of all pairs of ${count(rows, "row")} take gigabytes`,
  );
}

/** A mixture of normal distributions, with the likeliest component as a column. */
export function gaussianMixture({ block, args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.mixture", "GaussianMixture");
  const names = ["covariance_type", "tol", "reg_covar", "max_iter", "n_init", "random_state"];
  const given = names.filter((name) => name === "random_state" || !isDefault(block.args[name], args[name]));
  const name = named(script, args.model_name ?? block.name);
  const features = literal([...clusterFeatures(before)]);
  const rows = seen(before, features);
  const made = after.columns.slice(before.columns.length);
  const several = args.n_components === "auto" ? `min(10, len(${rows}))` : null;
  const range = Array.isArray(args.n_components) ? args.n_components : null;
  const fitted = (k: string) => `GaussianMixture(${k}, ${keywords(args, given)}).fit(${rows})`;
  return [
    ...(several || range
      ? [
          `mixtures = [${fitted("k")} for k in range(${range ? range[0] : 1}, ${range ? range[1] : several} + 1)]`,
          `${name} = min(mixtures, key=lambda mixture: mixture.bic(${rows}))`,
        ]
      : [`${name} = ${fitted(literal(args.n_components))}`]),
    ...made.map((column) => `df[${literal(column.name)}] = ${name}.predict(df[${features}])`),
  ];
}

const nearest = `def cluster_of(model, rows):
    """The first cluster that has a core row within eps of each row, -1 where there is none."""
    labels = model.labels_[model.core_sample_indices_]
    if len(labels) == 0:
        return np.full(len(rows), -1)
    near = NearestNeighbors(radius=model.eps, metric=model.metric, p=model.p or 2).fit(model.components_)
    found = near.radius_neighbors(rows.to_numpy(), return_distance=False)
    return np.array([labels[each].min(initial=labels.max() + 1) if len(each) else -1 for each in found])`;

function clusterOf(script: Script): string {
  script.use("import numpy as np");
  script.from("sklearn.neighbors", "NearestNeighbors");
  return script.define("cluster_of", nearest);
}

/** Clusters of rows that lie densely, as a column. */
export function dbscan({ block, args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.cluster", "DBSCAN");
  const given = ["eps", "min_samples", "metric"].filter((name) => !isDefault(block.args[name], args[name]));
  if (args.metric === "minkowski") given.push("p");
  const name = named(script, args.model_name ?? block.name);
  const features = literal([...clusterFeatures(before)]);
  const made = after.columns.slice(before.columns.length);
  return [
    `${name} = DBSCAN(${keywords(args, given)}).fit(${seen(before, features)})`,
    ...made.map(
      (column) =>
        `df[${literal(column.name)}] = ${before.split ? `${clusterOf(script)}(${name}, df[${features}])` : `${name}.labels_`}`,
    ),
  ];
}

/** The cluster of rows that the record's URLs name. */
export function predictCluster(step: PythonStep): string[] {
  const { block, args, before, script } = step;
  const { rows, subset } = rowsOf(step, args.test_data);
  if (block.code.startsWith("BL_HDBSCAN")) refuseManyPairs(before);
  const name = placeOf(args.model_name);
  const features = `${name}.feature_names_in_`;
  return [
    `y_pred = ${predicted(block.code, name, `${rows}[${features}]`, script)}`,
    ...predictions({ args, before }, subset, features),
  ];
}

/** The rows that the name of one of the record's URLs means. */
export function rowsOf({ before }: PythonStep, reference: unknown) {
  const wanted = String(reference ?? (before.split && before.x ? "x_train_url" : "x_value_url")).replace(/_url$/, "");
  const parts: Readonly<Record<string, { readonly rows: string; readonly subset: "train" | "test" | null }>> = {
    ...Object.fromEntries(["x", "x_value", "dataset"].map((each) => [each, { rows: "df", subset: null }])),
    ...(before.split
      ? { x_train: { rows: "df.loc[train]", subset: "train" }, x_test: { rows: "df.loc[test]", subset: "test" } }
      : {}),
  };
  const found = parts[wanted];
  if (found === undefined) throw new NoEquivalent("it predicts rows of another source");
  return { ...found, on: found.subset ?? "all" };
}

/** What a clustering says of rows. */
function predicted(code: string, name: string, rows: string, script: Script): string {
  return code.startsWith("ML_CG_3") ? `${clusterOf(script)}(${name}, ${rows})` : `${name}.predict(${rows})`;
}

const judgeOutliers = `def judge_outliers(model, features, truth=None):
    """How far outliers are from the other rows; beside a truth of two classes, how well scores tell the rarer one."""
    outlier = (model.predict(features) < 0).astype(int)
    scores = judge_clusters(features, outlier, truth)
    scores["n_outliers"] = int(outlier.sum())
    if truth is not None:
        known = truth.notna().to_numpy()
        counts = truth[known].value_counts()
        rare = min(sorted(counts.index, reverse=True), key=counts.get)
        found = roc_auc_score(truth[known] == rare, -model.score_samples(features[known])) if len(counts) == 2 else None
        scores["roc_auc"] = None if found is None else float(found)
    return scores`;

/** Rows that are unlike the others, as a column of 1 and 0. */
export function isolationForest({ block, args, before, after, script }: PythonStep): string[] {
  script.from("sklearn.ensemble", "IsolationForest");
  const names = ["n_estimators", "max_samples", "contamination", "max_features", "bootstrap", "random_state"];
  const given = names.filter((name) => name === "random_state" || !isDefault(block.args[name], args[name]));
  // Where 1 is all here, scikit-learn takes 1.0 for all and 1 for one.
  const all = ["max_samples", "max_features"].filter((name) => given.includes(name) && args[name] === 1);
  const words = [
    keywords(
      args,
      given.filter((name) => !all.includes(name)),
    ),
    ...all.map((name) => `${name}=1.0`),
  ];
  const name = named(script, args.model_name ?? block.name);
  const features = literal([...clusterFeatures(before)]);
  const made = after.columns.slice(before.columns.length);
  return [
    `${name} = IsolationForest(${words.join(", ")}).fit(${seen(before, features)})`,
    ...made.map((column) => `df[${literal(column.name)}] = (${name}.predict(df[${features}]) < 0).astype(int)`),
  ];
}

const judge = `def judge_clusters(features, labels, truth=None):
    """How tight clusters are and how far apart, without noise; beside the truth, how much of it they found."""
    inside = labels >= 0
    rows, own = features[inside], labels[inside]
    n = len(set(own))
    judged = 1 < n < len(own)
    scores = {
        "silhouette": float(silhouette_score(rows, own)) if judged else None,
        "davies_bouldin": float(davies_bouldin_score(rows, own)) if judged else None,
        "calinski_harabasz": float(calinski_harabasz_score(rows, own)) if judged else None,
        "n_clusters": n,
    }
    if not inside.all():
        scores["n_noise"] = int((~inside).sum())
    if truth is not None:
        known = truth.notna().to_numpy()
        scores["ari"] = float(adjusted_rand_score(truth[known], labels[known]))
        scores["nmi"] = float(normalized_mutual_info_score(truth[known], labels[known]))
    return scores`;

/** The metrics of a clustering, printed as one line of JSON under the names that they have here. */
export function clusterMetrics({ block, args, record, before, script }: PythonStep): string[] {
  script.use("import json");
  const used = ["silhouette", "davies_bouldin", "calinski_harabasz", "adjusted_rand", "normalized_mutual_info"];
  for (const name of used) script.from("sklearn.metrics", `${name}_score`);
  const define = script.define("judge_clusters", judge);
  if (block.code.startsWith("BL_HDBSCAN")) refuseManyPairs(before);
  const name = placeOf(args.model_name);
  const isOn = before.split ? "df.loc[test]" : "df";
  const part = `${isOn}[${name}.feature_names_in_]`;
  const labels = predicted(block.code, name, part, script);
  const hasTruth = "ari" in (JSON.parse(record.output ?? "{}") as object) || args.metric === "nmi";
  const truth = hasTruth && before.y?.length === 1 ? `, ${isOn}[y[0]]` : "";
  const isOutliers = block.code.startsWith("ML_ISF");
  if (isOutliers) script.from("sklearn.metrics", "roc_auc_score");
  const lines = [
    isOutliers
      ? `scores = ${script.define("judge_outliers", judgeOutliers)}(${name}, ${part}${truth})`
      : `scores = ${define}(${part}, ${labels}${truth})`,
  ];
  if (block.code.startsWith("BL_GAUSSIAN_MIXTURE")) {
    const own = ["score", "aic", "bic"].map((method) => `${name}.${method}(${part})`);
    lines.push(`scores |= dict(zip(["log_likelihood", "aic", "bic"], [${own.join(", ")}]))`);
  }
  if (args.metric !== undefined) lines.push(`scores = {${literal(args.metric)}: scores[${literal(args.metric)}]}`);
  lines.push(`scores |= {"n": ${before.split ? "len(test)" : "len(df)"}, "on": ${before.split ? '"test"' : '"all"'}}`);
  return [...lines, "print(json.dumps(scores))"];
}

/** Where a model is kept by its name, which the script trains now. */
export function named(script: Script, name: unknown): string {
  keep(String(name), script);
  return placeOf(name);
}

/** Where a model is kept by its name. */
export function placeOf(name: unknown): string {
  return `models[${literal(String(name))}]`;
}
