import type { Hooks } from "../types.ts";
import { type ArimaFit, type ArimaOrder, fitArima, isSound, stationary } from "./arima-fit.ts";
import { longestSeason } from "./ets-forecast.ts";
import { seasonalMeans } from "./season.ts";
import { differenced, meanOf, varianceOf } from "./series.ts";

/** A season this strong is differenced (Wang, Smith and Hyndman 2006; the threshold is that of R's nsdiffs). */
const strongSeason = 0.64;
/** The 5% point of the KPSS test for a level (Kwiatkowski et al. 1992, table 1). */
const kpssPoint = 0.463;
const mostOrder = 5;
const mostSeasonal = 2;
/** Longer series, and longer seasons, are searched by the conditional likelihood. */
const exactRows = 150;
const exactSeason = 12;
/** Models that a search looks at. */
const mostModels = 94;

/** The statistic of the KPSS test for stationarity around a level, with a Bartlett window of trunc(3√n/13) steps. */
export function kpss(values: Float64Array): number {
  const n = values.length;
  const mean = meanOf(values);
  const lags = Math.trunc((3 * Math.sqrt(n)) / 13);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    sum += values[i] - mean;
    squares += sum * sum;
  }
  let variance = 0;
  for (let lag = 0; lag <= lags; lag++) {
    let products = 0;
    for (let i = lag; i < n; i++) products += (values[i] - mean) * (values[i - lag] - mean);
    variance += (lag === 0 ? 1 : 2 * (1 - lag / (lags + 1))) * (products / n);
  }
  return variance > 0 ? squares / (n * n * variance) : 0;
}

/** How often a series is differenced: by its season where that is strong, then until the KPSS test is content. */
export function differencesOf(y: Float64Array, m: number): { readonly d: number; readonly D: number } {
  const isStrong = m > 1 && y.length > 2 * m + 2 && seasonalMeans(y, m).strength > strongSeason;
  let series = isStrong ? differenced(y, m) : y;
  let d = 0;
  while (d < 2 && series.length > 3 && isVaried(series) && kpss(series) > kpssPoint) {
    series = differenced(series);
    d++;
  }
  return { d, D: isStrong ? 1 : 0 };
}

/**
 * The ARIMA with the least corrected AIC, by steps: the search of Hyndman and Khandakar (2008), § 3.
 *
 * It begins at four orders and goes on with their neighbours until none is better. Orders with a root near the unit circle
 * are passed over. Where the search went by the conditional likelihood, the best are fitted again by the exact one.
 * Seasons of more than 24 steps are differenced at most. Null where the series is too short, or constant.
 */
export function searchArima(y: Float64Array, season: number, hooks: Hooks): ArimaFit | null {
  const m = y.length > 2 * season + 2 ? season : 1;
  const { d, D } = differencesOf(y, m);
  if (!isVaried(stationary(y, { d, D, m }))) return null;
  const isSeasonal = m > 1 && m <= longestSeason;
  const isExact = y.length <= exactRows && season <= exactSeason;
  const seen = new Map<string, (ArimaFit & { readonly w: Float64Array }) | null>();
  let best: ArimaFit | null = null;
  const isBetter = (order: ArimaOrder): boolean => {
    const key = JSON.stringify(order);
    const most = isSeasonal ? mostSeasonal : 0;
    const isWithin =
      [order.p, order.q].every((each) => each >= 0 && each <= mostOrder) &&
      [order.P, order.Q].every((each) => each >= 0 && each <= most);
    if (!isWithin || seen.has(key) || seen.size >= mostModels) return false;
    const fit = fitArima(y, order, { isExact }, hooks);
    seen.set(key, fit && isSound(fit) ? fit : null);
    if (!fit || !isSound(fit) || (best && fit.aicc >= best.aicc)) return false;
    best = fit;
    return true;
  };
  const constant = d + D <= 1;
  const s = isSeasonal ? 1 : 0;
  const base = { d, D, m, constant };
  isBetter({ ...base, p: 2, q: 2, P: s, Q: s });
  isBetter({ ...base, p: 0, q: 0, P: 0, Q: 0 });
  isBetter({ ...base, p: 1, q: 0, P: s, Q: 0 });
  isBetter({ ...base, p: 0, q: 1, P: 0, Q: s });
  if (constant) isBetter({ ...base, p: 0, q: 0, P: 0, Q: 0, constant: false });
  // The loop assigns inside a callback, which the compiler can't see.
  while (best !== null && neighbours((best as ArimaFit).order, constant).some(isBetter));
  if (isExact) return best;
  const sorted = [...seen.values()].filter((fit) => fit !== null).sort((a, b) => a.aicc - b.aicc);
  for (const fit of sorted.slice(0, 10)) {
    const exact = fitArima(y, fit.order, { isExact: true, from: fit.w }, hooks);
    if (exact && isSound(exact)) return exact;
  }
  return null;
}

/** The orders a step away, in the order in which they are tried. */
function neighbours(order: ArimaOrder, mayTurn: boolean): ArimaOrder[] {
  const { p, q, P, Q } = order;
  const by = (change: Partial<ArimaOrder>) => ({ ...order, ...change });
  return [
    by({ P: P - 1 }),
    by({ Q: Q - 1 }),
    by({ P: P + 1 }),
    by({ Q: Q + 1 }),
    by({ P: P - 1, Q: Q - 1 }),
    by({ P: P - 1, Q: Q + 1 }),
    by({ P: P + 1, Q: Q - 1 }),
    by({ P: P + 1, Q: Q + 1 }),
    by({ p: p - 1 }),
    by({ q: q - 1 }),
    by({ p: p + 1 }),
    by({ q: q + 1 }),
    by({ p: p - 1, q: q - 1 }),
    by({ p: p - 1, q: q + 1 }),
    by({ p: p + 1, q: q - 1 }),
    by({ p: p + 1, q: q + 1 }),
    ...(mayTurn ? [by({ constant: !order.constant })] : []),
  ];
}

function isVaried(values: Float64Array): boolean {
  if (values.length < 2) return false;
  const most = values.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  return varianceOf(values) > 1e-24 * most * most;
}
