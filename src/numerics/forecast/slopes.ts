import { minimize } from "../linear/lbfgs.ts";
import type { Hooks } from "../types.ts";

/** No slope of a deviance below this moves it by what a criterion shows. */
const flat = 1e-3;
/** A search ends where so many steps together gain less than this. */
const patience = 8;
const gain = 1e-5;

/** Differences this large are a balance of rounding and curvature for functions of order one. */
const width = 6e-6;

/** The least value of a smooth deviance from `start` on, its slopes by central differences; returns where. */
export function minimizeSmooth(
  value: (w: Float64Array) => number,
  start: Float64Array,
  maxIter: number,
  hooks: Hooks,
): { readonly w: Float64Array; readonly value: number } {
  const silent = { progress() {}, cancelled: () => hooks.cancelled() };
  const at = new Float64Array(start.length);
  const objective = (w: Float64Array, gradient: Float64Array) => {
    const here = value(w);
    if (!Number.isFinite(here)) return Number.POSITIVE_INFINITY;
    at.set(w);
    for (let i = 0; i < w.length; i++) {
      const step = width * Math.max(1, Math.abs(w[i]));
      at[i] = w[i] + step;
      const above = value(at);
      at[i] = w[i] - step;
      const below = value(at);
      at[i] = w[i];
      const slope = (above - below) / (2 * step);
      gradient[i] = Number.isFinite(slope) ? slope : 0;
    }
    return here;
  };
  const values: number[] = [];
  let last = Number.POSITIVE_INFINITY;
  const heard = (w: Float64Array, gradient: Float64Array) => {
    last = objective(w, gradient);
    return last;
  };
  // Asked once a step, after the value that the step ended with.
  const isEnough = () => {
    values.push(last);
    const before = values[values.length - 1 - patience];
    return before !== undefined && before - last < gain;
  };
  const found = minimize({ objective: heard, isEnough, w: start, tolerance: flat, maxIter, memory: 20 }, silent);
  return { w: found.w, value: found.value };
}
