import { column } from "../../core/frame.ts";
import { isDefault } from "../defaults.ts";
import { refuseFewHeldOut } from "./few-rows.ts";
import {
  keywords,
  literal,
  NoEquivalent,
  type PythonStep,
  type PythonWriter,
  type Script,
  seen,
  target,
} from "./script.ts";

/** A model of scikit-learn, and which of its arguments have the same names here. */
interface Estimator {
  readonly module: string;
  readonly name: string;
  readonly takes: readonly string[];
  /** Those of them whose defaults are not scikit-learn's. */
  readonly always?: readonly string[];
  /** Why its numbers may not be the same. */
  readonly differs?: string;
}

const trees = [
  "criterion",
  "max_depth",
  "min_samples_split",
  "min_samples_leaf",
  "max_leaf_nodes",
  "min_impurity_decrease",
  "max_features",
  "class_weight",
  "random_state",
];
const machines = ["kernel", "C", "epsilon", "gamma", "coef0", "degree", "tol", "max_iter", "shrinking", "cache_size"];
/** Arguments whose defaults are not scikit-learn's, of most models; the others are left out where they are the default. */
const ours = ["kernel", "tol", "random_state"];

const ties = "of equally good splits a tree takes one by its own draws, so numbers may differ where there are ties.";
const middle =
  "where several sets of coefficients fit equally well, blocklab takes one in their middle, so numbers may differ.";
const draws = "a forest draws its rows and features with another generator, so its numbers differ a little.";
const stops =
  "solvers stop within tol of the best answer, so the fifth digit may differ; with a smaller tol they meet.";
const byRank =
  "of rows that all lie on one side, scikit-learn may split again for the rounding of single precision, and numbers differ a little.";
const early =
  "blocklab stopped before the best answer was found, and numbers differ; with a larger max_iter they meet.";
const unscaled =
  "blocklab stopped before the best answer was found, and numbers differ; with scaled features or a smaller C they meet.";
const near =
  "with many features, or unscaled ones, blocklab's steps may end just before the best answer, and the sixth digit differs.";
const newer =
  'from scikit-learn 1.8 on l1_ratio alone asks for its penalty; before, it wants penalty="elasticnet" as well.';
const equal = "of rows that are equally far, up to rounding, others may count as the nearest.";
const noShares =
  "a support vector machine's probabilities come from draws of their own, so roc_auc and log_loss are left out.";
const held = ["alpha", "fit_intercept", "positive"];
const svc: Estimator = {
  module: "sklearn.svm",
  name: "SVC",
  takes: [...machines.filter((name) => name !== "epsilon"), "class_weight", "break_ties"],
  differs: noShares,
};

const networks = [
  "hidden_layer_sizes",
  "activation",
  "solver",
  "alpha",
  "batch_size",
  "learning_rate_init",
  "max_iter",
  "shuffle",
  "tol",
  "n_iter_no_change",
  "early_stopping",
  "validation_fraction",
  "momentum",
  "beta_1",
  "beta_2",
  "epsilon",
  "random_state",
];

const boosting = [
  "loss",
  "quantile",
  "learning_rate",
  "max_iter",
  "max_leaf_nodes",
  "max_depth",
  "min_samples_leaf",
  "l2_regularization",
  "max_bins",
  "monotonic_cst",
  "class_weight",
  "early_stopping",
  "validation_fraction",
  "n_iter_no_change",
  "tol",
  "random_state",
];
const otherRows =
  "where rounds end early, rows that are held out are drawn from another order, and numbers differ a little.";

/** The models by their function codes. */
const estimators: Readonly<Record<string, Estimator>> = {
  ML_R_1: { module: "sklearn.linear_model", name: "LinearRegression", takes: ["fit_intercept", "tol"] },
  ML_R_2: { module: "sklearn.linear_model", name: "LinearRegression", takes: ["fit_intercept", "tol"] },
  BL_RIDGE: { module: "sklearn.linear_model", name: "Ridge", takes: held },
  BL_LASSO: { module: "sklearn.linear_model", name: "Lasso", takes: held },
  BL_ELASTICNET: { module: "sklearn.linear_model", name: "ElasticNet", takes: [...held, "l1_ratio"] },
  BL_POISSON: { module: "sklearn.linear_model", name: "PoissonRegressor", takes: ["alpha", "fit_intercept"] },
  BL_QUANTILE: {
    module: "sklearn.linear_model",
    name: "QuantileRegressor",
    takes: ["quantile", "alpha", "fit_intercept"],
    always: ["alpha"],
    differs: middle,
  },
  ML_R_4: { module: "sklearn.svm", name: "SVR", takes: machines, differs: stops },
  ML_R_5: { module: "sklearn.tree", name: "DecisionTreeRegressor", takes: trees, differs: ties },
  ML_R_6: {
    module: "sklearn.ensemble",
    name: "RandomForestRegressor",
    takes: ["n_estimators", "bootstrap", ...trees],
    differs: draws,
  },
  ML_CN_1: {
    module: "sklearn.linear_model",
    name: "LogisticRegression",
    takes: ["C", "fit_intercept", "class_weight"],
  },
  ML_CN_2: {
    module: "sklearn.neighbors",
    name: "KNeighborsClassifier",
    takes: ["n_neighbors", "p", "weights"],
    differs: equal,
  },
  BL_KNNR: {
    module: "sklearn.neighbors",
    name: "KNeighborsRegressor",
    takes: ["n_neighbors", "p", "weights"],
    differs: equal,
  },
  ML_CN_3: svc,
  ML_CN_4: svc,
  ML_CN_5: { module: "sklearn.naive_bayes", name: "GaussianNB", takes: ["var_smoothing", "priors"] },
  ML_CN_6: { module: "sklearn.tree", name: "DecisionTreeClassifier", takes: trees, differs: ties },
  ML_CN_7: {
    module: "sklearn.ensemble",
    name: "RandomForestClassifier",
    takes: ["n_estimators", "bootstrap", ...trees],
    differs: draws,
  },
};

/** Gradient boosting, which scikit-learn has once for numbers and once for classes. */
const booster = (name: string, { loss }: Readonly<Record<string, unknown>>): Estimator => ({
  module: "sklearn.ensemble",
  name,
  takes: boosting,
  differs: loss === "quantile" || loss === "absolute_error" ? `${otherRows.slice(0, -1)}; ${byRank}` : otherRows,
});

/** A neural network, which it has once for numbers and once for classes as well. */
const network = (name: string, { early_stopping: isHeld }: Readonly<Record<string, unknown>>): Estimator => ({
  module: "sklearn.neural_network",
  name,
  takes: networks,
  ...(isHeld ? { differs: otherRows } : {}),
});

/** The codes of the models that scikit-learn has. */
export const modelCodes = [...Object.keys(estimators), "ML_R_3", "MS_XGBOOST", "BL_MLP"];

/** What a training's output says of what it chose. */
interface Trained {
  readonly grid?: { readonly best?: Readonly<Record<string, unknown>> };
  readonly alpha?: number;
}

/** Says that the script trains a model of this name. */
export function keep(name: string, script: Script): void {
  if (script.trained.size === 0) script.steps.push("models = {}\n");
  script.trained.add(name);
}

/** Trains a model and keeps it under its name. */
export const model: PythonWriter = async (step) => {
  const { block, args, before, record, script } = step;
  const name = String(args.model_name ?? block.name);
  const output = JSON.parse(record.output ?? "{}") as Record<string, Trained>;
  const { alpha, grid } = output[name] ?? {};
  const best = grid?.best;
  const lines: string[] = [];
  if (best) lines.push("# The search refits every step for each fold; here is the best of its combinations.");
  else if (args.cv !== undefined)
    lines.push("# The cross-validation refits every step for each fold, and is left out; the model is the same.");
  if (alpha !== undefined) lines.push("# The choice of alpha is left out; here is what it came to.");
  const chosen = { ...step, args: { ...args, ...best, ...(alpha === undefined ? {} : { alpha }) } };
  const made = estimatorText(block.code, chosen.args, chosen);
  if (block.task === "either") await refuseFewHeldOut(chosen, (step.found as { readonly task: string }).task);
  const differs = remarkOf(chosen);
  if (differs) lines.push(`# ${differs[0].toUpperCase()}${differs.slice(1)}`);
  keep(name, script);
  const features = block.code === "MS_XGBOOST" ? await filledFeatures(step) : seen(before, "x");
  const given = [features, target(step), rowWeights(args, step)].filter((each) => each !== "");
  return [...lines, `models[${literal(name)}] = ${made}.fit(${given.join(", ")})`];
};

/** The features of gradient boosting, which takes gaps, but in scikit-learn no column of nothing else: a constant teaches as little. */
export async function filledFeatures({ before, withoutCells }: PythonStep): Promise<string> {
  const names = await withoutCells(before.x ?? []);
  const isText = (name: string) => ["string", "category"].includes(column(before, name).type);
  const constants = Object.fromEntries(names.map((name) => [name, isText(name) ? "" : 0]));
  return `${seen(before, "x")}${names.length > 0 ? `.fillna(${literal(constants)})` : ""}`;
}

/** Why its numbers may not be the same. */
export function remarkOf(step: PythonStep): string | null | undefined {
  if (step.block.code === "ML_CN_1") return logisticRemark(step);
  const { name, differs } = estimatorOf(step) ?? {};
  // Told when to stop, both stop there.
  if (!name?.startsWith("SV") || step.args.max_iter !== -1 || !isLate(step)) return differs;
  return differs === noShares ? `${unscaled.slice(0, -1)}; ${noShares}` : unscaled;
}

/** From so many features on the default number of steps may be used up. */
const manyFeatures = 30;

function logisticRemark(step: PythonStep): string | null {
  if (isLate(step)) return early;
  const { args, before, script } = step;
  if (l1Share(args) > 0) return newer;
  const isScaled = script.steps.some((lines) => lines.includes("scaler.transform("));
  return isScaled && (before.x?.length ?? 0) <= manyFeatures ? null : near;
}

/** The class that does the same; none where it takes more than one. */
function estimatorOf({ block, args, found }: PythonStep): Estimator | undefined {
  if (block.task !== "either") return estimators[block.code];
  const { task } = found as { readonly task: string };
  const ending = task === "regression" ? "Regressor" : "Classifier";
  return block.code === "BL_MLP" ? network(`MLP${ending}`, args) : booster(`HistGradientBoosting${ending}`, args);
}

/** Text is taken as categories, which scikit-learn is told by name. */
function categoriesText({ block, before, record }: PythonStep): string {
  if (block.code !== "MS_XGBOOST") return "";
  if (record.notices?.some((notice) => notice.includes("most frequent are told apart"))) {
    throw new NoEquivalent("scikit-learn takes at most 255 categories of a feature");
  }
  const texts = (before.x ?? []).filter((name) => ["string", "category"].includes(column(before, name).type));
  return texts.length > 0 ? `categorical_features=${literal(texts)}` : "";
}

/** The model with its arguments, before it learns. */
export function estimatorText(code: string, args: Readonly<Record<string, unknown>>, step: PythonStep): string {
  const { block, script } = step;
  if (typeof args.warm_start === "string") {
    script.use("import copy");
    const before = `models[${literal(args.warm_start)}]`;
    const others = keywords(
      args,
      boosting.filter(
        (each) => !["max_iter", "class_weight"].includes(each) && (each !== "quantile" || args.loss === each),
      ),
    );
    return `copy.deepcopy(${before}).set_params(warm_start=True, max_iter=${before}.n_iter_ + ${literal(args.max_iter)}, ${[others, weightText(args, step)].filter((each) => each !== "").join(", ")})`;
  }
  if (code === "ML_R_3") {
    script.from("sklearn.pipeline", "make_pipeline");
    script.from("sklearn.preprocessing", "PolynomialFeatures");
    script.from("sklearn.linear_model", "LinearRegression");
    return `make_pipeline(PolynomialFeatures(${keywords(args, ["degree", "interaction_only"])}, include_bias=False), LinearRegression(${keywords(args, ["tol"])}))`;
  }
  // No penalty at all is what scikit-learn would have asked otherwise.
  const isPlain = penalised.includes(code) && args.alpha === 0 && args.positive !== true;
  const { module, name, takes, always = ours } = isPlain ? estimators.ML_R_2 : (estimatorOf(step) as Estimator);
  script.from(module, name);
  const isFree = code === "ML_CN_1" && args.penalty === "none";
  if (isFree) script.use("import numpy as np");
  const given = keywords(
    args,
    takes.filter(
      (each) =>
        each !== "class_weight" &&
        !(isFree && each === "C") &&
        (always.includes(each) || each === args.loss || !isDefault(block.args[each], args[each])),
    ),
  );
  const metric = args.distance !== undefined && args.distance !== "minkowski" ? `metric=${literal(args.distance)}` : "";
  const solver =
    code === "ML_CN_1"
      ? toTheEnd(step)
      : name.startsWith("SV") && args.max_iter === -1 && isLate(step)
        ? endless
        : (solvers[code] ?? (!isPlain && isDescent(code, args) ? descents : ""));
  const rest = [categoriesText(step), weightText(args, step), isFree ? "C=np.inf" : "", solver];
  return `${name}(${[metric, given, ...rest].filter((each) => each !== "").join(", ")})`;
}

/** scikit-learn's machines would go on for hours where ours end after ten million steps or fewer. */
const endless = "max_iter=10_000_000";

/** Did the training end before it converged? */
function isLate({ record }: PythonStep): boolean {
  return record.notices?.some((notice) => notice.includes("not converged")) ?? false;
}

const penalised = ["BL_RIDGE", "BL_LASSO", "BL_ELASTICNET"];

/** Goes on to the best answer, as ours does. */
const descents = "tol=1e-10, max_iter=100_000";

/** The same for models that have solvers to choose from. */
const solvers: Readonly<Record<string, string>> = {
  BL_POISSON: 'solver="newton-cholesky", tol=1e-9, max_iter=1_000',
};

function isDescent(code: string, args: Readonly<Record<string, unknown>>): boolean {
  return code === "BL_RIDGE" ? args.positive === true : penalised.includes(code);
}

/** From so many features on Newton's own steps take longer than those that only approach them. */
const wideFeatures = 50;

/** The share of a logistic regression's penalty that is on sizes. */
function l1Share({ penalty, l1_ratio }: Readonly<Record<string, unknown>>): number {
  return Number(l1_ratio ?? (penalty === "l1" ? 1 : penalty === "elasticnet" ? 0.5 : 0));
}

/** Goes on to the best answer, as ours does: where scikit-learn stops by default, probabilities differ in the third digit. */
function toTheEnd({ before, args }: PythonStep): string {
  const share = l1Share(args);
  if (share > 0) return `l1_ratio=${literal(share)}, solver="saga", tol=1e-9, max_iter=100_000`;
  const solver = (before.x?.length ?? 0) > wideFeatures ? "newton-cg" : "newton-cholesky";
  return `solver="${solver}", tol=1e-9, max_iter=1_000`;
}

/** What rows count, for `fit`: by their labels where scikit-learn can't take these as keys of class weights. */
function rowWeights(args: Readonly<Record<string, unknown>>, step: PythonStep): string {
  const { block, before } = step;
  const isOwn = block.code === "MS_XGBOOST" && typeof args.sample_weight === "string";
  const own = isOwn ? [seen(before, literal(args.sample_weight))] : [];
  const { class_weight: weight } = args;
  if (typeof weight !== "object" || weight === null || !isByRow(weight, step)) return own.join("");
  return [...own, `${target(step)}.map(${weightsByLabel(weight, step)}).fillna(1)`].join(" * ");
}

function weightText({ class_weight: weight }: Readonly<Record<string, unknown>>, step: PythonStep): string {
  if (weight === undefined) return "";
  if (typeof weight !== "object" || weight === null) return `class_weight=${literal(weight)}`;
  return isByRow(weight, step) ? "" : `class_weight=${weightsByLabel(weight, step)}`;
}

/** scikit-learn's boosting takes no labels of text as keys, and no model those that Python's int() reads, such as "01". */
function isByRow(weight: object, { block, before }: PythonStep): boolean {
  const isText = ["string", "category"].includes(column(before, before.y?.[0] ?? "").type);
  return block.code === "MS_XGBOOST" || (isText && Object.keys(weight).some((label) => /^\s*[-+]?\d/.test(label)));
}

/** JSON's keys are texts; a column of numbers has numbers for classes. */
function weightsByLabel(weight: object, { before }: PythonStep): string {
  const { type } = column(before, before.y?.[0] ?? "");
  const key = (label: string) =>
    // As a number a large integer would lose its last digits.
    type === "number"
      ? /^-?\d+$/.test(label)
        ? label
        : literal(Number(label))
      : type === "boolean"
        ? literal(label === "true")
        : literal(label);
  const pairs = Object.entries(weight).map(([label, value]) => `${key(label)}: ${literal(value)}`);
  return `{${pairs.join(", ")}}`;
}
