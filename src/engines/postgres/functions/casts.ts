import type { FunctionName } from "../../../plan/functions.ts";
import { isNumeric } from "../../../plan/types.ts";
import { raw, type Sql, sql } from "../../sql.ts";
import { type Argument, isWhole, type Writer } from "../../sql-calls.ts";
import { dateText } from "./dates.ts";
import { blank, cutOff, fitting, trunc } from "./writing.ts";

/** Any value as text: whole numbers without a point, as JavaScript and people write them. */
export function asText({ sql: x, type }: Argument): Sql {
  if (type === "string") return x;
  if (type === "datetime") return dateText(x);
  if (type !== "number") return sql`${x}::text`;
  return sql`CASE WHEN abs(${x}) = 'Infinity' THEN CASE WHEN ${x} > 0 THEN 'inf' ELSE '-inf' END WHEN ${isWhole(x, trunc, "9223372036854775808")} THEN ${x}::bigint::text ELSE ${x}::text END`;
}

/** The same with a point in every number, as the table engine writes it. */
export function written([arg]: readonly Argument[]): Sql {
  const { sql: x, type } = arg;
  if (type !== "number") return asText(arg);
  const sign = sql`CASE WHEN ${x}::text = '-0' THEN '-' ELSE '' END`;
  return sql`CASE WHEN ${isWhole(x, trunc, "1e16")} THEN ${sign} || ${x}::bigint::text || '.0' ELSE ${asText(arg)} END`;
}

/** Numbers as people write them; Postgres alone would take 0x10 too, and raises beyond the range of doubles. */
const numberForm = "^[+-]?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?)$";

function asNumber({ sql: x, type }: Argument): Sql {
  if (type === "number") return x;
  if (type === "boolean") return sql`${x}::integer::double precision`;
  if (isNumeric(type)) return sql`${x}::double precision`;
  if (type !== "string") return raw("NULL::double precision");
  const text = blank(x);
  const isSmall = sql`${text} ~* 'e-' OR ${text} ~ '^[+-]?0*\\.'`;
  const sign = sql`CASE WHEN ${text} LIKE '-%' THEN '-' ELSE '' END`;
  const beyond = sql`(${sign} || CASE WHEN ${isSmall} THEN '0' ELSE 'Infinity' END)::double precision`;
  return sql`CASE WHEN ${text} ~* ${numberForm} THEN CASE WHEN pg_input_is_valid(${text}, 'double precision') THEN ${text}::double precision ELSE ${beyond} END END`;
}

function asInteger(arg: Argument): Sql {
  const { sql: x, type } = arg;
  if (type === "integer") return x;
  if (type === "boolean") return sql`${x}::integer::bigint`;
  if (type === "number") return cutOff(x);
  if (type !== "string") return raw("NULL::bigint");
  const text = blank(x);
  const digits = sql`${text} ~ '^[+-]?[0-9]+$' AND char_length(${text}) < 1000`;
  return sql`CASE WHEN ${digits} THEN ${fitting(sql`${text}::numeric`)} ELSE ${cutOff(asNumber(arg))} END`;
}

function asBoolean({ sql: x, type }: Argument): Sql {
  if (type === "boolean") return x;
  if (isNumeric(type)) return sql`(${x} <> 0)`;
  if (type !== "string") return raw("NULL::boolean");
  const word = sql`lower(${blank(x)})`;
  return sql`CASE WHEN ${word} IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN ${word} IN ('false', 'f', 'no', 'n', '0') THEN FALSE END`;
}

/** Values in other types. */
export const casts = {
  isMissing: ([x]) => sql`(${x.sql} IS NULL)`,
  number: ([x]) => asNumber(x),
  integer: ([x]) => asInteger(x),
  text: ([x]) => asText(x),
  boolean: ([x]) => asBoolean(x),
  written,
} satisfies Partial<Record<FunctionName, Writer>>;
