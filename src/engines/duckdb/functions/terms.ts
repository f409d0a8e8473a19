import type { FunctionName } from "../../../plan/functions.ts";
import { doubles, join, literal, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, listOf, named, numberOf } from "../../sql-calls.ts";
import type { DuckWriter } from "./writing.ts";

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

/** Terms of texts, and rows of numbers. */
export const terms = {
  words: wordsOf,
  phrases: phrasesOf,
  counted: countedAmong,
  placesOf: named("map_keys"),
  weighted: weightsOf,
  norm: normOf,
  scaled: ([x, by]) => sql`list_transform(${x.sql}, lambda w: w / ${by.sql})`,
  endSigma: ([x]) => sql`regexp_replace(${x.sql}, ${endingSigma}, '\\1ς\\2', 'g')`,
  vector: vectorOf,
  dot: ([x, weights]) => sql`list_inner_product(${x.sql}, ${weights.sql}::DOUBLE[])`,
  dots: ([x, lists]) =>
    sql`CASE WHEN ${x.sql} IS NOT NULL THEN list_transform(${lists.sql}, lambda items: list_dot_product(${x.sql}, items)) END`,
  partOf: ([x, k]) => sql`list_extract(${x.sql}, ${raw(String(numberOf(k) + 1))})`,
} satisfies Partial<Record<FunctionName, DuckWriter>>;
