import type { Expr, ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { raw, type Sql, sql } from "../../sql.ts";
import { type Argument, named, numberOf } from "../../sql-calls.ts";
import { placeAmong } from "../read/as-numbers.ts";
import type { DuckAround, DuckWriter } from "./writing.ts";

/** What is missing where a call is: places and texts of a cell are so where it is. DuckDB would work them out once more. */
function presenceOf(expr: Expr, bracketed: DuckAround["bracketed"]): Sql {
  const isAsItsCell = "call" in expr && ["placeOf", "text", "written"].includes(expr.call);
  return isAsItsCell ? presenceOf(expr.args[0], bracketed) : bracketed(expr);
}

/** The place in a list, -1 where the cell is none of its items. */
function placeOf([x, among]: readonly Argument[], { bracketed }: DuckAround): Sql {
  const { list } = among.expr as ListExpr;
  const texts = list.filter((each) => typeof each === "string");
  const place =
    texts.length === list.length ? placeAmong(x.sql, texts) : sql`list_position(${among.sql}, ${x.sql}) - 1`;
  return sql`CASE WHEN ${presenceOf(x.expr, bracketed)} IS NOT NULL THEN coalesce(CAST(${place} AS BIGINT), -1) END`;
}

/** Codes of categories: places, bits and hashes. */
export const codes = {
  byteLength: named("strlen"),
  // md5 is the same on every machine and in every version, which DuckDB's own hash is not.
  hash32: ([x]) => sql`CAST(md5_number_lower(CAST(${x.sql} AS VARCHAR)) % 4294967296 AS BIGINT)`,
  placeOf,
  itemAt: ([place, items]) => sql`list_extract(${items.sql}, ${place.sql} + 1)`,
  // greatest() would make 0 of a missing cell.
  bitAt: ([x, k], { bracketed }) =>
    sql`CASE WHEN ${presenceOf(x.expr, bracketed)} IS NOT NULL THEN (greatest(${x.sql}, 0) >> ${raw(String(numberOf(k)))}) & 1 END`,
} satisfies Partial<Record<FunctionName, DuckWriter>>;
