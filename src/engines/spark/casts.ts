import { isNumeric } from "../../plan/types.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { type Argument, isWhole } from "../sql-calls.ts";
import { truncated } from "./numbers.ts";
import { asDouble, cutOff } from "./words.ts";

/** Without the blanks around a number or a date. */
export function blank(x: Sql): Sql {
  return sql`btrim(${x}, ${" \t\n\v\f\r"})`;
}

/**
 * A double's shortest digits, as other engines write them: 0.1, 1e+20, 1e-07.
 *
 * Java writes 1.0E20, and before version 19 it writes some numbers with more digits than it takes to tell them apart: so
 * fewer are tried, 15 and 16, before its own.
 */
function digitsOf(x: Sql): Sql {
  const tried = [14, 15].map((places) => sql`format_string(${`%.${places}e`}, ${x})`);
  const cases = tried.map((text) => sql`WHEN try_cast(${text} AS DOUBLE) = ${x} THEN ${text}`);
  const text = sql`CASE ${cases[0]} ${cases[1]} ELSE format_string('%.16e', ${x}) END`;
  const plain = sql`regexp_replace(CAST(try_cast(${text} AS DECIMAL(38, 21)) AS STRING), ${"\\.?0+\\z"}, '')`;
  const short = sql`regexp_replace(${text}, ${"\\.?0*e"}, 'e')`;
  return sql`CASE WHEN abs(${x}) >= 1e-4D AND abs(${x}) < 1e16D THEN ${plain} ELSE ${short} END`;
}

/** Spark writes a missing cell as the text "null". */
function infiniteOr(x: Sql, finite: Sql): Sql {
  return sql`CASE WHEN abs(${x}) = DOUBLE('Infinity') THEN CASE WHEN ${x} > 0 THEN 'inf' ELSE '-inf' END WHEN ${x} IS NOT NULL THEN ${finite} END`;
}

/** Any value as text: whole numbers without a point, as JavaScript and people write them. */
export function asText({ sql: x, type }: Argument): Sql {
  if (type === "string") return x;
  if (type !== "number") return sql`CAST(${x} AS STRING)`;
  const whole = sql`CAST(try_cast(${x} AS BIGINT) AS STRING)`;
  return sql`CASE WHEN ${isWhole(x, truncated, "9223372036854775808D")} THEN ${whole} ELSE ${infiniteOr(x, digitsOf(x))} END`;
}

/** The same with a point in every number, as the table engine writes it. */
export function written([arg]: readonly Argument[]): Sql {
  const { sql: x, type } = arg;
  if (type !== "number") return asText(arg);
  const sign = sql`CASE WHEN CAST(${x} AS STRING) = '-0.0' THEN '-' ELSE '' END`;
  const whole = sql`${sign} || CAST(try_cast(${x} AS BIGINT) AS STRING) || '.0'`;
  return sql`CASE WHEN ${isWhole(x, truncated, "1e16D")} THEN ${whole} ELSE ${infiniteOr(x, digitsOf(x))} END`;
}

/** Numbers as people write them; Spark alone would take 5d and NaN too. */
const numberForm = "(?i)\\A[+-]?(?:(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)\\z";

export function asNumber(arg: Argument): Sql {
  const { sql: x, type } = arg;
  if (isNumeric(type)) return asDouble(arg);
  if (type !== "string") return raw("CAST(NULL AS DOUBLE)");
  const text = blank(x);
  return sql`CASE WHEN ${text} RLIKE ${numberForm} THEN try_cast(${text} AS DOUBLE) END`;
}

export function asInteger(arg: Argument): Sql {
  const { sql: x, type } = arg;
  if (type === "integer") return x;
  if (type === "boolean") return sql`CAST(${x} AS BIGINT)`;
  if (type === "number") return cutOff(x);
  if (type !== "string") return raw("CAST(NULL AS BIGINT)");
  const text = blank(x);
  return sql`CASE WHEN ${text} RLIKE ${"\\A[+-]?[0-9]+\\z"} THEN try_cast(${text} AS BIGINT) ELSE ${cutOff(asNumber(arg))} END`;
}

export function asBoolean({ sql: x, type }: Argument): Sql {
  if (type === "boolean") return x;
  if (isNumeric(type)) return sql`(${x} <> 0)`;
  if (type !== "string") return raw("CAST(NULL AS BOOLEAN)");
  const word = sql`lower(${blank(x)})`;
  return sql`CASE WHEN ${word} IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN ${word} IN ('false', 'f', 'no', 'n', '0') THEN FALSE END`;
}
