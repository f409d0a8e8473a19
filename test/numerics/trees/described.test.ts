import { describe, expect, it } from "vitest";
import { describedTrees, leafPoints, treesOfDescribed } from "../../../src/numerics/trees/described.ts";
import { predictForest } from "../../../src/numerics/trees/trees.ts";

const text = `RandomForestRegressionModel: uid=rfr_1, numTrees=2, numFeatures=2
  Tree 0 (weight 1.0):
    If (feature 0 <= 0.5)
     Predict: 1.0
    Else (feature 0 > 0.5)
     If (feature 1 <= -1.25E-7)
      Predict: 2.5
     Else (feature 1 > -1.25E-7)
      Predict: 4.0
  Tree 1 (weight 1.0):
    Predict: 10.0
`;

/** Rows as a matrix, column after column. */
const x = { n: 3, d: 2, data: Float64Array.of(0.5, 0.6, 0.6, 9, -1.25e-7, 0) };

describe("trees as Spark describes them", () => {
  it("answer as they say, on either side of a threshold", () => {
    const trees = describedTrees(text);
    const grown = treesOfDescribed({ trees, d: 2, classes: 0, importances: Float64Array.of(0.75, 0.25) });
    expect([...predictForest({ x, trees: grown }).data]).toEqual([5.5, 6.25, 7]);
    expect([...grown.offsets]).toEqual([0, 5, 6]);
    expect([...grown.importances]).toEqual([0.75, 0.25, 0.75, 0.25]);
  });

  it("have a row that ends in each leaf", () => {
    const [tree, leaf] = describedTrees(text);
    expect([...leafPoints(tree, 2)]).toEqual([0.5, 0, 1.5, -1.25e-7, 1.5, -1.25e-7 + 1]);
    expect([...leafPoints(leaf, 2)]).toEqual([0, 0]);
  });

  it("have shares of classes by the weights in their leaves, those of a split by both sides", () => {
    const [tree] = describedTrees(text);
    const counts = [Float64Array.of(3, 1, 0, 2, 4, 0)];
    const grown = treesOfDescribed({ trees: [tree], d: 2, classes: 2, counts, importances: Float64Array.of(1, 0) });
    expect([...predictForest({ x, trees: grown }).data]).toEqual([0.75, 0, 1, 0.25, 1, 0]);
    expect([...grown.value.subarray(0, 2)]).toEqual([0.7, 0.3]);
  });

  it("are refused where a line says something else", () => {
    expect(() => describedTrees("Model\n  If (feature 0 in {1.0})\n")).toThrow(/described by "If \(feature 0 in/);
    expect(() => describedTrees("Model\n  If (feature 0 <= 1.0)\n   Predict: 1.0\n")).toThrow(/without one side/);
  });
});
