import { typeOf } from "../../plan/check.ts";
import {
  constantType,
  type Expr,
  itemsOf,
  type ListExpr,
  partsOf,
  rowColumn,
  type ValueExpr,
} from "../../plan/expr.ts";
import { type FunctionName, functions, whiteSpace } from "../../plan/functions.ts";
import { common, isNumeric, type ValueType } from "../../plan/types.ts";
import { type Objection, opaqueRefusal, type Refusal, refusals } from "../refusal.ts";
import { col, join, literal, raw, type Sql, sql } from "../sql.ts";
import {
  type Argument,
  type Around,
  bounded,
  clipped,
  isFiniteConstant,
  isWhole,
  listOf,
  monthsBetween,
  monthsOf,
  named,
  numberOf,
  ofAll,
  operator,
  overClause,
  present,
  secondsOf,
  textOf,
  unlessWhole,
  type Writer,
  wholeDigits,
} from "../sql-calls.ts";
import { grouped, windowOver, windowWriters } from "../sql-windows.ts";
import { patternObjection, postgresPattern } from "./patterns.ts";

/** The row's number, by which `first`, `last` and windows go where nothing else orders them. */
const row = col(rowColumn);

/** Postgres' types of values. */
export const storedTypes: Readonly<Record<Exclude<ValueType, "missing">, string>> = {
  integer: "bigint",
  number: "double precision",
  boolean: "boolean",
  string: "text",
  datetime: "timestamp",
  tensor: "double precision[]",
};

/**
 * Writes a checked expression as SQL for Postgres 16 and later.
 *
 * Columns are of `storedTypes`, without NaN. Texts compare by code point, whatever the database's collation. Three things
 * differ from the other engines. A sum, product, quotient or aggregate of numbers beyond 1.8e308, or nearer to 0 than
 * 5e-324, is Postgres' error "value out of range" (22003), since it has no arithmetic without it. Powers, logarithms,
 * means and deviations may differ in the last digits, and so may a remainder of numbers with a fraction. Capital letters
 * are ICU's: that of ß is SS.
 */
export function writeExpression(expr: Expr): Sql {
  if ("column" in expr) return col(expr.column);
  if ("value" in expr) return constant(expr);
  if ("list" in expr) return arrayOf(expr);
  if ("parts" in expr) throw new TypeError(opaqueRefusal.message);
  if ("artifact" in expr) throw new TypeError(`${refused.dots.message}.`);
  const around = { call: expr, type: typeOf(expr) };
  return bounded(writers[expr.call](argumentsOf(expr), around), around);
}

/** Why Postgres can't work a checked expression out; empty where it can. */
export function can(expr: Expr): Refusal[] {
  const nul = [...partsOf(expr)].flatMap((part): Refusal[] =>
    "call" in part && part.args.some(holdsNul)
      ? [{ call: part.call, message: "Postgres' texts hold no letter NUL (\\0)", cure: "Leave it out of the text." }]
      : [],
  );
  return [...nul, ...refusals(expr, objections)];
}

function holdsNul(expr: Expr): boolean {
  const constants = "value" in expr ? [expr.value] : "list" in expr ? expr.list : [];
  return constants.some((each) => typeof each === "string" && each.includes("\0"));
}

/** Arguments in SQL; one that is missing has the type that its parameter wants, as Postgres must know it. */
function argumentsOf(expr: Extract<Expr, { call: FunctionName }>): Argument[] {
  const { parameters } = functions[expr.call].signature;
  const kindAt = (k: number) => parameters[Math.min(k, parameters.length - 1)]?.kind;
  const among = (kind: string) =>
    expr.args.reduce<ValueType>(
      (all, arg, k) => (kindAt(k) === kind ? (common(all, typeOf(arg)) ?? all) : all),
      "missing",
    );
  return expr.args.map((arg, k) => {
    const type = typeOf(arg);
    const kind = kindAt(k);
    if ("list" in arg || type !== "missing") return { sql: writeExpression(arg), type, expr: arg };
    const wanted = kind === "T" || kind === "N" ? among(kind) : kind;
    const stored = storedTypes[wanted as keyof typeof storedTypes] ?? (kind === "N" ? "bigint" : "text");
    return { sql: raw(`NULL::${stored}`), type, expr: arg };
  });
}

function constant(expr: ValueExpr): Sql {
  const type = constantType(expr);
  if (type === "missing") return raw("NULL");
  if (type === "number") return double(Number(expr.value));
  if (type === "integer") return sql`${wholeDigits(expr.value)}::bigint`;
  if (type === "boolean") return raw(expr.value ? "TRUE" : "FALSE");
  return sql`${String(expr.value)}::${raw(type === "datetime" ? "timestamp" : "text")}`;
}

/** Digits with a type: without one they are a NUMERIC to Postgres. */
function double(number: number): Sql {
  const digits = Object.is(number, -0) ? "-0" : String(number);
  return raw(/^[\d.]+$/.test(digits) ? `${digits}::double precision` : `'${digits}'::double precision`);
}

function arrayOf(list: ListExpr): Sql {
  const items = itemsOf(list);
  const type = items.reduce<ValueType>((all, item) => common(all, constantType(item)) ?? all, "missing");
  const stored = storedTypes[type === "missing" ? "string" : type];
  return sql`ARRAY[${join(items.map(constant))}]::${raw(stored)}[]`;
}

/** NaN is no value of the language: what has no real answer is missing. */
function real(number: Sql): Sql {
  return sql`nullif(${number}, 'NaN')`;
}

function isNotZero(arg: Argument): boolean {
  return isFiniteConstant(arg) && numberOf(arg) !== 0;
}

function asDouble({ sql: x, type }: Argument): Sql {
  return type === "number" ? x : sql`${x}::double precision`;
}

/**
 * A NUMERIC as a whole number of 64 bits, missing where it runs over.
 *
 * The number is written once, so that a long sum stays as long as it is. (Both of least and greatest pass missing over.)
 */
function fitting(numeric: Sql): Sql {
  const [below, above] = ["-9223372036854775809", "9223372036854775808"];
  return sql`nullif(nullif(least(greatest(${numeric}, ${raw(below)}), ${raw(above)}), ${raw(below)}), ${raw(above)})::bigint`;
}

/** A double as a whole number of 64 bits, cut off behind the point; missing where it runs over. */
function cutOff(number: Sql): Sql {
  return sql`CASE WHEN ${number} >= -9223372036854775808 AND ${number} < 9223372036854775808 THEN trunc(${number})::bigint END`;
}

const arithmetic =
  (sign: string): Writer =>
  ([a, b], { type }) => {
    if (type === "integer") return fitting(sql`(${a.sql}::numeric ${raw(sign)} ${b.sql})`);
    const made = sql`(${asDouble(a)} ${raw(sign)} ${asDouble(b)})`;
    const isSafe = [a, b].some((each) => (sign === "*" ? isNotZero(each) : isFiniteConstant(each)));
    return isSafe ? made : real(made);
  };

/** Texts compare by code point. */
function ordered({ sql: x, type }: Pick<Argument, "sql" | "type">): Sql {
  return type === "string" ? sql`(${x} COLLATE "C")` : x;
}

const comparison =
  (sign: string): Writer =>
  ([a, b]) =>
    sql`(${ordered(a)} ${raw(sign)} ${ordered(b)})`;

/** Whole numbers but the least, which has no opposite. */
function opposable(x: Sql): Sql {
  return sql`nullif(${x}, -9223372036854775808)`;
}

function divided(a: Argument, b: Argument): Sql {
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
const [tooLarge, tooSmall] = ["709.782712893384", "-745.133219101941"];

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

/** ICU knows the letters of all alphabets, whatever the database's locale. */
const cased =
  (name: string): Writer =>
  ([x]) =>
    sql`(${raw(name)}(${x.sql} COLLATE "und-x-icu") COLLATE "C")`;

/** Without the blanks around a number or a date. */
function blank(x: Sql): Sql {
  return sql`btrim(${x}, ${" \t\n\v\f\r"})`;
}

/** A place in a text, for functions that take 32 bits. */
function short({ sql: place, expr }: Argument): Sql {
  const most = 2 ** 31 - 1;
  if ("value" in expr && expr.value !== null) return raw(String(Math.max(-most, Math.min(most, Number(expr.value)))));
  return sql`least(greatest(${place}, ${raw(String(-most))}), ${raw(String(most))})::integer`;
}

/** A text's place counted from its end where it is negative, and never before its begin. */
function placeIn(text: Sql, arg: Argument): Sql {
  const place = short(arg);
  if ("value" in arg.expr && Number(arg.expr.value) >= 0) return place;
  return sql`CASE WHEN ${place} < 0 THEN greatest(char_length(${text}) + ${place}, 0) ELSE ${place} END`;
}

function sliced([x, from, to]: readonly Argument[]): Sql {
  const start = placeIn(x.sql, from);
  // 2^31 is no place of 32 bits.
  const begin = sql`least(${start}, 2147483646) + 1`;
  const made = to
    ? sql`substr(${x.sql}, ${begin}, greatest(${placeIn(x.sql, to)} - (${start}), 0))`
    : sql`substr(${x.sql}, ${begin})`;
  const places = [from, ...(to ? [to] : [])].filter(({ expr }) => !("value" in expr) || expr.value === null);
  return places.length === 0 ? made : sql`CASE WHEN ${present(places)} THEN ${made} END`;
}

function replacedFirst([x, part, by]: readonly Argument[]): Sql {
  const at = sql`strpos(${x.sql}, ${part.sql})`;
  const made = sql`substr(${x.sql}, 1, ${at} - 1) || ${by.sql} || substr(${x.sql}, ${at} + char_length(${part.sql}))`;
  return sql`CASE WHEN ${at} > 0 THEN ${made} WHEN ${at} = 0 AND ${by.sql} IS NOT NULL THEN ${x.sql} END`;
}

/** Letters of any case are told by ICU, others by their code. */
function subject({ sql: x }: Argument, pattern: Argument): Sql {
  const isOfAnyCase = /^\(\?[ms]*i/.test(textOf(pattern));
  return sql`${x} COLLATE ${raw(isOfAnyCase ? '"und-x-icu"' : '"C"')}`;
}

function extracted([x, pattern, group]: readonly Argument[]): Sql {
  const { text, groups } = postgresPattern(textOf(pattern));
  const wanted = group ? numberOf(group) : Math.min(1, groups);
  if (wanted < 0 || wanted > groups) return raw("NULL::text");
  const where = subject(x, pattern);
  // Postgres knows no group 0; in brackets of its own the pattern is the first one.
  const whole = wanted === 0 ? text.replace(/^(\(\?\w+\))?/, "$1(").concat(")") : text;
  const found = sql`(regexp_match(${where}, ${whole}))[${raw(String(Math.max(wanted, 1)))}]`;
  return sql`CASE WHEN ${where} ~ ${text} THEN coalesce(${found}, '') END`;
}

/** Postgres has no parts of an empty text, where there is one; parts between nothing are the letters. */
function splitPart([x, by, k]: readonly Argument[]): Sql {
  const place = numberOf(k);
  const parts = sql`string_to_array(${x.sql}, nullif(${by.sql}, ''))`;
  const found =
    place < 0
      ? sql`(${parts})[cardinality(${parts}) - ${raw(String(-place - 1))}]`
      : sql`(${parts})[${raw(String(Math.min(place, 2 ** 31 - 2) + 1))}]`;
  const ofNone = place === 0 || place === -1 ? sql`''` : raw("NULL");
  return sql`CASE WHEN ${x.sql} = '' AND ${by.sql} IS NOT NULL THEN ${ofNone} WHEN ${by.sql} IS NOT NULL THEN ${found} END`;
}

/** A date as text: fractions of a second without zeros behind them. */
function dateText(x: Sql): Sql {
  return sql`rtrim(rtrim(to_char(${x}, 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.')`;
}

const trunc = (x: Sql) => sql`trunc(${x})`;

/** Any value as text: whole numbers without a point, as JavaScript and people write them. */
function asText({ sql: x, type }: Argument): Sql {
  if (type === "string") return x;
  if (type === "datetime") return dateText(x);
  if (type !== "number") return sql`${x}::text`;
  return sql`CASE WHEN abs(${x}) = 'Infinity' THEN CASE WHEN ${x} > 0 THEN 'inf' ELSE '-inf' END WHEN ${isWhole(x, trunc, "9223372036854775808")} THEN ${x}::bigint::text ELSE ${x}::text END`;
}

/** The same with a point in every number, as the table engine writes it. */
function written([arg]: readonly Argument[]): Sql {
  const { sql: x, type } = arg;
  if (type !== "number") return asText(arg);
  const sign = sql`CASE WHEN ${x}::text = '-0' THEN '-' ELSE '' END`;
  return sql`CASE WHEN ${isWhole(x, trunc, "1e16")} THEN ${sign} || ${x}::bigint::text || '.0' ELSE ${asText(arg)} END`;
}

/** Numbers as people write them; Postgres alone would take 0x10 too, and raises beyond the range of doubles. */
const numberForm = "^[+-]?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?)$";

function asNumber({ sql: x, type }: Argument): Sql {
  if (type === "number") return x;
  if (type === "boolean") return sql`${x}::integer::double precision`;
  if (isNumeric(type)) return sql`${x}::double precision`;
  if (type !== "string") return raw("NULL::double precision");
  const text = blank(x);
  const isSmall = sql`${text} ~* 'e-' OR ${text} ~ '^[+-]?0*\\.'`;
  const sign = sql`CASE WHEN ${text} LIKE '-%' THEN '-' ELSE '' END`;
  const beyond = sql`(${sign} || CASE WHEN ${isSmall} THEN '0' ELSE 'Infinity' END)::double precision`;
  return sql`CASE WHEN ${text} ~* ${numberForm} THEN CASE WHEN pg_input_is_valid(${text}, 'double precision') THEN ${text}::double precision ELSE ${beyond} END END`;
}

function asInteger(arg: Argument): Sql {
  const { sql: x, type } = arg;
  if (type === "integer") return x;
  if (type === "boolean") return sql`${x}::integer::bigint`;
  if (type === "number") return cutOff(x);
  if (type !== "string") return raw("NULL::bigint");
  const text = blank(x);
  const digits = sql`${text} ~ '^[+-]?[0-9]+$' AND char_length(${text}) < 1000`;
  return sql`CASE WHEN ${digits} THEN ${fitting(sql`${text}::numeric`)} ELSE ${cutOff(asNumber(arg))} END`;
}

function asBoolean({ sql: x, type }: Argument): Sql {
  if (type === "boolean") return x;
  if (isNumeric(type)) return sql`(${x} <> 0)`;
  if (type !== "string") return raw("NULL::boolean");
  const word = sql`lower(${blank(x)})`;
  return sql`CASE WHEN ${word} IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN ${word} IN ('false', 'f', 'no', 'n', '0') THEN FALSE END`;
}

/** Dates as people write them; Postgres alone would take "tomorrow" and "Jan 5" too. */
const dateForm =
  "^[0-9]{4}(-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2}([T ] *[0-9]{1,2}:[0-9]{1,2}(:[0-5]?[0-9](\\.[0-9]*)?)? *(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)?)?$";

function asDate({ sql: x, type }: Argument): Sql {
  if (type === "datetime") return x;
  if (type !== "string") return raw("NULL::timestamp");
  // Postgres would round at the seventh digit behind the point.
  const text = sql`regexp_replace(${blank(x)}, ${"(\\.[0-9]{6})[0-9]+"}, ${"\\1"})`;
  return sql`CASE WHEN ${text} ~ ${dateForm} AND pg_input_is_valid(${text}, 'timestamp') THEN ${text}::timestamp END`;
}

/** A part of a date; seconds have a fraction, which is cut off. */
const datePart =
  (part: string): Writer =>
  ([x]) =>
    sql`floor(extract(${raw(part)} FROM ${x.sql}))::bigint`;

/** Whole units between two dates. A month from its last day on is whole at the last day of a shorter one. */
function dateDifference([from, to, unit]: readonly Argument[]): Sql {
  const [a, b] = [from.sql, to.sql];
  const seconds = secondsOf[textOf(unit)];
  if (seconds) return sql`trunc(extract(epoch FROM (${b} - ${a})) / ${raw(String(seconds))})::bigint`;
  const whole = monthsBetween([a, b], (date, months) => sql`${date} + make_interval(months => ${months}::integer)`);
  return sql`trunc((${whole}) / ${raw(String(monthsOf[textOf(unit)]))})::bigint`;
}

const aggregate =
  (name: string): Writer =>
  ([x], around) =>
    grouped(sql`${raw(name)}(${ordered(x)})`, around);

const ofDoubles =
  (name: string): Writer =>
  (args, around) =>
    real(grouped(sql`${raw(name)}(${join(args.map(asDouble))})`, around));

const ofOrdered =
  (write: (args: readonly Argument[]) => Sql): Writer =>
  (args) =>
    real(sql`${write(args)} WITHIN GROUP (ORDER BY ${asDouble(args[0])})`);

/** The first or last cell that is there, by the rows' numbers. */
const atEnd =
  (direction: "ASC" | "DESC"): Writer =>
  ([x], { call }) => {
    const cells = sql`FILTER (WHERE ${x.sql} IS NOT NULL)`;
    if (!call.over) return sql`(array_agg(${x.sql} ORDER BY ${row} ${raw(direction)}) ${cells})[1]`;
    const all = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
    return sql`(array_agg(${x.sql}) ${cells} ${overClause(call.over.by, [sql`${row} ${raw(direction)}`], all)})[1]`;
  };

function placeAmong([x, among]: readonly Argument[]): Sql {
  return sql`CASE WHEN ${x.sql} IS NOT NULL THEN coalesce(array_position(${among.sql}, ${x.sql}) - 1, -1)::bigint END`;
}

function itemAt([place, items]: readonly Argument[]): Sql {
  const n = listOf(items).length;
  return sql`CASE WHEN ${place.sql} BETWEEN 0 AND ${raw(String(n - 1))} THEN (${items.sql}::double precision[])[${place.sql}::integer + 1] END`;
}

function vectorOf(args: readonly Argument[]): Sql {
  return sql`CASE WHEN ${present(args)} THEN ARRAY[${join(args.map(asDouble))}] END`;
}

const noProperties = {
  message: "Postgres' regular expressions know no \\p{…}, by which words are told from numbers",
  cure: "Take the number out by extract(…), or take the rows out first, by collect().",
};

const noTerms = {
  message: "Postgres counts no words",
  cure: "Take the rows out first, by collect().",
} as const;

/** What Postgres has no words for. */
const refused = {
  endSigma: noTerms,
  words: noTerms,
  phrases: noTerms,
  counted: noTerms,
  placesOf: noTerms,
  weighted: noTerms,
  norm: noTerms,
  scaled: noTerms,

  previous: {
    message: "Postgres finds no nearest cell that is there within a window",
    cure: "Take the rows out first, by collect().",
  },
  next: {
    message: "Postgres finds no nearest cell that is there within a window",
    cure: "Take the rows out first, by collect().",
  },
  interpolate: {
    message: "Postgres finds no nearest cells that are there within a window",
    cure: "Take the rows out first, by collect().",
  },
  dots: {
    message: "Postgres can't read the file in which the numbers are that a block learnt",
    cure: "Take the rows out first, by collect().",
  },
  readDate: {
    message: "Postgres can't try the many forms that dates are written in",
    cure: "Write dates as 2026-01-31 and read them by date(…), or take the rows out first, by collect().",
  },
  readNumber: noProperties,
  unitOf: noProperties,
} as const satisfies Partial<Record<FunctionName, Omit<Refusal, "call">>>;

/** Aggregates that Postgres works out for a group, and not beside the rows of one. */
const notOver: Objection = ({ call, over: along }) =>
  along
    ? {
        message: `Postgres has no ${call} beside the rows of a group`,
        cure: "Work it out by summarize, and join it to the rows.",
      }
    : null;

const badPattern: Objection = (call) => patternObjection(call);

const objections: Partial<Record<FunctionName, Objection>> = {
  ...Object.fromEntries(Object.entries(refused).map(([name, why]) => [name, () => why])),
  countDistinct: notOver,
  median: notOver,
  quantile: notOver,
  mode: notOver,
  sortedSum: notOver,
  matches: badPattern,
  extract: badPattern,
};

const refuse =
  (name: keyof typeof refused): Writer =>
  () => {
    throw new Error(`${name}(): ${refused[name].message}.`);
  };

/** Each function of the language in Postgres' SQL. */
const writers: Readonly<Record<FunctionName, Writer>> = {
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

  lower: cased("lower"),
  upper: cased("upper"),
  trim: ([x]) => sql`btrim(${x.sql}, ${whiteSpace})`,
  length: ([x]) => sql`char_length(${x.sql})::bigint`,
  startsWith: named("starts_with"),
  endsWith: ([x, part]) => sql`(right(${x.sql}, char_length(${part.sql})) = ${part.sql})`,
  includes: ([x, part]) => sql`(strpos(${x.sql}, ${part.sql}) > 0)`,
  replace: named("replace"),
  replaceFirst: replacedFirst,
  matches: ([x, pattern]) => sql`(${subject(x, pattern)} ~ ${postgresPattern(textOf(pattern)).text})`,
  extract: extracted,
  split: splitPart,
  slice: sliced,
  concat: (args) => sql`(${join(args.map(asText), " || ")})`,

  year: datePart("year"),
  quarter: datePart("quarter"),
  month: datePart("month"),
  day: datePart("day"),
  hour: datePart("hour"),
  minute: datePart("minute"),
  second: datePart("second"),
  weekday: ([x]) => sql`(extract(isodow FROM ${x.sql})::bigint - 1)`,
  date: ([x]) => asDate(x),
  dateTrunc: ([x, unit]) => sql`date_trunc(${raw(literal(textOf(unit)))}, ${x.sql})`,
  dateDiff: dateDifference,

  isMissing: ([x]) => sql`(${x.sql} IS NULL)`,
  number: ([x]) => asNumber(x),
  integer: ([x]) => asInteger(x),
  text: ([x]) => asText(x),
  boolean: ([x]) => asBoolean(x),

  count: ([x], around) => grouped(x ? sql`count(${x.sql})` : raw("count(*)"), around),
  countDistinct: ([x]) => sql`count(DISTINCT ${x.sql})`,
  sum: ([x], around) => {
    const made = grouped(sql`sum(${x.sql})`, around);
    return around.type === "integer" ? fitting(made) : real(made);
  },
  mean: ofDoubles("avg"),
  median: ofOrdered(() => raw("percentile_cont(0.5)")),
  quantile: ofOrdered(([, q]) => raw(`percentile_cont(${numberOf(q)})`)),
  min: ([x], around) =>
    x.type === "boolean" ? grouped(sql`bool_and(${x.sql})`, around) : aggregate("min")([x], around),
  max: ([x], around) =>
    x.type === "boolean" ? grouped(sql`bool_or(${x.sql})`, around) : aggregate("max")([x], around),
  std: ofDoubles("stddev_samp"),
  variance: ofDoubles("var_samp"),
  first: atEnd("ASC"),
  last: atEnd("DESC"),
  // It takes the first of the most frequent values in their order.
  mode: ([x]) => sql`mode() WITHIN GROUP (ORDER BY ${ordered(x)})`,
  any: aggregate("bool_or"),
  all: aggregate("bool_and"),
  corr: ofDoubles("corr"),

  ...windowWriters({
    ordered,
    asDouble,
    summand: ({ sql: x }) => x,
    fitting,
    real,
  }),
  pctChange: ([x], around) => {
    const before: Argument = { ...x, sql: sql`lag(${x.sql}) ${windowOver(around, ordered)}` };
    // A column or a call, since a constant has no row before.
    return sql`(${divided(x, { ...before, expr: around.call })} - 1)`;
  },
  previous: refuse("previous"),
  next: refuse("next"),

  byteLength: ([x]) => sql`octet_length(${x.sql})::bigint`,
  written,
  hash32: (args) => {
    // Of the third quarter the last byte comes first.
    const quarter = sql`substr(md5(${written(args)}), 17, 8)`;
    return sql`('x' || regexp_replace(${quarter}, '(..)(..)(..)(..)', ${"\\4\\3\\2\\1"}))::bit(32)::bigint`;
  },
  readDate: refuse("readDate"),
  readNumber: refuse("readNumber"),
  unitOf: refuse("unitOf"),
  placeOf: placeAmong,
  itemAt,
  bitAt: ([x, k]) =>
    numberOf(k) > 63
      ? sql`(${x.sql} * 0)`
      : sql`CASE WHEN ${x.sql} < 0 THEN 0 ELSE (${x.sql} >> ${raw(String(numberOf(k)))}) & 1 END`,
  vector: vectorOf,
  dot: ([x, weights]) =>
    sql`CASE WHEN ${x.sql} IS NOT NULL THEN (SELECT sum(each.x * each.weight) FROM unnest(${x.sql}, ${weights.sql}::double precision[]) AS each(x, weight)) END`,
  dots: refuse("dots"),
  partOf: ([x, k]) => sql`(${x.sql})[${raw(String(numberOf(k) + 1))}]`,
  endSigma: refuse("endSigma"),
  words: refuse("words"),
  phrases: refuse("phrases"),
  counted: refuse("counted"),
  placesOf: refuse("placesOf"),
  weighted: refuse("weighted"),
  norm: refuse("norm"),
  scaled: refuse("scaled"),
  sigmoid: ([x]) => sql`(1 / (1 + ${exponential(sql`(-(${asDouble(x)}))`)}))`,
  sortedSum: ([x]) => real(sql`sum(${asDouble(x)} ORDER BY ${asDouble(x)})`),
  interpolate: refuse("interpolate"),
};
