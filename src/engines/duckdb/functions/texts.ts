import { type FunctionName, whiteSpace } from "../../../plan/functions.ts";
import { readPattern } from "../../../plan/pattern.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, named, numberOf, textOf } from "../../sql-calls.ts";
import { asText } from "./casts.ts";
import type { DuckWriter } from "./writing.ts";

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

/** Functions of texts. */
export const texts = {
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
} satisfies Partial<Record<FunctionName, DuckWriter>>;
