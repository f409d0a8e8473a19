import type { Expr, ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { literal, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, named, numberOf } from "../../sql-calls.ts";
import type { DuckAround, DuckWriter } from "./writing.ts";

/** What is missing where a call is: places and texts of a cell are so where it is. DuckDB would work them out once more. */
function presenceOf(expr: Expr, bracketed: DuckAround["bracketed"]): Sql {
  const isAsItsCell = "call" in expr && ["placeOf", "text", "written"].includes(expr.call);
  return isAsItsCell ? presenceOf(expr.args[0], bracketed) : bracketed(expr);
}

/** The place in a list of texts; an ENUM is looked up by hash, where a list would be gone through. It can't hold a NUL letter. */
function placeAmong([x, among]: readonly Argument[], { bracketed }: DuckAround): Sql {
  const { list } = among.expr as ListExpr;
  const isText = list.every((each) => typeof each === "string" && !each.includes("\0"));
  const place = isText
    ? sql`enum_code(TRY_CAST(${x.sql} AS ENUM(${raw(list.map((each) => literal(String(each))).join(", "))})))`
    : sql`list_position(${among.sql}, ${x.sql}) - 1`;
  const found = list.length === 0 ? raw("-1::BIGINT") : sql`coalesce(CAST(${place} AS BIGINT), -1)`;
  return sql`CASE WHEN ${presenceOf(x.expr, bracketed)} IS NOT NULL THEN ${found} END`;
}

/** Codes of categories: places, bits and hashes. */
export const codes = {
  byteLength: named("strlen"),
  // md5 is the same on every machine and in every version, which DuckDB's own hash is not.
  hash32: ([x]) => sql`CAST(md5_number_lower(CAST(${x.sql} AS VARCHAR)) % 4294967296 AS BIGINT)`,
  placeOf: placeAmong,
  itemAt: ([place, items]) => sql`list_extract(${items.sql}, ${place.sql} + 1)`,
  // greatest() would make 0 of a missing cell.
  bitAt: ([x, k], { bracketed }) =>
    sql`CASE WHEN ${presenceOf(x.expr, bracketed)} IS NOT NULL THEN (greatest(${x.sql}, 0) >> ${raw(String(numberOf(k)))}) & 1 END`,
} satisfies Partial<Record<FunctionName, DuckWriter>>;
