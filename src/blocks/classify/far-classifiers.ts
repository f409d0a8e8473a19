import type { BlockContext } from "../../core/block.ts";
import { type Column, cell } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { fittingLogistic, type Logistic, type LogisticInput, logisticUnits } from "../../numerics/linear/logistic.ts";
import type { LossSums } from "../../numerics/linear/loss-sums.ts";
import type { ProductSums } from "../../numerics/linear/products.ts";
import {
  mostWhitened,
  type ScaledColumns,
  type ScorePoint,
  whitenedColumns,
} from "../../numerics/linear/score-descent.ts";
import type { NaiveBayes, NaiveBayesSums } from "../../numerics/naive-bayes.ts";
import { call, column, type Expr, value } from "../../plan/expr.ts";
import { addStep, type Output } from "../../plan/node.ts";
import type { FarTraining } from "../models/far-training.ts";
import type { FarAnswer } from "../models/model-types.ts";
import { lineOf } from "../regress/far-line.ts";
import { farProducts, numberOf } from "../shared/far-products.ts";

/** Counts, means and squared distances from them of each feature in each class of a cluster's rows. */
export async function farBayesSums(
  { far, classes, counts }: FarTraining,
  { tables }: BlockContext,
): Promise<Omit<NaiveBayesSums, "varSmoothing" | "priors">> {
  const d = far.columns.length;
  const by = [column(classes.name)];
  const outputs = far.columns.flatMap((each) => [call("mean", numberOf(each)), call("variance", numberOf(each))]);
  const order = by.map((expr) => ({ expr }));
  // They come in the order of the labels, of which none is missing.
  const { found } = await tables.groups(far.relation, far.rows, { by, outputs, order });
  const theta = new Float64Array(counts.length * d);
  const squares = new Float64Array(counts.length * d);
  const totals = new Float64Array(d);
  for (const [k, cells] of found.entries()) {
    for (let j = 0; j < d; j++) {
      const [mean, variance] = [Number(cells[2 * j]), Number(cells[2 * j + 1] ?? 0)];
      theta[k * d + j] = mean;
      squares[k * d + j] = variance * (counts[k] - 1);
      totals[j] += counts[k] * mean;
    }
  }
  return { counts: Float64Array.from(counts), theta, squares, totals };
}

/** The score of each class for a row: the log density of its features there. */
export function bayesAnswer({ theta, variance, prior }: NaiveBayes, x: readonly Expr[]): FarAnswer {
  const d = x.length;
  const scores = Array.from(prior, (p, k) => {
    const own = variance.subarray(k * d, (k + 1) * d);
    const base = own.reduce((sum, each) => sum - 0.5 * Math.log(2 * Math.PI * each), Math.log(p));
    return x.reduce<Expr>(
      (score, each, j) => {
        const off = call("subtract", each, value(theta[k * d + j], "number"));
        const rate = value(1 / (2 * own[j]), "number");
        return call("subtract", score, call("multiply", call("multiply", off, off), rate));
      },
      value(base, "number"),
    );
  });
  return { kind: "scores", scores };
}

/** The scores of a logistic regression: of two classes that of the second. */
export function logisticAnswer(
  { coef, intercept }: Pick<Logistic, "coef" | "intercept" | "classes">,
  x: readonly Expr[],
): FarAnswer {
  const d = x.length;
  return {
    kind: "scores",
    scores: Array.from(intercept, (bias, k) => lineOf(x, coef.subarray(k * d, (k + 1) * d), bias)),
  };
}

/** What a logistic regression of a cluster's rows is asked for. */
export interface FarLogistic extends Pick<LogisticInput, "c" | "intercept" | "maxIter" | "tol"> {
  /** What a row of each class weighs (default 1). */
  readonly weights?: readonly number[] | undefined;
}

/**
 * Fits a logistic regression on a cluster by the steps of `fitLogistic`, each of which asks for sums over the rows.
 *
 * The sums are exact, so the fit is the same however the table is parted.
 */
export async function farLogistic(
  data: FarTraining,
  { weights, ...asked }: FarLogistic,
  context: BlockContext,
): Promise<Logistic> {
  const { counts } = data;
  const total = counts.reduce((sum, rows, k) => sum + rows * (weights?.[k] ?? 1), 0);
  const input = { ...asked, classes: counts.length };
  const { ridge } = logisticUnits(asked, total);
  const columns = await unitsFar(data, { weights, total, ridge, intercept: asked.intercept !== false }, context);
  const steps = fittingLogistic(input, columns, (done, all) => context.progress("logistic regression", done, all));
  let next = steps.next();
  while (!next.done) next = steps.next(await lossSumsFar(data, next.value, weights, context));
  return next.value;
}

/** As `scaledColumns`; how columns go together is told by all rows. */
async function unitsFar(
  { far, classes }: FarTraining,
  {
    weights,
    total,
    ridge,
    intercept,
  }: { weights: FarLogistic["weights"]; total: number; ridge: number; intercept: boolean },
  { tables }: BlockContext,
): Promise<ScaledColumns> {
  const weighed = (expr: Expr) => (weights ? call("multiply", weightOf(classes, weights), expr) : expr);
  const ask = async (exprs: readonly Expr[]) =>
    Float64Array.from(await tables.aggregate(far.relation, far.rows, exprs), (each) => Number(each ?? NaN) / total);
  const x = far.columns.map(numberOf);
  const d = x.length;
  const mean = intercept
    ? weights
      ? await ask(x.map((each) => call("sum", weighed(each))))
      : far.mean
    : new Float64Array(d);
  const squares = x.map((each, j) => {
    const off = call("subtract", each, value(mean[j], "number"));
    return call("sum", weighed(call("multiply", off, off)));
  });
  const products = d <= mostWhitened ? await farProducts(far, mean, { tables }) : null;
  const product = ({ sums, width }: ProductSums, i: number, j: number) => sums[i * width + j] / far.n;
  const variance = products && !weights ? mean.map((_, j) => product(products, j, j)) : await ask(squares);
  // Rounding alone is no spread.
  const scale = variance.map((each, j) => {
    const own = Math.sqrt(each) > 1e-12 * Math.abs(mean[j]) ? each : 0;
    return Math.sqrt((Number.isNaN(each) ? each : own) + ridge) || 1;
  });
  if (!products) return { mean, scale, total };
  const scaled = new Float64Array(d * d);
  for (let i = 0; i < d; i++)
    for (let j = 0; j <= i; j++) scaled[i * d + j] = product(products, i, j) / scale[i] / scale[j];
  return whitenedColumns({ mean, scale, total }, scaled, ridge);
}

/** The weight of a row by its class. */
function weightOf({ name, labels }: FarTraining["classes"], weights: readonly number[]): Expr {
  return labels.reduceRight<Expr>(
    (rest, label, k) =>
      call("choose", call("equal", column(name, typeOfLabel(label)), value(label)), value(weights[k], "number"), rest),
    value(0, "number"),
  );
}

function typeOfLabel(label: string | number | boolean): "string" | "integer" | "boolean" {
  return typeof label === "number" ? "integer" : typeof label === "boolean" ? "boolean" : "string";
}

/** The loss of all rows at a point, and its gradient. */
async function lossSumsFar(
  { far, classes }: FarTraining,
  { coef, intercept }: ScorePoint,
  weights: FarLogistic["weights"],
  { tables, block }: BlockContext,
): Promise<LossSums> {
  const rows = intercept.length;
  const d = far.columns.length;
  const target = targetOf(classes);
  const called = freshNames(
    ["top", "all", "loss", ...Array.from(intercept, (_, k) => `score ${k}`)],
    [...far.columns, target].map((each) => each.name),
  );
  const [top, all, loss, ...scores] = called.map((name): Column => ({ name, type: "number" }));
  const x = far.columns.map(numberOf);
  const lines = scores.map((each, k): Made => [each, lineOf(x, coef.subarray(k * d, (k + 1) * d), intercept[k])]);
  const { id, name } = block;
  const residuals = (rows === 1 ? residualsOfTwo : residualsOfMany)({
    ...{ top, all, loss, scores },
    isOf: (k) => call("equal", cell(target), value(classes.labels[k])),
    weighed: (expr) => (weights ? call("multiply", weightOf(classes, weights), expr) : expr),
  });
  // Node by node, so that each row's scores are worked out once.
  const relation = [{ made: lines, kept: [] }, ...residuals].reduce((before, { made, kept }) => {
    const passed = [...far.columns, target, ...kept].map((each): Output => ({ column: each }));
    return addStep(before, {
      block: id,
      name,
      outputs: [...passed, ...made.map(([each, expr]) => ({ column: each, expr }))],
    });
  }, far.relation);
  const asked = scores.flatMap((each) => [
    call("sum", cell(each)),
    ...x.map((feature) => call("sum", call("multiply", cell(each), feature))),
  ]);
  const found = await tables.aggregate(relation, far.rows, [call("sum", cell(loss)), ...asked]);
  const [lost, ...sums] = found.map((each) => (each === null ? Number.NaN : Number(each)));
  return {
    loss: lost,
    coef: Float64Array.from({ length: rows * d }, (_, at) => sums[Math.floor(at / d) * (d + 1) + 1 + (at % d)]),
    intercept: Float64Array.from({ length: rows }, (_, k) => sums[k * (d + 1)]),
  };
}

/** A column and what it holds. */
type Made = readonly [Column, Expr];

/** What a row's scores are turned into: a node's own columns, and those of the node before that it keeps. */
interface Turn {
  readonly made: readonly Made[];
  readonly kept: readonly Column[];
}

/** The columns of the turns: of scores, which become residuals, of the loss, and two on the way. */
interface Turning {
  readonly top: Column;
  readonly all: Column;
  readonly loss: Column;
  readonly scores: readonly Column[];
  /** Is a row of this class? */
  isOf(k: number): Expr;
  weighed(expr: Expr): Expr;
}

const number = (x: number) => value(x, "number");

/** From the score of the second of two classes. */
function residualsOfTwo({ all, loss, scores: [score], isOf, weighed }: Turning): Turn[] {
  const share = call(
    "divide",
    call("choose", call("less", cell(score), number(0)), cell(all), number(1)),
    call("add", number(1), cell(all)),
  );
  const wrong = call("greatest", call("choose", isOf(1), call("negate", cell(score)), cell(score)), number(0));
  const lost = call("add", wrong, call("ln", call("add", number(1), cell(all))));
  const residual = call("subtract", share, call("choose", isOf(1), number(1), number(0)));
  return [
    // exp(−|score|) never runs over.
    { made: [[all, call("exp", call("negate", call("abs", cell(score))))]], kept: [score] },
    {
      made: [
        [loss, weighed(lost)],
        [score, weighed(residual)],
      ],
      kept: [],
    },
  ];
}

/** From a score for each class. */
function residualsOfMany({ top, all, loss, scores, isOf, weighed }: Turning): Turn[] {
  const mine = scores.reduceRight<Expr>((rest, each, k) => call("choose", isOf(k), cell(each), rest), number(0));
  const [first, ...others] = scores.map(cell);
  const sum = others.reduce<Expr>((rest, each) => call("add", rest, each), first);
  return [
    { made: [[top, call("greatest", ...scores.map(cell))]], kept: scores },
    {
      made: [
        [loss, call("subtract", cell(top), mine)],
        ...scores.map((each): Made => [each, call("exp", call("subtract", cell(each), cell(top)))]),
      ],
      kept: [],
    },
    { made: [[all, sum]], kept: [loss, ...scores] },
    {
      made: [
        [loss, weighed(call("add", cell(loss), call("ln", cell(all))))],
        ...scores.map((each, k): Made => {
          const share = call("divide", cell(each), cell(all));
          return [each, weighed(call("subtract", share, call("choose", isOf(k), number(1), number(0))))];
        }),
      ],
      kept: [],
    },
  ];
}

/** The target as a column of its labels' type. */
function targetOf({ name, labels }: FarTraining["classes"]): Column {
  const type = typeOfLabel(labels[0]);
  return type === "integer" ? { name, type: "number", integer: true } : { name, type };
}
