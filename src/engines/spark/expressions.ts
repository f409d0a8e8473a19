import type { Expr, ListExpr } from "../../plan/expr.ts";
import type { FunctionName } from "../../plan/functions.ts";
import { alwaysRefused, type Objection, type Refusal, type Refused, refusals, refusing } from "../refusal.ts";
import { join, raw, type Sql, sql } from "../sql.ts";
import {
  type Argument,
  clipped,
  type Dialect,
  expressionWriter,
  listOf,
  named,
  numberOf,
  ofAll,
  operator,
  present,
  unlessWhole,
  type Writer,
} from "../sql-calls.ts";
import { grouped, windowOver, windowWriters } from "../sql-windows.ts";
import * as aggregates from "./aggregates.ts";
import { asBoolean, asInteger, asNumber, asText, written } from "./casts.ts";
import { asDate, dateDifference, datePart, dateTruncated } from "./dates.ts";
import { readNumber, unitOf } from "./forms.ts";
import * as numbers from "./numbers.ts";
import { patternObjection } from "./patterns.ts";
import * as texts from "./texts.ts";
import { arrayOf, asDouble, constant, double, real, storedTypes, wide } from "./words.ts";

/**
 * Writes a checked expression as SQL for Spark 4.0 and later, in a session of `sessionSettings`.
 *
 * Columns are of `storedTypes`, without NaN. Powers, logarithms, means and deviations may differ from the table engine's
 * in the last digits. Capital letters are Java's: that of ß is SS.
 */
export function writeExpression(expr: Expr): Sql {
  return write(expr);
}

/** The same, where some expressions within stand for what is known already. */
export function writerKnowing(known: (expr: Expr) => Sql | null): (expr: Expr) => Sql {
  return expressionWriter(dialect, known);
}

/** Why Spark can't work a checked expression out; empty where it can. */
export function can(expr: Expr): Refusal[] {
  return refusals(expr, objections);
}

const oneOf: Writer = ([x, list]) => {
  const among = { ...(list.expr as ListExpr), list: listOf(list).filter((each) => each !== null) };
  if (among.list.length === 0) return sql`CASE WHEN ${x.sql} IS NOT NULL THEN FALSE END`;
  return sql`array_contains(${arrayOf(among)}, ${x.sql})`;
};

const placeOf: Writer = ([x, among]) => {
  const place = sql`array_position(${among.sql}, ${x.sql}) - 1`;
  return sql`CASE WHEN ${x.sql} IS NOT NULL THEN CAST(${listOf(among).length === 0 ? raw("-1") : place} AS BIGINT) END`;
};

const itemAt: Writer = ([place, items]) => {
  const last = raw(String(listOf(items).length - 1));
  const numbersOf = arrayOf(items.expr as ListExpr, "DOUBLE");
  return sql`CASE WHEN ${place.sql} BETWEEN 0 AND ${last} THEN get(${numbersOf}, CAST(${place.sql} AS INT)) END`;
};

const bitAt: Writer = ([x, k]) => {
  const bit = numberOf(k) > 63 ? raw("0L") : sql`shiftright(${x.sql}, ${raw(String(numberOf(k)))}) & 1L`;
  return sql`CASE WHEN ${x.sql} < 0 THEN 0L WHEN ${x.sql} >= 0 THEN ${bit} END`;
};

const hash32: Writer = (args) => {
  const digits = sql`md5(${written(args)})`;
  // Of the third quarter the last byte comes first.
  const bytes = [23, 21, 19, 17].map((at) => sql`substr(${digits}, ${raw(String(at))}, 2)`);
  return sql`CAST(conv(${join(bytes, " || ")}, 16, 10) AS BIGINT)`;
};

const noTerms = {
  message: "Spark counts no words in the way that blocklab does",
  cure: "Take the rows out first, by collect().",
} as const;

/** What Spark has no words for. */
const refused = {
  words: noTerms,
  phrases: noTerms,
  counted: noTerms,
  placesOf: noTerms,
  weighted: noTerms,
  norm: noTerms,
  scaled: noTerms,
  dots: {
    message: "Spark can't read the file in which the numbers are that a block learnt",
    cure: "Take the rows out first, by collect().",
  },
  readDate: {
    message: "Spark can't try the many forms that dates are written in",
    cure: "Write dates as 2026-01-31 and read them by date(…), or take the rows out first, by collect().",
  },
} as const satisfies Partial<Refused<FunctionName>>;

const badPattern: Objection = (call) => patternObjection(call);

const objections: Partial<Record<FunctionName, Objection>> = {
  ...alwaysRefused(refused),
  matches: badPattern,
  extract: badPattern,
};

const windows = windowWriters({
  ordered: aggregates.ordered,
  asDouble,
  summand: aggregates.summand,
  fitting: aggregates.fitting,
  real,
});

/** Each function of the language in Spark's SQL. */
const writers: Readonly<Record<FunctionName, Writer>> = {
  add: numbers.arithmetic("+"),
  subtract: numbers.arithmetic("-"),
  multiply: numbers.arithmetic("*"),
  divide: ([a, b]) => numbers.divided(a, b),
  modulo: numbers.remainder,
  power: numbers.power,
  negate: ([x], { type }) => sql`(-${type === "integer" ? numbers.opposable(x.sql) : sql`(${x.sql})`})`,
  equal: operator("="),
  notEqual: operator("<>"),
  less: operator("<"),
  lessEqual: operator("<="),
  greater: operator(">"),
  greaterEqual: operator(">="),
  and: operator("AND"),
  or: operator("OR"),
  not: ([x]) => sql`(NOT ${x.sql})`,
  oneOf,
  choose: ([when, then, otherwise]) => sql`CASE WHEN ${when.sql} THEN ${then.sql} ELSE ${otherwise.sql} END`,
  coalesce: named("coalesce"),

  abs: ([x], { type }) => sql`abs(${type === "integer" ? numbers.opposable(x.sql) : x.sql})`,
  sign: ([x], { type }) => sql`CAST(signum(${asDouble(x)}) AS ${raw(type === "integer" ? "BIGINT" : "DOUBLE")})`,
  ceil: unlessWhole(numbers.toWhole("ceil")),
  floor: unlessWhole(numbers.toWhole("floor")),
  trunc: unlessWhole(numbers.truncated),
  round: numbers.rounded,
  sqrt: numbers.within("sqrt", ">= 0"),
  exp: ([x]) => sql`exp(${asDouble(x)})`,
  ln: numbers.within("ln", "> 0"),
  log10: numbers.within("log10", "> 0"),
  log2: numbers.binaryLogarithm,
  clip: clipped,
  least: ofAll("least"),
  greatest: ofAll("greatest"),
  bin: numbers.bin,
  cut: numbers.intervals,
  isFinite: ([x]) => sql`(abs(${asDouble(x)}) < ${double(Number.POSITIVE_INFINITY)})`,

  lower: named("lower"),
  upper: named("upper"),
  trim: texts.trimmed,
  length: ([x]) => wide(sql`char_length(${x.sql})`),
  startsWith: named("startswith"),
  endsWith: named("endswith"),
  includes: named("contains"),
  replace: named("replace"),
  replaceFirst: texts.replacedFirst,
  matches: texts.matched,
  extract: texts.extracted,
  split: texts.splitPart,
  slice: texts.sliced,
  concat: (args) => sql`(${join(args.map(asText), " || ")})`,

  year: datePart("year"),
  quarter: datePart("quarter"),
  month: datePart("month"),
  day: datePart("day"),
  hour: datePart("hour"),
  minute: datePart("minute"),
  second: datePart("second"),
  weekday: datePart("weekday"),
  date: ([x]) => asDate(x),
  dateTrunc: dateTruncated,
  dateDiff: dateDifference,

  isMissing: ([x]) => sql`(${x.sql} IS NULL)`,
  number: ([x]) => asNumber(x),
  integer: ([x]) => asInteger(x),
  text: ([x]) => asText(x),
  boolean: ([x]) => asBoolean(x),

  count: ([x], around) => grouped(x ? sql`count(${x.sql})` : raw("count(*)"), around),
  countDistinct: aggregates.countedDistinct,
  sum: aggregates.summed,
  mean: aggregates.mean,
  median: aggregates.quantile(() => 0.5),
  quantile: aggregates.quantileAt,
  min: aggregates.aggregate("min"),
  max: aggregates.aggregate("max"),
  std: aggregates.deviation("stddev_samp"),
  variance: aggregates.deviation("var_samp"),
  first: aggregates.atEnd("min_by"),
  last: aggregates.atEnd("max_by"),
  mode: aggregates.mode,
  any: aggregates.aggregate("bool_or"),
  all: aggregates.aggregate("bool_and"),
  corr: aggregates.deviation("corr"),

  ...windows,
  rollingStd: aggregates.rollingDeviation(windows.rollingStd),
  pctChange: ([x], around) => {
    const before: Argument = { ...x, sql: sql`lag(${x.sql}) ${windowOver(around, aggregates.ordered)}` };
    // A column or a call, since a constant has no row before.
    return sql`(${numbers.divided(x, { ...before, expr: around.call })} - 1D)`;
  },
  previous: aggregates.previous,
  next: aggregates.next,

  byteLength: ([x]) => wide(sql`octet_length(${x.sql})`),
  written,
  hash32,
  readNumber,
  unitOf,
  placeOf,
  itemAt,
  bitAt,
  vector: (args) => sql`CASE WHEN ${present(args)} THEN array(${join(args.map(asDouble))}) END`,
  dot: numbers.dotProduct,
  partOf: ([x, k]) => sql`get(${x.sql}, ${raw(String(numberOf(k)))})`,
  endSigma: texts.endSigma,
  sigmoid: numbers.sigmoid,
  sortedSum: aggregates.sortedSum,
  interpolate: aggregates.interpolated,
  ...refusing(refused),
};

const dialect: Dialect = {
  constant,
  arrayOf,
  storedTypes,
  // Some functions take no NULL bare.
  missing: (stored) => raw(`CAST(NULL AS ${stored})`),
  writers,
  noFile: refused.dots.message,
};

const write = expressionWriter(dialect);
