import { checkCancelled, type Hooks } from "../types.ts";
import { type Arma, armaLikelihood, conditionalLikelihood, fromPartials, isOutside, multiplied } from "./arma.ts";
import { differenced, meanOf, varianceOf } from "./series.ts";
import { minimizeSmooth } from "./slopes.ts";

/** ARIMA(p,d,q)(P,D,Q)[m]; with a constant the differenced series has a mean. */
export type ArimaOrder = {
  readonly p: number;
  readonly d: number;
  readonly q: number;
  readonly P: number;
  readonly D: number;
  readonly Q: number;
  readonly m: number;
  readonly constant: boolean;
};

/** The coefficients of an order. */
export type ArimaCoefficients = {
  readonly ar: Float64Array;
  readonly ma: Float64Array;
  readonly seasonalAr: Float64Array;
  readonly seasonalMa: Float64Array;
  /** The mean of the differenced series; 0 without a constant. */
  readonly mean: number;
};

/** A fitted order. */
export type ArimaFit = {
  readonly order: ArimaOrder;
  readonly coefficients: ArimaCoefficients;
  readonly variance: number;
  readonly deviance: number;
  /** Akaike's criterion, corrected; those of one series by one kind of likelihood can be compared. */
  readonly aicc: number;
};

/** Roots nearer to the unit circle than this make forecasts that nothing holds. */
const nearest = 1.01;

/** "ARIMA(0,1,1)(0,1,1)[12] with drift". */
export function arimaName({ p, d, q, P, D, Q, m, constant }: ArimaOrder): string {
  const seasonal = m > 1 && P + D + Q > 0 ? `(${P},${D},${Q})[${m}]` : "";
  return `ARIMA(${p},${d},${q})${seasonal}${constant ? (d + D > 0 ? " with drift" : " with mean") : ""}`;
}

/** The series with its seasonal differences taken, then the others. */
export function stationary(y: Float64Array, { d, D, m }: Pick<ArimaOrder, "d" | "D" | "m">): Float64Array {
  let out = y;
  for (let k = 0; k < D; k++) out = differenced(out, m);
  for (let k = 0; k < d; k++) out = differenced(out);
  return out;
}

/** The polynomials with both parts multiplied. */
export function armaOf({ ar, ma, seasonalAr, seasonalMa }: ArimaCoefficients, m: number): Arma {
  const negative = (values: Float64Array) => values.map((value) => -value);
  return {
    ar: negative(multiplied(negative(ar), negative(seasonalAr), m)),
    ma: multiplied(ma, seasonalMa, m),
  };
}

/**
 * Fits an order, by its exact likelihood or by the conditional one; null where it can't be fitted.
 *
 * Autoregressions stay stationary and moving averages invertible: what is searched are inverse hyperbolic tangents of partial
 * autocorrelations (Jones 1980). `from` are coefficients to begin at (default: zeros).
 */
export function fitArima(
  y: Float64Array,
  order: ArimaOrder,
  { isExact, from }: { readonly isExact: boolean; readonly from?: Float64Array },
  hooks: Hooks,
): (ArimaFit & { readonly w: Float64Array }) | null {
  checkCancelled(hooks);
  const series = stationary(y, order);
  const { p, q, P, Q, m, constant } = order;
  const size = p + q + P + Q + (constant ? 1 : 0) + 1;
  const n = series.length;
  if (n < size + 2 || n <= p + m * P) return null;
  const unit = Math.sqrt(varianceOf(series));
  // Nothing varies about its mean: any coefficients are as good as zeros.
  if (!(unit > 1e-12 * Math.max(...y.map(Math.abs)))) return null;
  const middle = meanOf(series);
  const read = (w: Float64Array): ArimaCoefficients => {
    let at = 0;
    const take = (count: number) => {
      const part = w.slice(at, at + count).map(Math.tanh);
      at += count;
      return fromPartials(part);
    };
    const ar = take(p);
    const ma = take(q).map((value) => -value);
    const seasonalAr = take(P);
    const seasonalMa = take(Q).map((value) => -value);
    return { ar, ma, seasonalAr, seasonalMa, mean: constant ? middle + unit * w[at] : 0 };
  };
  const shifted = new Float64Array(n);
  const judged = (w: Float64Array) => {
    const coefficients = read(w);
    for (let i = 0; i < n; i++) shifted[i] = (series[i] - coefficients.mean) / unit;
    const arma = armaOf(coefficients, m);
    return isExact ? armaLikelihood(shifted, arma) : conditionalLikelihood(shifted, arma, hooks);
  };
  const start = from ?? new Float64Array(size - 1).fill(0.1, 0, size - 1 - (constant ? 1 : 0));
  // Of a mean alone the likelihood is known; the search would only find it again.
  const found =
    size === 1
      ? { w: start, value: judged(start).deviance }
      : minimizeSmooth((w) => judged(w).deviance, start, 100, hooks);
  const { deviance, variance } = judged(found.w);
  if (!Number.isFinite(deviance)) return null;
  const whole = deviance + 2 * n * Math.log(unit);
  return {
    order,
    coefficients: read(found.w),
    variance: variance * unit * unit,
    deviance: whole,
    aicc: whole + 2 * size + (2 * size * (size + 1)) / Math.max(1, n - size - 1),
    w: found.w,
  };
}

/** Do all roots lie far enough off the unit circle? */
export function isSound({ coefficients, order }: ArimaFit): boolean {
  const { ar, ma, seasonalAr, seasonalMa } = coefficients;
  const negative = (values: Float64Array) => values.map((value) => -value);
  const seasonal = nearest ** order.m;
  return (
    isOutside(ar, nearest) &&
    isOutside(negative(ma), nearest) &&
    isOutside(seasonalAr, seasonal) &&
    isOutside(negative(seasonalMa), seasonal)
  );
}
