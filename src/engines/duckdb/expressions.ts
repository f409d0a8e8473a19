import { typeOf } from "../../plan/check.ts";
import {
  constantType,
  type Expr,
  type FileExpr,
  isOfOneRow,
  itemsOf,
  type ListExpr,
  rowColumn,
  type ValueExpr,
  value,
} from "../../plan/expr.ts";
import { type FunctionName, whiteSpace } from "../../plan/functions.ts";
import { readPattern } from "../../plan/pattern.ts";
import { isNumeric, type ValueType } from "../../plan/types.ts";
import { col, doubles, file, join, literal, raw, type Sql, sql } from "../sql.ts";
import {
  type Argument,
  type Around,
  bounded,
  following,
  isFiniteConstant,
  lastRows,
  listOf,
  named,
  numberOf,
  overClause,
  running,
  sortKey,
  textOf,
  wholeDigits,
} from "../sql-calls.ts";
import { readDate, readNumber, unitOf } from "./forms.ts";

/** The row's number, by which `first`, `last` and windows go where nothing else orders them. */
const row = col(rowColumn);

/** What may stand around a number, a date or a word for true. */
const blanks = " \t\n\v\f\r";

/** DuckDB's types of values. */
export const storedTypes: Readonly<Record<Exclude<ValueType, "tensor" | "missing">, string>> = {
  integer: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  string: "VARCHAR",
  datetime: "TIMESTAMP",
};

/** Writes a checked expression as DuckDB's SQL. It is missing where the language says so, and never raises. */
export function writeExpression(expr: Expr): Sql {
  if ("column" in expr) return col(expr.column);
  if ("value" in expr) return constant(expr);
  if ("list" in expr) return arrayOf(expr);
  if ("parts" in expr) return expr;
  if ("artifact" in expr) return listsOf(expr);
  const args = expr.args.map((arg): Bracketed => {
    const bare = writeExpression(arg);
    return { sql: bracketed(arg, bare), bare, type: typeOf(arg), expr: arg };
  });
  const around = { call: expr, type: typeOf(expr) };
  return bounded(writers[expr.call](args, around), around);
}

function bracketed(expr: Expr, bare = writeExpression(expr)): Sql {
  return levelOf(expr) < tight ? sql`(${bare})` : bare;
}

/** An argument as SQL that may stand anywhere, and without brackets around it. */
interface Bracketed extends Argument {
  readonly bare: Sql;
}

/** How tightly conditions hold together; everything else has brackets of its own, or needs none. */
const levels: Partial<Readonly<Record<FunctionName, number>>> = {
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
const tight = 5;

function levelOf(expr: Expr): number {
  return "call" in expr ? (levels[expr.call] ?? tight) : tight;
}

type Writer = (args: readonly Bracketed[], around: Around) => Sql;

function constant(expr: ValueExpr): Sql {
  const type = constantType(expr);
  if (type === "missing") return raw("NULL");
  if (type === "number") return double(Number(expr.value));
  if (type === "integer") return sql`${wholeDigits(expr.value)}::BIGINT`;
  if (type === "datetime") return sql`CAST(${String(expr.value)} AS ${raw(expr.as === "day" ? "DATE" : "TIMESTAMP")})`;
  return sql`${expr.value}`;
}

/** Digits with an exponent are a DOUBLE to DuckDB, others a DECIMAL. `--` would open a comment. */
function double(number: number): Sql {
  // sql`…` writes words for what is not finite.
  if (!Number.isFinite(number)) return sql`${number}`;
  const digits = Object.is(number, -0) ? "-0" : String(number);
  const text = digits.includes("e") ? digits : `${digits}e0`;
  return raw(digits.startsWith("-") ? `(${text})` : text);
}

function arrayOf(list: ListExpr): Sql {
  return sql`[${join(itemsOf(list).map((item) => constant(item)))}]`;
}

/** An operand; a whole constant beside a column needs no type of its own. */
function operand({ sql: written, expr, type }: Argument, beside: Argument): Sql {
  return "value" in expr && type === "integer" && !("value" in beside.expr) ? wholeDigits(expr.value) : written;
}

/** NaN is no value of the language: what has no real answer is missing. */
function real(number: Sql): Sql {
  return sql`nullif(${number}, 'nan'::DOUBLE)`;
}

/** The least whole number divided by -1 runs over, though 0 is left: as when it is divided by 1. */
function divisor(arg: Argument): Sql {
  const isOther = isFiniteConstant(arg) && numberOf(arg) !== -1;
  return isOther ? arg.sql : sql`CASE ${arg.sql} WHEN -1 THEN 1 ELSE ${arg.sql} END`;
}

const comparison =
  (sign: string): Writer =>
  ([a, b]) =>
    sql`${operand(a, b)} ${raw(sign)} ${operand(b, a)}`;

const logical =
  (name: "and" | "or"): Writer =>
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
  (sign: string): Writer =>
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

/** The same of a number, where whole ones are their own answer. */
const unlessWhole =
  (name: string): Writer =>
  ([x], { type }) =>
    type === "integer" ? x.sql : sql`${raw(name)}(${x.sql})`;

/** A function that is missing where its argument is out of range; DuckDB's own raises there. */
const within =
  (name: string, range: string): Writer =>
  ([x]) =>
    sql`CASE WHEN ${x.sql} ${raw(range)} THEN ${raw(name)}(CAST(${x.sql} AS DOUBLE)) END`;

const datePart =
  (part: string): Writer =>
  ([x]) =>
    sql`date_part(${raw(literal(part))}, ${x.sql})`;

/** Missing where one of the arguments is; `least` and `greatest` of DuckDB pass missing ones over. */
const ofAll =
  (name: string): Writer =>
  (args) => {
    if (args.length === 1) return args[0].sql;
    const missing = args.map((arg) => sql`${arg.sql} IS NULL`);
    return sql`CASE WHEN NOT (${join(missing, " OR ")}) THEN ${raw(name)}(${join(args.map((arg) => arg.sql))}) END`;
  };

/** A text's place counted from its end where it is negative, and never before its begin; DuckDB takes 32 bits. */
function placeIn(text: Sql, { sql: place, expr }: Argument): Sql {
  const most = 2 ** 31 - 2;
  if ("value" in expr && expr.value !== null && Number(expr.value) >= 0)
    return raw(String(Math.min(Number(expr.value), most)));
  return sql`CASE WHEN ${place} < 0 THEN greatest(length(${text}) + ${place}, 0) WHEN ${place} > ${raw(String(most))} THEN ${raw(String(most))} ELSE ${place} END`;
}

function replacedFirst([x, part, by]: readonly Argument[]): Sql {
  const at = sql`strpos(${x.sql}, ${part.sql})`;
  return sql`CASE WHEN ${at} > 0 THEN substr(${x.sql}, 1, ${at} - 1) || ${by.sql} || substr(${x.sql}, ${at} + length(${part.sql})) ELSE CASE WHEN ${by.sql} IS NOT NULL THEN ${x.sql} END END`;
}

function sliced([x, from, to]: readonly Argument[]): Sql {
  const start = placeIn(x.sql, from);
  if (!to) return sql`substr(${x.sql}, ${start} + 1)`;
  return sql`substr(${x.sql}, ${start} + 1, greatest(${placeIn(x.sql, to)} - (${start}), 0))`;
}

function extracted([x, pattern, group]: readonly Argument[]): Sql {
  const { text, groups } = patternOf(pattern);
  const wanted = group ? numberOf(group) : Math.min(1, groups);
  if (wanted < 0 || wanted > groups) return raw("CAST(NULL AS VARCHAR)");
  return sql`CASE WHEN regexp_matches(${x.sql}, ${text}) THEN regexp_extract(${x.sql}, ${text}, ${raw(String(wanted))}) END`;
}

/** A regular expression in RE2's words, where JavaScript has others. */
function patternOf(pattern: Argument): { readonly text: string; readonly groups: number } {
  const { flags, pieces, groups } = readPattern(textOf(pattern));
  const words = pieces.map((piece) => {
    if ("letter" in piece) return letterOf(piece.letter);
    if ("class" in piece) return `\\${piece.class}`;
    if ("property" in piece) return `\\${piece.isOthers ? "P" : "p"}{${piece.property}}`;
    if ("place" in piece) return /[bB]/.test(piece.place) ? `\\${piece.place}` : piece.place;
    if ("any" in piece) return ".";
    if ("group" in piece) return piece.group === "counted" ? "(" : "(?:";
    return piece.syntax;
  });
  return { text: `${flags ? `(?${flags})` : ""}${words.join("")}`, groups };
}

function letterOf(letter: string): string {
  if (letter === "\0") return "\\x{0}";
  return /[\^$\\.*+?()[\]{}|/-]/.test(letter) ? `\\${letter}` : letter;
}

function splitPart([x, by, k]: readonly Argument[]): Sql {
  const place = numberOf(k);
  return sql`list_extract(string_split(${x.sql}, ${by.sql}), ${raw(String(place < 0 ? place : place + 1))})`;
}

/** As numpy rounds: what is multiplied by a power of ten, to the even one. From 2^52 on numbers are whole. */
function rounded([x, digits]: readonly Argument[], { type }: Around): Sql {
  const places = digits ? Math.max(-308, numberOf(digits)) : 0;
  if (places > 292 || (type === "integer" && places >= 0)) return x.sql;
  const number = sql`CAST(${x.sql} AS DOUBLE)`;
  if (places === 0) return sql`round_even(${number}, 0)`;
  const unit = raw(`1e${Math.abs(places)}`);
  if (places > 0)
    return sql`CASE WHEN abs(${x.sql}) < 4503599627370496 THEN round_even(${number} * ${unit}, 0) / ${unit} ELSE ${x.sql} END`;
  const made = sql`(round_even(${number} / ${unit}, 0) * ${unit})`;
  return type === "integer" ? sql`TRY_CAST(${made} AS BIGINT)` : made;
}

/** Any value as text: whole numbers without a point, as JavaScript and people write them. */
function asText({ sql: x, type }: Argument): Sql {
  if (type === "string") return x;
  if (type !== "number") return sql`CAST(${x} AS VARCHAR)`;
  const words = sql`CAST(${x} AS VARCHAR)`;
  return sql`CASE WHEN ${x} = trunc(${x}) THEN coalesce(CAST(TRY_CAST(${x} AS BIGINT) AS VARCHAR), ${words}) ELSE ${words} END`;
}

function asNumber({ sql: x, type }: Argument): Sql {
  if (type === "number") return x;
  if (isNumeric(type)) return sql`CAST(${x} AS DOUBLE)`;
  return type === "string" ? numberIn(x) : raw("CAST(NULL AS DOUBLE)");
}

/** DuckDB reads 1_000 and +-5 as numbers too. */
function numberIn(x: Sql): Sql {
  return real(sql`TRY_CAST(CASE WHEN NOT (contains(${x}, '_') OR contains(${x}, '+-')) THEN ${x} END AS DOUBLE)`);
}

/** Cut off behind the point, where a cast of DuckDB's rounds; text of digits alone keeps all of them. */
function asInteger(arg: Argument): Sql {
  const { sql: x, type } = arg;
  if (type === "integer") return x;
  if (type === "boolean") return sql`CAST(${x} AS BIGINT)`;
  const cut = (number: Sql) => sql`TRY_CAST(trunc(${number}) AS BIGINT)`;
  if (type === "number") return cut(x);
  if (type !== "string") return raw("CAST(NULL AS BIGINT)");
  const digits = sql`regexp_full_match(${x}, ${"\\s*[+-]?[0-9]+\\s*"})`;
  return sql`CASE WHEN ${digits} THEN TRY_CAST(${x} AS BIGINT) ELSE ${cut(asNumber(arg))} END`;
}

function asBoolean({ sql: x, type }: Argument): Sql {
  if (type === "boolean") return x;
  if (isNumeric(type)) return sql`(${x} <> 0)`;
  return type === "string" ? sql`TRY_CAST(lower(trim(${x}, ${blanks})) AS BOOLEAN)` : raw("CAST(NULL AS BOOLEAN)");
}

function asDate({ sql: x, type }: Argument): Sql {
  if (type === "datetime") return x;
  if (type !== "string") return raw("CAST(NULL AS TIMESTAMP)");
  const text = sql`trim(${x}, ${blanks})`;
  // DuckDB reads "epoch", "infinity" and years before Christ as well.
  const isDate = sql`(${text} LIKE '____-%' OR ${text} LIKE '____/%') AND ${text} BETWEEN '0001' AND ':'`;
  return sql`CASE WHEN ${isDate} THEN TRY_CAST(${text} AS TIMESTAMP) END`;
}

function intervals([x, edges, labels]: readonly Argument[]): Sql {
  const [ends, words] = [edges, labels].map(({ expr }) => itemsOf(expr as ListExpr));
  const cases = words.map(
    (word, k) =>
      sql`WHEN ${x.sql} > ${double(Number(ends[k].value))} AND ${x.sql} <= ${double(Number(ends[k + 1].value))} THEN ${constant(word)}`,
  );
  return cases.length === 0 ? raw("CAST(NULL AS VARCHAR)") : sql`CASE ${join(cases, " ")} END`;
}

/** The keys of a window's order. */
function keysOf({ call }: Around): Sql[] {
  return (call.over?.order ?? []).map(({ column, descending }) => sortKey(col(column), descending));
}

/** The rows that a window looks along: its groups and their order, ties by the row's number, then the frame. */
function over(around: Around, frame = ""): Sql {
  const { call } = around;
  // Without an order of its own a window takes the rows as they stand, and DuckDB passes through them once.
  return call.over ? overClause(call.over.by, [...keysOf(around), row], frame) : overClause([], [], frame);
}

/** An aggregate over the rows up to this one; missing at a missing cell, and on behind it. */
const cumulative =
  (name: string): Writer =>
  ([x], around) => {
    const made = sql`${raw(name)}(${x.sql}) ${over(around, running)}`;
    // Sums of whole numbers are wider than these.
    const stored = around.type === "integer" ? sql`TRY_CAST(${made} AS BIGINT)` : real(made);
    return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${stored} END`;
  };

const rolling =
  (name: string, held = (x: Sql) => x): Writer =>
  ([{ sql: cell }, n], around) => {
    const rows = numberOf(n);
    const last = over(around, lastRows(rows));
    const x = held(sql`CAST(${cell} AS DOUBLE)`);
    return sql`CASE WHEN count(${x}) ${last} = ${raw(String(rows))} THEN ${real(sql`${raw(name)}(${x}) ${last}`)} END`;
  };

/** The number, missing where the sum of many squares like its own runs over: DuckDB raises at deviations of such. */
function squarable(x: Sql, size = sql`abs(${x})`): Sql {
  return sql`CASE WHEN ${size} < 1e150 THEN ${x} END`;
}

/** The place of a value, or of the row in the window's order; equals share it. */
const ranking =
  (name: string): Writer =>
  ([x], around) => {
    const place = (order: readonly Sql[]) =>
      sql`${raw(name)}() ${around.call.over ? overClause(around.call.over.by, order) : raw("OVER ()")}`;
    if (x) return sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${place([sortKey(x.sql)])} END`;
    const keys = keysOf(around);
    return place(keys.length > 0 ? keys : [row]);
  };

const shifted =
  (name: string): Writer =>
  ([x, k], around) =>
    sql`${raw(name)}(${x.sql}, ${raw(String(k ? numberOf(k) : 1))}) ${over(around)}`;

/** An aggregate of numbers as a double, missing where it has no real value. */
const ofDoubles =
  (write: (...args: readonly Sql[]) => Sql): Writer =>
  (args, around) =>
    real(grouped(write(...args.map((arg) => sql`CAST(${arg.sql} AS DOUBLE)`)), around));

/** How far numbers lie apart, alone or in pairs; missing where one of them is too great to be squared, or infinite. */
const deviation =
  (name: string): Writer =>
  (args, around) => {
    const [x, ...more] = args.map((arg) => sql`CAST(${arg.sql} AS DOUBLE)`);
    const size = join(
      [x, ...more].map((each) => sql`abs(${each})`),
      " + ",
    );
    const greatest = grouped(sql`max(${size})`, around);
    const made = grouped(sql`${raw(name)}(${join([squarable(x, size), ...more])})`, around);
    return sql`CASE WHEN ${greatest} < 1e150 THEN ${real(made)} END`;
  };

/** An aggregate, over the groups of its window where it has one. */
function grouped(made: Sql, { call }: Around): Sql {
  return call.over ? sql`${made} ${overClause(call.over.by, [])}` : made;
}

const aggregate =
  (write: (x: Sql, around: Around) => Sql): Writer =>
  ([x], around) =>
    grouped(write(x?.sql, around), around);

/** Sums of whole numbers are wider than these; those of doubles are missing where they have no real value. */
const summed: Writer = ([x], around) => {
  const made = grouped(sql`sum(${x.sql})`, around);
  return around.type === "integer" ? sql`TRY_CAST(${made} AS BIGINT)` : real(made);
};

function isListed({ expr }: Argument, word: string): boolean {
  return (expr as ListExpr).list.includes(word);
}

/** What is missing where a call is: places and texts of a cell are so where it is. DuckDB would work them out once more. */
function presenceOf(expr: Expr): Sql {
  const isAsItsCell = "call" in expr && ["placeOf", "text", "written"].includes(expr.call);
  return isAsItsCell ? presenceOf(expr.args[0]) : bracketed(expr);
}

/** The place in a list of texts; an ENUM is looked up by hash, where a list would be gone through. It can't hold a NUL letter. */
function placeAmong([x, among]: readonly Argument[]): Sql {
  const { list } = among.expr as ListExpr;
  const isText = list.every((each) => typeof each === "string" && !each.includes("\0"));
  const place = isText
    ? sql`enum_code(TRY_CAST(${x.sql} AS ENUM(${raw(list.map((each) => literal(String(each))).join(", "))})))`
    : sql`list_position(${among.sql}, ${x.sql}) - 1`;
  const found = list.length === 0 ? raw("-1::BIGINT") : sql`coalesce(CAST(${place} AS BIGINT), -1)`;
  return sql`CASE WHEN ${presenceOf(x.expr)} IS NOT NULL THEN ${found} END`;
}

/** The lists of a file as a list of them. */
function listsOf({ artifact }: FileExpr): Sql {
  return sql`(SELECT list("items" ORDER BY file_row_number) FROM read_parquet(${file(artifact)}, file_row_number = true))`;
}

/** Letters that are large or small, for a Σ that ends a word: DuckDB 1.5 goes letter by letter. */
const cased = "\\p{Lu}\\p{Ll}\\p{Lt}";
const endingSigma = raw(literal(`([${cased}])Σ($|[^${cased}])`));

function wordsOf([x, without]: readonly Argument[]): Sql {
  const words = sql`regexp_extract_all(${x.sql}, '[\\p{L}\\p{N}_]{2,}')`;
  const stops = listOf(without).map((each) => literal(String(each)));
  if (stops.length === 0) return words;
  return sql`list_filter(${words}, lambda word: NOT list_contains([${raw(stops.join(", "))}], word))`;
}

function phrasesOf([words, least, most]: readonly Argument[]): Sql {
  const list = words.sql;
  const parts = Array.from({ length: numberOf(most) - numberOf(least) + 1 }, (_, k) => numberOf(least) + k).map((n) =>
    n === 1
      ? list
      : sql`list_transform(range(1, len(${list}) - ${n} + 2), lambda i: array_to_string(list_slice(${list}, i, i + ${n} - 1), ' '))`,
  );
  return parts.reduce((one, other) => sql`list_concat(${one}, ${other})`);
}

/** By an ENUM a text finds its place at once; so the time grows with the words, and not with what they are looked for in. */
function countedAmong([x, among]: readonly Argument[]): Sql {
  const words = raw(
    listOf(among)
      .map((each) => literal(String(each)))
      .join(", "),
  );
  const numbers = sql`list_transform(${x.sql}, lambda term: CAST(enum_code(TRY_CAST(term AS ENUM(${words}))) AS INTEGER))`;
  return sql`coalesce(list_aggregate(${numbers}, 'histogram'), MAP {})`;
}

function weightsOf([counts, how, idf]: readonly Argument[]): Sql {
  const values = sql`map_values(${counts.sql})`;
  const [way] = listOf(how);
  const weight = (n: string) =>
    raw(way === "binary" ? "1e0" : way === "sublinear" ? `(1 + ln(${n}))` : `CAST(${n} AS DOUBLE)`);
  const numbers = listOf(idf);
  if (numbers.length === 0) return sql`list_transform(${values}, lambda n: ${weight("n")})`;
  // One look into the list for a whole row: in a lambda it would be copied for every term.
  const known = sql`list_select(${doubles(numbers.map(Number))}, list_transform(map_keys(${counts.sql}), lambda k: k + 1))`;
  return sql`list_transform(list_zip(${values}, ${known}), lambda pair: ${weight("pair[1]")} * pair[2])`;
}

function normOf([x, how]: readonly Argument[]): Sql {
  if (listOf(how)[0] === "l1") return sql`list_sum(list_transform(${x.sql}, lambda w: abs(w)))`;
  return sql`sqrt(list_sum(list_transform(${x.sql}, lambda w: w * w)))`;
}

/** Each part is looked at in groups: DuckDB refuses a condition of more than a thousand parts. */
function vectorOf(args: readonly Argument[]): Sql {
  const most = 500;
  const groups = Array.from({ length: Math.ceil(args.length / most) }, (_, k) => {
    const missing = args.slice(k * most, (k + 1) * most).map((arg) => sql`${arg.sql} IS NULL`);
    return sql`(${join(missing, " OR ")})`;
  });
  return sql`CASE WHEN ${join(groups, " OR ")} THEN NULL ELSE [${join(args.map((arg) => arg.sql))}]::DOUBLE[] END`;
}

/** Cells between two others lie on the straight line between them, by the rows' numbers. */
function interpolated([x]: readonly Argument[], around: Around): Sql {
  const last = (value: Sql) => sql`last_value(${value} IGNORE NULLS) ${over(around, running)}`;
  const first = (value: Sql) => sql`first_value(${value} IGNORE NULLS) ${over(around, following)}`;
  const at = sql`CASE WHEN ${x.sql} IS NOT NULL THEN ${row} END`;
  const share = sql`((${row} - ${last(at)})::DOUBLE / (${first(at)} - ${last(at)}))`;
  const between = sql`${last(x.sql)} + (${first(x.sql)} - ${last(x.sql)}) * ${share}`;
  return sql`CAST(CASE WHEN ${x.sql} IS NOT NULL THEN ${x.sql} ELSE coalesce(${between}, ${last(x.sql)}) END AS DOUBLE)`;
}

/** Each function of the language in DuckDB's SQL. */
const writers: Readonly<Record<FunctionName, Writer>> = {
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
  not: ([x]) => {
    const asked = "call" in x.expr && x.expr.call === "isMissing" ? x.expr.args[0] : null;
    return asked && levelOf(asked) === tight ? sql`${writeExpression(asked)} IS NOT NULL` : sql`NOT ${x.sql}`;
  },
  // IN with more than a few constants becomes a join, which loses the rows' order.
  oneOf: ([x, list]) => sql`list_contains(${list.sql}, ${x.sql})`,
  choose: ([when, then, otherwise]) => sql`CASE WHEN ${when.bare} THEN ${then.sql} ELSE ${otherwise.sql} END`,
  coalesce: named("coalesce"),

  abs: ([x], { type }) => {
    if (type !== "integer") return sql`abs(${x.sql})`;
    return isOfOneRow(x.expr) ? sql`TRY(abs(${x.sql}))` : sql`TRY_CAST(abs(CAST(${x.sql} AS HUGEINT)) AS BIGINT)`;
  },
  sign: ([x], { type }) => sql`CAST(sign(${x.sql}) AS ${raw(type === "integer" ? "BIGINT" : "DOUBLE")})`,
  ceil: unlessWhole("ceil"),
  floor: unlessWhole("floor"),
  trunc: unlessWhole("trunc"),
  round: rounded,
  sqrt: within("sqrt", ">= 0"),
  exp: ([x]) => sql`exp(CAST(${x.sql} AS DOUBLE))`,
  ln: within("ln", "> 0"),
  log10: within("log10", "> 0"),
  log2: within("log2", "> 0"),
  clip: (args) => {
    const [x, low, high] = args.map((arg) => arg.sql);
    const clipped = sql`CASE WHEN ${x} < ${low} THEN ${low} WHEN ${x} > ${high} THEN ${high} ELSE ${x} END`;
    return sql`CASE WHEN NOT (${x} IS NULL OR ${low} IS NULL OR ${high} IS NULL) THEN ${clipped} END`;
  },
  least: ofAll("least"),
  greatest: ofAll("greatest"),
  bin: ([x, width]) => real(sql`(floor(CAST(${x.sql} AS DOUBLE) / ${width.sql}) * ${width.sql})`),
  cut: intervals,
  isFinite: ([x]) => sql`isfinite(CAST(${x.sql} AS DOUBLE))`,

  lower: named("lower"),
  upper: named("upper"),
  trim: ([x]) => sql`trim(${x.sql}, ${whiteSpace})`,
  length: named("length"),
  startsWith: named("starts_with"),
  endsWith: named("ends_with"),
  includes: named("contains"),
  replace: named("replace"),
  replaceFirst: replacedFirst,
  matches: ([x, pattern]) => sql`regexp_matches(${x.sql}, ${patternOf(pattern).text})`,
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
  weekday: ([x]) => sql`(date_part('isodow', ${x.sql}) - 1)`,
  date: ([x]) => asDate(x),
  dateTrunc: ([x, unit]) => sql`CAST(date_trunc(${unit.sql}, ${x.sql}) AS TIMESTAMP)`,
  // date_diff counts borders that are crossed, not whole units.
  dateDiff: ([from, to, unit]) =>
    sql`date_sub(${unit.sql}, CAST(${from.sql} AS TIMESTAMP), CAST(${to.sql} AS TIMESTAMP))`,

  isMissing: ([x]) => sql`${x.sql} IS NULL`,
  number: ([x]) => asNumber(x),
  integer: ([x]) => asInteger(x),
  text: ([x]) => asText(x),
  boolean: ([x]) => asBoolean(x),

  count: ([x], around) => grouped(x ? sql`count(${x.sql})` : raw("count(*)"), around),
  // -0 and 0 are one value.
  countDistinct: ([x], around) =>
    grouped(sql`count(DISTINCT ${x.type === "number" ? sql`(${x.sql} + 0e0)` : x.sql})`, around),
  sum: summed,
  mean: ofDoubles((x) => sql`avg(${x})`),
  median: ofDoubles((x) => sql`quantile_cont(${x}, 0.5)`),
  quantile: ([x, q], around) =>
    real(grouped(sql`quantile_cont(CAST(${x.sql} AS DOUBLE), ${double(numberOf(q))})`, around)),
  min: aggregate((x) => sql`min(${x})`),
  max: aggregate((x) => sql`max(${x})`),
  std: deviation("stddev_samp"),
  variance: deviation("var_samp"),
  first: aggregate((x) => sql`arg_min(${x}, ${row})`),
  last: aggregate((x) => sql`arg_max(${x}, ${row})`),
  mode: aggregate((x) => sql`mode(${x} ORDER BY ${x})`),
  any: aggregate((x) => sql`bool_or(${x})`),
  all: aggregate((x) => sql`bool_and(${x})`),
  corr: deviation("corr"),

  rowNumber: (_, around) => sql`row_number() ${over(around)}`,
  rank: ranking("rank"),
  denseRank: ranking("dense_rank"),
  ntile: ([k], around) => sql`ntile(${k.sql}) ${over(around)}`,
  lag: shifted("lag"),
  lead: shifted("lead"),
  cumsum: cumulative("sum"),
  cummean: cumulative("avg"),
  cummin: cumulative("min"),
  cummax: cumulative("max"),
  rollingSum: rolling("sum"),
  rollingMean: rolling("avg"),
  rollingMin: rolling("min"),
  rollingMax: rolling("max"),
  rollingStd: rolling("stddev_samp", squarable),
  pctChange: ([x], around) => real(sql`(CAST(${x.sql} AS DOUBLE) / lag(${x.sql}) ${over(around)} - 1)`),
  previous: ([x], around) => sql`last_value(${x.sql} IGNORE NULLS) ${over(around, running)}`,
  next: ([x], around) => sql`first_value(${x.sql} IGNORE NULLS) ${over(around, following)}`,

  byteLength: named("strlen"),
  written: ([x]) => sql`CAST(${x.sql} AS VARCHAR)`,
  // md5 is the same on every machine and in every version, which DuckDB's own hash is not.
  hash32: ([x]) => sql`CAST(md5_number_lower(CAST(${x.sql} AS VARCHAR)) % 4294967296 AS BIGINT)`,
  unitOf: ([x]) => unitOf(x.sql),
  readNumber: ([x, decimal]) => readNumber(x.sql, isListed(decimal, "comma") ? "comma" : "point"),
  readDate: ([x, first]) =>
    readDate(x.sql, isListed(first, "day") ? "day" : isListed(first, "month") ? "month" : "year"),
  placeOf: placeAmong,
  itemAt: ([place, items]) => sql`list_extract(${items.sql}, ${place.sql} + 1)`,
  // greatest() would make 0 of a missing cell.
  bitAt: ([x, k]) =>
    sql`CASE WHEN ${presenceOf(x.expr)} IS NOT NULL THEN (greatest(${x.sql}, 0) >> ${raw(String(numberOf(k)))}) & 1 END`,
  vector: vectorOf,
  dot: ([x, weights]) => sql`list_inner_product(${x.sql}, ${weights.sql}::DOUBLE[])`,
  dots: ([x, lists]) =>
    sql`CASE WHEN ${x.sql} IS NOT NULL THEN list_transform(${lists.sql}, lambda items: list_dot_product(${x.sql}, items)) END`,
  partOf: ([x, k]) => sql`list_extract(${x.sql}, ${raw(String(numberOf(k) + 1))})`,
  endSigma: ([x]) => sql`regexp_replace(${x.sql}, ${endingSigma}, '\\1ς\\2', 'g')`,
  words: wordsOf,
  phrases: phrasesOf,
  counted: countedAmong,
  placesOf: named("map_keys"),
  weighted: weightsOf,
  norm: normOf,
  scaled: ([x, by]) => sql`list_transform(${x.sql}, lambda w: w / ${by.sql})`,
  sigmoid: ([x]) => sql`(1 / (1 + exp(-${x.sql})))`,
  sortedSum: ([x]) => real(sql`CAST(sum(${x.sql} ORDER BY ${x.sql}) AS DOUBLE)`),
  interpolate: interpolated,
};
