import { rowColumn, type SortKey } from "../plan/expr.ts";
import type { FunctionName } from "../plan/functions.ts";
import { col, raw, type Sql, sql } from "./sql.ts";
import {
  type Argument,
  type Around,
  lastRows,
  numberOf,
  overClause,
  running,
  sortKey,
  type Writer,
} from "./sql-calls.ts";

/** What an engine says in words of its own within windows. */
export interface WindowWords {
  /** A value as it is compared. */
  ordered(value: Pick<Argument, "sql" | "type">): Sql;
  asDouble(number: Argument): Sql;
  /** A number in a type in which sums of many do not run over. */
  summand(number: Argument): Sql;
  /** Such a sum as a whole number of 64 bits, missing where it runs over. */
  fitting(sum: Sql): Sql;
  /** A double, missing where it is no number. */
  real(number: Sql): Sql;
}

type WindowName =
  | "rowNumber"
  | "rank"
  | "denseRank"
  | "ntile"
  | "lag"
  | "lead"
  | "cumsum"
  | "cummean"
  | "cummin"
  | "cummax"
  | "rollingSum"
  | "rollingMean"
  | "rollingMin"
  | "rollingMax"
  | "rollingStd";

/** The row's number, by which windows go where nothing else orders them. */
const row = col(rowColumn);

/** The most that engines take as a count of rows. */
const mostRows = 2 ** 31 - 1;

/** Windows for engines that order nothing by itself: each says its order, the table's where it has no other. */
export function windowWriters(words: WindowWords): Readonly<Record<Extract<FunctionName, WindowName>, Writer>> {
  const keysOf = (around: Around) => windowKeys(around, words.ordered);
  const over = (around: Around, frame = "") => windowOver(around, words.ordered, frame);

  /** The place of a value, or of the row in the window's order; equals share it. */
  const ranking =
    (name: string): Writer =>
    ([x], around) => {
      const by = around.call.over?.by ?? [];
      const place = (order: readonly Sql[]) => sql`CAST(${raw(name)}() ${overClause(by, order)} AS bigint)`;
      if (x) return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${place([sortKey(words.ordered(x))])} END`;
      const keys = keysOf(around);
      return place(keys.length > 0 ? keys : [row]);
    };

  const shifted =
    (name: string): Writer =>
    ([x, k], around) =>
      sql`${raw(name)}(${x.sql}, ${raw(String(k ? Math.min(numberOf(k), mostRows) : 1))}) ${over(around)}`;

  /** An aggregate over the rows up to this one; missing at a missing cell, and on behind it. */
  const cumulative =
    (name: string): Writer =>
    ([x], around) => {
      const made = sql`${raw(name)}(${name === "avg" ? words.asDouble(x) : words.summand(x)}) ${over(around, running)}`;
      const stored = around.type === "integer" ? words.fitting(made) : words.real(made);
      return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${stored} END`;
    };

  const rolling =
    (name: string): Writer =>
    ([x, n], around) => {
      const last = over(around, lastRows(Math.min(numberOf(n), mostRows)));
      const made = sql`${raw(name)}(${words.asDouble(x)}) ${last}`;
      return sql`CASE WHEN count(${x.sql}) ${last} = ${raw(String(numberOf(n)))} THEN ${words.real(made)} END`;
    };

  return {
    rowNumber: (_, around) => sql`CAST(row_number() ${over(around)} AS bigint)`,
    rank: ranking("rank"),
    denseRank: ranking("dense_rank"),
    ntile: ([k], around) => sql`CAST(ntile(${raw(String(Math.min(numberOf(k), mostRows)))}) ${over(around)} AS bigint)`,
    lag: shifted("lag"),
    lead: shifted("lead"),
    cumsum: cumulative("sum"),
    cummean: cumulative("avg"),
    cummin: cumulative("min"),
    cummax: cumulative("max"),
    rollingSum: rolling("sum"),
    rollingMean: rolling("avg"),
    rollingMin: rolling("min"),
    rollingMax: rolling("max"),
    rollingStd: rolling("stddev_samp"),
  };
}

/** The keys of a window's order; rows that are equal in all of them stand as in the table. */
export function windowKeys({ call }: Around, ordered: WindowWords["ordered"]): Sql[] {
  const keys: readonly SortKey[] = call.over?.order ?? [];
  return keys.map(({ column, descending, type }) =>
    sortKey(ordered({ sql: col(column), type: type ?? "missing" }), descending),
  );
}

/** The rows that a window looks along: its groups and their order, ties by the row's number, then the frame. */
export function windowOver(around: Around, ordered: WindowWords["ordered"], frame = ""): Sql {
  return overClause(around.call.over?.by ?? [], [...windowKeys(around, ordered), row], frame);
}

/** An aggregate, over the groups of its window where it has one. */
export function grouped(made: Sql, { call }: Around): Sql {
  return call.over ? sql`${made} ${overClause(call.over.by, [])}` : made;
}
