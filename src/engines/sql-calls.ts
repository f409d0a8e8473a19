import { DataError } from "../core/errors.ts";
import { typeOf } from "../plan/check.ts";
import type { CallExpr, Expr, ListExpr, Over, SortKey, ValueExpr } from "../plan/expr.ts";
import { type FunctionName, functions } from "../plan/functions.ts";
import { common, type ValueType } from "../plan/types.ts";
import { opaqueRefusal } from "./refusal.ts";
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
  /** The numbers of a vector that is written out. */
  readonly numbers?: readonly Argument[];
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

/** What an engine calls the types in which it holds cells. */
export type StoredTypes = Readonly<Record<Exclude<ValueType, "missing">, string>>;

/** An engine's SQL, where it must know of which type a missing argument is. */
export interface Dialect {
  constant(value: ValueExpr): Sql;
  arrayOf(list: ListExpr): Sql;
  readonly storedTypes: StoredTypes;
  /** A missing cell of one of these types. */
  missing(stored: string): Sql;
  readonly writers: Readonly<Record<FunctionName, Writer>>;
  /** Why it does not read numbers out of a file, which a block learnt. */
  readonly noFile: string;
}

/** Writes checked expressions as an engine's SQL; some within may stand for what is `known` already. */
export function expressionWriter(
  dialect: Dialect,
  known: (expr: Expr) => Sql | null = () => null,
): (expr: Expr) => Sql {
  const write = (expr: Expr): Sql => {
    const found = known(expr);
    if (found) return found;
    if ("column" in expr) return col(expr.column);
    if ("value" in expr) return dialect.constant(expr);
    if ("list" in expr) return dialect.arrayOf(expr);
    if ("parts" in expr) throw new TypeError(opaqueRefusal.message);
    if ("artifact" in expr) throw new TypeError(`${dialect.noFile}.`);
    const around = { call: expr, type: typeOf(expr) };
    return bounded(dialect.writers[expr.call](typedArguments(expr, dialect, write), around), around);
  };
  return write;
}

/**
 * A call's arguments in SQL; a missing one is of the type that its parameter wants, or of that of others that must be
 * like it.
 */
function typedArguments(
  { call, args }: CallExpr,
  { storedTypes, missing }: Pick<Dialect, "storedTypes" | "missing">,
  write: (expr: Expr) => Sql,
): Argument[] {
  const { parameters } = functions[call].signature;
  const kindAt = (k: number) => parameters[Math.min(k, parameters.length - 1)]?.kind;
  const among = (kind: string) =>
    args.reduce<ValueType>((all, arg, k) => (kindAt(k) === kind ? (common(all, typeOf(arg)) ?? all) : all), "missing");
  return args.map((arg, k) => {
    const type = typeOf(arg);
    const kind = kindAt(k);
    if ("call" in arg && arg.call === "vector") {
      return { sql: write(arg), type, expr: arg, numbers: typedArguments(arg, { storedTypes, missing }, write) };
    }
    if ("list" in arg || type !== "missing") return { sql: write(arg), type, expr: arg };
    const wanted = kind === "T" || kind === "N" ? among(kind) : kind;
    const stored = storedTypes[wanted as keyof StoredTypes] ?? storedTypes[kind === "N" ? "integer" : "string"];
    return { sql: missing(stored), type, expr: arg };
  });
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

/** A function of two sides as an operator between them. */
export const operator =
  (sign: string): Writer =>
  ([a, b]) =>
    sql`(${a.sql} ${raw(sign)} ${b.sql})`;

/** The same of a number, where whole ones are their own answer. */
export const unlessWhole =
  (write: (x: Sql) => Sql): Writer =>
  ([x], { type }) =>
    type === "integer" ? x.sql : write(x.sql);

/** Missing where one of the arguments is; `least` and `greatest` of engines pass missing ones over. */
export const ofAll =
  (name: string, ordered: (value: Argument) => Sql = (value) => value.sql): Writer =>
  (args) => {
    if (args.length === 1) return args[0].sql;
    return sql`CASE WHEN ${present(args)} THEN ${raw(name)}(${join(args.map(ordered))}) END`;
  };

/** Brought between two others; missing where one of the three is. */
export const clipped: Writer = (args) => {
  const [x, low, high] = args.map((arg) => arg.sql);
  const made = sql`CASE WHEN ${x} < ${low} THEN ${low} WHEN ${x} > ${high} THEN ${high} ELSE ${x} END`;
  return sql`CASE WHEN ${present(args)} THEN ${made} END`;
};

/** The condition that none of these is missing. */
export function present(args: readonly Pick<Argument, "sql">[]): Sql {
  const missing = args.map((arg) => sql`${arg.sql} IS NULL`);
  return sql`NOT (${join(missing, " OR ")})`;
}

/** The condition that a number is whole, and less than another one without its sign. */
export function isWhole(x: Sql, trunc: (x: Sql) => Sql, below: string): Sql {
  return sql`${x} = ${trunc(x)} AND abs(${x}) < ${raw(below)}`;
}

/** How long a unit of time is: in seconds, or in months. */
export const secondsOf: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};
export const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/**
 * Whole months, quarters or years between two dates, before they are cut off behind the point.
 *
 * Adding months to the earlier date ends at the month's last day where it has no such day, so that a month from its last
 * day on is whole at the last day of a shorter one. `later` adds months to a date in an engine's own words.
 */
export function monthsBetween([a, b]: readonly Sql[], later: (date: Sql, months: Sql) => Sql): Sql {
  const month = (x: Sql) => sql`(extract(year FROM ${x}) * 12 + extract(month FROM ${x}))`;
  const months = (early: Sql, late: Sql) => {
    const borders = sql`(${month(late)} - ${month(early)})`;
    return sql`(${borders} - CASE WHEN ${later(early, borders)} > ${late} THEN 1 ELSE 0 END)`;
  };
  return sql`CASE WHEN ${b} >= ${a} THEN ${months(a, b)} ELSE -${months(b, a)} END`;
}
