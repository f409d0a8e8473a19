import { DataError } from "../../core/errors.ts";
import { type TableView, text, type View } from "../../core/view.ts";
import type { Linear } from "../../numerics/linear/linear.ts";
import { t975 } from "../../numerics/statistics/student.ts";

/** Refuses coefficients that overflowed on the way: NaN or infinity would only answer nonsense later. */
export function refuseOverflow(numbers: readonly Float64Array[], who: string): void {
  if (numbers.every((values) => values.every(Number.isFinite))) return;
  throw new DataError(
    `${who}: the numbers are too large, their squares or products pass 1e308. Scale the features with scale (DP_5) first; a target that is so large can be divided with derive (BL_DERIVE).`,
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

/** Rows of a table of intervals at most. */
const mostRows = 15;

/** Each coefficient with its 95 % interval, the surest first; `perUnit` adds what a unit more multiplies the answer by. */
export function intervals(
  names: readonly string[],
  coef: Float64Array,
  {
    errors,
    quantile,
    perUnit = false,
    title = "coefficients with 95 % intervals",
  }: { errors: Float64Array; quantile: number; perUnit?: boolean; title?: string },
): View[] {
  const rows = names.map((name, j) => {
    const [own, error] = [coef[j], errors[j]];
    const ends = [own - quantile * error, own + quantile * error];
    return { cells: [name, own, error, ...ends, ...(perUnit ? [Math.exp(own)] : [])], sure: Math.abs(own) / error };
  });
  rows.sort((a, b) => b.sure - a.sure);
  const numbers = ["coefficient", "std. error", "from", "to", ...(perUnit ? ["times per unit"] : [])];
  const table: TableView = {
    kind: "table",
    title,
    summary: true,
    columns: [{ name: "feature", type: "text" }, ...numbers.map((name) => ({ name, type: "number" as const }))],
    rows: rows.slice(0, mostRows).map(({ cells }) => cells),
  };
  return names.length > mostRows
    ? [table, text(`The table shows the ${mostRows} surest of ${names.length}.`)]
    : [table];
}

/** The intervals of a least-squares fit, where it tells how sure it is. */
export function fitIntervals(names: readonly string[], { coef, sureness }: Linear): View[] {
  return sureness ? intervals(names, coef, { ...sureness, quantile: t975(sureness.freedom) }) : [];
}

/** Says that a least-squares fit took some directions of its features for none, and what can be done. */
export function rankNotices(rank: number, columns: number, tolerance: number, what = "features"): string[] {
  if (rank >= columns) return [];
  return [
    `${what} are linearly dependent, or differ in size by more than 1 / tol (rank ${rank} of ${columns} at tol ${tolerance}), so single coefficients mean little. Scaling them with scale (DP_5), or a smaller tol, tells size from dependence.`,
  ];
}
