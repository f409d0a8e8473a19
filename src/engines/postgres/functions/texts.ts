import { type FunctionName, whiteSpace } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, named, numberOf, present, textOf, type Writer } from "../../sql-calls.ts";
import { postgresPattern } from "../patterns.ts";
import { asText } from "./casts.ts";

/** ICU knows the letters of all alphabets, whatever the database's locale. */
const cased =
  (name: string): Writer =>
  ([x]) =>
    sql`(${raw(name)}(${x.sql} COLLATE "und-x-icu") COLLATE "C")`;

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

/** Functions of texts. */
export const texts = {
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
} satisfies Partial<Record<FunctionName, Writer>>;
