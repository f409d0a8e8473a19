import { constantType, itemsOf, type ListExpr, type ValueExpr } from "../../plan/expr.ts";
import { common, type ValueType } from "../../plan/types.ts";
import { join, raw, type Sql, sql } from "../sql.ts";
import { type Argument, isFiniteConstant, numberOf, type StoredTypes } from "../sql-calls.ts";

/** Spark's types of values. */
export const storedTypes: StoredTypes = {
  integer: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  string: "STRING",
  datetime: "TIMESTAMP_NTZ",
  tensor: "ARRAY<DOUBLE>",
};

/**
 * What a session must be set to, so that the SQL written here means what it should.
 *
 * Columns `a` and `A` are two, `${name}` is a text, dates have no time zone, and what runs over raises instead of wrapping
 * around where a `try_` doesn't catch it.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  "spark.sql.ansi.enabled": "true",
  "spark.sql.caseSensitive": "true",
  "spark.sql.variable.substitute": "false",
  "spark.sql.parser.escapedStringLiterals": "false",
  "spark.sql.session.timeZone": "UTC",
  "spark.sql.timestampType": "TIMESTAMP_NTZ",
  // A name is looked up once in each round; the 100 of its own end a plan of fewer nodes than that.
  "spark.sql.analyzer.maxIterations": "1000",
};

/** An identifier, whatever it holds. */
export function quote(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** A string as Spark reads it: a backslash begins a letter's code, and `${` would be a variable. */
export function literal(text: string): string {
  const letters = text.replace(/['\\]/g, "\\$&");
  return `'${letters.replaceAll("\0", "\\u0000").replaceAll("${", "\\u0024{")}'`;
}

/** A constant. */
export function constant(expr: ValueExpr): Sql {
  const type = constantType(expr);
  if (type === "missing") return raw("NULL");
  if (type === "number") return double(Number(expr.value));
  if (type === "integer") return integer(BigInt(expr.value as string | number));
  if (type === "boolean") return raw(expr.value ? "TRUE" : "FALSE");
  return type === "datetime" ? sql`CAST(${String(expr.value)} AS TIMESTAMP_NTZ)` : sql`${String(expr.value)}`;
}

/** A whole number of 64 bits; `--` would open a comment. */
function integer(number: bigint): Sql {
  return raw(number < 0n ? `(${number}L)` : `${number}L`);
}

/** Digits with the letter D are a DOUBLE, others a DECIMAL. */
export function double(number: number): Sql {
  if (!Number.isFinite(number)) return raw(number > 0 ? infinity : `(-${infinity})`);
  const digits = Object.is(number, -0) ? "-0" : String(number);
  return raw(digits.startsWith("-") ? `(${digits}D)` : `${digits}D`);
}

const infinity = "DOUBLE('Infinity')";

/** Constants as an array, of their common type or another one. */
export function arrayOf(list: ListExpr, stored = storedTypeOf(list)): Sql {
  return sql`CAST(array(${join(itemsOf(list).map(constant))}) AS ARRAY<${raw(stored)}>)`;
}

function storedTypeOf(list: ListExpr): string {
  const type = itemsOf(list).reduce<ValueType>((all, item) => common(all, constantType(item)) ?? all, "missing");
  return storedTypes[type === "missing" ? "string" : type];
}

/** NaN is no value of the language: what has no real answer is missing. To Spark it is like itself. */
export function real(number: Sql): Sql {
  return sql`nullif(${number}, DOUBLE('NaN'))`;
}

export function asDouble({ sql: x, type }: Pick<Argument, "sql" | "type">): Sql {
  return type === "number" ? x : sql`CAST(${x} AS DOUBLE)`;
}

/** Is it a number that is known beforehand, and not 0? */
export function isNotZero(arg: Argument): boolean {
  return isFiniteConstant(arg) && numberOf(arg) !== 0;
}

/** A number as a whole one of 64 bits, cut off behind the point; missing where it runs over. */
export function cutOff(number: Sql): Sql {
  // Spark takes 2^63 for 2^63 - 1.
  return sql`CASE WHEN ${number} < 9223372036854775808D THEN try_cast(${number} AS BIGINT) END`;
}

/** A place or a count as one of the 32 bits that Spark's functions take. */
export function short({ sql: place, expr }: Argument): Sql {
  const most = 2 ** 31 - 2;
  if ("value" in expr && expr.value !== null) return raw(String(Math.max(-most, Math.min(most, Number(expr.value)))));
  return sql`CAST(least(greatest(${place}, ${raw(String(-most))}L), ${raw(String(most))}L) AS INT)`;
}

/** A part of a text or date, whose whole numbers have 32 bits. */
export function wide(x: Sql): Sql {
  return sql`CAST(${x} AS BIGINT)`;
}
