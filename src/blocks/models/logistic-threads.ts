import type { Computing, KernelHooks } from "../../core/block.ts";
import {
  fitLogistic,
  fittingLogistic,
  type Logistic,
  type LogisticColumns,
  type LogisticInput,
  logisticColumns,
} from "../../numerics/linear/logistic.ts";
import {
  addSums,
  chunksOf,
  type LogisticSums,
  type LogisticSumsInput,
  logisticSums,
} from "../../numerics/linear/logistic-loss.ts";
import {
  fitLogisticRows,
  type SparseRowsLogisticInput,
  sparseColumns,
  sparseSums,
} from "../../numerics/sparse/sums.ts";

/** The kernels of a fit: on a matrix, or on sparse rows. */
const onMatrix = { fit: fitLogistic, columns: logisticColumns, sums: logisticSums };
const onSparse = { fit: fitLogisticRows, columns: sparseColumns, sums: sparseSums };

/** `fitOnThreads` on sparse rows. */
export async function fitSparseOnThreads(input: SparseRowsLogisticInput, context: Computing): Promise<Logistic> {
  return await fitBy(onSparse, input, context);
}

/**
 * Fits a logistic regression with the sums of each step on all threads; few rows stay on one.
 *
 * The answer is the same for any number of threads, since rows are added up in the same chunks.
 */
export async function fitOnThreads(input: LogisticInput, context: Computing): Promise<Logistic> {
  return await fitBy(onMatrix, input, context);
}

type Rows<X> = Omit<LogisticInput, "x"> & { x: X };

interface Kernels<X> {
  fit(input: Rows<X>, hooks: KernelHooks): Logistic;
  columns(input: Omit<Rows<X>, "y" | "classes">, hooks: KernelHooks): LogisticColumns;
  sums(input: Omit<LogisticSumsInput, "x"> & { x: X }, hooks: KernelHooks): LogisticSums[];
}

async function fitBy<X extends { readonly n: number }>(
  kernels: Kernels<X>,
  input: Rows<X>,
  context: Computing,
): Promise<Logistic> {
  const phase = "logistic regression";
  const chunks = chunksOf(input.x.n);
  const parts = Math.min(context.threads, chunks);
  if (parts < 2) return await context.compute(kernels.fit, input, phase);
  const { sampleWeight: weight, x, y, ...rest } = input;
  // Shared, so that the workers take them at every step without a copy.
  const rows = { x, y: shared(y), ...(weight ? { weight: shared(weight) } : {}) };
  const { c, intercept } = rest;
  const columns = await context.compute(kernels.columns, { x, c, intercept, sampleWeight: rows.weight });
  const fit = fittingLogistic(rest, columns, (done, total) => context.progress(phase, done, total));
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
