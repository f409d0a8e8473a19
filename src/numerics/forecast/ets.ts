/** A form of exponential smoothing: errors and season add up ("A") or multiply ("M"), a trend may be damped ("Ad"). */
export type EtsForm = {
  readonly error: "A" | "M";
  readonly trend: "N" | "A" | "Ad";
  readonly season: "N" | "A" | "M";
};

/** The smoothing parameters and the states before the first step. */
export type EtsState = {
  readonly alpha: number;
  readonly beta: number;
  readonly gamma: number;
  /** 1 where the trend is not damped. */
  readonly phi: number;
  readonly level: number;
  readonly slope: number;
  /** What the season adds, or multiplies by, at each of its places, that of the first step first; empty for none. */
  readonly seasonal: Float64Array;
};

/** How a run over a series went. */
export type EtsRun = {
  /** Sum of squared errors, relative ones where errors multiply. */
  readonly squares: number;
  /** Sum of the logarithms of what was expected, where errors multiply; else 0. */
  readonly logs: number;
  /** The states behind the last step; the season's first place is that of the next step. */
  readonly end: { readonly level: number; readonly slope: number; readonly seasonal: Float64Array };
};

/** "ETS(M,Ad,M)". */
export function etsName({ error, trend, season }: EtsForm): string {
  return `ETS(${error},${trend},${season})`;
}

/**
 * Runs the recursions over a series; `fitted` gets what was expected of each step.
 *
 * `squares` is infinite where errors multiply and something at or below zero was expected. O(n).
 * Source: Hyndman, Koehler, Ord and Snyder (2008), Forecasting with Exponential Smoothing, tables 2.2 and 2.3, in the
 * parameters of table 2.3 (β is not divided by α).
 */
export function runEts(y: Float64Array, form: EtsForm, start: EtsState, fitted?: Float64Array): EtsRun {
  const { alpha, beta, gamma, phi } = start;
  const isFactor = form.error === "M";
  const m = form.season === "N" ? 1 : start.seasonal.length;
  const seasonal = form.season === "N" ? new Float64Array(1) : start.seasonal.slice();
  const multiplies = form.season === "M";
  const adds = form.season === "A";
  const isTrend = form.trend !== "N";
  let level = start.level;
  let slope = isTrend ? start.slope : 0;
  let squares = 0;
  let logs = 0;
  let place = 0;
  for (let t = 0; t < y.length; t++) {
    const s = seasonal[place];
    const carried = isTrend ? phi * slope : 0;
    const base = level + carried;
    const expected = multiplies ? base * s : adds ? base + s : base;
    if (fitted) fitted[t] = expected;
    let error = y[t] - expected;
    if (isFactor) {
      if (!(expected > 0)) return { squares: Number.POSITIVE_INFINITY, logs: 0, end: { level, slope, seasonal } };
      error /= expected;
      logs += Math.log(expected);
    }
    squares += error * error;
    const off = multiplies ? y[t] / s - base : adds ? y[t] - s - base : y[t] - base;
    level = base + alpha * off;
    if (isTrend) slope = carried + beta * off;
    if (multiplies) seasonal[place] = s + gamma * (y[t] / base - s);
    else if (adds) seasonal[place] = s + gamma * (y[t] - base - s);
    if (++place === m) place = 0;
  }
  const turned = form.season === "N" ? new Float64Array(0) : seasonal.map((_, k) => seasonal[(k + place) % m]);
  return { squares, logs, end: { level, slope, seasonal: turned } };
}

/** Twice the negative logarithm of the likelihood, its variance at its best. */
export function etsDeviance({ squares, logs }: EtsRun, n: number): number {
  return n * (Math.log((2 * Math.PI * squares) / n) + 1) + 2 * logs;
}
