import { z } from "zod";
import { DataError } from "../../core/errors.ts";
import { columnOf } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import {
  countTerms,
  fitPolynomial,
  polynomialTerms,
  predictPolynomial,
  termPowers,
} from "../../numerics/linear/polynomial.ts";
import { equation, rankNotices, refuseOverflow } from "../models/coefficients.ts";
import { defineModel } from "../models/models.ts";
import { polynomialOnnx } from "../onnx/linear.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

/** Beyond this many terms the equations alone take 200 MB, and solving them minutes. */
const mostTerms = 5000;

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
    const made = countTerms(x.d, args.degree, args.interaction_only);
    if (made > mostTerms) {
      throw new DataError(
        `polynomial (ML_R_3): degree ${args.degree} of ${count(x.d, "feature")} makes ${made.toLocaleString("en-US", { maximumSignificantDigits: 6 })} terms, more than ${mostTerms.toLocaleString("en-US")}. Take a smaller degree, or fewer features with drop (DP_6) or pca (DP_PCA).`,
        { path: "degree", got: made, expected: `at most ${mostTerms} terms` },
      );
    }
    const terms = polynomialTerms(x.d, args.degree, args.interaction_only);
    const { coef, intercept, rank } = await context.compute(
      fitPolynomial,
      { x: matrixOf(x), y: matrixOf(y), terms, tolerance: args.tol },
      "least squares",
    );
    refuseOverflow([coef, intercept], "polynomial (ML_R_3)");
    const names = Array.from(coef, (_, t) =>
      termPowers(terms, t)
        .map(([j, power]) => (power === 1 ? x.names[j] : `${x.names[j]}^${power}`))
        .join(" · "),
    );
    const notices = rankNotices(rank, coef.length, args.tol, "terms");
    const weights = { title: "coefficients", values: [...coef], names };
    const shown = equation(y.names[0], names, coef, intercept[0]);
    return { parameters: { terms, coef, intercept }, weights, shown, notices };
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
  onnx: polynomialOnnx,
});
