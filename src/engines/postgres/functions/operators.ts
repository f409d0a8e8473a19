import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, type Around, isFiniteConstant, listOf, named, operator, type Writer } from "../../sql-calls.ts";
import { asDouble, fitting, isNotZero, ordered, real } from "./writing.ts";

const arithmetic =
  (sign: string): Writer =>
  ([a, b], { type }) => {
    if (type === "integer") return fitting(sql`(${a.sql}::numeric ${raw(sign)} ${b.sql})`);
    const made = sql`(${asDouble(a)} ${raw(sign)} ${asDouble(b)})`;
    const isSafe = [a, b].some((each) => (sign === "*" ? isNotZero(each) : isFiniteConstant(each)));
    return isSafe ? made : real(made);
  };

const comparison =
  (sign: string): Writer =>
  ([a, b]) =>
    sql`(${ordered(a)} ${raw(sign)} ${ordered(b)})`;

/** Whole numbers but the least, which has no opposite. */
export function opposable(x: Sql): Sql {
  return sql`nullif(${x}, -9223372036854775808)`;
}

/** A quotient of two numbers as a double. */
export function divided(a: Argument, b: Argument): Sql {
  const quotient = sql`(${asDouble(a)} / ${asDouble(b)})`;
  if (isNotZero(b)) return quotient;
  // -0 turns the sign of what it divides.
  const infinite =
    b.type === "number"
      ? sql`CASE WHEN ${b.sql}::text = '-0' THEN '-Infinity' ELSE 'Infinity' END::double precision`
      : raw("'Infinity'::double precision");
  return real(sql`CASE WHEN ${b.sql} = 0 THEN ${asDouble(a)} * ${infinite} ELSE ${quotient} END`);
}

function remainder([a, b]: readonly Argument[], { type }: Around): Sql {
  if (type === "integer") return sql`(${a.sql} % nullif(${b.sql}, 0))`;
  const [x, y] = [asDouble(a), asDouble(b)];
  const left = sql`${x} - ${y} * trunc(${x} / ${isNotZero(b) ? y : sql`nullif(${y}, 0)`})`;
  if (isFiniteConstant(b)) return real(sql`(${left})`);
  return real(sql`CASE WHEN abs(${y}) = 'Infinity' AND abs(${x}) < 'Infinity' THEN ${x} ELSE ${left} END`);
}

/** The largest exponents of e whose powers are a number, and are not 0. */
export const [tooLarge, tooSmall] = ["709.782712893384", "-745.133219101941"];

/** Postgres raises where a power is no number, infinite or next to nothing. */
function power([a, b]: readonly Argument[]): Sql {
  const [x, y] = [asDouble(a), asDouble(b)];
  const isOdd = sql`abs(${y}) < 9007199254740992 AND ${y}::numeric % 2 <> 0`;
  const isWhole = sql`${y} = trunc(${y})`;
  const size = sql`${y} * ln(abs(${x}))`;
  const isPlain = sql`abs(${x}) < 'Infinity' AND abs(${y}) < 'Infinity'`;
  const cases = [
    sql`WHEN ${x} < 0 AND ${x} > '-Infinity' AND NOT ${isWhole} THEN NULL`,
    sql`WHEN ${x} = '-Infinity' AND NOT ${isWhole} THEN CASE WHEN ${y} < 0 THEN 0 ELSE 'Infinity'::double precision END`,
    sql`WHEN ${x} = 0 AND ${y} < 0 THEN CASE WHEN ${x}::text = '-0' AND ${isOdd} THEN '-Infinity' ELSE 'Infinity' END::double precision`,
    sql`WHEN ${x} <> 0 AND ${isPlain} AND ${size} > ${raw(tooLarge)} THEN CASE WHEN ${x} < 0 AND ${isOdd} THEN '-Infinity' ELSE 'Infinity' END::double precision`,
    sql`WHEN ${x} <> 0 AND ${isPlain} AND ${size} < ${raw(tooSmall)} THEN 0`,
  ];
  return real(sql`CASE ${join(cases, " ")} ELSE power(${x}, ${y}) END`);
}

/** Operators, conditions and choices. */
export const operators = {
  add: arithmetic("+"),
  subtract: arithmetic("-"),
  multiply: arithmetic("*"),
  divide: ([a, b]) => divided(a, b),
  modulo: remainder,
  power,
  negate: ([x], { type }) => sql`(-${type === "integer" ? opposable(x.sql) : sql`(${x.sql})`})`,
  equal: operator("="),
  notEqual: operator("<>"),
  less: comparison("<"),
  lessEqual: comparison("<="),
  greater: comparison(">"),
  greaterEqual: comparison(">="),
  and: operator("AND"),
  or: operator("OR"),
  not: ([x]) => sql`(NOT ${x.sql})`,
  // Of an empty list Postgres says that a missing cell is not in it.
  oneOf: ([x, list]) =>
    listOf(list).length > 0 ? sql`(${x.sql} = ANY(${list.sql}))` : sql`CASE WHEN ${x.sql} IS NOT NULL THEN FALSE END`,
  choose: ([when, then, otherwise]) => sql`CASE WHEN ${when.sql} THEN ${then.sql} ELSE ${otherwise.sql} END`,
  coalesce: named("coalesce"),
} satisfies Partial<Record<FunctionName, Writer>>;
