import { clusterFeatures } from "../../blocks/cluster/clustering.ts";
import { isDefault } from "../defaults.ts";
import { predictions } from "./judge.ts";
import { keywords, literal, NoEquivalent, type PythonStep, type Script, seen } from "./script.ts";

const noNewRows = "scikit-learn gives no cluster to rows that it has not learnt from";

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

/** Hierarchical clustering of all rows, with the clusters as a column. */
export function hierarchical({ block, args, before, after, script }: PythonStep): string[] {
  if (before.split) throw new NoEquivalent(noNewRows);
  script.from("sklearn.cluster", "AgglomerativeClustering");
  const isCut = args.distance_threshold !== undefined;
  const given = ["linkage", "metric", "distance_threshold"].filter((name) => !isDefault(block.args[name], args[name]));
  const count = isCut ? "n_clusters=None" : keywords(args, ["n_clusters"]);
  const name = named(script, args.model_name ?? block.name);
  const made = after.columns.slice(before.columns.length);
  const more = keywords(args, given);
  return [
    `${name} = AgglomerativeClustering(${[count, more].filter((each) => each !== "").join(", ")}).fit(df[${literal([...clusterFeatures(before)])}])`,
    "# Clusters are numbered as they come up from the first row on.",
    ...made.map((column) => `df[${literal(column.name)}] = pd.factorize(${name}.labels_)[0]`),
  ];
}

/** Dense clusters of all rows, of any density, as a column. */
export function hdbscan({ block, args, before, after, script }: PythonStep): string[] {
  if (before.split) throw new NoEquivalent(noNewRows);
  script.from("sklearn.cluster", "HDBSCAN");
  const own = [
    "min_samples",
    "cluster_selection_epsilon",
    "cluster_selection_method",
    "allow_single_cluster",
    "metric",
  ];
  const given = ["min_cluster_size", ...own].filter((name) => !isDefault(block.args[name], args[name]));
  const name = named(script, args.model_name ?? block.name);
  const made = after.columns.slice(before.columns.length);
  return [
    `${name} = HDBSCAN(${["copy=True", keywords(args, given)].filter((each) => each !== "").join(", ")}).fit(df[${literal([...clusterFeatures(before)])}])`,
    ...made.map((column) => `df[${literal(column.name)}] = ${name}.labels_`),
  ];
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
export function predictCluster({ block, args, before, script }: PythonStep): string[] {
  const wanted = String(args.test_data ?? (before.split && before.x ? "x_train_url" : "x_value_url")).replace(
    /_url$/,
    "",
  );
  const parts: Readonly<Record<string, string>> = {
    x: "df",
    x_value: "df",
    dataset: "df",
    ...(before.split ? { x_train: "df.loc[train]", x_test: "df.loc[test]" } : {}),
  };
  const part = parts[wanted];
  if (part === undefined) throw new NoEquivalent("it predicts rows of another source");
  const name = `models[${literal(args.model_name)}]`;
  const subset = part === "df.loc[test]" ? "test" : part === "df.loc[train]" ? "train" : null;
  const features = `${name}.feature_names_in_`;
  return [
    `y_pred = ${predicted(block.code, name, `${part}[${features}]`, script)}`,
    ...predictions({ args, before }, subset, features),
  ];
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

/** There is no prediction of a clustering that knows its own rows alone. */
export function noPrediction(): string[] {
  throw new NoEquivalent(noNewRows);
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
  const name = `models[${literal(args.model_name)}]`;
  const isOn = before.split ? "df.loc[test]" : "df";
  const part = `${isOn}[${name}.feature_names_in_]`;
  const labels = /^(?:ML_CG_1|BL_HDBSCAN)/.test(block.code)
    ? `${name}.labels_`
    : predicted(block.code, name, part, script);
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

/** Where a model is kept by its name. */
function named(script: Script, name: unknown): string {
  if (!script.steps.includes("models = {}\n")) script.steps.push("models = {}\n");
  return `models[${literal(String(name))}]`;
}
