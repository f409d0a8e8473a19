import { DataError } from "../core/errors.ts";
import type { CallExpr, Expr, ListExpr, Over, SortKey, ValueExpr } from "../plan/expr.ts";
import type { ValueType } from "../plan/types.ts";
import { col, join, raw, type Sql, sql } from "./sql.ts";

/** Some functions write an argument several times, so that a few within each other grow beyond all memory. */
const mostParts = 400_000;

/** A call in SQL, unless it has grown too long for an engine to plan. */
export function bounded(written: Sql, { call }: Around): Sql {
  if (written.parts.length <= mostParts) return written;
  throw new DataError(
    `${call.call}(): the expression grows to more than ${mostParts.toLocaleString("en-US")} pieces of SQL, for its functions stand within each other too often. Derive the inner ones as columns first.`,
  );
}

/** An argument of a function as SQL, with its type, and the expression itself for those that are constants. */
export interface Argument {
  readonly sql: Sql;
  readonly type: ValueType;
  readonly expr: Expr;
}

/** The call that a function is written for. */
export interface Around {
  readonly call: CallExpr;
  /** What the call answers. */
  readonly type: ValueType;
}

/** Writes a function of the language in the SQL of one engine. */
export type Writer = (args: readonly Argument[], around: Around) => Sql;

/** An argument that is a constant, as a number. */
export function numberOf({ expr }: Argument): number {
  return Number((expr as ValueExpr).value);
}

/** An argument that is a constant, as text. */
export function textOf({ expr }: Argument): string {
  return String((expr as ValueExpr).value);
}

/** An argument that is a list, as its items. */
export function listOf({ expr }: Argument): ListExpr["list"] {
  return (expr as ListExpr).list;
}

/** Is it a number that is known beforehand, and finite? */
export function isFiniteConstant({ expr }: Argument): boolean {
  return "value" in expr && expr.value !== null && Number.isFinite(Number(expr.value));
}

/** A whole number's digits in SQL; `--` would open a comment. */
export function wholeDigits(digits: ValueExpr["value"]): Sql {
  const number = BigInt(digits as string | number);
  return raw(number < 0n ? `(${number})` : String(number));
}

/** A function of the engine's own that takes the arguments as they are. */
export const named =
  (name: string): Writer =>
  (args) =>
    sql`${raw(name)}(${join(args.map((arg) => arg.sql))})`;

/** The groups and the order of a window as a clause; an order of no keys leaves the rows as they stand. */
export function overClause(by: Over["by"], order: readonly Sql[], frame = ""): Sql {
  const parts = [
    ...(by.length > 0 ? [sql`PARTITION BY ${join(by.map(col))}`] : []),
    ...(order.length > 0 ? [sql`ORDER BY ${join(order)}`] : []),
    ...(frame ? [raw(frame)] : []),
  ];
  return sql`OVER (${join(parts, " ")})`;
}

/** A key of a window's order, missing cells last either way. */
export function sortKey(key: Sql, descending: SortKey["descending"] = false): Sql {
  return sql`${key} ${raw(descending ? "DESC" : "ASC")} NULLS LAST`;
}

/** Frames of windows: the rows up to this one, from this one, and the last n. */
export const running = "ROWS UNBOUNDED PRECEDING";
export const following = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING";
export const lastRows = (n: number): string => `ROWS BETWEEN ${n - 1} PRECEDING AND CURRENT ROW`;
