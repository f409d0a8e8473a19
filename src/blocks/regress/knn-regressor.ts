import { averageKnn } from "../../numerics/neighbors/knn.ts";
import { defineModel } from "../models/models.ts";
import { fewestAsked, nearestArgs, nearestModel } from "../models/nearest.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

/**
 * BL_KNNR. k-nearest neighbours: the mean of the training rows closest.
 *
 * As scikit-learn's KNeighborsRegressor, ties included. Distances mix all features, so scale them first. The model keeps
 * its training rows, and never answers more than the greatest or less than the least target among them.
 */
export const knnRegressor = defineModel({
  code: "BL_KNNR",
  name: "knnRegressor",
  task: "regression",
  why: "Rows that lie close together often have much the same target. Nothing is assumed of the curve between them; scale the features first, or the one with the largest numbers decides what is close.",
  args: nearestArgs,
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).scale().knnRegressor().metrics()',
  async fit({ x, y }, args) {
    return { parameters: { ...nearestModel(x, args, "knnRegressor (BL_KNNR)"), y: y.data } };
  },
  async predict({ n, d, data, ...rest }, x, context) {
    const input = { train: { n, d, data }, x: matrixOf(x), ...rest };
    const { data: values } = await computeRows(context, averageKnn, input, "neighbours", fewestAsked);
    return { kind: "numbers", values };
  },
});
