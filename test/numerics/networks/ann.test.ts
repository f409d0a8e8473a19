import { expect, test } from "vitest";
import { type AnnInput, fitAnn } from "../../../src/numerics/networks/ann.ts";
import { type Activation, predictLayers } from "../../../src/numerics/networks/layers.ts";
import { Learner, type Loss, type Optimizer } from "../../../src/numerics/networks/learner.ts";
import { Products, productBytes, Room } from "../../../src/numerics/networks/room.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import type { Cancelled } from "../../../src/numerics/types.ts";
import { distance, table } from "../data.ts";

const { x: eighths, y: whole, c, b } = table();
const x = { ...eighths, data: eighths.data.map((value) => value / 10) };
const y = whole.map((value) => value / 50);
const { n } = x;
const adam: Optimizer = { kind: "adam", rate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-7 };

test.each([
  [1, 1, 1],
  [5, 3, 2],
  [2, 8, 256],
  [65, 9, 300],
  [130, 520, 7],
])("a product of %i × %i by %i terms, either side turned", (m, columns, k) => {
  const room = new Room(productBytes + 8 * (m * k + k * columns + m * columns + 6), "");
  const [a, right, out] = [m * k, k * columns, m * columns].map((size) => room.doubles(size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const products = new Products(room);
  const random = new RandomState(1);
  random.fillUniform(a);
  random.fillUniform(right);
  for (const turned of [false, true]) {
    out.fill(1);
    const left = { data: a, columns: turned ? m : k, turned };
    const other = { data: right, columns: turned ? k : columns, turned };
    products.add(left, other, { data: out, columns }, m, columns, k);
    const wanted = Float64Array.from(out, (_, at) => {
      const [i, j] = [Math.floor(at / columns), at % columns];
      let sum = 1;
      for (let p = 0; p < k; p++)
        sum += a[turned ? p * m + i : i * k + p]! * right[turned ? j * k + p : p * columns + j]!;
      return sum;
    });
    expect(distance(out, wanted)).toBeLessThan(1e-12);
  }
});

/** The loss of some parameters, and its slopes: a step of gradient descent tells them. */
function slopesOf(
  parameters: Float64Array,
  activation: Activation,
  out: "logistic" | "softmax" | "identity",
  loss: Loss,
) {
  let at = 0;
  const rate = 1e-3;
  const learner = new Learner(
    {
      x,
      ...(out === "identity" ? { y, classes: 0 } : out === "logistic" ? { y: b, classes: 2 } : { y: c, classes: 3 }),
      sizes: [x.d, 4, 3, out === "softmax" ? 3 : 1],
      activations: [activation, "tanh", out],
      loss,
      alpha: 0,
      optimizer: { kind: "sgd", rate, momentum: 0, nesterov: false },
      batch: n,
      start(part) {
        part.set(parameters.subarray(at, at + part.length));
        at += part.length;
      },
    },
    new RandomState(0),
  );
  const value = learner.learn(Int32Array.from({ length: n }, (_, i) => i));
  const { weights, biases } = learner.copy();
  const after = weights.flatMap((part, k) => [...part, ...biases[k]!]);
  return { value, slopes: after.map((parameter, i) => (parameters[i]! - parameter) / rate) };
}

test.each<[Activation, "logistic" | "softmax" | "identity", Loss]>([
  ["logistic", "softmax", "log"],
  ["tanh", "logistic", "log"],
  ["relu", "identity", "squares"],
  ["leaky_relu", "identity", "half_squares"],
  ["elu", "identity", "huber"],
  ["selu", "identity", "absolute"],
  ["softplus", "softmax", "log"],
  ["softsign", "logistic", "log"],
])("slopes are those of the loss: %s, %s, %s", (activation, out, loss) => {
  const count = (x.d + 1) * 4 + 5 * 3 + 4 * (out === "softmax" ? 3 : 1);
  const random = new RandomState(3);
  const parameters = Float64Array.from({ length: count }, () => random.normal() / 2);
  const { slopes } = slopesOf(parameters, activation, out, loss);
  const step = 1e-6;
  const wanted = slopes.map((_, i) => {
    const moved = (by: number) => slopesOf(parameters.with(i, parameters[i]! + by), activation, out, loss).value;
    return (moved(step) - moved(-step)) / (2 * step);
  });
  expect(distance(Float64Array.from(slopes), Float64Array.from(wanted))).toBeLessThan(1e-5);
});

const usual: AnnInput = {
  x,
  y: c,
  classes: 3,
  sizes: [x.d, 12, 3],
  activations: ["relu", "softmax"],
  dropout: [0, 0.2, 0],
  loss: "log",
  optimizer: adam,
  epochs: 30,
  batch: 32,
  validation: 0.25,
  seed: 4,
  curve: new Float64Array(90),
};

test("learns classes by each optimizer, the same for a seed, and writes the curve down as it goes", () => {
  for (const optimizer of [
    adam,
    { kind: "sgd", rate: 0.1, momentum: 0.9, nesterov: false },
    { kind: "rmsprop", rate: 0.01, rho: 0.9, epsilon: 1e-7 },
  ] as const) {
    const curve = new Float64Array(90);
    const { losses, heldLosses, heldScores, model } = fitAnn({ ...usual, optimizer, curve });
    expect(losses[29]).toBeLessThan(losses[0]! * 0.8);
    expect([curve[87], curve[88], curve[89]]).toEqual([losses[29], heldLosses[29], heldScores[29]]);
    expect(fitAnn({ ...usual, optimizer }).model).toEqual(model);
  }
  expect(fitAnn({ ...usual, seed: 5 }).model).not.toEqual(fitAnn(usual).model);
});

test("ends without a better epoch and keeps the best; rows left out of a step are in the answers", () => {
  const patient = fitAnn({ ...usual, epochs: 200, patience: 5, curve: new Float64Array(600) });
  expect(patient.losses.length).toBe(Math.min(200, patient.kept + 5));
  expect(patient.heldLosses[patient.kept - 1]).toBe(Math.min(...patient.heldLosses));
  const shares = predictLayers({ x, model: patient.model });
  expect([shares.n, shares.d]).toEqual([n, 3]);
  expect(shares.data[0]! + shares.data[n]! + shares.data[2 * n]!).toBeCloseTo(1, 12);
});

test("a step that takes long can be cancelled within it", () => {
  let asked = 0;
  const hooks = { progress: () => undefined, cancelled: () => ++asked > 1 };
  const wide = { ...usual, sizes: [x.d, 2000, 2000, 3], activations: ["relu", "relu", "softmax"] as const };
  expect(() => fitAnn({ ...wide, dropout: [0, 0, 0, 0], batch: n }, hooks)).toThrow(
    expect.objectContaining({ name: "Cancelled" } satisfies Partial<Cancelled>),
  );
});
