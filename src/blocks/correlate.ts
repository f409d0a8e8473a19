import type { BlockContext } from "../core/block.ts";
import { columnMeans, coProducts, correlationChunks, correlations, correlationsOf } from "../kernels/correlations.ts";
import type { Matrix } from "../kernels/types.ts";

/** Pearson correlations of all pairs of columns, on all threads; the same bytes on any number of them. */
export async function correlate(x: Matrix, context: BlockContext): Promise<Float64Array> {
  const chunks = correlationChunks(x.n);
  const parts = Math.min(context.threads, chunks);
  if (parts < 2) return (await context.compute(correlations, { x }, "correlations")).data;
  const means = await context.compute(columnMeans, { x });
  const sums = await Promise.all(
    Array.from({ length: parts }, (_, k) => {
      const share = { from: Math.floor((k * chunks) / parts), to: Math.floor(((k + 1) * chunks) / parts) };
      return context.compute(coProducts, { x, ...means, chunks: share }, k === 0 ? "correlations" : undefined);
    }),
  );
  return correlationsOf(sums.flat(), x.d, means.holes);
}
