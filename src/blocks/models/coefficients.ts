import { DataError } from "../../core/errors.ts";
import { text, type View } from "../../core/view.ts";

/** Refuses coefficients that overflowed on the way: NaN or infinity would only answer nonsense later. */
export function refuseOverflow(numbers: readonly Float64Array[], who: string): void {
  if (numbers.every((values) => values.every(Number.isFinite))) return;
  throw new DataError(
    `${who}: the numbers are too large, their squares or products pass 1e308. Scale the features with scale (DP_5) first.`,
    { code: "overflow", hint: "scale" },
  );
}

/** The equation of a linear model, or its constant alone where the terms are many. */
export function equation(target: string, names: readonly string[], coef: ArrayLike<number>, intercept: number): View {
  const shown = (value: number) => String(Number(value.toPrecision(6)));
  if (names.length > 4) return text(`Intercept: ${shown(intercept)}`);
  const terms = names.map((name, k) => `${coef[k] < 0 ? " - " : " + "}${shown(Math.abs(coef[k]))} · ${name}`);
  return text(`${target} = ${shown(intercept)}${terms.join("")}`);
}

/** Says that a least-squares fit took some directions of its features for none, and what can be done. */
export function rankNotices(rank: number, columns: number, tolerance: number, what = "features"): string[] {
  if (rank >= columns) return [];
  return [
    `${what} are linearly dependent, or differ in size by more than 1 / tol (rank ${rank} of ${columns} at tol ${tolerance}), so single coefficients mean little. Scaling them with scale (DP_5), or a smaller tol, tells size from dependence.`,
  ];
}
