import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fitRbm, type RbmInput } from "../../../src/numerics/networks/rbm.ts";
import { hiddenRbm, scoreRbm } from "../../../src/numerics/networks/rbm-score.ts";
import { type Matrix, quiet } from "../../../src/numerics/types.ts";

interface Case {
  readonly name: string;
  readonly n: number;
  readonly d: number;
  readonly kind: "dense" | "binary" | "zeros";
  readonly hidden: number;
  readonly batch: number;
  readonly epochs: number;
  readonly rate: number;
  readonly seed: number;
  readonly weights: number[];
  readonly hiddenBias: number[];
  readonly visibleBias: number[];
  readonly on: number[];
  readonly scores: number[];
}

const { cases } = JSON.parse(readFileSync(new URL("../rbm-reference.json", import.meta.url), "utf8")) as {
  cases: Case[];
};

/** The same as table() in rbm-reference.py. */
function cells(n: number, d: number, kind: Case["kind"]): Matrix {
  const data = new Float64Array(n * d);
  for (let j = 0; j < d; j++) {
    for (let i = 0; i < n; i++) {
      const value = ((i * 7919 + j * 104729 + i * i * (j + 3)) % 1009) / 1008;
      data[j * n + i] = kind === "binary" ? Number(value > 0.6) : kind === "zeros" && value <= 0.5 ? 0 : value;
    }
  }
  return { n, d, data };
}

function inputOf(each: Case): RbmInput {
  return { ...each, x: cells(each.n, each.d, each.kind), curve: new Float64Array(each.epochs) };
}

function expectNear(got: ArrayLike<number>, expected: readonly number[]): void {
  expect(got.length).toBe(expected.length);
  expected.forEach((value, k) => {
    expect(got[k], `at ${k}`).toBeCloseTo(value, 9);
  });
}

describe("a restricted Boltzmann machine", () => {
  it.each(cases.map((each) => [each.name, each] as const))("is scikit-learn's: %s", (_name, each) => {
    const input = inputOf(each);
    const rbm = fitRbm(input, quiet);
    expectNear(rbm.weights, each.weights);
    expectNear(rbm.hiddenBias, each.hiddenBias);
    expectNear(rbm.visibleBias, each.visibleBias);
    const on = hiddenRbm({ rbm, x: input.x, from: 0, to: 3 }, quiet);
    expectNear(
      Array.from(
        { length: 3 * each.hidden },
        (_, at) => on.data[(at % each.hidden) * 3 + Math.floor(at / each.hidden)],
      ),
      each.on,
    );
    expectNear(scoreRbm({ rbm, x: input.x, seed: each.seed }, quiet).slice(0, 8), each.scores.slice(0, each.n));
  });

  it("writes what each epoch came to, which ends with the mean of the rows' own", () => {
    const input = inputOf(cases[0]);
    const rbm = fitRbm(input, quiet);
    const scores = scoreRbm({ rbm, x: input.x, seed: input.seed }, quiet);
    expect(input.curve.at(-1)).toBeCloseTo(scores.reduce((sum, score) => sum + score, 0) / scores.length, 12);
    expect(input.curve.every((score) => score < 0)).toBe(true);
  });

  it("answers the same bytes for rows in parts as for all", () => {
    const input = inputOf(cases[2]);
    const rbm = fitRbm(input, quiet);
    const all = hiddenRbm({ rbm, x: input.x }, quiet);
    for (const [from, to] of [
      [0, 5],
      [5, 64],
    ]) {
      const part = hiddenRbm({ rbm, x: input.x, from, to }, quiet);
      for (let k = 0; k < rbm.hidden; k++) {
        expect([...part.data.subarray(k * part.n, (k + 1) * part.n)]).toEqual([
          ...all.data.subarray(k * all.n + from, k * all.n + to),
        ]);
      }
    }
  });

  it("tells its progress without falling, and stops when it is cancelled", () => {
    const input = inputOf(cases[1]);
    const heard: number[] = [];
    let total = 0;
    fitRbm(input, {
      cancelled: () => false,
      progress: (done, of) => {
        heard.push(done);
        total = of;
      },
    });
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect(heard.at(-1)).toBe(total);
    let asked = 0;
    expect(() => fitRbm(input, { progress: () => undefined, cancelled: () => ++asked > 3 })).toThrow("was cancelled");
    expect(asked).toBe(4);
  });

  it("refuses what would not fit into memory, before it begins", () => {
    const input = { ...inputOf(cases[0]), hidden: 100_000_000 };
    expect(() => fitRbm(input, quiet)).toThrow(
      /it would take 34.4 GB of memory and 2\.1 GB is the most; lower n_components or batch_size/,
    );
  });
});
