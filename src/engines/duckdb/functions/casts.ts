import type { FunctionName } from "../../../plan/functions.ts";
import { isNumeric } from "../../../plan/types.ts";
import { raw, type Sql, sql } from "../../sql.ts";
import type { Argument } from "../../sql-calls.ts";
import { readNumber, unitOf } from "../forms.ts";
import { type DuckWriter, isListed, real } from "./writing.ts";

/** What may stand around a number, a date or a word for true. */
export const blanks = " \t\n\v\f\r";

/** Any value as text: whole numbers without a point, as JavaScript and people write them. */
export function asText({ sql: x, type }: Argument): Sql {
  if (type === "string") return x;
  if (type !== "number") return sql`CAST(${x} AS VARCHAR)`;
  const words = sql`CAST(${x} AS VARCHAR)`;
  return sql`CASE WHEN ${x} = trunc(${x}) THEN coalesce(CAST(TRY_CAST(${x} AS BIGINT) AS VARCHAR), ${words}) ELSE ${words} END`;
}

function asNumber({ sql: x, type }: Argument): Sql {
  if (type === "number") return x;
  if (isNumeric(type)) return sql`CAST(${x} AS DOUBLE)`;
  return type === "string" ? numberIn(x) : raw("CAST(NULL AS DOUBLE)");
}

/** DuckDB reads 1_000 and +-5 as numbers too. */
function numberIn(x: Sql): Sql {
  return real(sql`TRY_CAST(CASE WHEN NOT (contains(${x}, '_') OR contains(${x}, '+-')) THEN ${x} END AS DOUBLE)`);
}

/** Cut off behind the point, where a cast of DuckDB's rounds; text of digits alone keeps all of them. */
function asInteger(arg: Argument): Sql {
  const { sql: x, type } = arg;
  if (type === "integer") return x;
  if (type === "boolean") return sql`CAST(${x} AS BIGINT)`;
  const cut = (number: Sql) => sql`TRY_CAST(trunc(${number}) AS BIGINT)`;
  if (type === "number") return cut(x);
  if (type !== "string") return raw("CAST(NULL AS BIGINT)");
  const digits = sql`regexp_full_match(${x}, ${"\\s*[+-]?[0-9]+\\s*"})`;
  return sql`CASE WHEN ${digits} THEN TRY_CAST(${x} AS BIGINT) ELSE ${cut(asNumber(arg))} END`;
}

function asBoolean({ sql: x, type }: Argument): Sql {
  if (type === "boolean") return x;
  if (isNumeric(type)) return sql`(${x} <> 0)`;
  return type === "string" ? sql`TRY_CAST(lower(trim(${x}, ${blanks})) AS BOOLEAN)` : raw("CAST(NULL AS BOOLEAN)");
}

/** Values in other types. */
export const casts = {
  isMissing: ([x]) => sql`${x.sql} IS NULL`,
  number: ([x]) => asNumber(x),
  integer: ([x]) => asInteger(x),
  text: ([x]) => asText(x),
  boolean: ([x]) => asBoolean(x),
  written: ([x]) => sql`CAST(${x.sql} AS VARCHAR)`,
  readNumber: ([x, decimal]) => readNumber(x.sql, isListed(decimal, "comma") ? "comma" : "point"),
  unitOf: ([x]) => unitOf(x.sql),
} satisfies Partial<Record<FunctionName, DuckWriter>>;
