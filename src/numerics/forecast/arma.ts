import { checkCancelled, type Hooks, quiet } from "../types.ts";

/** The polynomials of an ARMA process, all seasons multiplied out: x_t = Σ ar_i x_{t−i} + e_t + Σ ma_j e_{t−j}. */
export type Arma = { readonly ar: Float64Array; readonly ma: Float64Array };

/** How likely a series is. */
export type ArmaLikelihood = {
  /** Twice the negative logarithm of the likelihood, its variance at its best; infinite where there is none. */
  readonly deviance: number;
  /** The errors' variance. */
  readonly variance: number;
};

/** Coefficients differ by less than this from where they tend to. */
const settled = 1e-10;

/**
 * Coefficients of a stationary autoregression from partial autocorrelations, each between −1 and 1.
 *
 * The Durbin–Levinson recursion, as in Monahan (1984). O(p²).
 */
export function fromPartials(partials: Float64Array): Float64Array {
  const out = partials.slice();
  for (let k = 1; k < out.length; k++) {
    const before = out.slice(0, k);
    for (let i = 0; i < k; i++) out[i] = before[i] - partials[k] * before[k - 1 - i];
  }
  return out;
}

/** Do all roots of 1 − Σ c_i z^i lie outside the circle of this radius? By stepping the recursion above down. */
export function isOutside(coefficients: Float64Array, radius: number): boolean {
  const c = coefficients.map((value, i) => value * radius ** (i + 1));
  for (let k = c.length - 1; k >= 0; k--) {
    const partial = c[k];
    if (!(Math.abs(partial) < 1)) return false;
    const before = c.slice(0, k);
    for (let i = 0; i < k; i++) c[i] = (before[i] + partial * before[k - 1 - i]) / (1 - partial * partial);
  }
  return true;
}

/** (1 + Σ a_i z^i)(1 + Σ b_j z^{jm}) without its 1, given by its coefficients. */
export function multiplied(a: Float64Array, b: Float64Array, m: number): Float64Array {
  const out = new Float64Array(a.length + b.length * m);
  out.set(a);
  for (let j = 0; j < b.length; j++) {
    const at = (j + 1) * m - 1;
    out[at] += b[j];
    for (let i = 0; i < a.length; i++) out[at + 1 + i] += a[i] * b[j];
  }
  return out;
}

/** The first weights of the process as a sum of errors, ψ_0 = 1 … ψ_{size−1}. */
export function errorWeights({ ar, ma }: Arma, size: number): Float64Array {
  const psi = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    let sum = k === 0 ? 1 : k <= ma.length ? ma[k - 1] : 0;
    for (let i = 0; i < Math.min(k, ar.length); i++) sum += ar[i] * psi[k - 1 - i];
    psi[k] = sum;
  }
  return psi;
}

/** Autocovariances at lags 0 … most for errors of variance 1; null where the process is not stationary. O(p³). */
function autocovariances(arma: Arma, most: number): Float64Array | null {
  const { ar, ma } = arma;
  const [p, q] = [ar.length, ma.length];
  const psi = errorWeights(arma, q + 1);
  const right = (k: number) => {
    let sum = 0;
    for (let j = k; j <= q; j++) sum += (j === 0 ? 1 : ma[j - 1]) * psi[j - k];
    return sum;
  };
  const size = p + 1;
  const rows = Array.from({ length: size }, (_, k) => {
    const row = new Float64Array(size + 1);
    row[k] += 1;
    for (let i = 1; i <= p; i++) row[Math.abs(k - i)] -= ar[i - 1];
    row[size] = right(k);
    return row;
  });
  const solved = solve(rows);
  if (!solved || !(solved[0] > 0)) return null;
  const out = new Float64Array(most + 1);
  out.set(solved.subarray(0, Math.min(size, most + 1)));
  for (let k = size; k <= most; k++) {
    let sum = right(k);
    for (let i = 1; i <= p; i++) sum += ar[i - 1] * out[k - i];
    out[k] = sum;
  }
  return out;
}

/** Gaussian elimination with row pivots; each row holds its right side last. Null where the matrix is singular. */
function solve(rows: Float64Array[]): Float64Array | null {
  const size = rows.length;
  for (let k = 0; k < size; k++) {
    let best = k;
    for (let i = k + 1; i < size; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    const pivot = rows[k][k];
    if (!(Math.abs(pivot) > 1e-14)) return null;
    for (let i = k + 1; i < size; i++) {
      const factor = rows[i][k] / pivot;
      if (factor === 0) continue;
      for (let j = k; j <= size; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const out = new Float64Array(size);
  for (let k = size - 1; k >= 0; k--) {
    let sum = rows[k][size];
    for (let j = k + 1; j < size; j++) sum -= rows[k][j] * out[j];
    out[k] = sum / rows[k][k];
  }
  return out;
}

/**
 * The exact Gaussian likelihood of a series with mean zero, and what is expected of each step and of those ahead.
 *
 * The innovations algorithm on the series of Ansley (1979), which is the process itself for max(p, q) steps and a moving
 * average after: Brockwell and Davis (1991), § 5.3 and § 8.7. Its coefficients tend to those of the process; from there
 * on a step costs p + q operations, before q². `expected`, where given, has room for the steps and those ahead.
 */
export function armaLikelihood(x: Float64Array, arma: Arma, expected?: Float64Array): ArmaLikelihood {
  const { ar, ma } = arma;
  const [p, q] = [ar.length, ma.length];
  const n = x.length;
  const m = Math.max(p, q);
  const none = { deviance: Number.POSITIVE_INFINITY, variance: Number.NaN };
  const gamma = autocovariances(arma, m + p);
  if (!gamma) return none;
  const total = Math.max(n, expected?.length ?? 0);
  const far = farCovariances(ma);
  const covariance = (i: number, j: number): number => {
    const lag = Math.abs(i - j);
    const [first, last] = [Math.min(i, j), Math.max(i, j)];
    if (last < m) return gamma[lag];
    if (first >= m) return lag <= q ? far[lag] : 0;
    if (last >= 2 * m) return 0;
    let sum = gamma[lag];
    for (let r = 1; r <= p; r++) sum -= ar[r - 1] * gamma[Math.abs(r - lag)];
    return sum;
  };
  // Row t holds the coefficients of the errors of steps t−1, t−2 …; only the last m rows are looked at.
  const kept = m + 1;
  const rows = Array.from({ length: kept }, () => new Float64Array(Math.max(1, m)));
  const v = new Float64Array(total);
  const errors = new Float64Array(total);
  let squares = 0;
  let logs = 0;
  let isSettled = false;
  for (let t = 0; t < total; t++) {
    const reach = t < m ? t : Math.min(q, t);
    const row = rows[t % kept];
    if (isSettled) {
      v[t] = 1;
    } else {
      v[t] = covariance(t, t);
      for (let k = t - reach; k < t; k++) {
        let sum = covariance(t, k);
        const other = rows[k % kept];
        const from = Math.max(t - reach, k - (k < m ? k : Math.min(q, k)));
        for (let j = from; j < k; j++) sum -= other[k - 1 - j] * row[t - 1 - j] * v[j];
        row[t - 1 - k] = sum / v[k];
      }
      for (let j = t - reach; j < t; j++) v[t] -= row[t - 1 - j] ** 2 * v[j];
      if (!(v[t] > 0)) return none;
      if (t >= 2 * m && Math.abs(v[t] - 1) < settled) {
        isSettled = true;
        for (let j = 0; j < q; j++) if (Math.abs(row[j] - ma[j]) > settled) isSettled = false;
      }
    }
    const weights = isSettled ? ma : row;
    let sum = 0;
    for (let j = 0; j < reach; j++) sum += weights[j] * errors[t - 1 - j];
    if (t >= m) {
      for (let i = 0; i < p; i++) sum += ar[i] * (t - 1 - i < n ? x[t - 1 - i] : (expected as Float64Array)[t - 1 - i]);
    }
    if (expected) expected[t] = sum;
    if (t >= n) continue;
    errors[t] = x[t] - sum;
    squares += (errors[t] * errors[t]) / v[t];
    logs += Math.log(v[t]);
  }
  const variance = squares / n;
  return { deviance: n * (Math.log(2 * Math.PI * variance) + 1) + logs, variance };
}

/** Autocovariances of the moving average alone. */
function farCovariances(ma: Float64Array): Float64Array {
  const weights = Float64Array.from([1, ...ma]);
  return weights.map((_, lag) => {
    let sum = 0;
    for (let r = 0; r + lag < weights.length; r++) sum += weights[r] * weights[r + lag];
    return sum;
  });
}

/**
 * The conditional likelihood: errors before the series are zero, and its first p steps are not judged.
 *
 * A quick stand-in for the exact one: O(n·(coefficients that are not zero)). The deviance is that of n steps.
 */
export function conditionalLikelihood(x: Float64Array, { ar, ma }: Arma, hooks: Hooks = quiet): ArmaLikelihood {
  checkCancelled(hooks);
  const n = x.length;
  const [arAt, maAt] = [places(ar), places(ma)];
  const errors = new Float64Array(n);
  let squares = 0;
  for (let t = ar.length; t < n; t++) {
    let error = x[t];
    for (const i of arAt) error -= ar[i] * x[t - 1 - i];
    for (const j of maAt) if (j < t) error -= ma[j] * errors[t - 1 - j];
    errors[t] = error;
    squares += error * error;
  }
  const variance = squares / Math.max(1, n - ar.length);
  return { deviance: n * (Math.log(2 * Math.PI * variance) + 1), variance };
}

function places(values: Float64Array): number[] {
  return Array.from(values.keys()).filter((i) => values[i] !== 0);
}
