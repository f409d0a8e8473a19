import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { boostEdges } from "../../../src/numerics/boost/bins.ts";
import { type BoostInput, boostTask, boostTogether, endBoost } from "../../../src/numerics/boost/fit.ts";
import { predictBoosted } from "../../../src/numerics/boost/predict.ts";
import { Cancelled, type Matrix } from "../../../src/numerics/types.ts";
import { distance } from "../data.ts";

const reference = JSON.parse(readFileSync(new URL("../boost-reference.json", import.meta.url), "utf8"));

/** The table of boost-reference.py. */
const [n, d] = [3000, 6];
const x: Matrix = { n, d, data: new Float64Array(n * d) };
for (let j = 0; j < d; j++) {
  for (let i = 0; i < n; i++) {
    const random = (i * (i + 7) * (j + 11) * 7919 + j * 104729 + i * i * 31) % 1000003;
    x.data[j * n + i] = Math.floor(random / 5000) / 20;
  }
}
const at = (i: number, j: number) => x.data[j * n + i]!;
const y = Float64Array.from(
  { length: n },
  (_, i) => 4 * at(i, 0) - 3 * at(i, 1) + at(i, 2) * at(i, 0) + (9 * ((i * 613) % 97)) / 97,
);
const c = Int32Array.from(y, (value) => (value > 5 ? 1 : 0) + (value > 30 ? 1 : 0));
const weights = Float64Array.from({ length: x.n }, (_, i) => 1 + ((i * 31) % 101) / 101);
const holes = changed(x, (value, i, j) => ((i * 3 + j * 5) % 11 === 0 ? NaN : value));
const kinds = changed(holes, (value, i, j) =>
  j > 0 ? value : i % 13 === 0 ? NaN : (i * 7 + Math.floor(at(i, 1))) % 9,
);

function changed({ n, d, data }: Matrix, by: (value: number, i: number, j: number) => number): Matrix {
  return { n, d, data: data.map((value, at) => by(value, at % n, Math.floor(at / n))) };
}

const rows = Int32Array.from({ length: x.n }, (_, i) => i);

type Asked = Partial<BoostInput> & { readonly bins?: number };

function inputOf({ bins: maxBins = 255, ...asked }: Asked): BoostInput {
  const features = asked.x ?? x;
  const { train = rows, categories = new Int32Array(features.d) } = asked;
  return {
    x: features,
    y,
    loss: "squared_error",
    quantile: 0.5,
    classes: 0,
    weight: null,
    edges: boostEdges({ x: features, categories, rows: train, weight: asked.weight ?? null, maxBins, seed: 0 }),
    categories,
    monotone: new Int32Array(features.d),
    train,
    held: new Int32Array(0),
    rounds: 8,
    patience: 0,
    tol: 1e-7,
    earlier: null,
    learningRate: 0.1,
    maxLeaves: 31,
    maxDepth: Infinity,
    minLeaf: 30,
    l2: 0,
    ...asked,
  };
}

function boosted(asked: Asked) {
  const result = boostTogether({ boosting: boostTask(inputOf(asked), 1), member: 0 });
  if (!result) throw new Error("the first thread leads");
  return result;
}

const two = c.map((code) => (code > 0 ? 1 : 0));
const classes = { loss: "log_loss", classes: 3, y: c } as const;
const oneOfNine = Int32Array.of(9, 0, 0, 0, 0, 0);

describe("boosting", () => {
  const cases: Record<string, Asked> = {
    numbers: {},
    "few leaves and levels": { maxLeaves: 5, maxDepth: 3, l2: 2.5, learningRate: 0.4 },
    "few bins": { bins: 7 },
    weights: { weight: weights },
    "missing cells": { x: holes },
    categories: { x: kinds, categories: oneOfNine },
    "rising and falling": { monotone: Int32Array.of(1, -1, 0, 0, 0, 0) },
    "absolute error": { loss: "absolute_error" },
    counts: { loss: "poisson", y: y.map(Math.abs) },
    "two classes": { ...classes, classes: 2, y: two, x: holes, weight: weights },
    "three classes": { ...classes, x: holes, weight: weights },
    "classes of categories": { ...classes, classes: 2, y: two, x: kinds, categories: oneOfNine },
  };

  it.each(Object.entries(cases))("answers what scikit-learn's answers: %s", (name, asked) => {
    const features = asked.x ?? x;
    const { d: width, data } = predictBoosted({ x: features, model: boosted(asked).model });
    const every = Array.from({ length: width }, (_, k) =>
      Array.from({ length: n / 150 }, (_, i) => data[k * n + 150 * i]!),
    );
    expect(distance(every.flat(), reference[name])).toBeLessThan(1e-9);
  });

  it("answers what scikit-learn's answers of 450 rows, also where most splits tie", () => {
    const few: Matrix = { n: 450, d, data: new Float64Array(450 * d) };
    for (let k = 0; k < few.data.length; k++) {
      const [i, j] = [k % 450, Math.floor(k / 450)];
      few.data[k] = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009) / 128;
    }
    const codes = Int32Array.from({ length: 450 }, (_, i) => (i * 7) % 150);
    const asked: Asked = { x: few, train: rows.slice(0, 450), minLeaf: 20 };
    const numbers = boosted({ ...asked, y: Float64Array.from(codes), rounds: 100 });
    const answers = predictBoosted({ x: few, model: numbers.model }).data.filter((_, i) => i % 30 === 0);
    expect(distance(answers, reference["450 numbers"])).toBeLessThan(1e-11);
    const many = boosted({ ...asked, loss: "log_loss", classes: 150, y: codes, rounds: 4 });
    const shares = predictBoosted({ x: few, model: many.model }).data.filter((_, k) => k % 150 === 0);
    expect(distance(shares, reference["150 classes"])).toBeLessThan(1e-12);
  });

  it("answers what scikit-learn's answers where a split's gain is but rounding, and where first splits tie", () => {
    const asked: Asked = { minLeaf: 20, rounds: 20 };
    const high = boosted({ ...asked, loss: "quantile", quantile: 0.8 });
    const every = predictBoosted({ x, model: high.model }).data.filter((_, i) => i % 150 === 0);
    expect(distance(every, reference.quantile)).toBeLessThan(1e-11);
    const wide: Matrix = { n: 42, d: 60, data: new Float64Array(42 * 60) };
    for (let k = 0; k < wide.data.length; k++) {
      const [i, j] = [k % 42, Math.floor(k / 42)];
      wide.data[k] = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009) / 128;
    }
    const target = Float64Array.from({ length: 42 }, (_, i) => (i * 7) % 42);
    const train = rows.slice(0, 42);
    const middle = boosted({ ...asked, x: wide, y: target, train, loss: "absolute_error" });
    expect(distance(predictBoosted({ x: wide, model: middle.model }).data, reference["60 columns"])).toBeLessThan(
      1e-11,
    );
  });

  it("sends other rows the way scikit-learn does, also from bins that no row of a node has", () => {
    const ninth: Matrix = { n: Math.ceil(n / 9), d, data: holes.data.filter((_, k) => (k % n) % 9 === 0) };
    const train = rows.slice(0, ninth.n);
    const { model } = boosted({ x: ninth, y: y.filter((_, i) => i % 9 === 0), train, minLeaf: 20, rounds: 20 });
    const every = predictBoosted({ x: holes, model }).data.filter((_, i) => i % 30 === 0);
    expect(distance(every, reference["other rows"])).toBeLessThan(1e-11);
  });

  it("falls in loss with each round, and says so of rows held out", () => {
    const held = rows.filter((row) => row % 5 === 0);
    const { trainLoss, heldLoss } = boosted({ train: rows.filter((row) => row % 5 > 0), held });
    expect(trainLoss.length).toBe(9);
    expect(trainLoss.every((loss, k) => k === 0 || loss < trainLoss[k - 1]!)).toBe(true);
    expect(heldLoss[8]).toBeLessThan(heldLoss[0]!);
  });

  it("stops when it is no longer wanted, as a leader and as a helper", () => {
    const boosting = boostTask(inputOf({ rounds: 10_000 }), 2);
    let asked = 0;
    const hooks = { progress() {}, cancelled: () => ++asked > 20 };
    expect(() => boostTogether({ boosting, member: 0 }, hooks)).toThrow(Cancelled);
    // The leader has sent everybody home.
    expect(boostTogether({ boosting, member: 1 })).toBeNull();
    const alone = boostTask(inputOf({}), 2);
    expect(() => boostTogether({ boosting: alone, member: 1 }, { progress() {}, cancelled: () => true })).toThrow(
      Cancelled,
    );
    endBoost(alone);
    expect(boostTogether({ boosting: alone, member: 1 })).toBeNull();
  });

  it("refuses rows of another width", () => {
    const { model } = boosted({ rounds: 1 });
    expect(() => predictBoosted({ x: { n: 1, d: 2, data: new Float64Array(2) }, model })).toThrow(/6 columns, got 2/);
  });
});
