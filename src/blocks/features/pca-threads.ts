import type { Computing } from "../../core/block.ts";
import { fitPca, type Pca, shiftedSums, tallPca, type Wanted } from "../../numerics/algebra/pca.ts";
import { guessedMeans } from "../../numerics/statistics/co-products.ts";
import type { Matrix } from "../../numerics/types.ts";
import { chunksOnThreads, isForThreads } from "../shared/co-products.ts";

/** The components, on all threads where there are rows enough; the same bytes on any number of them. */
export async function fitOnThreads(x: Matrix, wanted: Wanted, context: Computing): Promise<Pca> {
  if (x.n < x.d || !isForThreads(x, context)) return await context.compute(fitPca, { x, wanted }, "components");
  const shift = await context.compute(guessedMeans, { x });
  const parts = await chunksOnThreads(shiftedSums(x, shift), context, "components");
  return await context.compute(tallPca, { n: x.n, shift, parts, wanted });
}
