import type { BlockContext } from "../core/block.ts";
import { col, join, type Sql, sql } from "../core/sql.ts";
import type { Cell } from "../core/view.ts";
import { fewAtATime } from "./aggregates.ts";

/** Count, range, mean and population deviation of a column; null where there is none, or it was not asked for. */
export interface Moments {
  readonly n: number;
  readonly min: number | null;
  readonly max: number | null;
  /** Infinite, or NaN, with infinity among the values. */
  readonly mean: number | null;
  /** Null with infinity among the values. */
  readonly deviation: number | null;
}

/** Bits of a fixed-point number below its sign; a million million of them still fit into the engine's 128-bit sums. */
const bits = 61;

/**
 * Moments of numeric columns in two scans, the range in one; missing cells don't count.
 *
 * The engine adds up in whichever order its threads come, and with floating-point numbers the last digits would show
 * it. So the values are added as fixed-point integers, scaled by a power of two to the column's range: whole numbers
 * have the same sum in any order. The error is 2^-61 of the largest value, less than that of adding doubles. Deviations
 * are taken from a place near the mean that the first scan finds, cut to 20 bits so that no order of adding shows in it.
 * Sums of whole numbers below 2^53 are exact as doubles, so `integers` of moderate size need no second scan.
 *
 * `rows` selects some of the columns: wide tables are read a few hundred columns at a time, since the engine's work on
 * one query grows faster than its number of columns.
 */
export async function moments(
  rows: (names: readonly string[]) => Sql,
  names: readonly string[],
  tables: Pick<BlockContext["tables"], "query">,
  upTo: "range" | "mean" | "deviation" = "deviation",
  integers: ReadonlySet<string> = new Set(),
): Promise<Moments[]> {
  const found: Moments[] = [];
  for (const some of fewAtATime(names)) {
    for (const each of await momentsOf(rows(some), some, tables, upTo, integers)) found.push(each);
  }
  return found;
}

async function momentsOf(
  rows: Sql,
  names: readonly string[],
  tables: Pick<BlockContext["tables"], "query">,
  upTo: "range" | "mean" | "deviation",
  integers: ReadonlySet<string>,
): Promise<Moments[]> {
  const values = names.map((name) => sql`CAST(${col(name)} AS DOUBLE)`);
  // Named in a query within, a value is computed once, however often it is used.
  const select = async (inner: readonly Sql[], pieces: (value: Sql, k: number) => Sql) => {
    const named = inner.map((value, k) => sql`${value} AS ${col(`v${k}`)}`);
    const outer = inner.map((_, k) => pieces(col(`v${k}`), k));
    return (await tables.query(sql`SELECT ${join(outer)} FROM (SELECT ${join(named)} FROM (${rows}))`))[0];
  };
  const found = await select(values, (value, k) => firstScan(value, upTo, integers.has(names[k])));
  const ranges = names.map((_, k) => rangeOf(found.slice(6 * k, 6 * k + 6)));
  const none = { mean: null, deviation: null };
  if (upTo === "range") return ranges.map(({ n, min, max }) => ({ n, min, max, ...none }));
  const places = ranges.map((range) => (isExact(range) ? null : placeOf(range, upTo)));
  const left = places.some((place) => place !== null);
  const parts = values.map((value, k) => partOf(value, places[k]));
  const sums = left ? await select(parts, (part, k) => secondScan(part, places[k], upTo)) : [];
  return ranges.map(({ n, min, max }, k) => {
    const ends = upTo === "mean" ? { min: null, max: null } : { min, max };
    const place = places[k];
    if (n === 0) return { n, ...ends, ...none };
    if (isExact(ranges[k])) return { n, min, max, ...exactly(ranges[k]) };
    if (!place) return { n, ...ends, mean: Number(min) + Number(max), deviation: null };
    const unit = 2 ** place.power;
    const off = fromFixed(sums[2 * k]) / n;
    const mean = min === max ? min : place.from + off * unit;
    const variance = fromFixed(sums[2 * k + 1]) / n - off * off;
    return { n, ...ends, mean, deviation: min === max ? 0 : Math.sqrt(Math.max(0, variance)) * unit };
  });
}

/** A column's values and the range they lie in. */
interface Range {
  readonly n: number;
  readonly min: number | null;
  readonly max: number | null;
  /** Near the mean. */
  readonly middle: number;
  /** Sums of the values and their squares, of integers alone. */
  readonly sum: number | null;
  readonly squares: number | null;
}

/** Are the range's sums whole numbers that doubles hold, whatever the order they were added in? */
function isExact({ n, min, max, squares }: Range): boolean {
  return squares !== null && n * Math.max(Math.abs(Number(min)), Math.abs(Number(max)), 1) ** 2 < 2 ** 53;
}

function exactly({ n, sum, squares }: Range): { mean: number; deviation: number } {
  const [count, total] = [BigInt(n), BigInt(Number(sum))];
  return {
    mean: Number(sum) / n,
    deviation: Math.sqrt(Number(count * BigInt(Number(squares)) - total * total) / n ** 2),
  };
}

/** Where a column is measured from, and a power of two that no value is farther off. */
interface Place {
  readonly from: number;
  readonly power: number;
}

/** Sums of the largest numbers stay finite when they are added up as much smaller ones. */
const small = 2 ** -64;

function firstScan(value: Sql, upTo: "range" | "mean" | "deviation", isInteger: boolean): Sql {
  // For the mean alone one end is enough, on either side of 0; it is found in half the time.
  if (upTo === "mean") return sql`count(${value}), -max(abs(${value})), max(abs(${value})), 0, NULL, NULL`;
  if (isInteger && upTo === "deviation") {
    const sum = sql`sum(${value})`;
    return sql`count(${value}), min(${value}), max(${value}), ${sum} / count(${value}), ${sum}, sum(${value} * ${value})`;
  }
  // Infinity makes it infinite or NaN, and nobody asks for it then.
  const middle = upTo === "range" ? sql`0` : sql`avg(${value} * CAST(${small} AS DOUBLE))`;
  return sql`count(${value}), min(${value}), max(${value}), ${middle} / CAST(${small} AS DOUBLE), NULL, NULL`;
}

function rangeOf([n, min, max, middle, sum, squares]: readonly Cell[]): Range {
  const number = (cell: Cell) => (cell === null ? null : Number(cell));
  const ends = { min: number(min), max: number(max) };
  return { n: Number(n), ...ends, middle: Number(middle ?? 0), sum: number(sum), squares: number(squares) };
}

/** Null where nothing can be measured: without values, or with infinity among them. */
function placeOf(range: Range, upTo: "mean" | "deviation"): Place | null {
  if (!isFiniteRange(range)) return null;
  const [min, max] = [Number(range.min), Number(range.max)];
  const size = powerAbove(Math.max(Math.abs(min), Math.abs(max)));
  if (upTo === "mean") return { from: 0, power: size };
  const step = 2 ** (powerAbove(max - min) - 20);
  const from = Math.round(range.middle / step) * step;
  return { from, power: powerAbove(Math.max(max - from, from - min)) };
}

/** Values as shares of the place's power, none beyond 1; missing where there is no place. */
function partOf(value: Sql, place: Place | null): Sql {
  if (!place) return sql`CAST(NULL AS DOUBLE)`;
  const off = place.from === 0 ? value : sql`(${value} - CAST(${place.from} AS DOUBLE))`;
  return sql`${off} * ${powerOfTwo(-place.power)}`;
}

function secondScan(part: Sql, place: Place | null, upTo: "mean" | "deviation"): Sql {
  if (!place) return sql`sum(CAST(NULL AS BIGINT)), sum(CAST(NULL AS BIGINT))`;
  return sql`${sumOf(part)}, ${upTo === "mean" ? sql`0` : sumOf(sql`${part} * ${part}`)}`;
}

function isFiniteRange({ min, max }: Pick<Moments, "min" | "max">): boolean {
  return min !== null && max !== null && Number.isFinite(min) && Number.isFinite(max);
}

/** The exponent of a power of two that is not below the size, within what a double can say. */
function powerAbove(size: number): number {
  if (!Number.isFinite(size) || size === 0) return 0;
  return Math.max(-960, Math.floor(Math.log2(size)) + 1);
}

/** The sum of values of at most 1 in size. */
function sumOf(value: Sql): Sql {
  return sql`CAST(sum(CAST(${value} * ${powerOfTwo(bits)} AS BIGINT)) AS VARCHAR)`;
}

function powerOfTwo(power: number): Sql {
  return sql`CAST(${2 ** power} AS DOUBLE)`;
}

function fromFixed(sum: Cell): number {
  return Number(BigInt(String(sum ?? 0))) * 2 ** -bits;
}
