import type { ListExpr } from "../../plan/expr.ts";
import { join, raw, type Sql, sql } from "../sql.ts";
import { type Argument, type Around, isFiniteConstant, listOf, numberOf, type Writer } from "../sql-calls.ts";
import { arrayOf, asDouble, constant, cutOff, double, isNotZero, real } from "./words.ts";

const infinity = double(Number.POSITIVE_INFINITY);

/** Sums, differences and products: whole numbers that run over are missing, and infinity less infinity. */
export const arithmetic =
  (sign: "+" | "-" | "*"): Writer =>
  ([a, b], { type }) => {
    const name = { "+": "try_add", "-": "try_subtract", "*": "try_multiply" }[sign];
    if (type === "integer") return sql`${raw(name)}(${a.sql}, ${b.sql})`;
    const made = sql`(${asDouble(a)} ${raw(sign)} ${asDouble(b)})`;
    const isSafe = [a, b].some((each) => (sign === "*" ? isNotZero(each) : isFiniteConstant(each)));
    return isSafe ? made : real(made);
  };

/** Whole numbers but the least, which has no opposite. */
export function opposable(x: Sql): Sql {
  return sql`nullif(${x}, -9223372036854775808L)`;
}

/** The quotient; Spark raises where the right side is 0, whose sign tells which infinity the answer is. */
export function divided(a: Argument, b: Argument): Sql {
  const quotient = sql`(${asDouble(a)} / ${asDouble(b)})`;
  if (isNotZero(b)) return quotient;
  const infinite =
    b.type === "number"
      ? sql`CASE WHEN CAST(${b.sql} AS STRING) = '-0.0' THEN (-${infinity}) ELSE ${infinity} END`
      : infinity;
  return real(sql`CASE WHEN ${b.sql} = 0 THEN ${asDouble(a)} * ${infinite} ELSE ${quotient} END`);
}

export const remainder: Writer = ([a, b], { type }) =>
  type === "integer" ? sql`try_mod(${a.sql}, ${b.sql})` : real(sql`try_mod(${asDouble(a)}, ${asDouble(b)})`);

/** Java has no power of 1 to infinity; by the rules of floating-point numbers it is 1. */
export const power: Writer = ([a, b]) => {
  const [x, y] = [asDouble(a), asDouble(b)];
  const made = real(sql`power(${x}, ${y})`);
  return isFiniteConstant(b)
    ? made
    : sql`CASE WHEN ${x} = 1 AND ${y} IS NOT NULL OR ${x} = -1 AND abs(${y}) = ${infinity} THEN 1D ELSE ${made} END`;
};

/** A function that has no real answer where its argument is out of range. */
export const within =
  (name: string, range: string): Writer =>
  ([x]) =>
    sql`CASE WHEN ${x.sql} ${raw(range)} THEN ${raw(name)}(${asDouble(x)}) END`;

/** Powers of 2 have whole logarithms, which a quotient of two others may miss by its last digit. */
export const binaryLogarithm: Writer = ([x]) => {
  const number = asDouble(x);
  const made = sql`log2(${number})`;
  return sql`CASE WHEN ${x.sql} > 0 THEN CASE WHEN power(2D, rint(${made})) = ${number} THEN rint(${made}) ELSE ${made} END END`;
};

/** Spark's `ceil` and `floor` answer whole numbers of 64 bits; from 2^52 on a double is whole as it is. */
export const toWhole =
  (name: "ceil" | "floor") =>
  (x: Sql): Sql =>
    sql`CASE WHEN abs(${x}) < 4503599627370496D THEN CAST(${raw(name)}(${x}) AS DOUBLE) ELSE ${x} END`;

/** The number without its part behind the point. */
export function truncated(x: Sql): Sql {
  return sql`CASE WHEN abs(${x}) < 4503599627370496D THEN CAST(try_cast(${x} AS BIGINT) AS DOUBLE) ELSE ${x} END`;
}

/** As numpy rounds: what is multiplied by a power of ten, to the even one. From 2^52 on numbers are whole. */
export function rounded([x, digits]: readonly Argument[], { type }: Around): Sql {
  const places = digits ? Math.max(-308, numberOf(digits)) : 0;
  if (places > 292 || (type === "integer" && places >= 0)) return x.sql;
  const number = asDouble(x);
  if (places === 0) return sql`rint(${number})`;
  const unit = double(Number(`1e${Math.abs(places)}`));
  if (places > 0)
    return sql`CASE WHEN abs(${number}) < 4503599627370496D THEN rint(${number} * ${unit}) / ${unit} ELSE ${number} END`;
  const made = sql`(rint(${number} / ${unit}) * ${unit})`;
  return type === "integer" ? cutOff(made) : made;
}

/** The lower end of a bin. */
export const bin: Writer = ([x, width]) => {
  const unit = asDouble(width);
  const share = isNotZero(width) ? sql`(${asDouble(x)} / ${unit})` : sql`try_divide(${asDouble(x)}, ${unit})`;
  return real(sql`(${toWhole("floor")(share)} * ${unit})`);
};

/** The label of an interval, open below and closed above. */
export function intervals([x, edges, labels]: readonly Argument[]): Sql {
  const ends = listOf(edges).map((end) => double(Number(end)));
  const cases = listOf(labels).map(
    (label, k) => sql`WHEN ${x.sql} > ${ends[k]} AND ${x.sql} <= ${ends[k + 1]} THEN ${constant({ value: label })}`,
  );
  return cases.length === 0 ? raw("CAST(NULL AS STRING)") : sql`CASE ${join(cases, " ")} END`;
}

/** So many products are written out at most. */
const mostWritten = 256;

/** The sum of products with constants: written out where the numbers are, since Spark compiles no code for what goes along a list. */
export const dotProduct: Writer = ([x, weights]) => {
  if (x.numbers && x.numbers.length <= mostWritten) {
    const each = x.numbers.map((number, k) => sql`${asDouble(number)} * ${double(Number(listOf(weights)[k]))}`);
    return real(sql`(${join([raw("0D"), ...each], " + ")})`);
  }
  const products = sql`zip_with(${x.sql}, ${arrayOf(weights.expr as ListExpr, "DOUBLE")}, (each, weight) -> each * weight)`;
  return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${real(sql`aggregate(${products}, 0D, (total, each) -> total + each)`)} END`;
};

export const sigmoid: Writer = ([x]) => sql`(1D / (1D + exp(-(${asDouble(x)}))))`;
