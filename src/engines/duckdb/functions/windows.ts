import type { FunctionName } from "../../../plan/functions.ts";
import { col, raw, type Sql, sql } from "../../sql.ts";
import {
  type Argument,
  type Around,
  following,
  lastRows,
  numberOf,
  overClause,
  running,
  sortKey,
} from "../../sql-calls.ts";
import { squarable } from "./aggregates.ts";
import { type DuckWriter, real, row } from "./writing.ts";

/** The keys of a window's order. */
function keysOf({ call }: Around): Sql[] {
  return (call.over?.order ?? []).map(({ column, descending }) => sortKey(col(column), descending));
}

/** The rows that a window looks along: its groups and their order, ties by the row's number, then the frame. */
function over(around: Around, frame = ""): Sql {
  const { call } = around;
  // Without an order of its own a window takes the rows as they stand, and DuckDB passes through them once.
  return call.over ? overClause(call.over.by, [...keysOf(around), row], frame) : overClause([], [], frame);
}

/** An aggregate over the rows up to this one; missing at a missing cell, and on behind it. */
const cumulative =
  (name: string): DuckWriter =>
  ([x], around) => {
    const made = sql`${raw(name)}(${x.sql}) ${over(around, running)}`;
    // Sums of whole numbers are wider than these.
    const stored = around.type === "integer" ? sql`TRY_CAST(${made} AS BIGINT)` : real(made);
    return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${stored} END`;
  };

const rolling =
  (name: string, held = (x: Sql) => x): DuckWriter =>
  ([{ sql: cell }, n], around) => {
    const rows = numberOf(n);
    const last = over(around, lastRows(rows));
    const x = held(sql`CAST(${cell} AS DOUBLE)`);
    return sql`CASE WHEN count(${x}) ${last} = ${raw(String(rows))} THEN ${real(sql`${raw(name)}(${x}) ${last}`)} END`;
  };

/** The place of a value, or of the row in the window's order; equals share it. */
const ranking =
  (name: string): DuckWriter =>
  ([x], around) => {
    const place = (order: readonly Sql[]) =>
      sql`${raw(name)}() ${around.call.over ? overClause(around.call.over.by, order) : raw("OVER ()")}`;
    if (x) return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${place([sortKey(x.sql)])} END`;
    const keys = keysOf(around);
    return place(keys.length > 0 ? keys : [row]);
  };

const shifted =
  (name: string): DuckWriter =>
  ([x, k], around) =>
    sql`${raw(name)}(${x.sql}, ${raw(String(k ? numberOf(k) : 1))}) ${over(around)}`;

/** Cells between two others lie on the straight line between them, by the rows' numbers. */
function interpolated([x]: readonly Argument[], around: Around): Sql {
  const last = (value: Sql) => sql`last_value(${value} IGNORE NULLS) ${over(around, running)}`;
  const first = (value: Sql) => sql`first_value(${value} IGNORE NULLS) ${over(around, following)}`;
  const at = sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${row} END`;
  const share = sql`((${row} - ${last(at)})::DOUBLE / (${first(at)} - ${last(at)}))`;
  const between = sql`${last(x.sql)} + (${first(x.sql)} - ${last(x.sql)}) * ${share}`;
  return sql`CAST(CASE WHEN ${x.sql} IS NOT NULL THEN ${x.sql} ELSE coalesce(${between}, ${last(x.sql)}) END AS DOUBLE)`;
}

/** Windows along rows. */
export const windows = {
  rowNumber: (_, around) => sql`row_number() ${over(around)}`,
  rank: ranking("rank"),
  denseRank: ranking("dense_rank"),
  ntile: ([k], around) => sql`ntile(${k.sql}) ${over(around)}`,
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
  rollingStd: rolling("stddev_samp", squarable),
  pctChange: ([x], around) => real(sql`(CAST(${x.sql} AS DOUBLE) / lag(${x.sql}) ${over(around)} - 1)`),
  previous: ([x], around) => sql`last_value(${x.sql} IGNORE NULLS) ${over(around, running)}`,
  next: ([x], around) => sql`first_value(${x.sql} IGNORE NULLS) ${over(around, following)}`,
  interpolate: interpolated,
} satisfies Partial<Record<FunctionName, DuckWriter>>;
