import type { BlockContext } from "../../core/block.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import {
  type CovarianceType,
  type Criteria,
  criteriaOf,
  type Mixture,
  type MixtureSums,
  mixtureSums,
  type NextMixtureInput,
  nextMixture,
} from "../../numerics/cluster/mixture.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { kmeansRuns, type Room, roomOf, rowRuns } from "./kmeans-runs.ts";

/** How a mixture is fitted. */
export interface MixtureArgs {
  readonly covariance_type: CovarianceType;
  readonly tol: number;
  readonly reg_covar: number;
  readonly max_iter: number;
  readonly n_init: number;
  readonly random_state: number;
}

/** A mixture, and how well it fits the rows that it learnt from. */
export interface FittedMixture extends Criteria {
  readonly mixture: Mixture;
  /** The rows' log likelihood, added up. */
  readonly logLikelihood: number;
  readonly steps: number;
  readonly converged: boolean;
}

/** No mixture: the component whose covariance is singular, or nothing where numbers are too large. */
export interface NoMixture {
  readonly singular: number | null;
}

/** Fits mixtures of several numbers of components to the same rows. */
export async function mixtureFitter(x: NumberColumns, args: MixtureArgs, context: BlockContext) {
  const room = await roomOf(x, context);
  const scatter = args.covariance_type === "tied" ? await scatterOf(x, room, context) : null;
  return async (k: number): Promise<FittedMixture | NoMixture> => {
    let best: Run | undefined;
    const init = { k, rounds: args.n_init, init: "k-means++", max_iter: 300, tol: 1e-4 } as const;
    for await (const start of kmeansRuns(room, { ...init, random_state: args.random_state }, context)) {
      const means = start.centres.map((value, at) => value + room.means[at % x.d]);
      const run = await oneRun(x, { means, labels: start.labels, scatter }, args, context);
      if ("singular" in run) return run;
      if (!best || run.bound > best.bound) best = run;
    }
    const { mixture, steps, converged } = best as Run;
    const { logLikelihood } = await sumsOf(x, mixture, context);
    return { mixture, logLikelihood, ...criteriaOf(mixture, x.n, x.d, logLikelihood), steps, converged };
  };
}

interface Run {
  readonly mixture: Mixture;
  /** The mean log likelihood before the last step. */
  readonly bound: number;
  readonly steps: number;
  readonly converged: boolean;
}

type Scatter = NonNullable<NextMixtureInput["scatter"]>;

interface Start {
  readonly means: Float64Array;
  readonly labels: Int32Array;
  readonly scatter: Scatter | null;
}

/** Expectation maximisation from clusters on. */
async function oneRun(
  x: NumberColumns,
  { means, labels, scatter }: Start,
  { covariance_type: type, reg_covar: floor, max_iter: most, tol }: MixtureArgs,
  context: BlockContext,
): Promise<Run | NoMixture> {
  const next = (before: Float64Array, sums: MixtureSums) =>
    context.compute(nextMixture, { type, means: before, sums, floor, ...(scatter ? { scatter } : {}) });
  let mixture = await next(means, await sumsOf(x, unfitted(type, means, x.d), context, labels));
  let bound = Number.NEGATIVE_INFINITY;
  for (let step = 1; step <= most; step++) {
    if ("singular" in mixture) return mixture;
    context.progress("mixture", step - 1, most);
    const sums = await sumsOf(x, mixture, context);
    const before = bound;
    bound = sums.logLikelihood / x.n;
    if (!Number.isFinite(bound)) return { singular: null };
    mixture = await next(mixture.means, sums);
    const converged = Math.abs(bound - before) < tol;
    if ("singular" in mixture) return mixture;
    if (converged || step === most) return { mixture, bound, steps: step, converged };
  }
  throw new RangeError(`a mixture needs a step at least, got ${most}`);
}

/** Means alone, of which `mixtureSums` needs no more where it knows the rows of each component. */
function unfitted(type: CovarianceType, means: Float64Array, d: number): Mixture {
  const none = new Float64Array(0);
  return { type, means, weights: new Float64Array(means.length / d), covariances: none, whitening: none };
}

/** The sums of all rows, run by run: the same on any number of threads. */
async function sumsOf(
  x: NumberColumns,
  mixture: Mixture,
  context: BlockContext,
  labels?: Int32Array,
): Promise<MixtureSums> {
  const known = labels ? { labels } : {};
  const parts = await Promise.all(
    rowRuns(x.n).map((part) => context.compute(mixtureSums, { x: matrixOf(x), mixture, ...known, ...part })),
  );
  const [first, ...others] = parts;
  let { logLikelihood } = first;
  for (const part of others) {
    logLikelihood += part.logLikelihood;
    for (const name of ["counts", "sums", "products"] as const) {
      for (const [at, value] of part[name].entries()) first[name][at] += value;
    }
  }
  return { ...first, logLikelihood };
}

/** The products of all rows' differences from their mean. */
async function scatterOf(x: NumberColumns, { means }: Room, context: BlockContext): Promise<Scatter> {
  const { products } = await sumsOf(x, unfitted("full", means, x.d), context, new Int32Array(x.n));
  return { mean: means, products };
}
