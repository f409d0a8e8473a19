import type { BlockContext } from "../core/block.ts";
import { fitPca, type Pca, tallPca, type Wanted } from "../kernels/pca.ts";
import type { Matrix } from "../kernels/types.ts";
import { productsOnThreads } from "./co-products.ts";

/** The components, on all threads where there are rows enough; the same bytes on any number of them. */
export async function fitOnThreads(x: Matrix, wanted: Wanted, context: BlockContext): Promise<Pca> {
  const products = x.n < x.d ? null : await productsOnThreads(x, context, "components");
  if (!products) return await context.compute(fitPca, { x, wanted }, "components");
  return await context.compute(tallPca, { n: x.n, ...products, wanted });
}
