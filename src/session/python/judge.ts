import { answerNames } from "../../blocks/models/answer-file.ts";
import { freshNames, listed } from "../../core/names.ts";
import { literal, NoEquivalent, type PythonStep, type Script } from "./script.ts";

/** A prediction: of test rows, training rows or all, by the names of the record's URLs. */
export function predict({ args, before, script }: PythonStep): string[] {
  refuseUntrained(args, script);
  const wanted = String(args.test_data ?? "x_train_url").replace(/_url$/, "");
  const subset = before.split && (wanted === "x_test" ? "test" : wanted === "x_train" ? "train" : null);
  if (!subset && !["x", "x_value", "x_train", "dataset"].includes(wanted)) {
    throw new NoEquivalent("it predicts rows of another source");
  }
  const part = subset ? `df.loc[${subset}, x]` : "df[x]";
  return [
    `y_pred = models[${literal(args.model_name)}].predict(${part})`,
    ...predictions({ args, before }, subset || null, "x"),
  ];
}

/** A model that had to be left out can't be asked. */
function refuseUntrained({ model_name: name }: PythonStep["args"], script: Script): void {
  if (!script.trained.has(String(name))) throw new NoEquivalent("its model is left out");
}

/** Prints predictions, beside the rows' numbers and columns where these were asked for. */
export function predictions(
  { args, before }: Pick<PythonStep, "args" | "before">,
  subset: "train" | "test" | null,
  features: string,
): string[] {
  if (!args.row_id && args.columns === undefined) return ["print(y_pred[:10])"];
  const wanted = [args.columns ?? []].flat().map(String);
  const gone = wanted.filter((name) => !before.columns.some((each) => each.name === name));
  const isWord = args.columns === "all" || args.columns === "features";
  if (!isWord && gone.length > 0)
    throw new NoEquivalent(`it writes ${listed(gone)}, which the table does not have any more`);
  const columns = args.columns === "all" ? ":" : args.columns === "features" ? features : literal(wanted);
  const rows = subset ?? "df.index";
  const all = before.columns.map(({ name }) => name);
  const names = args.columns === "all" ? all : args.columns === "features" ? (before.x ?? all) : wanted;
  const called = freshNames(names, [...answerNames, ...(args.row_id ? ["row_id"] : [])]);
  const renamed = called.some((name, k) => name !== names[k]) ? `.set_axis(${literal(called)}, axis=1)` : "";
  return [
    `predictions = df.loc[${rows}, ${columns}]${renamed}.assign(y_pred=y_pred)`,
    ...(args.row_id ? [`predictions.insert(0, "row_id", df.index.get_indexer(${rows}))`] : []),
    "print(predictions.head(10))",
  ];
}

const numbers = `def judge(model, features, truth):
    """How well numbers are predicted; rows without a true value don't count."""
    features, truth = features[truth.notna()], truth.dropna()
    predicted = model.predict(features)
    mse = mean_squared_error(truth, predicted)
    return {
        "r2": r2_score(truth, predicted),
        "mae": mean_absolute_error(truth, predicted),
        "mse": mse,
        "rmse": float(np.sqrt(mse)),
        "mape": mean_absolute_percentage_error(truth, predicted),
    }`;

const classes = `def judge_classes(model, features, truth):
    """How well classes are predicted; averages are weighted by how many rows each class has.

    Where rows are equally likely up to rounding, they may rank otherwise here, which moves roc_auc.
    """
    features, truth = features[truth.notna()], truth.dropna()
    truth = pd.Series(truth.tolist(), truth.index)
    predicted = model.predict(features)
    labels = [*model.classes_, *sorted(set(truth) - set(model.classes_))]
    how = dict(average="weighted", zero_division=0)
    scores = {
        "accuracy": accuracy_score(truth, predicted),
        "precision": precision_score(truth, predicted, **how),
        "recall": recall_score(truth, predicted, **how),
        "f1": f1_score(truth, predicted, **how),
        "roc_auc": None,
        "log_loss": None,
    }
    if hasattr(model, "predict_proba"):
        shares = pd.DataFrame(model.predict_proba(features), columns=model.classes_, index=truth.index)
        # A class that no training row has can't be foretold.
        shares = shares.reindex(columns=labels, fill_value=0.0)
        areas = [roc_auc_score(truth == each, shares[each]) for each in labels if (truth == each).nunique() == 2]
        scores["roc_auc"] = float(np.mean(areas)) if areas else None
        told = shares.to_numpy()[np.arange(len(truth)), [labels.index(each) for each in truth]]
        scores["log_loss"] = float(-np.log(told.clip(np.finfo(float).eps)).mean())
    scores["confusion"] = {
        "labels": np.array(labels).tolist(),
        "matrix": confusion_matrix(truth, predicted, labels=labels).tolist(),
    }
    return scores`;

/** The metrics of a model, printed as one line of JSON under the names that they have here. */
export function metrics({ record, args, before, script }: PythonStep): string[] {
  refuseUntrained(args, script);
  if (args.test_data !== undefined) throw new NoEquivalent("it judges by rows of another source");
  script.use("import json");
  script.use("import numpy as np");
  const found = Object.keys(JSON.parse(record.output ?? "{}"));
  const isNumbers = found.some((name) => ["r2", "mae", "mse", "rmse", "mape"].includes(name));
  const judge = isNumbers ? defineNumbers(script) : defineClasses(script);
  const part = before.split ? "df.loc[test, x], df.loc[test, y[0]]" : "df[x], df[y[0]]";
  const name = literal(args.model_name);
  const lines = [`scores = ${judge}(models[${name}], ${part})`];
  const isDate = before.columns.some((each) => each.name === before.y?.[0] && each.type === "datetime");
  if (isDate)
    lines.push('scores["confusion"]["labels"] = pd.Index(scores["confusion"]["labels"]).astype(str).tolist()');
  if (args.metric !== undefined) lines.push(`scores = {${literal(args.metric)}: scores[${literal(args.metric)}]}`);
  lines.push(`scores |= {"n": ${before.split ? "len(test)" : "len(df)"}, "on": ${before.split ? '"test"' : '"all"'}}`);
  if (args.importance !== undefined)
    lines.push("# What each feature adds is found by shuffles of its own draws, and left out.");
  return [...lines, "print(json.dumps(scores))"];
}

function defineNumbers(script: Script): string {
  for (const name of ["r2_score", "mean_absolute_error", "mean_squared_error", "mean_absolute_percentage_error"])
    script.from("sklearn.metrics", name);
  return script.define("judge", numbers);
}

function defineClasses(script: Script): string {
  const used = ["accuracy", "precision", "recall", "f1", "roc_auc"].map((name) => `${name}_score`);
  for (const name of [...used, "confusion_matrix"]) script.from("sklearn.metrics", name);
  return script.define("judge_classes", classes);
}
