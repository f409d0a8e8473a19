import { z } from "zod";
import { ArgsError } from "../../core/errors.ts";
import type { NumberColumns } from "../../core/matrix.ts";

/** The arguments that models by the nearest rows share, with scikit-learn's names and defaults but for `distance`. */
export const nearestArgs = {
  /** Neighbours that count (default 5). */
  n_neighbors: z.int().min(1).default(5),
  /** How far rows are: "minkowski" with power p, "euclidean", "manhattan", "chebyshev" or "cosine" (default "minkowski"). */
  distance: z.literal(["minkowski", "euclidean", "manhattan", "chebyshev", "cosine"]).default("minkowski"),
  /** Minkowski's power: 1 adds up differences, 2 is the straight line (default 2). */
  p: z.number().positive().default(2),
  /** What a neighbour counts: "uniform", or "distance" for 1/distance (default "uniform"). */
  weights: z.literal(["uniform", "distance"]).default("uniform"),
};

/** The training rows, which such a model keeps, and how it looks for the nearest. */
export function nearestModel(x: NumberColumns, args: z.output<z.ZodObject<typeof nearestArgs>>, who: string) {
  const { n, d, data } = x;
  const { n_neighbors: k, distance: metric, p, weights } = args;
  if (k > n) {
    throw new ArgsError(`${who}: n_neighbors must be between 1 and ${n} (training rows), got ${k}.`, {
      path: "n_neighbors",
      got: k,
      expected: `1 to ${n}`,
    });
  }
  return { n, d, data, k, metric, p, weights };
}

/** Below this many rows for each thread the search is not worth dividing. */
export const fewestAsked = 500;
