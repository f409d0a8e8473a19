import { constantType, type Expr, itemsOf, type ListExpr, rowColumn, type ValueExpr } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { col, join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, type Around, wholeDigits } from "../../sql-calls.ts";

/** The row's number, by which `first`, `last` and windows go where nothing else orders them. */
export const row = col(rowColumn);

/** An argument as SQL that may stand anywhere, and without brackets around it. */
export interface Bracketed extends Argument {
  readonly bare: Sql;
}

/** How tightly conditions hold together; everything else has brackets of its own, or needs none. */
export const levels: Partial<Readonly<Record<FunctionName, number>>> = {
  or: 1,
  and: 2,
  not: 3,
  isMissing: 4,
  equal: 4,
  notEqual: 4,
  less: 4,
  lessEqual: 4,
  greater: 4,
  greaterEqual: 4,
};

/** What needs no brackets. */
export const tight = 5;

/** How tightly an expression holds together. */
export function levelOf(expr: Expr): number {
  return "call" in expr ? (levels[expr.call] ?? tight) : tight;
}

/** The call that a function is written for, with what writes an expression so that it may stand anywhere. */
export interface DuckAround extends Around {
  bracketed(expr: Expr): Sql;
}

/** Writes a function of the language in DuckDB's SQL. */
export type DuckWriter = (args: readonly Bracketed[], around: DuckAround) => Sql;

/** A constant as SQL of its own type. */
export function constant(expr: ValueExpr): Sql {
  const type = constantType(expr);
  if (type === "missing") return raw("NULL");
  if (type === "number") return double(Number(expr.value));
  if (type === "integer") return sql`${wholeDigits(expr.value)}::BIGINT`;
  if (type === "datetime") return sql`CAST(${String(expr.value)} AS ${raw(expr.as === "day" ? "DATE" : "TIMESTAMP")})`;
  return sql`${expr.value}`;
}

/** Digits with an exponent are a DOUBLE to DuckDB, others a DECIMAL. `--` would open a comment. */
export function double(number: number): Sql {
  // sql`…` writes words for what is not finite.
  if (!Number.isFinite(number)) return sql`${number}`;
  const digits = Object.is(number, -0) ? "-0" : String(number);
  const text = digits.includes("e") ? digits : `${digits}e0`;
  return raw(digits.startsWith("-") ? `(${text})` : text);
}

/** A list of constants as one of DuckDB's. */
export function arrayOf(list: ListExpr): Sql {
  return sql`[${join(itemsOf(list).map((item) => constant(item)))}]`;
}

/** An operand; a whole constant beside a column needs no type of its own. */
export function operand({ sql: written, expr, type }: Argument, other: Argument): Sql {
  return "value" in expr && type === "integer" && !("value" in other.expr) ? wholeDigits(expr.value) : written;
}

/** NaN is no value of the language: what has no real answer is missing. */
export function real(number: Sql): Sql {
  return sql`nullif(${number}, 'nan'::DOUBLE)`;
}

/** Does an argument that is a list hold a word? */
export function isListed({ expr }: Argument, word: string): boolean {
  return (expr as ListExpr).list.includes(word);
}
