import { instant } from "../../core/marks.ts";
import type { Cell } from "../../core/view.ts";
import { call, type Expr, value } from "../../plan/expr.ts";

/** Bins of numbers, or of dates: where each begins, and where the last one ends; of dates milliseconds. */
export interface Bins {
  readonly edges: readonly number[];
  /** The bin of a row, from 0. Each is open above, the last one closed. */
  readonly place: Expr;
  /** The same but for rounding, in a third of the time. */
  readonly rough?: Expr;
}

/** More bins than this are no picture. */
export const mostBins = 1000;

/** Units of time that bins can have, the shortest first, with how many milliseconds one has about. */
const units = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
  quarter: 91 * 86_400_000,
  year: 365 * 86_400_000,
} as const;

/** A unit of time that bins can have. */
export type BinUnit = keyof typeof units;

/** The units of time that bins can have. */
export const binUnits = Object.keys(units) as [BinUnit, ...BinUnit[]];

/**
 * As many bins of equal breadth, with numpy's edges and numpy's last bin.
 *
 * Source: numpy 2.4, lib/_histograms_impl.py: the place is worked out, then corrected by the edges themselves.
 */
export function evenBins(x: Expr, least: number, most: number, bins: number): Bins {
  if (!Number.isFinite(most - least)) {
    // A power of two, so that nothing is rounded.
    const quarter = evenBins(call("multiply", x, number(0.25)), least / 4, most / 4, bins);
    return { ...quarter, edges: quarter.edges.map((edge) => edge * 4) };
  }
  const [from, to] = opened(least, most);
  const edges = apart(from, to, bins);
  const n = edges.length - 1;
  const step = (to - from) / n;
  const share = call("divide", call("subtract", x, number(from)), number(to - from));
  const guess = call("least", call("floor", call("multiply", share, number(n))), number(n - 1));
  const edge = (place: Expr) => call("add", call("multiply", place, number(step)), number(from));
  const next = call("add", guess, number(1));
  const isBelow = call("less", x, edge(guess));
  const isAbove = call("and", call("greaterEqual", x, edge(next)), call("less", guess, number(n - 1)));
  const scale = n / 2 / (to / 2 - from / 2);
  const rough = call("floor", call("subtract", call("multiply", x, number(scale)), number(from * scale)));
  const place = call("choose", isBelow, call("subtract", guess, number(1)), call("choose", isAbove, next, guess));
  return { edges, place, rough };
}

/** The bin in which a number lies, by the edges alone. */
export function binOf(edges: readonly number[], wanted: number): number {
  let [first, last] = [0, edges.length - 1];
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    if (wanted < edges[middle]) last = middle;
    else first = middle;
  }
  return first;
}

/** The bins between edges that ascend. */
export function binsBetween(x: Expr, edges: readonly number[], type: "number" | "datetime"): Bins {
  const constant = (edge: number) => (type === "number" ? number(edge) : value(dateText(edge), "datetime"));
  const between = (first: number, last: number): Expr => {
    if (last - first <= 1) return value(first);
    const middle = (first + last) >> 1;
    return call("choose", call("less", x, constant(edges[middle])), between(first, middle), between(middle, last));
  };
  return { edges, place: between(0, edges.length - 1) };
}

/** Bins that are as broad as each other where they are measured by powers of ten. */
export function powerBins(x: Expr, least: number, most: number, bins: number): Bins {
  const [low, high] =
    least === most ? [Math.log10(least) - 0.5, Math.log10(most) + 0.5] : [least, most].map(Math.log10);
  const edges = Array.from({ length: bins + 1 }, (_, k) => 10 ** (low + ((high - low) * k) / bins));
  // The ends are cells themselves, which rounding could leave out.
  if (least !== most) {
    edges[0] = least;
    edges[bins] = most;
  }
  const ascending = edges.filter((edge, k) => k === 0 || edge > edges[k - 1]);
  return binsBetween(x, ascending, "number");
}

/** Bins of dates: of a unit of the calendar, of so many equal stretches, or of the shortest unit that makes few. */
export function dateBins(x: Expr, least: Cell, most: Cell, bins: BinUnit | number | undefined): Bins {
  const [from, to] = [instant(least), instant(most)];
  if (typeof bins === "number") {
    const span = Math.max(to - from, bins);
    const edges = Array.from({ length: bins + 1 }, (_, k) => from + Math.round((span * k) / bins));
    return binsBetween(x, edges, "datetime");
  }
  const fewEnough = binUnits.find((each) => (to - from) / units[each] <= 80) ?? "year";
  const unit = bins ?? fewEnough;
  const edges = [beginOf(from, unit)];
  while ((edges.at(-1) as number) <= to && edges.length <= mostBins) edges.push(after(edges.at(-1) as number, unit));
  return binsBetween(x, edges, "datetime");
}

/** How many bins of a unit of time lie between two dates, about. */
export function unitsBetween(least: Cell, most: Cell, unit: BinUnit): number {
  return (instant(most) - instant(least)) / units[unit];
}

/** A moment as a cell holds it; without a time where there are `hasDays` alone. */
export function dateText(milliseconds: number, hasDays = false): string {
  const text = new Date(milliseconds)
    .toISOString()
    .replace("T", " ")
    .replace(/(?:\.000)?Z$/, "");
  return hasDays ? text.replace(/ 00:00:00$/, "") : text;
}

function number(constant: number): Expr {
  return Number.isFinite(constant) && !Object.is(constant, -0) ? value(constant, "number") : value(constant);
}

/** A single value gets room on both sides, as numpy gives it. */
function opened(least: number, most: number): [number, number] {
  if (least < most) return [least, most];
  if (least - 0.5 < most + 0.5) return [least - 0.5, most + 0.5];
  const margin = Math.abs(least) / 1024;
  return least > 0 ? [least - margin, least] : [least, least + margin];
}

/** The edges of as many bins as doubles can tell apart. */
function apart(from: number, to: number, bins: number): number[] {
  const step = (to - from) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, k) => (k === bins ? to : k * step + from));
  const isApart = edges.every((edge, k) => k === 0 || edge > edges[k - 1]);
  return isApart || bins === 1 ? edges : apart(from, to, bins >> 1);
}

function beginOf(milliseconds: number, unit: BinUnit): number {
  const date = new Date(milliseconds);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (unit) {
    case "year":
      return utc(year, 0);
    case "quarter":
      return utc(year, month - (month % 3));
    case "month":
      return utc(year, month);
    case "week": {
      const day = Math.floor(milliseconds / units.day);
      // The first of January 1970 was a Thursday.
      return (day - ((((day + 3) % 7) + 7) % 7)) * units.day;
    }
    default:
      return Math.floor(milliseconds / units[unit]) * units[unit];
  }
}

function after(begin: number, unit: BinUnit): number {
  const date = new Date(begin);
  const months = { year: 12, quarter: 3, month: 1 }[unit as string];
  return months ? utc(date.getUTCFullYear(), date.getUTCMonth() + months) : begin + units[unit];
}

/** Date.UTC takes the years before 100 for those of the last century. */
function utc(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime();
}
