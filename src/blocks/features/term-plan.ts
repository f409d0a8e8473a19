import type { Column } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { englishStopWords } from "../../numerics/text/stop-words.ts";
import type { TermOptions, Weighting } from "../../numerics/text/terms.ts";
import { call, column, type Expr, numberList, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";

/** Which column gives way to which others; one step of a plan. */
export type Replacements = ReadonlyMap<string, readonly Output[]>;

/** The two list columns that hold a text column's sparse rows. */
export interface ListNames {
  readonly terms: string;
  readonly weights: string;
}

/** What counting a text column by a plan takes. */
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
 * The steps that count a text's terms and leave the two lists; for rows that come later.
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
  const list = (each: string) => column(each, "tensor");
  const one = (from: string, to: string, expr: Expr): Replacements => new Map([[from, [{ column: hidden(to), expr }]]]);
  const [least, most] = cut.ngrams.map((n) => value(n));
  const steps = [
    one(name, words, call("words", textOf(name, cut, terms), { list: stopWords(cut) })),
    one(words, counts, call("counted", call("phrases", list(words), least, most), { list: terms })),
    new Map([
      [
        counts,
        [
          { column: hidden(lists.terms), expr: call("placesOf", list(counts)) },
          { column: hidden(lists.weights), expr: weightsOf(list(counts), weights) },
        ],
      ],
    ]),
  ];
  if (weights.norm === null) return steps;
  const measured: Output = {
    column: { name: length, type: "number" },
    expr: call("norm", list(lists.weights), { list: [weights.norm] }),
  };
  const scaled: Output = {
    column: hidden(lists.weights),
    expr: call("scaled", list(lists.weights), column(length, "number")),
  };
  return [
    ...steps,
    new Map([[lists.weights, [{ column: hidden(lists.weights) }, measured]]]),
    new Map([
      [lists.weights, [scaled]],
      [length, []],
    ]),
  ];
}

/** A text as it is cut into words; a missing one has none. */
function textOf(name: string, { lowercase }: TermOptions, terms: readonly string[]): Expr {
  const text = call("coalesce", call("written", column(name, "string")), value(""));
  if (!lowercase) return text;
  // JavaScript and Python know the dot that İ leaves behind, and the sigma that ends a word; the engine's lower does not.
  const dotted = call("replace", text, value("İ"), value("i\u0307"));
  return call("lower", terms.some((term) => /[σς]/.test(term)) ? call("endSigma", dotted) : dotted);
}

function stopWords({ stopWords: words }: TermOptions): readonly string[] {
  return words === "english" ? [...englishStopWords] : [...words];
}

/** The weights of counted terms before they are brought to length 1. */
function weightsOf(counts: Expr, { idf, binary, sublinear }: Weighting): Expr {
  const how = binary ? ["binary"] : sublinear ? ["sublinear"] : [];
  return call("weighted", counts, { list: how }, numberList(idf ?? []));
}
