import { whiteSpace } from "../../plan/functions.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { type Argument, numberOf, present, textOf, type Writer } from "../sql-calls.ts";
import { javaPattern } from "./patterns.ts";
import { short } from "./words.ts";

export const trimmed: Writer = ([x]) => sql`btrim(${x.sql}, ${whiteSpace})`;

/** A text's place counted from its end where it is negative, and never before its begin. */
function placeIn(text: Sql, arg: Argument): Sql {
  const place = short(arg);
  if ("value" in arg.expr && Number(arg.expr.value) >= 0) return place;
  return sql`CASE WHEN ${place} < 0 THEN greatest(char_length(${text}) + ${place}, 0) ELSE ${place} END`;
}

export const sliced: Writer = ([x, from, to]) => {
  const start = placeIn(x.sql, from);
  const made = to
    ? sql`substr(${x.sql}, ${start} + 1, greatest(${placeIn(x.sql, to)} - (${start}), 0))`
    : sql`substr(${x.sql}, ${start} + 1)`;
  const places = [from, ...(to ? [to] : [])].filter(({ expr }) => !("value" in expr) || expr.value === null);
  return places.length === 0 ? made : sql`CASE WHEN ${present(places)} THEN ${made} END`;
};

export const replacedFirst: Writer = ([x, part, by]) => {
  const at = sql`instr(${x.sql}, ${part.sql})`;
  const made = sql`substr(${x.sql}, 1, ${at} - 1) || ${by.sql} || substr(${x.sql}, ${at} + char_length(${part.sql}))`;
  return sql`CASE WHEN ${at} > 0 THEN ${made} WHEN ${at} = 0 AND ${by.sql} IS NOT NULL THEN ${x.sql} END`;
};

export const matched: Writer = ([x, pattern]) => sql`(${x.sql} RLIKE ${javaPattern(textOf(pattern)).text})`;

export const extracted: Writer = ([x, pattern, group]) => {
  const { text, groups } = javaPattern(textOf(pattern));
  const wanted = group ? numberOf(group) : Math.min(1, groups);
  if (wanted < 0 || wanted > groups) return raw("CAST(NULL AS STRING)");
  return sql`CASE WHEN ${x.sql} RLIKE ${text} THEN regexp_extract(${x.sql}, ${text}, ${raw(String(wanted))}) END`;
};

/** Spark splits at regular expressions, within which \Q and \E hold what means itself. */
export const splitPart: Writer = ([x, by, k]) => {
  const place = numberOf(k);
  const itself = sql`CASE WHEN ${by.sql} = '' THEN '' ELSE ${"\\Q"} || replace(${by.sql}, ${"\\E"}, ${"\\E\\\\E\\Q"}) || ${"\\E"} END`;
  return sql`try_element_at(split(${x.sql}, ${itself}, -1), ${raw(String(place < 0 ? Math.max(place, -(2 ** 31 - 1)) : Math.min(place, 2 ** 31 - 2) + 1))})`;
};

/** With ς for each Σ that ends a word. */
export const endSigma: Writer = ([x]) =>
  sql`regexp_replace(${x.sql}, ${"([\\p{Lu}\\p{Ll}\\p{Lt}])Σ(\\z|[^\\p{Lu}\\p{Ll}\\p{Lt}])"}, ${"$1ς$2"})`;
