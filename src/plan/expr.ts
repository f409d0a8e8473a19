import { type FunctionName, functions } from "./functions.ts";
import type { ValueType } from "./types.ts";

/** A constant. Infinities and whole numbers beyond 2^53 are text, so that plans can be written as JSON; `as` tells. */
export type Constant = number | string | boolean | null;

/** A column of the table at hand, and its type, which a check puts there. */
export interface ColumnExpr {
  readonly column: string;
  readonly type?: ValueType;
}

/** What a constant is where its value alone does not tell: 3 as a number, "2026-01-31" as a date (a `day` has no time). */
export type ConstantType = "integer" | "number" | "datetime" | "day";

/** A constant. */
export interface ValueExpr {
  readonly value: Constant;
  readonly as?: ConstantType;
}

/** Constants of one type in brackets, as the second argument of `oneOf` or the edges of `cut`. */
export interface ListExpr {
  readonly list: readonly Constant[];
  readonly as?: ConstantType;
}

/** Lists of numbers that are too long for a plan: an artifact of one column, "items", a list in each of its rows. */
export interface FileExpr {
  readonly artifact: string;
}

/** A function of the table of functions, and its arguments. */
export interface CallExpr {
  readonly call: FunctionName;
  readonly args: readonly Expr[];
  /** The rows that a window looks along; aggregates and windows alone have it. */
  readonly over?: Over;
}

/** The groups that a window stays within, and the order it looks along (default: the table's). */
export interface Over {
  readonly by: readonly string[];
  readonly order: readonly SortKey[];
}

/** A column to sort by; missing cells come last either way. */
export interface SortKey {
  readonly column: string;
  readonly descending?: boolean;
  /** What the column holds, which a check puts there: text is ordered by code point, whatever an engine's own order. */
  readonly type?: ValueType;
}

/** One piece of an opaque expression: words, a column of the table at hand, a value, the file of an artifact, an expression. */
export type OpaquePart =
  | { readonly text: string }
  | { readonly expr: Expr }
  | { readonly column: string }
  | { readonly value: string | number | bigint | boolean | null }
  | { readonly artifact: string };

/** DuckDB's own SQL: plans of 0.1 hold it, and other engines refuse it. */
export interface OpaqueExpr {
  readonly parts: readonly OpaquePart[];
}

/** A cell of the table to be, made of cells of the table at hand: plain data, known to no engine. */
export type Expr = ColumnExpr | ValueExpr | ListExpr | FileExpr | CallExpr | OpaqueExpr;

/** The name under which a row's number travels through a plan; users' columns can't be called this. */
export const rowColumn = "__row";

/** The name under which a row's side of a split travels on a cluster: 0 for those that train, 1 for those that test. */
export const sideColumn = "__fold";

/** The name under which what was matched of another file travels; users' columns can't be called this either. */
export const matchColumn = "__match";

export function column(name: string, type?: ValueType): ColumnExpr {
  return type === undefined ? { column: name } : { column: name, type };
}

/** A constant; what JSON can't hold is written as text. */
export function value(constant: Constant | bigint, as?: ConstantType): ValueExpr {
  if (typeof constant === "bigint") return { value: String(constant), as: "integer" };
  if (typeof constant === "number" && !isPlain(constant)) return { value: wordOf(constant), as: "number" };
  return as === undefined ? { value: constant } : { value: constant, as };
}

export function call(name: FunctionName, ...args: readonly Expr[]): CallExpr {
  return { call: name, args };
}

/** A condition that all of these are true, as a tree of few levels: engines plan a long chain in quadratic time. */
export function allOf(conditions: readonly Expr[]): Expr {
  return balanced("and", conditions);
}

/** The same operator between all of these. */
export function balanced(name: "and" | "or", operands: readonly Expr[]): Expr {
  if (operands.length === 1) return operands[0];
  const half = Math.ceil(operands.length / 2);
  return call(name, balanced(name, operands.slice(0, half)), balanced(name, operands.slice(half)));
}

function isPlain(number: number): boolean {
  return Number.isFinite(number) && !Object.is(number, -0);
}

function wordOf(number: number): string {
  return Object.is(number, -0) ? "-0" : String(number);
}

/** The items of a list as constants of their own. */
export function itemsOf({ list, as }: ListExpr): ValueExpr[] {
  return list.map((item) => (as === undefined || item === null ? { value: item } : { value: item, as }));
}

/** Numbers of our own as a list. */
export function numberList(numbers: Iterable<number>): ListExpr {
  return { list: Array.from(numbers, (each) => (isPlain(each) ? each : wordOf(each))), as: "number" };
}

/** The type of a constant. */
export function constantType({ value: constant, as }: ValueExpr): ValueType {
  if (constant === null) return "missing";
  if (as) return as === "day" ? "datetime" : as;
  if (typeof constant === "number") return Number.isSafeInteger(constant) ? "integer" : "number";
  return typeof constant === "boolean" ? "boolean" : "string";
}

/** Every expression within one, itself first. */
export function* partsOf(expr: Expr): Generator<Expr> {
  yield expr;
  if ("args" in expr) for (const each of expr.args) yield* partsOf(each);
  if (!("parts" in expr)) return;
  for (const part of expr.parts) {
    if ("expr" in part) yield* partsOf(part.expr);
    else if ("column" in part) yield { column: part.column };
  }
}

/** The expression with each call in it replaced, the innermost first. */
export function mapCalls(expr: Expr, change: (call: CallExpr) => Expr): Expr {
  if (!("call" in expr)) return expr;
  return change({ ...expr, args: expr.args.map((each) => mapCalls(each, change)) });
}

/** Does it make a cell of the same row's cells alone? */
export function isOfOneRow(expr: Expr): boolean {
  for (const part of partsOf(expr)) {
    if ("parts" in part || ("call" in part && functions[part.call].kind !== "row")) return false;
  }
  return true;
}

/** Does it look at rows in an order, of its own or the table's, so that their numbers must be known? */
export function looksAlong(expr: Expr): boolean {
  for (const part of partsOf(expr)) {
    if ("column" in part && part.column === rowColumn) return true;
    if (!("call" in part) || functions[part.call].kind === "row") continue;
    if (part.over || part.call === "first" || part.call === "last") return true;
  }
  return false;
}

/** The columns that an expression reads, each once, in order of first use; the row's number and side are none of them. */
export function columnsRead(expr: Expr): string[] {
  const read = new Set<string>();
  for (const part of partsOf(expr)) {
    if ("column" in part) read.add(part.column);
    else if ("over" in part && part.over) {
      for (const name of part.over.by) read.add(name);
      for (const key of part.over.order) read.add(key.column);
    }
  }
  read.delete(rowColumn);
  read.delete(sideColumn);
  return [...read];
}
