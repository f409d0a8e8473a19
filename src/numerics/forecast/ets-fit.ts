import { checkCancelled, type Hooks } from "../types.ts";
import { type EtsForm, type EtsState, etsDeviance, runEts } from "./ets.ts";
import { seasonalMeans } from "./season.ts";
import { lineThrough } from "./series.ts";
import { minimizeSmooth } from "./slopes.ts";

/** A fitted form. */
export type EtsFit = {
  readonly form: EtsForm;
  readonly state: EtsState;
  /** Twice the negative logarithm of the likelihood. */
  readonly deviance: number;
  /** Akaike's criterion, corrected for short series. */
  readonly aicc: number;
};

/** Parameters stay so far off the ends of their ranges. */
const edge = 1e-4;
const dampedFrom = 0.8;
const dampedTo = 0.98;

/** The forms that are tried: all but multiplicative trends, and additive errors with seasons that multiply. */
export function etsForms(isPositive: boolean, isSeasonal: boolean): EtsForm[] {
  const errors = isPositive ? (["A", "M"] as const) : (["A"] as const);
  return errors.flatMap((error) =>
    (["N", "A", "Ad"] as const).flatMap((trend) => {
      const seasons = !isSeasonal
        ? (["N"] as const)
        : error === "M"
          ? (["N", "A", "M"] as const)
          : (["N", "A"] as const);
      return seasons.map((season) => ({ error, trend, season }));
    }),
  );
}

/** How many numbers a form has to learn: smoothing parameters, first states, and the errors' variance. */
export function etsSize({ trend, season }: EtsForm, m: number): number {
  const forTrend = trend === "N" ? 0 : trend === "A" ? 2 : 3;
  return 2 + forTrend + (season === "N" ? 0 : m) + 1;
}

/**
 * Fits one form by its likelihood: smoothing parameters and first states; null where it can't be fitted.
 *
 * Parameters are kept in the usual region (0 < β < α < 1, 0 < γ < 1−α, 0.8 < φ < 0.98) by logistic functions. First
 * states begin at those of Hyndman et al. (2002, § 3.1).
 */
export function fitEts(y: Float64Array, form: EtsForm, m: number, hooks: Hooks): EtsFit | null {
  const size = etsSize(form, m);
  const n = y.length;
  if (n < size + 4) return null;
  checkCancelled(hooks);
  // Numbers of order one have slopes that differences can tell.
  const unit = y.reduce((sum, value) => sum + Math.abs(value), 0) / n || 1;
  const scaled = y.map((value) => value / unit);
  const layout = layoutOf(form, m);
  const first = firstStates(scaled, form, m);
  const value = (w: Float64Array) => etsDeviance(runEts(scaled, form, layout.read(w)), n);
  // The likelihood has more than one top: the best after some steps is followed to its own.
  const tried = startsOf(form, m)
    .map((start) => minimizeSmooth(value, layout.write(start, first), 30, hooks))
    .filter((found) => Number.isFinite(found.value))
    .sort((a, b) => a.value - b.value);
  if (tried.length === 0) return null;
  const best = minimizeSmooth(value, tried[0].w, 300, hooks);
  const state = layout.read(best.w);
  const factor = form.season === "A" ? unit : 1;
  const deviance = best.value + 2 * n * Math.log(unit);
  return {
    form,
    state: {
      ...state,
      level: state.level * unit,
      slope: state.slope * unit,
      seasonal: state.seasonal.map((each) => each * factor),
    },
    deviance,
    aicc: deviance + 2 * size + (2 * size * (size + 1)) / (n - size - 1),
  };
}

/** The form with the least corrected AIC; null where the series is too short for any. */
export function searchEts(y: Float64Array, m: number, hooks: Hooks): EtsFit | null {
  const isPositive = y.every((value) => value > 0);
  let best: EtsFit | null = null;
  for (const form of etsForms(isPositive, m > 1)) {
    const fit = fitEts(y, form, m, hooks);
    if (fit && Number.isFinite(fit.aicc) && (!best || fit.aicc < best.aicc)) best = fit;
  }
  return best;
}

/** Where a search begins: with a level that hardly moves, one that follows, and a season that does. */
function startsOf(form: EtsForm, m: number): { readonly alpha: number; readonly gamma: number }[] {
  const starts = [
    { alpha: 0.5 / m, gamma: 0.05 },
    { alpha: 0.4, gamma: 0.05 },
  ];
  return form.season === "N" ? starts : [...starts, { alpha: 0.3, gamma: 0.9 }];
}

function firstStates(y: Float64Array, form: EtsForm, m: number): Pick<EtsState, "level" | "slope" | "seasonal"> {
  const { means } = form.season === "N" ? { means: new Float64Array(0) } : seasonalMeans(y, m, form.season === "M");
  const adjusted = y.map((value, i) =>
    form.season === "N" ? value : form.season === "M" ? value / means[i % m] : value - means[i % m],
  );
  const begin = adjusted.subarray(0, Math.min(y.length, Math.max(10, 2 * m)));
  if (form.trend === "N") {
    return { level: begin.reduce((sum, value) => sum + value, 0) / begin.length, slope: 0, seasonal: means };
  }
  const { intercept, slope } = lineThrough(begin);
  return { level: intercept, slope, seasonal: means };
}

/** Where each number stands in the vector that is searched. */
function layoutOf(form: EtsForm, m: number) {
  const isTrend = form.trend !== "N";
  const isDamped = form.trend === "Ad";
  const isSeason = form.season !== "N";
  const sum = form.season === "M" ? m : 0;
  const read = (w: Float64Array): EtsState => {
    let at = 0;
    const alpha = edge + (1 - 2 * edge) * logistic(w[at++]);
    const beta = isTrend ? alpha * logistic(w[at++]) : 0;
    const gamma = isSeason ? (1 - alpha) * logistic(w[at++]) : 0;
    const phi = isDamped ? dampedFrom + (dampedTo - dampedFrom) * logistic(w[at++]) : 1;
    const level = w[at++];
    const slope = isTrend ? w[at++] : 0;
    const seasonal = new Float64Array(isSeason ? m : 0);
    let rest = sum;
    for (let k = 0; k + 1 < seasonal.length; k++) {
      seasonal[k] = w[at++];
      rest -= seasonal[k];
    }
    // The last place is what the others leave: seasons add up to nothing, or are 1 on average.
    if (isSeason) seasonal[m - 1] = rest;
    return { alpha, beta, gamma, phi, level, slope, seasonal };
  };
  const write = (
    { alpha, gamma }: ReturnType<typeof startsOf>[number],
    first: Pick<EtsState, "level" | "slope" | "seasonal">,
  ) =>
    Float64Array.from([
      logit(alpha),
      ...(isTrend ? [logit(0.1)] : []),
      ...(isSeason ? [logit(gamma)] : []),
      ...(isDamped ? [logit(0.9)] : []),
      first.level,
      ...(isTrend ? [first.slope] : []),
      ...first.seasonal.slice(0, isSeason ? m - 1 : 0),
    ]);
  return { read, write };
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function logit(share: number): number {
  return Math.log(share / (1 - share));
}
