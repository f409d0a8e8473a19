import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { ClassColumn, NumberColumns } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { stack, text, type View } from "../../core/view.ts";
import { type Logistic, predictLogistic } from "../../numerics/linear/logistic.ts";
import { logisticErrors, multinomialErrors } from "../../numerics/linear/wald.ts";
import { predictLogisticRows } from "../../numerics/sparse/sums.ts";
import { z975 } from "../../numerics/statistics/student.ts";
import { addedLine } from "../models/additive.ts";
import { classWeight, classWeights, rowWeights } from "../models/class-weight.ts";
import { intervals, refuseOverflow } from "../models/coefficients.ts";
import { fitLogisticOnThreads, fitSparseLogisticOnThreads } from "../models/descent-threads.ts";
import { defineModel } from "../models/models.ts";
import { logisticOnnx } from "../onnx/linear.ts";
import { computeRows, matrixOf, sparseOf } from "../shared/row-parts.ts";
import { farLogistic, logisticAnswer } from "./far-classifiers.ts";

const who = "logistic (ML_CN_1)";

const penalties = ["l2", "l1", "elasticnet", "none"] as const;

/**
 * ML_CN_1. Logistic regression, as scikit-learn's LogisticRegression: its penalty holds the coefficients small.
 *
 * Several classes are fitted together (multinomial). The penalty acts alike on all features, so scale them first; with
 * `penalty: "l1"`, or `l1_ratio`, features that help little weigh exactly nothing. With `penalty: "none"` the coefficients
 * come with 95 % intervals (Wald's), and with what a unit more multiplies the odds by; of several classes, what each class's
 * differ by from the first one's. Texts' terms, from vectorize (DP_VEC), stay sparse; the answer is the same.
 */
export const logistic = defineModel({
  code: "ML_CN_1",
  name: "logistic",
  task: "classification",
  why: "It weighs each feature and adds up, so one sees what speaks for which class, and its probabilities can mostly be trusted. It draws straight borders; scale the features first.",
  args: {
    /** What is held small: the coefficients' squares ("l2"), their sizes ("l1"), both ("elasticnet"), or nothing ("none") (default "l2", or by l1_ratio). */
    penalty: z.enum(penalties).optional(),
    /** The share of the penalty on the sizes, the rest is on the squares; 0 is "l2", 1 is "l1" (default by penalty, 0.5 of "elasticnet"). */
    l1_ratio: z.number().min(0).max(1).optional(),
    /** Inverse strength of the penalty; smaller is stricter (default 1). */
    C: z.number().positive().default(1),
    /** Steps of the optimiser at most (default 100). */
    max_iter: z.int().min(1).max(100_000).default(100),
    /** The gradient below which it stops (default 0.0001). */
    tol: z.number().positive().default(0.0001),
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
    /** What a row of each class counts: "balanced", or weights by label (default: all the same). */
    class_weight: classWeight().optional(),
    /** Accepted for clients that send it; the fit draws nothing (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().logistic().metrics()',
  async fit({ x, classes }, args, context) {
    const input = { ...inputOf(args, classes), x: matrixOf(x) };
    const found = await fitLogisticOnThreads(input, context);
    const made = fitted(found, x.d, args, classes);
    const shown = isSure(found, args) ? await sureness(x, found, args, classes, context) : [];
    return shown.length === 0 ? made : { ...made, shown: stack(...shown) };
  },
  async predict({ coef, intercept, classes }, x, context) {
    const input = { x: matrixOf(x), coef, intercept, classes };
    const matrix = await computeRows(context, predictLogistic, input, "predict");
    return { kind: "probabilities", matrix };
  },
  sparse: {
    async fit({ x, classes }, args, context) {
      const input = { ...inputOf(args, classes), x: sparseOf(x) };
      return fitted(await fitSparseLogisticOnThreads(input, context), x.d, args, classes);
    },
    async predict({ coef, intercept, classes }, x, context) {
      const matrix = await context.compute(
        predictLogisticRows,
        { x: sparseOf(x), coef, intercept, classes },
        "predict",
      );
      return { kind: "probabilities", matrix };
    },
  },
  far: {
    isStepwise: true,
    async fit(data, args, context) {
      const weights = classWeights(args.class_weight, data.classes.labels, data.counts, who);
      const asked = { ...askedOf(args), weights };
      return fitted(await farLogistic(data, asked, context), data.x.d, args, data.classes);
    },
    answer: logisticAnswer,
  },
  additive: (line) => addedLine(line, "log odds"),
  onnx: logisticOnnx,
});

/** A mean log loss this small has every row on its side. */
const parted = 1e-3;
/** Coefficients up to which intervals are worked out. */
const mostShown = 200;
/** Classes that are shown against the first one. */
const mostClasses = 5;

/** Are there intervals? Weighed rows are no counts of rows. */
function isSure({ coef, converged, loss }: Logistic, { penalty, class_weight: weight }: Args): boolean {
  return penalty === "none" && weight === undefined && converged && loss >= parted && coef.length <= mostShown;
}

/** The intervals of two classes' coefficients; of several of what each class's differ by from the first one's. */
async function sureness(
  x: NumberColumns,
  { coef, intercept, classes }: Logistic,
  args: Args,
  { labels }: ClassColumn,
  context: BlockContext,
): Promise<View[]> {
  const matrix = matrixOf(x);
  const shown = (own: Float64Array, errors: Float64Array, title?: string) =>
    intervals(x.names, own, { errors, quantile: z975, perUnit: true, ...(title ? { title } : {}) });
  if (classes === 2) {
    const input = { x: matrix, coef, intercept: args.fit_intercept ? intercept[0] : null };
    const errors = await context.compute(logisticErrors, input, "standard errors");
    return errors ? shown(coef, errors) : [];
  }
  const shares = await computeRows(context, predictLogistic, { x: matrix, coef, intercept, classes }, "predict");
  const input = { x: matrix, shares, intercept: args.fit_intercept };
  const errors = await context.compute(multinomialErrors, input, "standard errors");
  if (!errors) return [];
  const own = errors.length / (classes - 1);
  const tables = labels.slice(1, 1 + mostClasses).flatMap((label, k) => {
    const apart = coef.subarray(0, x.d).map((first, j) => coef[(k + 1) * x.d + j] - first);
    return shown(apart, errors.subarray(k * own), `${label} against ${labels[0]}, with 95 % intervals`);
  });
  const why = `Only what classes' coefficients differ by is known, since a number added to those of all classes changes no probability. So each class stands against ${labels[0]}; a unit more multiplies the odds between the two.`;
  const left = classes - 1 - mostClasses;
  return [
    ...tables,
    ...(left > 0 ? [text(`${count(left, "more class", "more classes")} against ${labels[0]} left out.`)] : []),
    text(why, "quiet"),
  ];
}

interface Args {
  readonly penalty?: (typeof penalties)[number] | undefined;
  readonly l1_ratio?: number | undefined;
  readonly C: number;
  readonly max_iter: number;
  readonly tol: number;
  readonly fit_intercept: boolean;
  readonly class_weight?: Parameters<typeof rowWeights>[0];
}

function inputOf(args: Args, classes: ClassColumn) {
  return {
    ...askedOf(args),
    y: classes.codes,
    classes: classes.labels.length,
    sampleWeight: rowWeights(args.class_weight, classes, who),
  };
}

function askedOf(args: Args) {
  const { c, l1Ratio } = penaltyOf(args);
  return { c, l1Ratio, maxIter: args.max_iter, tol: args.tol, intercept: args.fit_intercept };
}

/** How strong the penalty is, and which share of it is on the sizes. */
function penaltyOf({ penalty, l1_ratio: given, C }: Args): { readonly c: number; readonly l1Ratio: number } {
  if (penalty === "none") {
    if (given !== undefined) throw otherShare(penalty, given);
    return { c: Number.POSITIVE_INFINITY, l1Ratio: 0 };
  }
  const own = penalty === "l1" ? 1 : penalty === "elasticnet" ? 0.5 : 0;
  const fixed = penalty === "l1" || penalty === "l2";
  if (fixed && given !== undefined && given !== own) throw otherShare(penalty, given);
  return { c: C, l1Ratio: given ?? own };
}

function otherShare(penalty: string, given: number): ArgsError {
  return new ArgsError(
    `${who}: l1_ratio ${given} is another penalty than "${penalty}". Leave one of them out, or take penalty: "elasticnet".`,
    { path: "l1_ratio", got: given, expected: 'penalty: "elasticnet"' },
  );
}

function fitted({ coef, intercept, loss, converged }: Logistic, d: number, args: Args, { labels }: ClassColumn) {
  refuseOverflow([coef, intercept], who);
  const rows = intercept.length;
  const left = penaltyOf(args).l1Ratio > 0 ? leftOut(coef, d) : 0;
  const size = (k: number) => Array.from({ length: rows }, (_, row) => Math.abs(coef[row * d + k]));
  return {
    parameters: { coef, intercept, classes: labels.length },
    weights: {
      title: rows === 1 ? `coefficients for ${String(labels[1])}` : "largest coefficient of any class",
      values: Array.from({ length: d }, (_, k) => (rows === 1 ? coef[k] : Math.max(...size(k)))),
    },
    ...(left > 0 ? { shown: text(`${d - left} of ${count(d, "feature")} weigh something.`) } : {}),
    notices: [
      ...(converged
        ? []
        : [`it had not converged after ${args.max_iter} steps; scale the features, or raise max_iter.`]),
      ...(args.penalty === "none" && loss < parted
        ? ["a line parts the classes, so that without a penalty the coefficients have no end; take one, as by C."]
        : []),
    ],
  };
}

/** How many features weigh nothing, for whichever class. */
function leftOut(coef: Float64Array, d: number): number {
  const kept = new Set<number>();
  for (let at = 0; at < coef.length; at++) if (coef[at] !== 0) kept.add(at % d);
  return d - kept.size;
}
