import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { type KernelChoice, KernelRows, specOf } from "../../../src/numerics/svm/kernel.ts";
import { fitSigmoid, sigmoid } from "../../../src/numerics/svm/platt.ts";
import { decideSvm, linearCoefficients, voteSvc } from "../../../src/numerics/svm/predict.ts";
import { RowCache } from "../../../src/numerics/svm/row-cache.ts";
import { assembleSvc, fitSvc, type SvcInput, solvePairs, svcTasks } from "../../../src/numerics/svm/svc.ts";
import { fitSvr, type SvrInput } from "../../../src/numerics/svm/svm.ts";
import { Cancelled, type Matrix, quiet } from "../../../src/numerics/types.ts";
import { columns, distance, head, table } from "../data.ts";

const reference = JSON.parse(readFileSync(new URL("../svm-reference.json", import.meta.url), "utf8"));
const raw = table();
const { c, b, w } = raw;
const x: Matrix = { ...raw.x, data: raw.x.data.map((value) => value / 16) };
const y = raw.y.map((value) => value / 16);

const kernel = (name: KernelChoice["name"], options: Partial<KernelChoice> = {}): KernelChoice => ({
  name,
  gamma: "scale",
  coef0: 0,
  degree: 3,
  ...options,
});
const three: SvcInput = { x, y: c, classes: 3, kernel: kernel("rbf"), probability: true, seed: 3 };
const tube: SvrInput = { x, y, kernel: kernel("rbf"), tol: 1e-9 };

describe("the machines, votes and probabilities of scikit-learn's SVC, step for step", () => {
  const auto = kernel("rbf", { gamma: "auto" });
  const cases: Record<string, Partial<SvcInput>> = {
    linear: { kernel: kernel("linear") },
    poly: { kernel: kernel("poly") },
    rbf: {},
    sigmoid: { kernel: kernel("sigmoid") },
    binary: { y: b, classes: 2 },
    weights: { sampleWeight: w, c: 3 },
    "poly 2": { y: b, classes: 2, kernel: kernel("poly", { degree: 2, coef0: 1, gamma: 0.5 }) },
    "no shrinking": { kernel: auto, c: 20, shrinking: false },
    tight: { c: 50, tol: 1e-7 },
  };
  test.each(Object.entries(cases))("%s", (name, options) => {
    const model = fitSvc({ ...three, ...options });
    const theirs = reference.svc[name];
    expect([...model.support]).toEqual(theirs.support);
    expect([...model.counts]).toEqual(theirs.counts);
    expect(model.iterations).toBe(theirs.iterations);
    expect(model.converged).toBe(true);
    expect(distance(model.coef, theirs.coef)).toBeLessThan(1e-10);
    expect(distance(model.intercept, theirs.intercept)).toBeLessThan(1e-10);
    const decisions = decideSvm({ x: head(x, 9), model });
    expect(distance(decisions.data, theirs.decisions)).toBeLessThan(1e-10);
    expect(distance(voteSvc({ ...model, decisions }).probability!.data, theirs.probability)).toBeLessThan(1e-9);
    expect([...voteSvc({ ...model, decisions: decideSvm({ x, model }) }).codes]).toEqual(theirs.codes);
  });
});

test("197 classes of 450 rows are the machines, votes and probabilities of scikit-learn's, within seconds", () => {
  const cells = [0, 1, 2, 3, 4, 5].map((j) =>
    Float64Array.from({ length: 450 }, (_, i) => (((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009) - 20) / 128),
  );
  const many = columns(...cells);
  const codes = Int32Array.from({ length: 450 }, (_, i) => i % 197);
  const model = fitSvc({ ...three, x: many, y: codes, classes: 197, kernel: kernel("linear") });
  expect([...model.support]).toEqual(reference.many.support);
  expect(model.iterations).toBe(reference.many.iterations);
  expect(
    distance(
      model.intercept.filter((_, p) => p % 97 === 0),
      reference.many.intercept,
    ),
  ).toBeLessThan(1e-10);
  const votes = voteSvc({ ...model, decisions: decideSvm({ x: many, model }) });
  expect([...votes.codes]).toEqual(reference.many.codes);
  const first = voteSvc({ ...model, decisions: decideSvm({ x: head(many, 2), model }) });
  // Newton's steps for 19,306 sigmoids end within 1e-5 of their best place.
  expect(distance(first.probability!.data, reference.many.probability)).toBeLessThan(1e-6);
});

describe("the answers of scikit-learn's SVR at its minimum", () => {
  const auto = kernel("rbf", { gamma: "auto" });
  const cases: Record<string, Partial<SvrInput>> = {
    linear: { kernel: kernel("linear") },
    poly: { kernel: kernel("poly") },
    rbf: {},
    sigmoid: { kernel: kernel("sigmoid") },
    wide: { c: 30, epsilon: 0.5 },
    "no tube": { c: 2, epsilon: 0 },
    "no shrinking": { c: 5, kernel: auto, shrinking: false },
  };
  test.each(Object.entries(cases))("%s", (name, options) => {
    const model = fitSvr({ ...tube, ...options });
    const theirs = reference.svr[name];
    expect([...model.support]).toEqual(theirs.support);
    expect(distance(model.coef, theirs.coef)).toBeLessThan(1e-4);
    expect(distance(model.intercept, theirs.intercept)).toBeLessThan(1e-7);
    expect(distance(decideSvm({ x: head(x, 9), model }).data, theirs.predicted)).toBeLessThan(1e-7);
  });
});

test("a small cache costs time and changes nothing", () => {
  expect(fitSvc({ ...three, cacheBytes: 1 })).toEqual(fitSvc(three));
  expect(fitSvr({ ...tube, cacheBytes: 4000 })).toEqual(fitSvr(tube));
});

test("the fits may be shared out in any parts", () => {
  const tasks = svcTasks(three);
  expect(tasks).toHaveLength(18);
  const parts = [tasks.slice(0, 5), tasks.slice(5, 6), tasks.slice(6)];
  const solved = parts.reverse().map((part) => solvePairs({ ...three, tasks: part }));
  expect(assembleSvc({ ...three, solved })).toEqual(fitSvc(three));
});

test("weights count like repeated rows, and rows without weight not at all", () => {
  const rows = [...w.keys()].flatMap((i) => new Array<number>(w[i]!).fill(i));
  const repeat = (values: ArrayLike<number>) => rows.map((i) => values[i]!);
  const many = columns(...[0, 1, 2, 3, 4, 5].map((j) => Float64Array.from(repeat(x.data.subarray(j * 240)))));
  const same = { ...tube, kernel: kernel("rbf", { gamma: 0.2 }) };
  const weighted = fitSvr({ ...same, sampleWeight: w });
  const repeated = fitSvr({ ...same, x: many, y: Float64Array.from(repeat(y)) });
  expect(distance(decideSvm({ x, model: weighted }).data, decideSvm({ x, model: repeated }).data)).toBeLessThan(1e-7);
  expect([...weighted.support].every((i) => w[i]! > 0)).toBe(true);
});

test("a linear kernel answers through its coefficients what its support vectors say", () => {
  const model = fitSvc({ ...three, kernel: kernel("linear") });
  const coef = linearCoefficients(model);
  const decisions = decideSvm({ x, model });
  for (let p = 0; p < 3; p++) {
    let sum = model.intercept[p]!;
    for (let j = 0; j < 6; j++) sum += coef[p * 6 + j]! * x.data[j * 240 + 7]!;
    expect(decisions.data[p * 240 + 7]).toBeCloseTo(sum, 12);
  }
});

test("equal votes go to the first class, or to the one decided for most firmly", () => {
  // A circle: 0 beats 1, 1 beats 2, 2 beats 0; pairs are (0,1), (0,2), (1,2).
  const decisions = { n: 1, d: 3, data: Float64Array.of(0.5, -2, 0.1) };
  const none = { classes: 3, sigmoidA: new Float64Array(0), sigmoidB: new Float64Array(0) };
  expect(voteSvc({ ...none, decisions })).toEqual({ codes: Int32Array.of(0) });
  expect([...voteSvc({ ...none, decisions, breakTies: true }).codes]).toEqual([2]);
});

test("a range of rows is answered as within all rows", () => {
  const model = fitSvc(three);
  const all = decideSvm({ x, model });
  const some = decideSvm({ x, model, from: 10, to: 14 });
  for (let p = 0; p < 3; p++) {
    expect([...some.data.subarray(p * 4, p * 4 + 4)]).toEqual([...all.data.subarray(p * 240 + 10, p * 240 + 14)]);
  }
});

test("a constant target is answered everywhere, and needs no support vector", () => {
  const model = fitSvr({ ...tube, y: new Float64Array(240).fill(3) });
  expect(model.support).toHaveLength(0);
  expect([...decideSvm({ x: head(x, 2), model }).data]).toEqual([3, 3]);
});

test("rows that are all alike make even decisions", () => {
  const flat = columns(new Float64Array(6).fill(2));
  const model = fitSvc({ ...three, x: flat, y: Int32Array.of(0, 1, 0, 1, 0, 1), classes: 2 });
  expect(decideSvm({ x: flat, model }).data[0]).toBeCloseTo(0, 9);
});

test("numbers far from the origin lose no digits in rbf", () => {
  const far = { ...x, data: x.data.map((value) => value + 2 ** 24) };
  const near = fitSvr(tube);
  const model = fitSvr({ ...tube, x: far });
  expect(distance(decideSvm({ x: far, model }).data, decideSvm({ x, model: near }).data)).toBeLessThan(1e-7);
});

test("kernel rows follow exchanged rows, and rbf is exact in float32", () => {
  const rows = new KernelRows(x, Int32Array.of(5, 6, 7), specOf(x, kernel("rbf", { gamma: 0.3 })), 0, quiet);
  const out = new Float32Array(3);
  rows.swap([0, 2]);
  rows.fill(out, 0, 0, 3);
  const exact = [7, 6, 5].map((k) => {
    let square = 0;
    for (let j = 0; j < 6; j++) square += (x.data[j * 240 + 7]! - x.data[j * 240 + k]!) ** 2;
    return Math.fround(Math.exp(-0.3 * square));
  });
  expect([...out]).toEqual(exact);
  expect([...rows.diagonal()]).toEqual([1, 1, 1]);
});

test("kernel rows of many columns are the same computed ahead, and follow exchanged rows", () => {
  const random = new RandomState(2);
  const wide: Matrix = { n: 9, d: 70, data: Float64Array.from({ length: 630 }, () => random.normal()) };
  const order = Int32Array.of(3, 8, 0, 5, 1);
  for (const name of ["rbf", "linear", "poly", "sigmoid"] as const) {
    const [one, ahead] = [0, 1e6].map((bytes) => {
      const rows = new KernelRows(wide, order, specOf(wide, kernel(name)), bytes, quiet);
      rows.swap([0, 3, 1, 4]);
      return [0, 2, 4].flatMap((i) => {
        const out = new Float32Array(5);
        rows.fill(out, i, 1, 5);
        return [...out];
      });
    });
    ahead!.forEach((value, k) => {
      expect(value).toBeCloseTo(one![k]!, 5);
    });
  }
});

describe("the cache", () => {
  const bytes = 3 * 4 * 4;
  test("lets go of the row used longest ago, and takes two rows however little room there is", () => {
    const cache = new RowCache(4, bytes);
    for (const i of [0, 1, 2]) cache.take(i, 4);
    expect(cache.take(0, 4).from).toBe(4);
    expect(cache.take(3, 4).from).toBe(0);
    expect([0, 2, 1].map((i) => cache.take(i, 4).from)).toEqual([4, 4, 0]);
    const tiny = new RowCache(4, 0);
    const { data } = tiny.take(0, 4);
    data.fill(7);
    tiny.take(1, 4).data.fill(8);
    expect([tiny.take(0, 4).from, ...data]).toEqual([4, 7, 7, 7, 7]);
  });

  test("keeps the first numbers of a row when more are asked for, and follows exchanged rows", () => {
    const cache = new RowCache(4, bytes);
    cache.take(1, 2).data.set([10, 11]);
    const grown = cache.take(1, 4);
    expect([grown.from, ...grown.data.subarray(0, 2)]).toEqual([2, 10, 11]);
    grown.data.set([12, 13], 2);
    cache.take(0, 2);
    cache.swap([1, 3]);
    expect([...cache.take(3, 4).data]).toEqual([10, 13, 12, 11]);
    // Half of what changed places in row 0 was not there, so the row is gone.
    expect(cache.take(0, 2).from).toBe(0);
  });
});

test("probabilities are even where decisions tell nothing", () => {
  const at = fitSigmoid(new Float64Array(4), Float64Array.of(1, -1, 1, -1));
  expect(sigmoid(5, at)).toBeCloseTo(0.5, 9);
});

test("tells how far it is, can be cancelled, and says when it ran out of steps", () => {
  const told: number[] = [];
  const hard = { ...tube, c: 1e4, epsilon: 0 };
  const hooks = { progress: (done: number) => told.push(done), cancelled: () => false };
  fitSvr({ ...hard, maxIter: 5000 }, hooks);
  expect(told.length).toBeGreaterThan(3);
  expect(Math.max(...told)).toBeLessThanOrEqual(1000);
  fitSvc(three, hooks);
  expect(told.at(-1)).toBe(1000);
  const stop = { progress() {}, cancelled: () => true };
  for (const run of [() => fitSvr(tube, stop), () => fitSvc(three, stop)]) expect(run).toThrow(Cancelled);
  expect(fitSvr({ ...tube, maxIter: 3 })).toMatchObject({ converged: false, iterations: 3 });
  expect(fitSvc({ ...three, maxIter: 3 }).converged).toBe(false);
});

test("ends early where features are so large that it comes no nearer", () => {
  const some = head(x, 60);
  const far = { ...some, data: some.data.map((value) => value * 1e8) };
  const model = fitSvc({
    ...three,
    x: far,
    y: b.slice(0, 60),
    classes: 2,
    kernel: kernel("linear"),
    probability: false,
  });
  expect(model.converged).toBe(false);
  expect(model.iterations).toBeLessThan(2_200_000);
  // Steps that are many for other reasons are taken.
  expect(fitSvr({ ...tube, tol: 1e-7, kernel: kernel("linear"), c: 1e4, maxIter: 200_000 }).iterations).toBe(200_000);
});

test("rows are like themselves, and no two rows more than that, however sharp rbf is", () => {
  const sharp = specOf(x, kernel("rbf", { gamma: 9e15 }));
  const order = Int32Array.of(5, 6, 7, 5);
  const rows = new KernelRows(x, order, sharp, 0, quiet);
  const out = new Float32Array(4);
  rows.fill(out, 2, 0, 4);
  expect([...out]).toEqual([0, 0, 1, 0]);
  rows.fill(out, 0, 0, 4);
  expect(out[0]).toBe(1);
  expect(out[3]).toBeLessThanOrEqual(1);
  expect(fitSvc({ ...three, kernel: kernel("rbf", { gamma: 9e15 }) }).converged).toBe(true);
});

test("refuses a class without rows, no weight, missing values, and values that overflow", () => {
  expect(() => fitSvc({ ...three, classes: 1 })).toThrow("2 classes");
  expect(() => fitSvc({ ...three, classes: 4 })).toThrow("of every class");
  expect(() => fitSvr({ ...tube, sampleWeight: new Float64Array(240) })).toThrow("with weight");
  expect(() => fitSvr({ ...tube, x: { ...x, data: x.data.with(3, Number.NaN) } })).toThrow("missing");
  expect(() => fitSvr({ ...tube, y: y.with(3, Number.NaN) })).toThrow("a target that is no number");
  const huge = { ...x, data: x.data.map((value) => value * 1e30) };
  expect(() => fitSvr({ ...tube, x: huge, kernel: kernel("linear") })).toThrow("the linear kernel overflows");
  const wide = { ...x, data: x.data.map((value) => value * 1e200) };
  expect(() => fitSvr({ ...tube, x: wide })).toThrow("the variance of all features overflows");
  expect(() => decideSvm({ x: head(x, 1), model: fitSvr({ ...tube, x: columns(y) }) })).toThrow("columns");
});
