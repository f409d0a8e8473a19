import { checkCancelled, createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";
import { type KernelSpec, kernelValues } from "./kernel.ts";
import { couple, sigmoid } from "./platt.ts";
import type { Svr } from "./svm.ts";

/** A fitted support vector classification: one machine per pair of classes (0,1), (0,2) … (1,2) …. */
export type Svc = {
  spec: KernelSpec;
  classes: number;
  /** Support vectors, class by class. */
  vectors: Matrix;
  /** Rows of x that became support vectors. */
  support: Int32Array;
  /** Support vectors of each class. */
  counts: Int32Array;
  /** (classes−1)×vectors row-major: for pair (i, j), row j−1 at the vectors of class i, and row i at those of j. */
  coef: Float64Array;
  /** One per pair. */
  intercept: Float64Array;
  /** One per pair: the sigmoids that make probabilities; empty when they were not learnt. */
  sigmoidA: Float64Array;
  sigmoidB: Float64Array;
  iterations: number;
  converged: boolean;
};

/** What `decideSvm` needs to know: a fitted machine, and rows, of which those from…to−1 are judged (default: all). */
export type DecideInput = { x: Matrix; model: Machines; from?: number; to?: number };

/** The part of a fitted model that decides; a regression is one machine without classes. */
export type Machines = Pick<Svr, "spec" | "vectors" | "coef" | "intercept"> & Partial<Pick<Svc, "classes" | "counts">>;

/**
 * What each machine answers for each row: a number for a regression, a signed distance per pair of classes else.
 *
 * rows×machines, fresh; above 0 speaks for the first class of the pair, as scikit-learn's ovo decision function, which
 * turns the sign for two classes alone. NaN spreads along its row. RangeError when columns don't match.
 * O(rows · vectors · d), for a linear kernel O(rows · d).
 */
export function decideSvm(input: DecideInput, hooks: Hooks = quiet): Matrix {
  const { x, model, from = 0, to = x.n } = input;
  const { vectors, intercept, spec } = model;
  if (vectors.n > 0 && vectors.d !== x.d) throw new RangeError(`the model has ${vectors.d} columns, got ${x.d}`);
  const machines = intercept.length;
  const out = createMatrix(to - from, machines);
  const weights = machineWeights(model);
  if (spec.name === "linear") {
    const coef = collapsed(vectors, weights);
    for (let p = 0; p < machines; p++) {
      const at = p * out.n;
      out.data.fill(intercept[p]!, at, at + out.n);
      for (let j = 0; j < vectors.d; j++) {
        const w = coef[p * vectors.d + j]!;
        for (let i = 0; i < out.n; i++) out.data[at + i]! += w * x.data[j * x.n + from + i]!;
      }
    }
    return out;
  }
  const values = new Float64Array(vectors.n);
  for (let i = 0; i < out.n; i++) {
    if (i % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(i, out.n);
    }
    kernelValues(values, x, from + i, vectors, spec);
    for (let p = 0; p < machines; p++) {
      let sum = 0;
      for (const { start, end, at } of weights[p]!) {
        for (let s = start; s < end; s++) sum += model.coef[at + s]! * values[s]!;
      }
      out.data[p * out.n + i] = sum + intercept[p]!;
    }
  }
  return out;
}

/** Where a machine's coefficients are: those of vectors start…end−1 at coef[at + vector]. */
export type Stretch = { start: number; end: number; at: number };

/** The stretches of `coef` that each machine sums over, machine by machine. */
export function machineWeights({
  vectors,
  coef,
  intercept,
  classes,
  counts,
}: Machines): (Stretch & { coef: Float64Array })[][] {
  const n = vectors.n;
  if (!classes || !counts) return intercept.length === 1 ? [[{ start: 0, end: n, at: 0, coef }]] : [];
  const starts = Array.from(counts, (_, k) => counts.subarray(0, k).reduce((sum, value) => sum + value, 0));
  const stretch = (k: number, row: number) => ({ start: starts[k]!, end: starts[k]! + counts[k]!, at: row * n, coef });
  const out: (Stretch & { coef: Float64Array })[][] = [];
  for (let i = 0; i < classes; i++) for (let j = i + 1; j < classes; j++) out.push([stretch(i, j - 1), stretch(j, i)]);
  return out;
}

function collapsed(vectors: Matrix, weights: readonly (Stretch & { coef: Float64Array })[][]): Float64Array {
  const { n, d, data } = vectors;
  const out = new Float64Array(weights.length * d);
  weights.forEach((stretches, p) => {
    for (const { start, end, at, coef } of stretches) {
      for (let j = 0; j < d; j++) {
        let sum = 0;
        for (let s = start; s < end; s++) sum += coef[at + s]! * data[j * n + s]!;
        out[p * d + j]! += sum;
      }
    }
  });
  return out;
}

/** Coefficients per feature of a linear kernel's machines, machines×d row-major, fresh. O(vectors · d). */
export function linearCoefficients(model: Machines): Float64Array {
  return collapsed(model.vectors, machineWeights(model));
}

/** What `voteSvc` needs to know: the answers of `decideSvm`, and the model's sigmoids, if it has any. */
export type VoteInput = Pick<Svc, "classes" | "sigmoidA" | "sigmoidB"> & {
  decisions: Matrix;
  /** Among classes with equally many votes take the one decided for most firmly, not the first (default false). */
  breakTies?: boolean;
};

/** Class codes per row, and n×classes probabilities when the model learnt them. */
export type Votes = { codes: Int32Array; probability?: Matrix };

/**
 * Turns the decisions of all pairs into classes by vote, and into probabilities by coupling.
 *
 * As scikit-learn's predict and predict_proba, which may disagree for a row on the border. O(n · classes²).
 */
export function voteSvc(input: VoteInput, hooks: Hooks = quiet): Votes {
  const { decisions, classes, sigmoidA, sigmoidB } = input;
  const { n } = decisions;
  const codes = new Int32Array(n);
  const probability = sigmoidA.length > 0 ? createMatrix(n, classes) : undefined;
  const row = new Float64Array(decisions.d);
  const shares = new Float64Array(classes);
  for (let i = 0; i < n; i++) {
    if (i % 1024 === 0) checkCancelled(hooks);
    for (let p = 0; p < decisions.d; p++) row[p] = decisions.data[p * n + i]!;
    codes[i] = mostVotes(row, classes, input.breakTies === true && classes > 2);
    if (!probability) continue;
    for (let p = 0; p < row.length; p++) row[p] = sigmoid(row[p]!, { a: sigmoidA[p]!, b: sigmoidB[p]! });
    couple(shares, row);
    for (let k = 0; k < classes; k++) probability.data[k * n + i] = shares[k]!;
  }
  return probability ? { codes, probability } : { codes };
}

/** The class with most votes; of equals the first, or with `firm` the one with the largest sum of decisions. */
function mostVotes(row: Float64Array, classes: number, firm: boolean): number {
  const votes = new Float64Array(classes);
  const sums = new Float64Array(classes);
  let p = 0;
  for (let i = 0; i < classes; i++) {
    for (let j = i + 1; j < classes; j++) {
      const value = row[p++]!;
      votes[value > 0 ? i : j]! += 1;
      sums[i]! += value;
      sums[j]! -= value;
    }
  }
  // Squeezed below half a vote, so that firmness decides among equals only.
  if (firm) for (let k = 0; k < classes; k++) votes[k]! += sums[k]! / (3 * (Math.abs(sums[k]!) + 1));
  let best = 0;
  for (let k = 1; k < classes; k++) if (votes[k]! > votes[best]!) best = k;
  return best;
}
