import { describe, expect, it } from "vitest";
import { boostedOfDescribed } from "../../../src/numerics/boost/described.ts";
import { predictBoosted } from "../../../src/numerics/boost/predict.ts";
import { describedTrees } from "../../../src/numerics/trees/described.ts";

const text = `GBTRegressionModel: uid=gbtr_1, numTrees=3, numFeatures=2
  Tree 0 (weight 1.0):
    If (feature 0 <= 0.5)
     Predict: 1.0
    Else (feature 0 > 0.5)
     If (feature 1 <= -1.25E-7)
      Predict: 2.5
     Else (feature 1 > -1.25E-7)
      Predict: 4.0
  Tree 1 (weight 0.5):
    If (feature 0 <= 0.25)
     Predict: -2.0
    Else (feature 0 > 0.25)
     Predict: 6.0
  Tree 2 (weight 0.5):
    Predict: 10.0
`;

/** Rows as a matrix, column after column. */
const x = { n: 4, d: 2, data: Float64Array.of(0.25, 0.5, 0.6, 0.6, 9, 9, -1.25e-7, 0) };
const described = { trees: describedTrees(text), d: 2, rate: 0.5, importances: Float64Array.of(0.75, 0.25) };

describe("boosted trees as Spark describes them", () => {
  it("add up as they say, on either side of a threshold", () => {
    const model = boostedOfDescribed({ ...described, isClasses: false });
    expect([...predictBoosted({ x, model }).data]).toEqual([1 - 1 + 5, 1 + 3 + 5, 2.5 + 3 + 5, 4 + 3 + 5]);
    expect([...model.edges]).toEqual([0.25, 0.5, -1.25e-7]);
    expect([...model.edgeStarts]).toEqual([0, 2, 3]);
  });

  it("are half the logarithm of the odds of two classes", () => {
    const model = boostedOfDescribed({ ...described, isClasses: true });
    const second = predictBoosted({ x, model }).data.slice(4);
    expect([...second]).toEqual([5, 9, 10.5, 12].map((sum) => 1 / (1 + Math.exp(-2 * sum))));
  });

  it("are refused where a column is split at too many numbers", () => {
    const trees = Array.from({ length: 255 }, (_, k) =>
      describedTrees(`M\n If (feature 0 <= ${k}.5)\n Predict: 0.0\n Else (feature 0 > ${k}.5)\n Predict: 1.0\n`),
    ).flat();
    expect(() => boostedOfDescribed({ ...described, trees, isClasses: false })).toThrow(/more than 254 numbers/);
  });
});
