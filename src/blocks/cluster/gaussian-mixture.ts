import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { criteriaOf, logBases, type Mixture, mixtureShares, whiteningOf } from "../../numerics/cluster/mixture.ts";
import type { Matrix } from "../../numerics/types.ts";
import { call, numberList, value } from "../../plan/expr.ts";
import { mixtureOnnx } from "../onnx/mixture.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { defineClustering } from "./clustering.ts";
import { type FittedMixture, mixtureFitter, type NoMixture } from "./mixture-runs.ts";
import { componentsView, criteriaChart, short } from "./mixture-view.ts";
import type { RowScores } from "./new-rows.ts";

/** "auto" tries up to so many components. */
const autoComponents = 10;

/**
 * BL_GAUSSIAN_MIXTURE. Groups rows by normal distributions: a mixture, as scikit-learn's GaussianMixture.
 *
 * Needs no target. X are the features; without roles, all columns of numbers. The table gets a column `cluster`, for what
 * follows: the component that is likeliest; predictions say how likely each one is. Metrics have `log_likelihood`, a row's
 * mean, with `aic` and `bic`, of which the least is best. Fitted by expectation maximisation, which begins with k-means.
 */
export const gaussianMixture = defineClustering({
  code: "BL_GAUSSIAN_MIXTURE",
  name: "gaussianMixture",
  why: 'It finds groups that are stretched, of unlike size or that overlap, and says how likely each row is of each. Let "auto" choose how many there are.',
  args: {
    /** How many components: a number, the least and the most such as [2, 8], or "auto" for [1, 10]; of several the one of least BIC counts (default 1). */
    n_components: z
      .union([z.int().min(1).max(1000), z.array(z.int().min(1).max(1000)).length(2), z.literal("auto")])
      .default(1),
    /** What components have of their own: "full" any covariance, "tied" one for all, "diag" a variance for each feature, "spherical" one variance (default "full"). */
    covariance_type: z.literal(["full", "tied", "diag", "spherical"]).default("full"),
    /** The gain of the mean log likelihood at which a run stops (default 0.001). */
    tol: z.number().min(0).default(0.001),
    /** Added to each variance, so that none is 0 (default 0.000001). */
    reg_covar: z.number().min(0).default(0.000001),
    /** Steps of a run at most (default 100). */
    max_iter: z.int().min(1).max(100_000).default(100),
    /** Runs from other first clusters, of which the likeliest counts (default 1). */
    n_init: z.int().min(1).max(1000).default(1),
    /** Seed of the first clusters (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).gaussianMixture({ n_components: 3 }).metrics()',
  async fit(x, args, context, who) {
    const numbers = numbersOf(args.n_components, x.n, who);
    const fitted = await mixtureFitter(x, args, context);
    const tried: (FittedMixture & { readonly k: number })[] = [];
    let failed: NoMixture | undefined;
    for (const [at, k] of numbers.entries()) {
      const one =
        numbers.length > 1 ? await context.within("components", at, numbers.length, () => fitted(k)) : await fitted(k);
      if ("singular" in one) failed ??= one;
      else tried.push({ k, ...one });
    }
    if (tried.length === 0) throw refusal(failed as NoMixture, args.reg_covar, who);
    const best = tried.reduce((least, one) => (one.bic < least.bic ? one : least));
    const { mixture, k } = best;
    const labels = likeliest(await sharesOf(mixture, x, context));
    const distinct = new Set(labels).size;
    const lacking = numbers.filter((number) => !tried.some((one) => one.k === number));
    return {
      parameters: mixture,
      labels,
      scores: mixtureScores(mixture, x.d),
      ...(numbers.length > 1 ? { found: { n_components: k, bic: best.bic } } : {}),
      shown: stack(
        text(
          `${numbers.length > 1 ? `Of ${numbers[0]} to ${numbers.at(-1)} components, ${k} have the least BIC. ` : ""}Mean log likelihood ${short(best.logLikelihood / x.n)}, AIC ${short(best.aic)}, BIC ${short(best.bic)}, in ${count(best.steps, "step")}.`,
        ),
        componentsView(mixture, x.names),
        tried.length > 1 && { kind: "chart" as const, chart: criteriaChart(tried, k, x.n) },
      ),
      notices: [
        ...(best.converged ? [] : [`it had not converged after ${count(args.max_iter, "step")}; raise max_iter.`]),
        ...(distinct < k ? [`only ${count(distinct, "cluster")} of ${k} have rows; take fewer.`] : []),
        ...(lacking.length > 0 ? [`n_components ${lacking.join(", ")} had no fit; raise reg_covar.`] : []),
        ...(args.n_components === 1
          ? ['one component is one cluster of all rows; n_components "auto" finds how many fit best.']
          : []),
      ],
    };
  },
  async assign(mixture: Mixture, x, context) {
    const matrix = await sharesOf(mixture, x, context);
    return { labels: likeliest(matrix), matrix };
  },
  async judge(mixture, x, context) {
    const { n, d, data } = await computeRows(
      context,
      mixtureShares,
      { x: matrixOf(x), mixture },
      "densities",
      fewestRows,
    );
    const logLikelihood = data.subarray((d - 1) * n).reduce((sum, density) => sum + density, 0);
    const { aic, bic } = criteriaOf(mixture, n, x.d, logLikelihood);
    return { log_likelihood: logLikelihood / n, aic, bic };
  },
  onnx: mixtureOnnx,
});

/** Rows worth a thread. */
const fewestRows = 5000;

/** The numbers of components that are asked for, checked beside the rows. */
function numbersOf(asked: number | readonly number[] | "auto", n: number, who: string): number[] {
  const [least, most] =
    asked === "auto" ? [1, Math.min(autoComponents, n)] : typeof asked === "number" ? [asked, asked] : asked;
  if (most > n || least > most) {
    const rule = least > most ? "must go from the least to the most" : `must be between 1 and ${n} (rows)`;
    throw new DataError(
      `${who}: n_components ${rule}, got ${typeof asked === "number" ? asked : `[${least}, ${most}]`}.`,
      {
        path: "n_components",
        got: typeof asked === "number" ? asked : [least, most],
        expected: `1 to ${n}`,
      },
    );
  }
  return Array.from({ length: most - least + 1 }, (_, at) => least + at);
}

function refusal({ singular }: NoMixture, floor: number, who: string): DataError {
  if (singular === null) {
    return new DataError(
      `${who}: the numbers are too large, their squares pass 1e308. Scale the features with scale (DP_5) first.`,
      { code: "overflow", hint: "scale" },
    );
  }
  return new DataError(
    `${who}: the rows of component ${singular} lie in fewer dimensions than there are features, so its covariance has no inverse. Raise reg_covar (now ${floor}), scale the features with scale (DP_5), or take fewer components.`,
    { code: "singular", path: "reg_covar", got: floor, hint: "scale" },
  );
}

/** How likely each row is of each component: rows×components. */
async function sharesOf(mixture: Mixture, x: Matrix, context: BlockContext): Promise<Matrix> {
  const { n, d, data } = await computeRows(context, mixtureShares, { x: matrixOf(x), mixture }, "clusters", fewestRows);
  return { n, d: d - 1, data: data.subarray(0, n * (d - 1)) };
}

/** The likeliest component of each row, of equals the first. */
function likeliest(shares: Matrix): Int32Array {
  const { n, d, data } = shares;
  return new Int32Array(n).map((_, i) => {
    let best = 0;
    for (let c = 1; c < d; c++) if (data[c * n + i] > data[best * n + i]) best = c;
    return best;
  });
}

/** The logarithms of the densities, by which an engine finds the cluster of a row. */
function mixtureScores(mixture: Mixture, d: number): RowScores {
  const bases = logBases(mixture, d);
  return {
    clusters: bases.length,
    constants: mixture.whitening.length * (mixture.type === "tied" ? bases.length : 1),
    score(c, features) {
      const matrix = whiteningOf(mixture, c, d);
      const squares = Array.from({ length: d }, (_, j) => {
        const row = matrix.subarray(j * d, (j + 1) * d);
        const mean = row.reduce((sum, each, i) => sum + each * mixture.means[c * d + i], 0);
        const off = call("subtract", call("dot", features, numberList(row)), value(mean, "number"));
        return call("power", off, value(2, "number"));
      });
      const square = squares.reduce((sum, each) => call("add", sum, each));
      return call("subtract", value(bases[c], "number"), call("multiply", square, value(0.5, "number")));
    },
  };
}
