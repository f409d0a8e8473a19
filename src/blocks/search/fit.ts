import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { classificationMetrics, regressionMetrics } from "../../numerics/evaluation/metrics.ts";
import { applyRecipe, fitRecipe, type Recipe } from "../../numerics/search/recipe.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { Prediction } from "../models/model-types.ts";
import { codesOf, probabilitiesOf } from "../models/predict.ts";
import { matrixOf } from "../shared/row-parts.ts";
import type { Pipeline } from "./pipelines.ts";
import { categoryCounts, mostCategories, type Problem, type Rows } from "./problem.ts";
import { trainerOf } from "./trainer.ts";

/** A fitted pipeline: how features are made, the model's parameters, and the classes that it learnt. */
export interface Member {
  readonly pipeline: Pipeline;
  readonly recipe: Recipe | null;
  readonly parameters: unknown;
  /** Codes of the classes among all labels; none for numbers. */
  readonly present: Int32Array;
}

/** What a pipeline answers for rows: numbers, or classes with probabilities where it has any. */
export interface Answers {
  readonly numbers: Float64Array | null;
  readonly codes: Int32Array;
  readonly probability: Matrix | null;
}

/** What a fit asks of a problem. */
export type Learnable = Pick<Problem, "task" | "target" | "features" | "truths" | "labels">;

/** Fits a pipeline to rows: the features' recipe as well as the model. */
export async function fitPipeline(
  pipeline: Pipeline,
  rows: Rows,
  problem: Learnable,
  context: BlockContext,
  who: string,
): Promise<Member> {
  const { helper, args, preparation } = pipeline;
  const trainer = trainerOf(helper, who);
  const input = { x: matrixOf(rows.x), categories: categoryCounts(problem, rows.categories), mostCategories };
  const recipe = preparation && (await context.compute(fitRecipe, { ...input, ...preparation }));
  if (recipe && recipe.from.length === 0) throw new DataError(`${who}: no feature is left to learn from.`);
  const made = recipe && (await context.compute(applyRecipe, { x: matrixOf(rows.x), recipe }));
  const x = made ? { names: Array.from({ length: made.d }, (_, k) => `f${k}`), ...made } : rows.x;
  const isNumbers = problem.task === "regression";
  const present = Int32Array.from(new Set(rows.codes)).sort();
  const place = new Map(Array.from(present, (code, k) => [code, k]));
  const codes = rows.codes.map((code) => place.get(code) ?? 0);
  const labels = Array.from(present, (code) => problem.labels[code]);
  const y = { names: [problem.target], n: rows.y.length, d: isNumbers ? 1 : 0, data: rows.y };
  const data = {
    ...{ x, y, classes: { name: problem.target, labels, codes } },
    ...(recipe ? {} : { categories: rows.categories }),
  };
  const parameters = await trainer.fit(data, trainer.checked(args, context), context);
  return { pipeline, recipe, parameters, present };
}

/** What a fitted pipeline answers for rows as they are. */
export async function ask(
  { pipeline, recipe, parameters, present }: Member,
  x: Matrix,
  labels: number,
  context: BlockContext,
  who: string,
): Promise<Answers> {
  const given = matrixOf(x);
  const made = recipe ? await context.compute(applyRecipe, { x: given, recipe }) : given;
  return answersOf(await trainerOf(pipeline.helper, who).answer(parameters, made, context), present, labels);
}

/** A prediction of some classes as one of all. */
function answersOf(prediction: Prediction, present: Int32Array, labels: number): Answers {
  if (prediction.kind === "numbers") {
    return { numbers: prediction.values, codes: new Int32Array(0), probability: null };
  }
  const codes = codesOf(prediction).map((code) => present[code]);
  const own = probabilitiesOf(prediction);
  if (!own || own.d === labels) return { numbers: null, codes, probability: own ?? null };
  const data = new Float64Array(own.n * labels);
  for (const [k, code] of present.entries()) data.set(own.data.subarray(k * own.n, (k + 1) * own.n), code * own.n);
  return { numbers: null, codes, probability: { n: own.n, d: labels, data } };
}

/** The score of answers; null where these rows have none, as roc_auc of one class. */
export async function scoreOf(
  { numbers, codes, probability }: Answers,
  rows: Rows,
  labels: number,
  scoring: string,
  context: BlockContext,
): Promise<number | null> {
  if (numbers) {
    const found = await context.compute(regressionMetrics, { y: rows.y, predicted: numbers });
    return found[scoring as "r2" | "rmse" | "mae" | "mse" | "mape"];
  }
  // Classes that the other folds don't have count as wrong, by a code of their own.
  const hasOthers = rows.codes.some((code) => code < 0);
  const classes = labels + (hasOthers ? 1 : 0);
  const y = hasOthers ? rows.codes.map((code) => (code < 0 ? labels : code)) : rows.codes;
  const wide = probability && { n: probability.n, d: classes, data: new Float64Array(probability.n * classes) };
  if (wide && probability) wide.data.set(probability.data);
  const found = await context.compute(classificationMetrics, {
    ...{ y, predicted: codes, classes },
    ...(wide ? { probability: wide } : {}),
  });
  const { rocAuc: roc_auc, logLoss: log_loss, accuracy, precision, recall, f1 } = found;
  return { roc_auc, log_loss, accuracy, precision, recall, f1 }[scoring as "f1"] ?? null;
}
