import { z } from "zod";
import { ArgsError } from "../../core/errors.ts";
import { predictKnn } from "../../numerics/neighbors/knn.ts";
import { defineModel } from "../models/models.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

/**
 * ML_CN_2. k-nearest neighbours: the classes of the training rows closest by vote.
 *
 * As scikit-learn's KNeighborsClassifier, ties included. Distances mix all features, so scale them first. The
 * model keeps its training rows.
 */
export const knn = defineModel({
  code: "ML_CN_2",
  name: "knn",
  task: "classification",
  why: "Rows that lie close together are often of one class. Nothing is assumed of the shape of the classes; scale the features first, or the one with the largest numbers decides what is close.",
  args: {
    /** Neighbours that vote (default 5). */
    n_neighbors: z.int().min(1).default(5),
    /** How far rows are: "minkowski" with power p, "euclidean", "manhattan", "chebyshev" or "cosine" (default "minkowski"). */
    distance: z.literal(["minkowski", "euclidean", "manhattan", "chebyshev", "cosine"]).default("minkowski"),
    /** Minkowski's power: 1 adds up differences, 2 is the straight line (default 2). */
    p: z.number().positive().default(2),
    /** What a vote counts: "uniform", or "distance" for 1/distance (default "uniform"). */
    weights: z.literal(["uniform", "distance"]).default("uniform"),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().knn().metrics()',
  async fit({ x, classes }, args) {
    if (args.n_neighbors > x.n) {
      throw new ArgsError(
        `knn (ML_CN_2): n_neighbors must be between 1 and ${x.n} (training rows), got ${args.n_neighbors}.`,
        { path: "n_neighbors", got: args.n_neighbors, expected: `1 to ${x.n}` },
      );
    }
    const { n_neighbors: k, distance: metric, p, weights } = args;
    const { n, d, data } = x;
    return { parameters: { n, d, data, y: classes.codes, classes: classes.labels.length, k, metric, p, weights } };
  },
  async predict({ n, d, data, ...rest }, x, context) {
    const train = { n, d, data };
    const matrix = await computeRows(context, predictKnn, { train, x: matrixOf(x), ...rest }, "neighbours", 500);
    return { kind: "probabilities", matrix };
  },
});
