import type { BlockContext } from "../../core/block.ts";
import { correlations, correlationsOf } from "../../numerics/statistics/correlations.ts";
import type { Matrix } from "../../numerics/types.ts";
import { productsOnThreads } from "./co-products.ts";

/** Pearson correlations of all pairs of columns, on all threads; the same bytes on any number of them. */
export async function correlate(x: Matrix, context: BlockContext): Promise<Float64Array> {
  const products = await productsOnThreads(x, context, "correlations");
  if (!products) return (await context.compute(correlations, { x }, "correlations")).data;
  return correlationsOf(products.parts, products.means);
}
