import { isOfOneRow, type ValueExpr, value } from "../../../plan/expr.ts";
import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, isFiniteConstant, named, numberOf } from "../../sql-calls.ts";
import { type DuckWriter, levelOf, levels, operand, real, tight } from "./writing.ts";

/** The least whole number divided by -1 runs over, though 0 is left: as when it is divided by 1. */
function divisor(arg: Argument): Sql {
  const isOther = isFiniteConstant(arg) && numberOf(arg) !== -1;
  return isOther ? arg.sql : sql`CASE ${arg.sql} WHEN -1 THEN 1 ELSE ${arg.sql} END`;
}

const comparison =
  (sign: string): DuckWriter =>
  ([a, b]) =>
    sql`${operand(a, b)} ${raw(sign)} ${operand(b, a)}`;

const logical =
  (name: "and" | "or"): DuckWriter =>
  (args) => {
    const own = levels[name] as number;
    const parts = args.map((arg) => (levelOf(arg.expr) >= own ? arg.bare : arg.sql));
    return join(parts, ` ${name.toUpperCase()} `);
  };

function isZero({ expr }: Argument): boolean {
  return Number((expr as ValueExpr).value) === 0;
}

/** Whole numbers are missing where they run over; a sum or product of doubles where it is infinity less infinity. */
const arithmetic =
  (sign: string): DuckWriter =>
  ([a, b], { type }) => {
    const made = sql`(${operand(a, b)} ${raw(sign)} ${operand(b, a)})`;
    if (type === "integer") return orMissing(made, [a, b], sign);
    const isSafe = [a, b].some((each) => isFiniteConstant(each) && (sign !== "*" || !isZero(each)));
    return isSafe ? made : real(made);
  };

/**
 * Whole numbers that run over are missing.
 *
 * TRY takes no aggregate and no window (DuckDB 1.5), so these are worked out in twice the width, at a fifth of the speed.
 */
function orMissing(made: Sql, [a, b]: readonly Argument[], sign: string): Sql {
  if ([a, b].every(({ expr }) => isOfOneRow(expr))) return sql`TRY(${made})`;
  return sql`TRY_CAST(CAST(${a.sql} AS HUGEINT) ${raw(sign)} ${b.sql} AS BIGINT)`;
}

/** Operators, conditions and choices. */
export const operators = {
  add: arithmetic("+"),
  subtract: arithmetic("-"),
  multiply: arithmetic("*"),
  divide: ([a, b]) => {
    const made = sql`(CAST(${a.sql} AS DOUBLE) / ${b.sql})`;
    return isFiniteConstant(b) && !isZero(b) ? made : real(made);
  },
  // Its fmod has the sign of the right side.
  modulo: ([a, b], { type }) =>
    type === "integer"
      ? orMissing(sql`(${a.sql} % ${divisor(b)})`, [a, b], "%")
      : real(sql`(CAST(${a.sql} AS DOUBLE) % CAST(${b.sql} AS DOUBLE))`),
  // `**` would bind to the left.
  power: ([a, b]) => real(sql`pow(CAST(${a.sql} AS DOUBLE), CAST(${b.sql} AS DOUBLE))`),
  negate: ([x], { type }) => {
    const zero = { sql: raw("CAST(0 AS BIGINT)"), bare: raw("0"), type, expr: value(0) };
    return type === "integer" ? orMissing(sql`${zero.sql} - ${x.sql}`, [zero, x], "-") : sql`(-(${x.sql}))`;
  },
  equal: comparison("="),
  notEqual: comparison("<>"),
  less: comparison("<"),
  lessEqual: comparison("<="),
  greater: comparison(">"),
  greaterEqual: comparison(">="),
  and: logical("and"),
  or: logical("or"),
  not: ([x], { bracketed }) => {
    const asked = "call" in x.expr && x.expr.call === "isMissing" ? x.expr.args[0] : null;
    return asked && levelOf(asked) === tight ? sql`${bracketed(asked)} IS NOT NULL` : sql`NOT ${x.sql}`;
  },
  // IN with more than a few constants becomes a join, which loses the rows' order.
  oneOf: ([x, list]) => sql`list_contains(${list.sql}, ${x.sql})`,
  choose: ([when, then, otherwise]) => sql`CASE WHEN ${when.bare} THEN ${then.sql} ELSE ${otherwise.sql} END`,
  coalesce: named("coalesce"),
} satisfies Partial<Record<FunctionName, DuckWriter>>;
