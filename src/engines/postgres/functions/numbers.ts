import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import {
  type Argument,
  type Around,
  clipped,
  listOf,
  numberOf,
  ofAll,
  unlessWhole,
  type Writer,
} from "../../sql-calls.ts";
import { opposable, tooLarge, tooSmall } from "./operators.ts";
import { asDouble, constant, cutOff, double, isNotZero, ordered, real, trunc } from "./writing.ts";

function exponential(x: Sql): Sql {
  return sql`CASE WHEN ${x} > ${raw(tooLarge)} THEN 'Infinity' WHEN ${x} < ${raw(tooSmall)} THEN 0 ELSE exp(${x}) END`;
}

/** A function that is missing where its argument is out of range; Postgres' own raises there. */
const within =
  (name: string, range: string): Writer =>
  ([x]) =>
    sql`CASE WHEN ${x.sql} ${raw(range)} THEN ${raw(name)}(${asDouble(x)}) END`;

/** Powers of 2 have whole logarithms, which a quotient of two others misses by its last digit. */
function binaryLogarithm([x]: readonly Argument[]): Sql {
  const number = asDouble(x);
  const made = sql`(ln(${number}) / ln(2::double precision))`;
  const whole = sql`least(round(${made}), 1023)`;
  return sql`CASE WHEN ${x.sql} > 0 THEN CASE WHEN ${number} = 'Infinity' THEN ${number} WHEN power(2, ${whole}) = ${number} THEN ${whole} ELSE ${made} END END`;
}

/** From 2^52 on numbers are whole. */
function rounded([x, digits]: readonly Argument[], { type }: Around): Sql {
  const places = digits ? Math.max(-308, numberOf(digits)) : 0;
  if (places > 292 || (type === "integer" && places >= 0)) return x.sql;
  const number = asDouble(x);
  if (places === 0) return sql`round(${number})`;
  const unit = double(Number(`1e${Math.abs(places)}`));
  if (places > 0)
    return sql`CASE WHEN abs(${number}) < 4503599627370496 THEN round(${number} * ${unit}) / ${unit} ELSE ${number} END`;
  const made = sql`(round(${number} / ${unit}) * ${unit})`;
  return type === "integer" ? cutOff(made) : made;
}

function intervals([x, edges, labels]: readonly Argument[]): Sql {
  const ends = listOf(edges).map((end) => double(Number(end)));
  const cases = listOf(labels).map(
    (label, k) => sql`WHEN ${x.sql} > ${ends[k]} AND ${x.sql} <= ${ends[k + 1]} THEN ${constant({ value: label })}`,
  );
  return cases.length === 0 ? raw("NULL::text") : sql`CASE ${join(cases, " ")} END`;
}

/** Functions of numbers. */
export const numbers = {
  abs: ([x], { type }) => sql`abs(${type === "integer" ? opposable(x.sql) : x.sql})`,
  sign: ([x], { type }) => sql`sign(${asDouble(x)})::${raw(type === "integer" ? "bigint" : "double precision")}`,
  ceil: unlessWhole((x) => sql`ceil(${x})`),
  floor: unlessWhole((x) => sql`floor(${x})`),
  trunc: unlessWhole(trunc),
  round: rounded,
  sqrt: within("sqrt", ">= 0"),
  exp: ([x]) => exponential(asDouble(x)),
  ln: within("ln", "> 0"),
  log10: within("log10", "> 0"),
  log2: binaryLogarithm,
  clip: clipped,
  least: ofAll("least", ordered),
  greatest: ofAll("greatest", ordered),
  bin: ([x, width]) => {
    const unit = isNotZero(width) ? asDouble(width) : sql`nullif(${asDouble(width)}, 0)`;
    return real(sql`(floor(${asDouble(x)} / ${unit}) * ${unit})`);
  },
  cut: intervals,
  isFinite: ([x]) => sql`(abs(${asDouble(x)}) < 'Infinity')`,
  sigmoid: ([x]) => sql`(1 / (1 + ${exponential(sql`(-(${asDouble(x)}))`)}))`,
} satisfies Partial<Record<FunctionName, Writer>>;
