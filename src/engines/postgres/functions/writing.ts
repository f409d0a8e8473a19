import { constantType, itemsOf, type ListExpr, rowColumn, type ValueExpr } from "../../../plan/expr.ts";
import { common, type ValueType } from "../../../plan/types.ts";
import { col, join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, isFiniteConstant, numberOf, type StoredTypes, wholeDigits } from "../../sql-calls.ts";

/** The row's number, by which `first`, `last` and windows go where nothing else orders them. */
export const row = col(rowColumn);

/** Postgres' types of values. */
export const storedTypes: StoredTypes = {
  integer: "bigint",
  number: "double precision",
  boolean: "boolean",
  string: "text",
  datetime: "timestamp",
  tensor: "double precision[]",
};

/** A constant as SQL of its own type. */
export function constant(expr: ValueExpr): Sql {
  const type = constantType(expr);
  if (type === "missing") return raw("NULL");
  if (type === "number") return double(Number(expr.value));
  if (type === "integer") return sql`${wholeDigits(expr.value)}::bigint`;
  if (type === "boolean") return raw(expr.value ? "TRUE" : "FALSE");
  return sql`${String(expr.value)}::${raw(type === "datetime" ? "timestamp" : "text")}`;
}

/** Digits with a type: without one they are a NUMERIC to Postgres. */
export function double(number: number): Sql {
  const digits = Object.is(number, -0) ? "-0" : String(number);
  return raw(/^[\d.]+$/.test(digits) ? `${digits}::double precision` : `'${digits}'::double precision`);
}

/** A list of constants as an array. */
export function arrayOf(list: ListExpr): Sql {
  const items = itemsOf(list);
  const type = items.reduce<ValueType>((all, item) => common(all, constantType(item)) ?? all, "missing");
  const stored = storedTypes[type === "missing" ? "string" : type];
  return sql`ARRAY[${join(items.map(constant))}]::${raw(stored)}[]`;
}

/** NaN is no value of the language: what has no real answer is missing. */
export function real(number: Sql): Sql {
  return sql`nullif(${number}, 'NaN')`;
}

/** Is a number known beforehand, and not 0? */
export function isNotZero(arg: Argument): boolean {
  return isFiniteConstant(arg) && numberOf(arg) !== 0;
}

/** A number as a double. */
export function asDouble({ sql: x, type }: Argument): Sql {
  return type === "number" ? x : sql`${x}::double precision`;
}

/**
 * A NUMERIC as a whole number of 64 bits, missing where it runs over.
 *
 * The number is written once, so that a long sum stays as long as it is. (Both of least and greatest pass missing over.)
 */
export function fitting(numeric: Sql): Sql {
  const [below, above] = ["-9223372036854775809", "9223372036854775808"];
  return sql`nullif(nullif(least(greatest(${numeric}, ${raw(below)}), ${raw(above)}), ${raw(below)}), ${raw(above)})::bigint`;
}

/** A double as a whole number of 64 bits, cut off behind the point; missing where it runs over. */
export function cutOff(number: Sql): Sql {
  return sql`CASE WHEN ${number} >= -9223372036854775808 AND ${number} < 9223372036854775808 THEN trunc(${number})::bigint END`;
}

/** Texts compare by code point. */
export function ordered({ sql: x, type }: Pick<Argument, "sql" | "type">): Sql {
  return type === "string" ? sql`(${x} COLLATE "C")` : x;
}

/** Without the blanks around a number or a date. */
export function blank(x: Sql): Sql {
  return sql`btrim(${x}, ${" \t\n\v\f\r"})`;
}

/** A number cut off behind the point. */
export const trunc = (x: Sql) => sql`trunc(${x})`;
