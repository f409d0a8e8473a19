import { describe, expect, it } from "vitest";
import { innerProducts } from "../../../src/numerics/algebra/inner-products.ts";
import { type Eigen, symmetricEigen } from "../../../src/numerics/algebra/symmetric-eigen.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { quiet } from "../../../src/numerics/types.ts";

const random = new RandomState(4);
const draws = (length: number) => Float64Array.from({ length }, () => random.normal());

/** A symmetric matrix of these eigenvalues, turned at random. */
function turned(values: readonly number[]): Float64Array {
  const d = values.length;
  const out = Float64Array.from({ length: d * d }, (_, k) => (k % (d + 1) === 0 ? values[k / (d + 1)] : 0));
  for (let times = 0; times < 3; times++) {
    const u = draws(d);
    const square = u.reduce((sum, value) => sum + value * value, 0);
    const p = u.map((_, i) => u.reduce((sum, value, j) => sum + out[i * d + j] * value, 0));
    const both = u.reduce((sum, value, i) => sum + value * p[i], 0);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++)
        out[i * d + j] += (4 * both * u[i] * u[j]) / square ** 2 - (2 * (u[i] * p[j] + p[i] * u[j])) / square;
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) out[j * d + i] = out[i * d + j];
  return out;
}

/** Checks that the vectors are turned into themselves times their eigenvalues, to the digits that the matrix's size leaves. */
function checkVectors(matrix: Float64Array, d: number, { values, vectors }: Eigen) {
  const size = Math.max(Math.abs(values[0]), Math.abs(values[d - 1])) || 1;
  const count = vectors.length / d;
  const rows = { data: vectors, count };
  const images = innerProducts({ data: matrix.map((value) => value / size), count: d }, rows, d);
  const gaps = images.map((value, at) => {
    const [i, k] = [Math.floor(at / count), at % count];
    return Math.abs(value - (values[k] / size) * vectors[k * d + i]);
  });
  expect(gaps.reduce((most, gap) => Math.max(most, gap), 0)).toBeLessThan(1e-14 * Math.sqrt(d + 8));
  const off = innerProducts(rows, rows, d).map((value, at) => Math.abs(value - (at % (count + 1) === 0 ? 1 : 0)));
  expect(off.reduce((most, gap) => Math.max(most, gap), 0)).toBeLessThan(1e-14 * Math.sqrt(d + 8));
}

/** Checks all vectors of a matrix. */
function check(matrix: Float64Array, d: number) {
  const found = symmetricEigen(matrix, d);
  const { values } = found;
  checkVectors(matrix, d, found);
  for (let k = 1; k < d; k++) expect(values[k]).toBeLessThanOrEqual(values[k - 1]);
  return found;
}

describe("the eigenvectors of a symmetric matrix", () => {
  it.each([1, 2, 3, 10, 16, 17, 33, 70])("of %i rows turn it into its eigenvalues", (d) => {
    const matrix = draws(d * d);
    for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) matrix[j * d + i] = matrix[i * d + j];
    check(matrix, d);
  });

  it.each<[string, number, number[]]>([
    ["one", 1, Array.from({ length: 70 }, (_, k) => 70 - k)],
    ["seventeen", 17, Array.from({ length: 70 }, (_, k) => 2 ** -k)],
    ["none", 0, [3, 2, 1]],
    ["some of low rank", 9, Array.from({ length: 40 }, (_, k) => (k < 5 ? 5 - k : 0))],
    ["some of a cluster", 10, Array.from({ length: 48 }, (_, k) => Math.floor(k / 12) + 1e-13 * (k % 12))],
  ])("few are those that all would begin with: %s", (_, count, values) => {
    const d = values.length;
    const matrix = turned(values);
    const few = symmetricEigen(matrix, d, quiet, (found) => {
      expect(found).toEqual(symmetricEigen(matrix, d).values);
      return count;
    });
    expect(few.vectors.length).toBe(count * d);
    checkVectors(matrix, d, few);
  });

  it("of a diagonal matrix and of one with equal eigenvalues are found", () => {
    expect([...symmetricEigen(Float64Array.of(2, 0, 0, 0, 5, 0, 0, 0, 2), 3).values]).toEqual([5, 2, 2]);
    expect([...symmetricEigen(new Float64Array(4), 2).values]).toEqual([0, 0]);
    expect(symmetricEigen(new Float64Array(0), 0).values.length).toBe(0);
  });

  it.each<[string, number[]]>([
    ["of low rank", Array.from({ length: 40 }, (_, k) => (k < 5 ? 5 - k : 0))],
    ["graded over 30 powers of ten", Array.from({ length: 31 }, (_, k) => 10 ** -k)],
    ["in clusters", Array.from({ length: 48 }, (_, k) => Math.floor(k / 12) + 1e-13 * (k % 12))],
    ["all the same but one", Array.from({ length: 30 }, (_, k) => (k === 0 ? 2 : 1))],
    ["of both signs", Array.from({ length: 25 }, (_, k) => (k % 2 === 0 ? k : -k))],
  ])("%s", (_, values) => {
    const found = check(turned(values), values.length).values;
    const wanted = values.toSorted((a, b) => b - a);
    const size = Math.max(...values.map(Math.abs));
    for (const [k, value] of wanted.entries()) expect(Math.abs(found[k] - value) / size).toBeLessThan(1e-13);
  });

  it.each([1e-300, 1e-160, 1e160, 1e300])("scaled by %e have the same vectors", (scale) => {
    const matrix = turned(Array.from({ length: 20 }, (_, k) => 20 - k));
    const [plain, scaled] = [matrix, matrix.map((value) => value * scale)].map((each) => symmetricEigen(each, 20));
    for (let k = 0; k < 20; k++) expect(scaled.values[k] / scale / plain.values[k]).toBeCloseTo(1, 12);
    const products = innerProducts({ data: plain.vectors, count: 20 }, { data: scaled.vectors, count: 20 }, 20);
    for (let k = 0; k < 20; k++) expect(Math.abs(products[k * 21])).toBeCloseTo(1, 10);
  });

  it("are numpy's for Hilbert's and Wilkinson's matrices", () => {
    // numpy.linalg.eigvalsh, numpy 2.4.
    const hilbert = Float64Array.from({ length: 36 }, (_, k) => 1 / (Math.floor(k / 6) + (k % 6) + 1));
    const wanted = [
      1.618899858924339, 0.24236087057520933, 0.016321521319875815, 0.000615748354182639, 1.257075712262841e-5,
      1.0827994844532908e-7,
    ];
    check(hilbert, 6).values.forEach((value, k) => {
      expect(Math.abs(value - wanted[k])).toBeLessThan(1e-15);
    });
    const wilkinson = new Float64Array(441);
    for (let i = 0; i < 21; i++) {
      wilkinson[i * 22] = Math.abs(i - 10);
      if (i > 0) wilkinson[i * 21 + i - 1] = wilkinson[(i - 1) * 21 + i] = 1;
    }
    const pairs = [10.746194182903393, 10.746194182903322, 9.210678647361332, 9.210678647304919];
    const { values } = check(wilkinson, 21);
    pairs.forEach((value, k) => {
      expect(values[k]).toBeCloseTo(value, 13);
    });
  });

  it("of a matrix with infinity or NaN are refused", () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => symmetricEigen(Float64Array.of(1, bad, bad, 1), 2)).toThrow("the numbers are too large");
  });
});

describe("inner products of vectors", () => {
  it.each([
    [1, 1, 1],
    [3, 5, 7],
    [33, 34, 513],
    [2, 70, 1025],
    [2, 3, 0],
  ])("of %i with %i, of %i numbers each, less a number", (one, other, length) => {
    const [a, b, less] = [draws(one * length), draws(other * length), draws(other)];
    const found = innerProducts({ data: a, count: one }, { data: b, count: other, less }, length);
    expect(found.length).toBe(one * other);
    for (let i = 0; i < one; i++) {
      for (let j = 0; j < other; j++) {
        let sum = 0;
        for (let k = 0; k < length; k++) sum += a[i * length + k] * (b[j * length + k] - less[j]);
        expect(found[i * other + j]).toBeCloseTo(sum, 10);
      }
    }
  });
});
