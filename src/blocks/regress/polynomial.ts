import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, freshNames } from "../../core/names.ts";
import type { Linear } from "../../numerics/linear/linear.ts";
import {
  countTerms,
  fitPolynomial,
  polynomialTerms,
  predictPolynomial,
  type Terms,
  termPowers,
} from "../../numerics/linear/polynomial.ts";
import { call, type Expr } from "../../plan/expr.ts";
import { addStep, type Output } from "../../plan/node.ts";
import { equation, rankNotices, refuseOverflow } from "../models/coefficients.ts";
import type { Fitted } from "../models/model-types.ts";
import { defineModel } from "../models/models.ts";
import { polynomialOnnx } from "../onnx/linear.ts";
import { type FarColumns, farColumns, numberOf } from "../shared/far-products.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { farLeastSquares, lineAnswer } from "./far-line.ts";

const who = "polynomial (ML_R_3)";

/** Beyond this many terms the equations alone take 200 MB, and solving them minutes. */
const mostTerms = 5000;

/** Of rows on a cluster a sum is asked for each pair of terms. */
const mostFarTerms = 200;

/**
 * ML_R_3. Polynomial regression: least squares on all products of features up to a degree.
 *
 * As scikit-learn's PolynomialFeatures before LinearRegression. Of coefficients that fit alike, the smallest are taken.
 */
export const polynomial = defineModel({
  code: "ML_R_3",
  name: "polynomial",
  task: "regression",
  why: "Squares and products let a line bend and features act together. Terms grow fast, and far from its rows it goes astray.",
  args: {
    /** Factors of a product at most (default 2). */
    degree: z.int().min(1).max(100).default(2),
    /** Multiply different features alone, without powers of one (default false). */
    interaction_only: z.boolean().default(false),
    /** Singular values of the terms up to this share of the largest count as 0 (default 0.000001). */
    tol: z.number().min(0).max(1).default(1e-6),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).polynomial({ degree: 2 }).metrics()',
  async fit({ x, y }, args, context) {
    const terms = termsOf(x, args, mostTerms);
    const input = { x: matrixOf(x), y: matrixOf(y), terms, tolerance: args.tol };
    return fittedTerms(terms, await context.compute(fitPolynomial, input, "least squares"), { x, y }, args.tol);
  },
  async predict({ terms, coef, intercept }, x, context) {
    const answers = await computeRows(
      context,
      predictPolynomial,
      { x: matrixOf(x), terms, coef, intercept },
      "predict",
    );
    return { kind: "numbers", values: columnOf(answers, 0) };
  },
  far: {
    async fit({ far, x, y }, args, context) {
      const terms = termsOf(x, args, mostFarTerms);
      const asked = { intercept: true, tolerance: args.tol };
      const found = await farLeastSquares(await withTerms(far, terms, context), asked, who, context);
      return fittedTerms(terms, found, { x, y }, args.tol);
    },
    answer: ({ terms, coef, intercept }, x) => lineAnswer({ coef, intercept }, products(x, terms)),
  },
  onnx: polynomialOnnx,
});

/** The terms that are asked for, if they are not too many. */
function termsOf(
  { d }: { readonly d: number },
  { degree, interaction_only }: { readonly degree: number; readonly interaction_only: boolean },
  most: number,
): Terms {
  const made = countTerms(d, degree, interaction_only);
  if (made <= most) return polynomialTerms(d, degree, interaction_only);
  const there = most === mostFarTerms ? " of rows that lie on Spark" : "";
  throw new DataError(
    `${who}: degree ${degree} of ${count(d, "feature")} makes ${made.toLocaleString("en-US", { maximumSignificantDigits: 6 })} terms, more than ${most.toLocaleString("en-US")}${there}. Take a smaller degree, or fewer features with drop (DP_6) or pca (DP_PCA).`,
    { path: "degree", got: made, expected: `at most ${most} terms` },
  );
}

function fittedTerms(
  terms: Terms,
  { coef, intercept, rank }: Linear,
  { x, y }: Record<"x" | "y", { readonly names: readonly string[] }>,
  tolerance: number,
): Fitted<{ terms: Terms; coef: Float64Array; intercept: Float64Array }> {
  refuseOverflow([coef, intercept], who);
  const names = Array.from(coef, (_, t) =>
    termPowers(terms, t)
      .map(([j, power]) => (power === 1 ? x.names[j] : `${x.names[j]}^${power}`))
      .join(" · "),
  );
  return {
    parameters: { terms, coef, intercept },
    weights: { title: "coefficients", values: [...coef], names },
    shown: equation(y.names[0], names, coef, intercept[0]),
    notices: rankNotices(rank, coef.length, tolerance, "terms"),
  };
}

/** Each term as a product of features; one without its last factor comes before it. */
function products(x: readonly Expr[], { parent, feature }: Terms): Expr[] {
  const made: Expr[] = [];
  for (const [t, j] of feature.entries()) made.push(parent[t] < 0 ? x[j] : call("multiply", made[parent[t]], x[j]));
  return made;
}

/** The terms of a cluster's features as columns, and behind them the target. */
async function withTerms(far: FarColumns, terms: Terms, context: BlockContext): Promise<FarColumns> {
  const { columns, relation, rows } = far;
  const { id, name } = context.block;
  const made = products(columns.slice(0, terms.d).map(numberOf), terms);
  const target = columns[terms.d];
  const called = freshNames(
    made.map((_, t) => `term ${t}`),
    [target.name],
  );
  const outputs = made.map((expr, t): Output => ({ column: { name: called[t], type: "number" }, expr }));
  const planned = addStep(relation, { block: id, name, outputs: [...outputs, { column: target }] });
  const all = [...outputs.map(({ column }) => column), target];
  return await farColumns(all, { relation: planned, rows }, context);
}
