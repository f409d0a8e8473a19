import { expect, test } from "vitest";
import { classCurves, precisionRecall } from "../../../src/numerics/evaluation/curves.ts";
import { areaUnderRoc } from "../../../src/numerics/evaluation/metrics.ts";
import { columns, distance, even, reference, table } from "../data.ts";

const { x, c, b } = table();
const raw = [0, 1, 2].map((k) =>
  Float64Array.from(c, (own, i) => Math.abs(x.data[k * x.n + i]!) + 0.5 + (own === k ? 3 : 0)),
);
const score = Float64Array.from(c, (_, i) => {
  const total = raw[0]![i]! + raw[1]![i]! + raw[2]![i]!;
  return even((raw[1]![i]! / total) * 100) / 100;
});

test("precision and recall are scikit-learn's, ties included", () => {
  const theirs = reference.metrics.precisionRecall;
  const found = precisionRecall({ y: b, score });
  const length = found.recall.length;
  expect(distance(found.recall, theirs.recall.slice(0, length))).toBeLessThan(1e-12);
  expect(distance(found.precision, theirs.precision.slice(0, length))).toBeLessThan(1e-12);
  expect(found.average).toBeCloseTo(theirs.average, 12);
  // What is left out has found everything already.
  expect(theirs.recall.slice(length).every((value: number) => value === 1)).toBe(true);
});

test("by hand: two of three found first, the last behind one other", () => {
  const found = precisionRecall({ y: Int32Array.of(1, 1, 0, 1), score: Float64Array.of(0.9, 0.8, 0.7, 0.6) });
  expect([...found.recall]).toEqual([0, 1 / 3, 2 / 3, 2 / 3, 1]);
  expect([...found.precision]).toEqual([1, 1, 1, 2 / 3, 3 / 4]);
  expect(found.average).toBeCloseTo((1 + 1 + 3 / 4) / 3, 12);
});

test("nothing positive, or no rows: no curve", () => {
  for (const y of [Int32Array.of(0, 0), new Int32Array(0)]) {
    expect(precisionRecall({ y, score: new Float64Array(y.length) })).toMatchObject({
      average: null,
      recall: new Float64Array(0),
    });
  }
});

test("curves of classes have the areas of whole ones, and few marks", () => {
  const n = 20_000;
  const y = Int32Array.from({ length: n }, (_, i) => (i * 7919) % 3);
  const parts = [0, 1, 2].map((k) =>
    Float64Array.from(y, (code, i) => ((i * 104729) % 1009) / 2000 + (code === k ? 0.3 : 0)),
  );
  const probability = columns(...(parts as [Float64Array, Float64Array, Float64Array]));
  const curves = classCurves({ y, probability, classes: Int32Array.of(0, 2) });
  expect(curves.map(({ code }) => code)).toEqual([0, 2]);
  for (const { code, roc, precisionRecall: other } of curves) {
    expect(roc.area).toBeCloseTo(areaUnderRoc(y, parts[code]!, code)!, 12);
    expect([roc.x[0], roc.y[0], roc.x.at(-1), roc.y.at(-1)]).toEqual([0, 0, 1, 1]);
    expect(roc.x.length).toBeLessThan(510);
    expect(other.x.length).toBeLessThan(510);
    expect(other.x.at(-1)).toBe(1);
  }
});
