import type { DuckDBBitValue, DuckDBValue } from "@duckdb/node-api";
import type { WholeSums } from "../../../core/tables.ts";
import { rowColumn } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { col, join, quote, type Sql, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { selectFrom } from "../select.ts";
import { isSelected, maskBits } from "./selection-mask.ts";
import { groupsByValue } from "./ways.ts";

/** Up to here whole numbers add up to the same double in any order. */
const mostExact = 2 ** 53;

/** What columns of integers or booleans add up to, over the rows that are members (default: all). */
export async function wholeSums(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  members: Uint8Array | null,
  signal?: AbortSignal,
): Promise<WholeSums[]> {
  const bits = members && maskBits(members);
  const { groups, plain } = await groupsByValue(duck, relation, columns, bits, signal);
  const names = plain.map((k) => columns[k]!);
  const added = names.length === 0 ? [] : await addedBySql(duck, relation, names, bits, signal);
  const found = new Map(plain.map((k, j) => [k, added[j]!]));
  for (const { at, numbers, counts } of groups) {
    for (const [j, k] of at.entries()) {
      const sum = new WholeSum();
      for (const [value, number] of numbers[j]!.entries()) sum.addTimes(number, counts[value]!);
      found.set(k, sum.sums);
    }
  }
  return columns.map((_, k) => found.get(k)!);
}

async function addedBySql(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  members: DuckDBBitValue | null,
  signal?: AbortSignal,
): Promise<WholeSums[]> {
  const cells = columns.map((name, k) => sql`CAST(${col(name)} AS BIGINT) AS ${cellOf(k)}`);
  const rows = duck.statement(
    sql`SELECT ${join([col(rowColumn), ...cells])} FROM (${selectFrom(relation, { columns, row: true })})`,
  );
  const { text } = duck.statement(join(columns.flatMap((_, k) => aggregatesOf(cellOf(k)))));
  const values: DuckDBValue[] = [...rows.values];
  // A join with the subset takes as long as the sums.
  const where = members ? `WHERE ${isSelected(members, quote(rowColumn), values)}` : "";
  const [row] = await duck.answers({ text: `SELECT ${text} FROM (${rows.text}) ${where}`, values }, signal);
  return columns.map((_, k) => {
    const [n, min, max, sum, squares] = row.slice(5 * k).map((value) => (value === null ? null : Number(value)));
    if (!n) return none;
    return { n, min: min!, max: max!, ...exact(n, min!, max!, sum!, squares!) };
  });
}

function cellOf(k: number): Sql {
  return col(`w${k}`);
}

function aggregatesOf(cell: Sql): Sql[] {
  // Squares of 64-bit integers overflow. The rest as integers: the engine finds the ends of doubles three times as slowly.
  const double = sql`CAST(${cell} AS DOUBLE)`;
  return [
    sql`count(${cell})`,
    sql`min(${cell})`,
    sql`max(${cell})`,
    sql`sum(${cell})`,
    sql`sum(${double} * ${double})`,
  ];
}

const none: WholeSums = { n: 0, min: null, max: null, sum: 0, squares: 0 };

/** Sums whose parts were all small enough. Squares only grow, so the last of their sums is the largest. */
function exact(n: number, min: number, max: number, sum: number, squares: number): Pick<WholeSums, "sum" | "squares"> {
  const isSmall = squares <= mostExact;
  const isExact = isSmall || n * Math.max(-min, max) <= mostExact;
  return { sum: isExact ? sum : null, squares: isSmall ? squares : null };
}

/** The same from memory, a block of rows after the other. */
export class WholeSum {
  #n = 0;
  #min = Infinity;
  #max = -Infinity;
  #sum = 0;
  #squares = 0;

  /** Adds a number, NaN for missing cells, so many times. */
  addTimes(value: number, times: number): void {
    if (Number.isNaN(value) || times === 0) return;
    this.#n += times;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    this.#sum += times * value;
    this.#squares += times * value * value;
  }

  /** Adds numbers, NaN for missing cells. */
  add(values: Float64Array): void {
    let n = 0;
    let min = this.#min;
    let max = this.#max;
    let sum = 0;
    let squares = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (Number.isNaN(value)) continue;
      n++;
      if (value < min) min = value;
      if (value > max) max = value;
      sum += value;
      squares += value * value;
    }
    this.#n += n;
    this.#min = min;
    this.#max = max;
    this.#sum += sum;
    this.#squares += squares;
  }

  get sums(): WholeSums {
    if (this.#n === 0) return none;
    const [n, min, max] = [this.#n, this.#min, this.#max];
    return { n, min, max, ...exact(n, min, max, this.#sum, this.#squares) };
  }
}
