import type { Computing, KernelHooks } from "../../core/block.ts";
import {
  fitLogistic,
  fittingLogistic,
  type Logistic,
  type LogisticInput,
  logisticUnits,
} from "../../numerics/linear/logistic.ts";
import { addSums, chunksOf, type LossSums, type LossSumsInput, lossSums } from "../../numerics/linear/loss-sums.ts";
import { fitPoisson, fittingPoisson, type PoissonInput, poissonUnits } from "../../numerics/linear/poisson.ts";
import {
  type ColumnUnits,
  type ScaledColumns,
  type ScaledColumnsInput,
  type ScoreFit,
  type ScorePoint,
  scaledColumns,
} from "../../numerics/linear/score-descent.ts";
import type { SparseRows } from "../../numerics/sparse/rows.ts";
import {
  fitLogisticRows,
  fitPoissonRows,
  type SparseRowsLogisticInput,
  type SparseRowsPoissonInput,
  sparseColumns,
  sparseSums,
} from "../../numerics/sparse/sums.ts";
import type { Matrix } from "../../numerics/types.ts";

/** The kernels of a fit: on a matrix, or on sparse rows. */
const onMatrix = { columns: scaledColumns, sums: lossSums };
const onSparse = { columns: sparseColumns, sums: sparseSums };

/**
 * Fits a logistic regression with the sums of each step on all threads; few rows stay on one.
 *
 * The answer is the same for any number of threads, since rows are added up in the same chunks.
 */
export async function fitLogisticOnThreads(input: LogisticInput, context: Computing): Promise<Logistic> {
  return await fitBy<Matrix, LogisticInput, Logistic>(
    { ...logisticDescent, ...onMatrix, fit: fitLogistic },
    input,
    context,
  );
}

/** `fitLogisticOnThreads` on sparse rows. */
export async function fitSparseLogisticOnThreads(input: SparseRowsLogisticInput, context: Computing) {
  return await fitBy<SparseRows, SparseRowsLogisticInput, Logistic>(
    { ...logisticDescent, ...onSparse, fit: fitLogisticRows },
    input,
    context,
  );
}

/** As `fitLogisticOnThreads`, a Poisson regression. */
export async function fitPoissonOnThreads(input: PoissonInput, context: Computing): Promise<ScoreFit> {
  return await fitBy<Matrix, PoissonInput, ScoreFit>(
    { ...poissonDescent, ...onMatrix, fit: fitPoisson },
    input,
    context,
  );
}

/** `fitPoissonOnThreads` on sparse rows. */
export async function fitSparsePoissonOnThreads(input: SparseRowsPoissonInput, context: Computing): Promise<ScoreFit> {
  return await fitBy<SparseRows, SparseRowsPoissonInput, ScoreFit>(
    { ...poissonDescent, ...onSparse, fit: fitPoissonRows },
    input,
    context,
  );
}

/** What is known of rows and fit besides the features. */
interface Rows<X> {
  readonly x: X;
  readonly y: Int32Array | Float64Array;
  readonly intercept?: boolean;
  readonly sampleWeight?: Float64Array | undefined;
}

type ScoreDescent<Fit, Rest> = {
  readonly phase: string;
  readonly loss: "log" | "poisson";
  units(input: Rest, n: number): ColumnUnits;
  fitting(
    input: Rest,
    columns: ScaledColumns,
    told: (done: number, total: number) => void,
  ): Generator<ScorePoint, Fit, LossSums>;
};

const logisticDescent: ScoreDescent<Logistic, Omit<LogisticInput, "x" | "y">> = {
  ...{ phase: "logistic regression", loss: "log", units: logisticUnits, fitting: fittingLogistic },
};
const poissonDescent: ScoreDescent<ScoreFit, Omit<PoissonInput, "x">> = {
  ...{ phase: "Poisson regression", loss: "poisson", units: poissonUnits, fitting: fittingPoisson },
};

interface Kernels<X, Input, Fit> {
  fit(input: Input, hooks: KernelHooks): Fit;
  columns(input: Omit<ScaledColumnsInput, "x"> & { x: X }, hooks: KernelHooks): ScaledColumns;
  sums(input: Omit<LossSumsInput, "x"> & { x: X }, hooks: KernelHooks): LossSums[];
}

/** Fits of this process that went to threads: each has a number of its own. */
let fits = 0;

async function fitBy<X extends { readonly n: number }, Input extends Rows<X>, Fit>(
  kernels: Kernels<X, Input, Fit> & ScoreDescent<Fit, Input>,
  input: Input,
  context: Computing,
): Promise<Fit> {
  const { phase, loss } = kernels;
  const chunks = chunksOf(input.x.n);
  const parts = Math.min(context.threads, chunks);
  if (parts < 2) return await context.compute(kernels.fit, input, phase);
  const { sampleWeight, intercept = true, x, y } = input;
  // Shared, so that the workers take them at every step without a copy.
  const weight = sampleWeight && shared(sampleWeight);
  const rows = { x, y: shared(y), loss, ...(weight ? { weight } : {}), fit: ++fits };
  const units = kernels.units(input, x.n);
  const columns = await context.compute(kernels.columns, { x, intercept, ...units, sampleWeight: weight });
  const fit = kernels.fitting(input, columns, (done, total) => context.progress(phase, done, total));
  let next = fit.next();
  while (!next.done) {
    const point = next.value;
    const sums = await Promise.all(
      Array.from({ length: parts }, (_, k) => {
        const from = Math.floor((k * chunks) / parts);
        const to = Math.floor(((k + 1) * chunks) / parts);
        return context.compute(kernels.sums, { ...rows, ...point, chunks: { from, to } });
      }),
    );
    next = fit.next(addSums(sums.flat()));
  }
  return next.value;
}

function shared<T extends Float64Array | Int32Array>(values: T): T {
  if (values.buffer instanceof SharedArrayBuffer) return values;
  const buffer = new SharedArrayBuffer(values.byteLength);
  const copy = values instanceof Float64Array ? new Float64Array(buffer) : new Int32Array(buffer);
  copy.set(values);
  // The constructor above is the one of `values`.
  return copy as T;
}
