import type { Column } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { col, doubles, literal, raw, type Sql, sql } from "../../core/sql.ts";
import { englishStopWords } from "../../numerics/text/stop-words.ts";
import type { TermOptions, Weighting } from "../../numerics/text/terms.ts";
import type { Output } from "../../plan/node.ts";

/** Which column gives way to which others; one step of a plan. */
export type Replacements = ReadonlyMap<string, readonly Output[]>;

/** The two list columns that hold a text column's sparse rows. */
export interface ListNames {
  readonly terms: string;
  readonly weights: string;
}

/** What counting a text column in SQL takes. */
export interface TermPlan {
  readonly name: string;
  /** In alphabetical order; a term's place among them is its number. */
  readonly terms: readonly string[];
  readonly cut: TermOptions;
  readonly weights: Weighting;
}

/** Columns of a plan that no table ever shows. */
function hidden(name: string): Column {
  return { name, type: "tensor" };
}

/** Names for the lists of a text column; they stand in the file beside the columns that people see. */
export function listNames(name: string, taken: readonly string[]): ListNames {
  const [terms, weights] = freshNames([`__terms_${name}`, `__weights_${name}`], taken);
  return { terms, weights };
}

/** A text column's terms as outputs that look them up in the lists. */
export function entryOutputs(names: readonly string[], lists: ListNames): readonly Output[] {
  return names.map((name, at): Output => ({ column: { name, type: "number" }, entry: { ...lists, at } }));
}

/** The lists in place of the text, where they are written already. */
export function writtenLists(name: string, { terms, weights }: ListNames): Replacements {
  return new Map([[name, [{ column: hidden(terms) }, { column: hidden(weights) }]]]);
}

/**
 * The steps that count a text's terms in SQL and leave the two lists; for rows that come later.
 *
 * They give the numbers of `termCounts` and `weighted`. The vocabulary stands in them once, as an ENUM, by which a word
 * finds its number at once; so their text grows with the terms and their time with the words.
 */
export function countingSteps(plan: TermPlan, lists: ListNames, taken: readonly string[]): readonly Replacements[] {
  const { name, terms, cut, weights } = plan;
  const [words, counts, length] = freshNames(
    [`__words_${name}`, `__counts_${name}`, `__length_${name}`],
    [...taken, lists.terms, lists.weights],
  );
  const steps: Replacements[] = [];
  const one = (from: string, to: string, expr: Sql) =>
    steps.push(new Map([[from, [{ column: hidden(to), expr }]]]) as Replacements);
  one(name, words, wordList(name, cut, terms));
  one(words, counts, histogram(termList(words, cut), terms));
  steps.push(
    new Map([
      [
        counts,
        [
          { column: hidden(lists.terms), expr: sql`map_keys(${col(counts)})` },
          { column: hidden(lists.weights), expr: weightList(counts, weights) },
        ],
      ],
    ]),
  );
  if (weights.norm === null) return steps;
  const values = col(lists.weights);
  const sum =
    weights.norm === "l2"
      ? sql`sqrt(list_sum(list_transform(${values}, lambda w: w * w)))`
      : sql`list_sum(list_transform(${values}, lambda w: abs(w)))`;
  steps.push(
    new Map([
      [
        lists.weights,
        [{ column: hidden(lists.weights) }, { column: { name: length, type: "number" }, expr: sum } satisfies Output],
      ],
    ]),
    new Map([
      [
        lists.weights,
        [{ column: hidden(lists.weights), expr: sql`list_transform(${values}, lambda w: w / ${col(length)})` }],
      ],
      [length, []],
    ]),
  );
  return steps;
}

/** A text's words in SQL, cut as `termsOf` cuts them; a missing text has none. */
function wordList(name: string, { lowercase, stopWords }: TermOptions, terms: readonly string[]): Sql {
  const text = sql`coalesce(CAST(${col(name)} AS VARCHAR), '')`;
  const words = sql`regexp_extract_all(${lowercase ? lowered(text, terms) : text}, '[\\p{L}\\p{N}_]{2,}')`;
  const stops = stopWords === "english" ? [...englishStopWords] : [...stopWords];
  if (stops.length === 0) return words;
  return sql`list_filter(${words}, lambda word: NOT list_contains([${raw(stops.map(literal).join(", "))}], word))`;
}

/**
 * A text in small letters as JavaScript and Python write them.
 *
 * DuckDB 1.5 goes letter by letter, so it knows neither the sigma that ends a word nor the dot that İ leaves behind.
 */
function lowered(text: Sql, terms: readonly string[]): Sql {
  const dotted = sql`replace(${text}, 'İ', ${raw(literal("i\u0307"))})`;
  if (!terms.some((term) => /[σς]/.test(term))) return sql`lower(${dotted})`;
  const cased = "\\p{Lu}\\p{Ll}\\p{Lt}";
  return sql`lower(regexp_replace(${dotted}, ${raw(literal(`([${cased}])Σ($|[^${cased}])`))}, '\\1ς\\2', 'g'))`;
}

/** The terms that a list of words makes: words, pairs of words … */
function termList(words: string, { ngrams: [least, most] }: TermOptions): Sql {
  const list = col(words);
  const parts = Array.from({ length: most - least + 1 }, (_, k) => least + k).map((n) =>
    n === 1
      ? list
      : sql`list_transform(range(1, len(${list}) - ${n} + 2), lambda i: array_to_string(list_slice(${list}, i, i + ${n} - 1), ' '))`,
  );
  return parts.reduce((one, other) => sql`list_concat(${one}, ${other})`);
}

/** How often each known term is among a list, by its number, ascending. */
function histogram(list: Sql, terms: readonly string[]): Sql {
  const vocabulary = raw(terms.map(literal).join(", "));
  const numbers = sql`list_transform(${list}, lambda term: CAST(enum_code(TRY_CAST(term AS ENUM(${vocabulary}))) AS INTEGER))`;
  return sql`coalesce(list_aggregate(${numbers}, 'histogram'), MAP {})`;
}

/** The weights of counted terms before they are brought to length 1. */
function weightList(counts: string, { idf, binary, sublinear }: Weighting): Sql {
  const values = sql`map_values(${col(counts)})`;
  const weight = (n: string) => (binary ? "1e0" : sublinear ? `(1 + ln(${n}))` : `CAST(${n} AS DOUBLE)`);
  if (!idf) return sql`list_transform(${values}, lambda n: ${raw(weight("n"))})`;
  // One look into the list for a whole row: in a lambda it would be copied for every term.
  const own = sql`list_select(${doubles(idf)}, list_transform(map_keys(${col(counts)}), lambda k: k + 1))`;
  return sql`list_transform(list_zip(${values}, ${own}), lambda pair: ${raw(weight("pair[1]"))} * pair[2])`;
}
