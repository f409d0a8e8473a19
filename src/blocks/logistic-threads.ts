import type { BlockContext } from "../core/block.ts";
import {
  fitLogistic,
  fittingLogistic,
  type Logistic,
  type LogisticInput,
  logisticColumns,
} from "../kernels/logistic.ts";
import { addSums, chunksOf, logisticSums } from "../kernels/logistic-loss.ts";

/**
 * Fits a logistic regression with the sums of each step on all threads; few rows stay on one.
 *
 * The answer is the same for any number of threads, since rows are added up in the same chunks.
 */
export async function fitOnThreads(input: LogisticInput, context: BlockContext): Promise<Logistic> {
  const phase = "logistic regression";
  const chunks = chunksOf(input.x.n);
  const parts = Math.min(context.threads, chunks);
  if (parts < 2) return await context.compute(fitLogistic, input, phase);
  const { sampleWeight: weight, x, y, ...rest } = input;
  // Shared, so that the workers take them at every step without a copy.
  const rows = { x, y: shared(y), ...(weight ? { weight: shared(weight) } : {}) };
  const { c, intercept } = rest;
  const columns = await context.compute(logisticColumns, { x, c, intercept, sampleWeight: rows.weight });
  const fit = fittingLogistic(rest, columns, (done, total) => context.progress(phase, done, total));
  let next = fit.next();
  while (!next.done) {
    const point = next.value;
    const sums = await Promise.all(
      Array.from({ length: parts }, (_, k) => {
        const from = Math.floor((k * chunks) / parts);
        const to = Math.floor(((k + 1) * chunks) / parts);
        return context.compute(logisticSums, { ...rows, ...point, chunks: { from, to } });
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
