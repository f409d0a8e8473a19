import type { BlockContext } from "../core/block.ts";
import { col, join, type Sql, sql } from "../core/sql.ts";
import type { Cell } from "../core/view.ts";

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
 * Moments of numeric columns, each kind by one more scan; missing cells don't count.
 *
 * The engine adds up in whichever order its threads come, and with floating-point numbers the last digits would show
 * it. So the values are added as fixed-point integers, scaled by a power of two to the column's range: whole numbers
 * have the same sum in any order. The error is 2^-61 of the largest value, less than that of adding doubles.
 */
export async function moments(
  rows: Sql,
  names: readonly string[],
  tables: Pick<BlockContext["tables"], "query">,
  upTo: "range" | "mean" | "deviation" = "deviation",
): Promise<Moments[]> {
  if (names.length === 0) return [];
  const values = names.map((name) => sql`CAST(${col(name)} AS DOUBLE)`);
  const select = async (pieces: readonly Sql[]) => (await tables.query(sql`SELECT ${join(pieces)} FROM (${rows})`))[0];
  // For the mean alone one end is enough, on either side of 0; it is found in half the time.
  const endsOf = (value: Sql) =>
    upTo === "mean" ? sql`-max(abs(${value})), max(abs(${value}))` : sql`min(${value}), max(${value})`;
  const ends = await select(values.map((value) => sql`count(${value}), ${endsOf(value)}`));
  const ranges = names.map((_, k) => {
    const [n, min, max] = ends.slice(3 * k, 3 * k + 3).map((cell) => (cell === null ? null : Number(cell)));
    return { n: n ?? 0, min, max };
  });
  if (upTo === "range") return ranges.map((range) => ({ ...range, mean: null, deviation: null }));
  const powers = ranges.map(({ min, max }) => powerAbove(Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0))));
  const sums = await select(values.map((value, k) => sumOf(isFiniteRange(ranges[k]) ? value : null, powers[k])));
  const means = ranges.map((range, k) => {
    if (range.n === 0) return null;
    return isFiniteRange(range) ? fromFixed(sums[k], powers[k]) / range.n : Number(range.min) + Number(range.max);
  });
  if (upTo === "mean") {
    return ranges.map(({ n }, k) => ({ n, min: null, max: null, mean: means[k], deviation: null }));
  }
  const widths = ranges.map(({ min, max }, k) =>
    powerAbove(Math.max(Number(max) - Number(means[k]), Number(means[k]) - Number(min))),
  );
  const squares = await select(
    values.map((value, k) => {
      if (!isFiniteRange(ranges[k])) return sumOf(null, 0);
      const part = sql`((${value} - CAST(${means[k]} AS DOUBLE)) * ${powerOfTwo(-widths[k])})`;
      return sumOf(sql`${part} * ${part}`, 0);
    }),
  );
  return ranges.map((range, k) => ({
    ...range,
    mean: means[k],
    deviation: isFiniteRange(range) ? Math.sqrt(fromFixed(squares[k], 0) / range.n) * 2 ** widths[k] : null,
  }));
}

function isFiniteRange({ min, max }: Pick<Moments, "min" | "max">): boolean {
  return min !== null && max !== null && Number.isFinite(min) && Number.isFinite(max);
}

/** The exponent of a power of two that is not below the size, within what a double can say. */
function powerAbove(size: number): number {
  if (!Number.isFinite(size) || size === 0) return 0;
  return Math.max(-960, Math.floor(Math.log2(size)) + 1);
}

function sumOf(value: Sql | null, power: number): Sql {
  return value === null
    ? sql`sum(CAST(NULL AS BIGINT))`
    : sql`CAST(sum(CAST(${value} * ${powerOfTwo(bits - power)} AS BIGINT)) AS VARCHAR)`;
}

function powerOfTwo(power: number): Sql {
  return sql`CAST(${2 ** power} AS DOUBLE)`;
}

function fromFixed(sum: Cell, power: number): number {
  return Number(BigInt(String(sum ?? 0))) * 2 ** (power - bits);
}
