import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fitSparseBayes } from "../../src/numerics/sparse/bayes.ts";
import { fitSparseLogistic } from "../../src/numerics/sparse/logistic.ts";
import { gatherSparse, type SparseRows, sparseScores } from "../../src/numerics/sparse/rows.ts";
import { fitSparseSvm } from "../../src/numerics/sparse/svm.ts";
import { bagScores, trainBag } from "../../src/numerics/text/embedding-bag.ts";
import { Cancelled, quiet } from "../../src/numerics/types.ts";

const reference = JSON.parse(readFileSync(new URL("./text-reference.json", import.meta.url), "utf8"));

/** The counts of text-reference.py: 120×20, three classes, and two. */
function counts() {
  const [n, d] = [120, 20];
  const start = new Int32Array(n + 1);
  const columns: number[] = [];
  const values: number[] = [];
  const value = (i: number, j: number) => Math.max(0, ((i * 7919 + j * 104729 + i * i * (j + 3)) % 101) - 95);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) {
      if (value(i, j) === 0) continue;
      columns.push(j);
      values.push(value(i, j));
    }
    start[i + 1] = columns.length;
  }
  const x: SparseRows = { n, d, start, columns: Int32Array.from(columns), values: Float32Array.from(values) };
  const sum = (i: number, ...of: number[]) => of.reduce((total, j) => total + value(i, j), 0);
  const c = Int32Array.from({ length: n }, (_, i) => {
    return (sum(i, 0, 1) + 2 > sum(i, 2, 3, 4) ? 1 : 0) + (i % 3 === 0 ? 1 : 0);
  });
  return { x, three: c, two: c.map((k) => Math.min(k, 1)) };
}

const table = counts();
const { x } = table;
const cases = [
  ["three", table.three, 3],
  ["two", table.two, 2],
] as const;
const distance = (a: ArrayLike<number>, b: readonly number[]) => {
  expect(a.length).toBe(b.length);
  return b.reduce((most, value, k) => Math.max(most, Math.abs(value - a[k]!)), 0);
};

describe.each(cases)("scikit-learn's answers on sparse counts, %s classes", (name, y, classes) => {
  const theirs = reference[name];

  test("logistic regression", () => {
    const ours = fitSparseLogistic({ x, y, classes, tol: 1e-9, maxIter: 1000 });
    expect(distance(ours.coef, theirs.logistic.coef)).toBeLessThan(1e-5);
    // Several intercepts are told up to a common number.
    const shift = classes === 2 ? 0 : mean(theirs.logistic.intercept) - mean([...ours.intercept]);
    expect(
      distance(
        ours.intercept.map((value) => value + shift),
        theirs.logistic.intercept,
      ),
    ).toBeLessThan(1e-5);
  });

  test("linear SVM", () => {
    const ours = fitSparseSvm({ x, y, classes, tol: 1e-10, maxIter: 100_000 });
    expect(distance(ours.coef, theirs.svm.coef)).toBeLessThan(1e-6);
    expect(distance(ours.intercept, theirs.svm.intercept)).toBeLessThan(1e-6);
  });

  test.each(["multinomial", "complement"] as const)("%s naive Bayes", (kind) => {
    const model = fitSparseBayes({ x, y, classes, alpha: 0.3, kind });
    const scores = sparseScores(gatherSparse(x, Int32Array.of(0, 1, 2, 3, 4, 5, 6)), model);
    expect(distance(scores, theirs[kind])).toBeLessThan(1e-9);
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe("sparse kernels", () => {
  test("refuse what they can't learn from", () => {
    const none: SparseRows = {
      n: 1,
      d: 1,
      start: Int32Array.of(0, 0),
      columns: new Int32Array(0),
      values: new Float32Array(0),
    };
    const below: SparseRows = {
      n: 1,
      d: 1,
      start: Int32Array.of(0, 1),
      columns: Int32Array.of(0),
      values: Float32Array.of(-1),
    };
    const y = Int32Array.of(0);
    expect(() => fitSparseBayes({ x: none, y, classes: 2, alpha: 1, kind: "multinomial" })).toThrow(/not empty/);
    expect(() => fitSparseBayes({ x: below, y, classes: 2, alpha: 1, kind: "complement" })).toThrow(/value -1/);
    expect(() => fitSparseLogistic({ x, y: table.two, classes: 1 })).toThrow(/at least 2 classes, got 1/);
    expect(() => fitSparseSvm({ x, y: table.two, classes: 1 })).toThrow(/at least 2 classes, got 1/);
    expect(() => sparseScores(x, { coef: new Float64Array(3), intercept: new Float64Array(1) })).toThrow(/3 columns/);
  });

  test("end when they are cancelled", () => {
    const hooks = { ...quiet, cancelled: () => true };
    expect(() => fitSparseLogistic({ x, y: table.two, classes: 2 }, hooks)).toThrow(Cancelled);
    expect(() => fitSparseSvm({ x, y: table.two, classes: 2 }, hooks)).toThrow(Cancelled);
    expect(() => trainBag({ x, y: table.two, classes: 2, ...bag }, hooks)).toThrow(Cancelled);
  });
});

const bag = { size: 8, relu: false, dropout: 0, learningRate: 0.3, epochs: 20, seed: 5 };

describe("the embedding bag", () => {
  const options = [bag, { ...bag, relu: true, dropout: 0.2 }];

  test.each(options)("learns what a line can part, the same each time: relu $relu", (each) => {
    // The sign of two columns' difference: nothing else matters.
    const y = Int32Array.from(table.two, (_, i) => i % 2);
    const columns = Int32Array.from({ length: 240 }, (_, at) => (at % 2 === 0 ? Math.floor(at / 2) % 2 : 2 + (at % 3)));
    const rows: SparseRows = {
      n: 120,
      d: 5,
      start: Int32Array.from({ length: 121 }, (_, i) => 2 * i),
      columns,
      values: new Float32Array(240).fill(0.5),
    };
    const seen: number[] = [];
    const net = trainBag({ x: rows, y, classes: 2, ...each }, { ...quiet, progress: (done) => seen.push(done) });
    const scores = bagScores(rows, net);
    for (let i = 0; i < 120; i++) expect(scores[2 * i + 1]! > scores[2 * i]!).toBe(y[i] === 1);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, k) => k + 1));
    expect(net.epochs).toBe(20);
    const again = trainBag({ x: rows, y, classes: 2, ...each });
    expect(again.embeddings).toEqual(net.embeddings);
    expect(trainBag({ x: rows, y, classes: 2, ...each, seed: 6 }).embeddings).not.toEqual(net.embeddings);
  });

  test("stops when the loss on held-out rows no longer falls, and answers its best pass", () => {
    const rows = Int32Array.from({ length: 60 }, (_, i) => i);
    const rest = rows.map((i) => i + 60);
    const codes = (of: Int32Array) => Int32Array.from(of, (i) => table.three[i]!);
    const held = { x: gatherSparse(x, rest), y: codes(rest), patience: 2 };
    const learnt = { x: gatherSparse(x, rows), y: codes(rows), classes: 3, ...bag, learningRate: 1, epochs: 200 };
    const passes: number[] = [];
    const net = trainBag({ ...learnt, held }, { ...quiet, progress: (done) => passes.push(done) });
    expect(net.epochs).toBe(passes.length - 2);
    expect(passes.length).toBeLessThan(200);
    // Learning from scratch for as many passes gives the same weights.
    expect(trainBag({ ...learnt, stopAfter: net.epochs }).output).toEqual(net.output);
  });
});
