/** Probability that a decision value belongs to the positive class: 1 / (1 + e^(a·value + b)). */
export type Sigmoid = { a: number; b: number };

/**
 * The sigmoid that turns decision values into probabilities, by Newton's method with backtracking.
 *
 * `values` are decisions on rows a machine was not trained on; `y` is +1 or −1. Targets are smoothed by the class
 * counts. O(n) a step, 100 steps at most. Source: Platt (1999), as mended by Lin, Lin and Weng (Machine Learning 68, 2007).
 */
export function fitSigmoid(values: Float64Array, y: Float64Array): Sigmoid {
  const positive = y.reduce((sum, sign) => sum + (sign > 0 ? 1 : 0), 0);
  const negative = y.length - positive;
  const high = (positive + 1) / (positive + 2);
  const low = 1 / (negative + 2);
  const target = y.map((sign) => (sign > 0 ? high : low));
  let at: Sigmoid = { a: 0, b: Math.log((negative + 1) / (positive + 1)) };
  let loss = sigmoidLoss(values, target, at);
  for (let step = 0; step < 100; step++) {
    const { g1, g2, h11, h21, h22 } = slopes(values, target, at);
    if (Math.abs(g1) < 1e-5 && Math.abs(g2) < 1e-5) break;
    const det = h11 * h22 - h21 * h21;
    const da = -(h22 * g1 - h21 * g2) / det;
    const db = -(h11 * g2 - h21 * g1) / det;
    const slope = g1 * da + g2 * db;
    let size = 1;
    for (; size >= 1e-10; size /= 2) {
      const next = { a: at.a + size * da, b: at.b + size * db };
      const value = sigmoidLoss(values, target, next);
      if (value < loss + 1e-4 * size * slope) {
        at = next;
        loss = value;
        break;
      }
    }
    if (size < 1e-10) break;
  }
  return at;
}

/** The probability of the positive class. */
export function sigmoid(value: number, { a, b }: Sigmoid): number {
  const z = value * a + b;
  if (z < 0) return 1 / (1 + Math.exp(z));
  const e = Math.exp(-z);
  return e / (1 + e);
}

function sigmoidLoss(values: Float64Array, target: Float64Array, { a, b }: Sigmoid): number {
  let loss = 0;
  for (let k = 0; k < values.length; k++) {
    const z = values[k]! * a + b;
    loss += z >= 0 ? target[k]! * z + Math.log1p(Math.exp(-z)) : (target[k]! - 1) * z + Math.log1p(Math.exp(z));
  }
  return loss;
}

function slopes(values: Float64Array, target: Float64Array, at: Sigmoid) {
  // A little is added to the Hessian so that it can always be inverted.
  const out = { g1: 0, g2: 0, h11: 1e-12, h21: 0, h22: 1e-12 };
  for (let k = 0; k < values.length; k++) {
    const value = values[k]!;
    const p = sigmoid(value, at);
    const weight = p * sigmoid(-value, { a: at.a, b: -at.b });
    const error = target[k]! - p;
    out.g1 += value * error;
    out.g2 += error;
    out.h11 += value * value * weight;
    out.h21 += value * weight;
    out.h22 += weight;
  }
  return out;
}

const LEAST = 1e-7;

/**
 * Class probabilities from probabilities of pairs, written to `out`.
 *
 * `pairs` holds the probability of class i against class j for i < j, pair after pair; they are kept 1e-7 away from 0
 * and 1. Iterates until the optimality conditions hold to 0.005/k. O(k²) a step.
 * Source: Wu, Lin and Weng (JMLR 5, 2004), second approach, algorithm 2.
 */
export function couple(out: Float64Array, pairs: Float64Array): void {
  const k = out.length;
  const q = couplings(pairs, k);
  const qp = new Float64Array(k);
  out.fill(1 / k);
  for (let step = 0; step < Math.max(100, k); step++) {
    let whole = 0;
    for (let t = 0; t < k; t++) {
      let sum = 0;
      for (let j = 0; j < k; j++) sum += q[t * k + j]! * out[j]!;
      qp[t] = sum;
      whole += out[t]! * sum;
    }
    let worst = 0;
    for (let t = 0; t < k; t++) worst = Math.max(worst, Math.abs(qp[t]! - whole));
    if (worst < 0.005 / k) return;
    for (let t = 0; t < k; t++) {
      const own = q[t * k + t]!;
      const change = (whole - qp[t]!) / own;
      out[t]! += change;
      whole = (whole + change * (change * own + 2 * qp[t]!)) / (1 + change) / (1 + change);
      for (let j = 0; j < k; j++) {
        qp[j] = (qp[j]! + change * q[t * k + j]!) / (1 + change);
        out[j]! /= 1 + change;
      }
    }
  }
}

function couplings(pairs: Float64Array, k: number): Float64Array {
  const q = new Float64Array(k * k);
  let p = 0;
  for (let i = 0; i < k; i++) {
    for (let j = i + 1; j < k; j++) {
      const forI = Math.min(Math.max(pairs[p++]!, LEAST), 1 - LEAST);
      const forJ = 1 - forI;
      q[i * k + i]! += forJ * forJ;
      q[j * k + j]! += forI * forI;
      q[i * k + j] = -forI * forJ;
      q[j * k + i] = -forI * forJ;
    }
  }
  return q;
}
