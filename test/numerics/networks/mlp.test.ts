import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fitMlp, type MlpInput, predictMlp } from "../../../src/numerics/networks/mlp.ts";
import { distance, head, table } from "../data.ts";

/** What scikit-learn comes to on the same table; written by mlp-reference.py. */
const reference = JSON.parse(readFileSync(new URL("../mlp-reference.json", import.meta.url), "utf8"));

const { x: eighths, y: whole, c, b } = table();
const x = { ...eighths, data: eighths.data.map((value) => value / 10) };
const y = whole.map((value) => value / 50);
const usual: MlpInput = {
  x,
  y,
  classes: 0,
  hidden: [7],
  activation: "relu",
  solver: "adam",
  alpha: 1e-4,
  batch: 50,
  rate: 0.001,
  maxIter: 30,
  shuffle: true,
  seed: 5,
  tol: 1e-4,
  patience: 10,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  momentum: 0.9,
};

test.each<[string, Partial<MlpInput>]>([
  ["numbers", {}],
  ["classes", { y: c, classes: 3 }],
  ["two classes", { y: b, classes: 2 }],
  ["tanh", { y: c, classes: 3, activation: "tanh", hidden: [5, 4] }],
  ["logistic", { activation: "logistic", alpha: 0.1 }],
  ["steps", { solver: "sgd", rate: 0.01 }],
  ["in order", { shuffle: false }],
  ["to the end", { y: c, classes: 3, maxIter: 500, tol: 0.01 }],
])("the losses and answers of scikit-learn's network: %s", (name, args) => {
  const { losses, model, converged } = fitMlp({ ...usual, ...args });
  expect(distance(losses, reference[name].losses)).toBeLessThan(1e-9);
  expect(converged).toBe(name === "to the end");
  expect(distance(predictMlp({ x: head(x, 5), model }).data, reference[name].answers)).toBeLessThan(1e-9);
});

test("keeps the pass that was best on held-out rows", () => {
  const { scores, losses, model } = fitMlp({ ...usual, heldOut: 0.2, maxIter: 60, rate: 0.05 });
  expect(scores.length).toBe(losses.length);
  expect(Math.max(...scores)).toBeGreaterThan(0.5);
  expect(model.sizes).toEqual(Int32Array.of(6, 7, 1));
});

test("answers any run of rows alike, and NaN where a row has one", () => {
  const { model } = fitMlp({ ...usual, maxIter: 2 });
  const all = predictMlp({ x, model });
  expect([...predictMlp({ x, model, from: 100, to: 105 }).data]).toEqual([...all.data.subarray(100, 105)]);
  const broken = { ...x, data: x.data.map((value, at) => (at === 3 ? Number.NaN : value)) };
  expect(Number.isNaN(predictMlp({ x: broken, model, from: 3, to: 4 }).data[0])).toBe(true);
});
