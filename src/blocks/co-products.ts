import type { BlockContext } from "../core/block.ts";
import { type ColumnMeans, chunkCount, columnMeans, coProducts, layoutOf } from "../kernels/co-products.ts";
import type { Matrix } from "../kernels/types.ts";
import { shares } from "./row-parts.ts";

/** Means and products of all pairs of columns, of chunks of rows. */
export interface Products {
  readonly means: ColumnMeans;
  readonly parts: readonly Float64Array[];
}

/** `columnMeans` and `coProducts` on all threads, the same bytes on any number of them; null where one is enough. */
export async function productsOnThreads(x: Matrix, context: BlockContext, phase: string): Promise<Products | null> {
  const most = chunkCount(x.n, layoutOf(new Uint8Array(x.d)));
  if (Math.min(context.threads, most) < 2) return null;
  const found = await Promise.all(
    shares(x.d, context.threads).map((columns) => context.compute(columnMeans, { x, ...columns })),
  );
  const means = {
    mean: Float64Array.from(found.flatMap(({ mean }) => [...mean])),
    holes: Uint8Array.from(found.flatMap(({ holes }) => [...holes])),
  };
  const chunks = shares(chunkCount(x.n, layoutOf(means.holes)), context.threads);
  const parts = await Promise.all(
    chunks.map((share, k) => context.compute(coProducts, { x, ...means, chunks: share }, k === 0 ? phase : undefined)),
  );
  return { means, parts: parts.flat() };
}
