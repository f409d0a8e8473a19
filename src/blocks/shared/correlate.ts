import type { BlockContext } from "../../core/block.ts";
import { columnsNamed, type Frame } from "../../core/frame.ts";
import { correlations, correlationsOf } from "../../numerics/statistics/correlations.ts";
import type { Matrix } from "../../numerics/types.ts";
import { productsOnThreads } from "./co-products.ts";
import { farColumns, farCoProducts } from "./far-products.ts";

/** Pearson correlations of all pairs of columns, on all threads; the same bytes on any number of them. */
export async function correlate(x: Matrix, context: BlockContext): Promise<Float64Array> {
  const products = await productsOnThreads(x, context, "correlations");
  if (!products) return (await context.compute(correlations, { x }, "correlations")).data;
  return correlationsOf(products.parts, products.means);
}

/** The same of columns that lie on a cluster, by sums of products. */
export async function farCorrelations(
  { relation, columns }: Frame,
  names: readonly string[],
  context: BlockContext,
): Promise<Float64Array> {
  const found = await farColumns(columnsNamed(columns, names), { relation, rows: {} }, context);
  const { parts, holes } = await farCoProducts(found, context);
  return correlationsOf(parts, { holes });
}
