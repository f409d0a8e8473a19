import type { Computing } from "../../core/block.ts";
import {
  type ColumnMeans,
  type CoProductsInput,
  chunkCount,
  columnMeans,
  coProducts,
  layoutIn,
} from "../../numerics/statistics/co-products.ts";
import type { Matrix } from "../../numerics/types.ts";
import { shares } from "./row-parts.ts";

/** Means and products of all pairs of columns, of chunks of rows. */
export interface Products {
  readonly means: ColumnMeans;
  readonly parts: readonly Float64Array[];
}

/** `columnMeans` and `coProducts` on all threads, the same bytes on any number of them; null where one is enough. */
export async function productsOnThreads(x: Matrix, context: Computing, phase: string): Promise<Products | null> {
  if (!isForThreads(x, context)) return null;
  const found = await Promise.all(
    shares(x.d, context.threads).map((columns) => context.compute(columnMeans, { x, ...columns })),
  );
  const means = {
    mean: Float64Array.from(found.flatMap(({ mean }) => [...mean])),
    holes: Uint8Array.from(found.flatMap(({ holes }) => [...holes])),
    unit: Float64Array.from(found.flatMap(({ unit }) => [...(unit ?? [])])),
  };
  return { means, parts: await chunksOnThreads({ x, ...means }, context, phase) };
}

/** Has a table rows enough for more than one thread? */
export function isForThreads(x: Matrix, { threads }: Computing): boolean {
  return Math.min(threads, chunkCount(x.n, layoutIn({ holes: new Uint8Array(x.d) }))) > 1;
}

/** `coProducts` on all threads. */
export async function chunksOnThreads(
  input: CoProductsInput,
  context: Computing,
  phase: string,
): Promise<Float64Array[]> {
  const chunks = shares(chunkCount(input.x.n, layoutIn(input)), context.threads);
  const parts = await Promise.all(
    chunks.map((share, k) => context.compute(coProducts, { ...input, chunks: share }, k === 0 ? phase : undefined)),
  );
  return parts.flat();
}
