import { predictKnn } from "../../numerics/neighbors/knn.ts";
import { defineModel } from "../models/models.ts";
import { fewestAsked, nearestArgs, nearestModel } from "../models/nearest.ts";
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
  args: nearestArgs,
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().knn().metrics()',
  async fit({ x, classes }, args) {
    const nearest = nearestModel(x, args, "knn (ML_CN_2)");
    return { parameters: { ...nearest, y: classes.codes, classes: classes.labels.length } };
  },
  async predict({ n, d, data, ...rest }, x, context) {
    const input = { train: { n, d, data }, x: matrixOf(x), ...rest };
    const matrix = await computeRows(context, predictKnn, input, "neighbours", fewestAsked);
    return { kind: "probabilities", matrix };
  },
});
