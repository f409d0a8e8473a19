import { isOfOneRow, itemsOf, type ListExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, type Around, clipped, numberOf, ofAll, unlessWhole } from "../../sql-calls.ts";
import { constant, type DuckWriter, double, real } from "./writing.ts";

/** A function that is missing where its argument is out of range; DuckDB's own raises there. */
const within =
  (name: string, range: string): DuckWriter =>
  ([x]) =>
    sql`CASE WHEN ${x.sql} ${raw(range)} THEN ${raw(name)}(CAST(${x.sql} AS DOUBLE)) END`;

/** As numpy rounds: what is multiplied by a power of ten, to the even one. From 2^52 on numbers are whole. */
function rounded([x, digits]: readonly Argument[], { type }: Around): Sql {
  const places = digits ? Math.max(-308, numberOf(digits)) : 0;
  if (places > 292 || (type === "integer" && places >= 0)) return x.sql;
  const number = sql`CAST(${x.sql} AS DOUBLE)`;
  if (places === 0) return sql`round_even(${number}, 0)`;
  const unit = raw(`1e${Math.abs(places)}`);
  if (places > 0)
    return sql`CASE WHEN abs(${x.sql}) < 4503599627370496 THEN round_even(${number} * ${unit}, 0) / ${unit} ELSE ${x.sql} END`;
  const made = sql`(round_even(${number} / ${unit}, 0) * ${unit})`;
  return type === "integer" ? sql`TRY_CAST(${made} AS BIGINT)` : made;
}

function intervals([x, edges, labels]: readonly Argument[]): Sql {
  const [ends, words] = [edges, labels].map(({ expr }) => itemsOf(expr as ListExpr));
  const cases = words.map(
    (word, k) =>
      sql`WHEN ${x.sql} > ${double(Number(ends[k].value))} AND ${x.sql} <= ${double(Number(ends[k + 1].value))} THEN ${constant(word)}`,
  );
  return cases.length === 0 ? raw("CAST(NULL AS VARCHAR)") : sql`CASE ${join(cases, " ")} END`;
}

/** Functions of numbers. */
export const numbers = {
  abs: ([x], { type }) => {
    if (type !== "integer") return sql`abs(${x.sql})`;
    return isOfOneRow(x.expr) ? sql`TRY(abs(${x.sql}))` : sql`TRY_CAST(abs(CAST(${x.sql} AS HUGEINT)) AS BIGINT)`;
  },
  sign: ([x], { type }) => sql`CAST(sign(${x.sql}) AS ${raw(type === "integer" ? "BIGINT" : "DOUBLE")})`,
  ceil: unlessWhole((x) => sql`ceil(${x})`),
  floor: unlessWhole((x) => sql`floor(${x})`),
  trunc: unlessWhole((x) => sql`trunc(${x})`),
  round: rounded,
  sqrt: within("sqrt", ">= 0"),
  exp: ([x]) => sql`exp(CAST(${x.sql} AS DOUBLE))`,
  ln: within("ln", "> 0"),
  log10: within("log10", "> 0"),
  log2: within("log2", "> 0"),
  clip: clipped,
  least: ofAll("least"),
  greatest: ofAll("greatest"),
  bin: ([x, width]) => real(sql`(floor(CAST(${x.sql} AS DOUBLE) / ${width.sql}) * ${width.sql})`),
  cut: intervals,
  isFinite: ([x]) => sql`isfinite(CAST(${x.sql} AS DOUBLE))`,
  sigmoid: ([x]) => sql`(1 / (1 + exp(-${x.sql})))`,
} satisfies Partial<Record<FunctionName, DuckWriter>>;
