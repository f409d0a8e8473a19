import { describe, expect, it } from "vitest";
import { createGram, GRAM_ROWS } from "../../src/numerics/algebra/gram.ts";
import { RandomState } from "../../src/numerics/random.ts";
import { createLoops } from "../../src/numerics/wasm/loops.ts";

const random = new RandomState(1);
const draws = (length: number) => Float64Array.from({ length }, () => random.normal());
const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

describe("loops in WebAssembly", () => {
  it.each([
    [1, 4],
    [2, 4],
    [5, 8],
  ])("dots: %i vectors with %i, added to what was there", (na, nb) => {
    const length = 10;
    const stride = nb + 3;
    const [a, b, before] = [draws(na * length), draws(nb * length), draws(na * stride)];
    const { loops, at } = createLoops(a.byteLength, b.byteLength, before.byteLength);
    [a, b, before].forEach((values, k) => {
      loops.doubles.set(values, at[k]! / 8);
    });
    loops.dots(at[0]!, at[1]!, at[2]!, na, nb, length, stride);
    for (let i = 0; i < na; i++) {
      for (let j = 0; j < stride; j++) {
        const product = dot(a.subarray(i * length, (i + 1) * length), b.subarray(j * length, (j + 1) * length));
        const wanted = before[i * stride + j]! + (j < nb ? product : 0);
        expect(loops.doubles[at[2]! / 8 + i * stride + j]).toBeCloseTo(wanted, 12);
      }
    }
  });

  it("combine: sums of columns, added to what was there", () => {
    const [rows, columns, sums] = [16, 5, 3];
    const [x, w, before] = [draws(rows * columns), draws(columns * sums), draws(rows * sums)];
    const { loops, at } = createLoops(x.byteLength, w.byteLength, before.byteLength);
    [x, w, before].forEach((values, k) => {
      loops.doubles.set(values, at[k]! / 8);
    });
    loops.combine(at[0]!, at[1]!, at[2]!, rows, columns, sums);
    for (let c = 0; c < sums; c++) {
      for (let r = 0; r < rows; r++) {
        let wanted = before[c * rows + r]!;
        for (let j = 0; j < columns; j++) wanted += w[c * columns + j]! * x[j * rows + r]!;
        expect(loops.doubles[at[2]! / 8 + c * rows + r]).toBeCloseTo(wanted, 12);
      }
    }
  });

  it("shift and squares: of whole vectors, and of nothing beyond them", () => {
    const [x, rest] = [draws(8), draws(4)];
    const { loops, at } = createLoops(x.byteLength + rest.byteLength, x.byteLength);
    const from = at[0]! / 8;
    loops.doubles.set([...x, ...rest], from);
    loops.shift(at[0]!, -0.3, 8);
    loops.squares(at[0]!, at[1]!, 8);
    const shifted = x.map((value) => value - 0.3);
    expect(loops.doubles.slice(from, from + 12)).toEqual(Float64Array.from([...shifted, ...rest]));
    expect(loops.doubles.slice(at[1]! / 8, at[1]! / 8 + 8)).toEqual(shifted.map((value) => value * value));
  });

  it.each([1, 2, 4, 7, 50])("the Gram matrix of %i columns, over a whole block and a part of one", (columns) => {
    const { block, sums, width, add } = createGram(columns);
    const wanted = new Float64Array(columns * columns);
    for (const rows of [GRAM_ROWS, 37]) {
      const x = draws(rows * columns);
      for (let j = 0; j < columns; j++) block.set(x.subarray(j * rows, (j + 1) * rows), j * GRAM_ROWS);
      add(rows);
      for (let i = 0; i < columns; i++) {
        for (let j = 0; j < columns; j++) {
          const product = dot(x.subarray(i * rows, (i + 1) * rows), x.subarray(j * rows, (j + 1) * rows));
          wanted[i * columns + j]! += product;
        }
      }
    }
    for (let i = 0; i < columns; i++) {
      for (let j = 0; j <= i; j++) expect(sums[i * width + j]).toBeCloseTo(wanted[i * columns + j]!, 10);
    }
  });

  it("softmax: probabilities, largest scores and sums, to the last digits; NaN stays", () => {
    const [rows, step] = [3, 16];
    const scores = draws(rows * step).map((value, i) => value * 10 ** (i % 4));
    scores[5] = NaN;
    const { loops, at } = createLoops(scores.byteLength, step * 8, step * 8);
    loops.doubles.set(scores);
    loops.softmax(at[0]!, rows, step * 8, at[1]!, at[2]!);
    for (let i = 0; i < step; i++) {
      const own = Array.from({ length: rows }, (_, k) => scores[k * step + i]!);
      const most = Math.max(...own);
      const exps = own.map((value) => Math.exp(value - most));
      const total = exps.reduce((sum, value) => sum + value, 0);
      expect(loops.doubles[at[1]! / 8 + i]).toBe(most);
      if (i !== 5) expect(loops.doubles[at[2]! / 8 + i]! / total).toBeCloseTo(1, 14);
      for (let k = 0; k < rows; k++) {
        const share = loops.doubles[k * step + i]!;
        if (i === 5) expect(share).toBeNaN();
        else if (own[k]! - most > -700) expect(share / (exps[k]! / total)).toBeCloseTo(1, 14);
        else expect(share).toBeLessThan(1e-300);
      }
    }
  });

  it("logistic: exp(-|z|) and ln(1 + exp(-|z|)), to the last digits", () => {
    const z = [0, 1e-9, -0.3, Math.LN2, -1, 2.5, 30, -37, 200, -700, 1e4, NaN].map(Number);
    const { loops, at } = createLoops(z.length * 8, z.length * 8, z.length * 8);
    loops.doubles.set(z);
    loops.logistic(at[0]!, at[1]!, at[2]!, z.length * 8);
    z.forEach((score, i) => {
      const [e, log] = [loops.doubles[at[1]! / 8 + i]!, loops.doubles[at[2]! / 8 + i]!];
      const wanted = Math.exp(-Math.abs(score));
      if (Number.isNaN(score)) expect([e, log]).toEqual([NaN, NaN]);
      else if (Math.abs(score) > 708) expect(e + log).toBeLessThan(1e-300);
      else
        expect([e / wanted, log / Math.log1p(wanted)].map((share) => Math.abs(share - 1) < 4e-16)).toEqual([
          true,
          true,
        ]);
    });
  });
});
