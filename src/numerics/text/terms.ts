import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { murmur3 } from "./murmur3.ts";
import { englishStopWords } from "./stop-words.ts";
import { Int32List, Pairs, Words, word } from "./words.ts";

/** How texts are cut into terms. */
export type TermOptions = {
  readonly lowercase: boolean;
  /** Words per term, least and most. */
  readonly ngrams: readonly [number, number];
  /** "english", words of one's own, or none. */
  readonly stopWords: "english" | readonly string[];
};

/** What `termCounts` needs to know. */
export type TermCountsInput = TermOptions & {
  readonly texts: readonly string[];
  /** Which texts decide the vocabulary. */
  readonly seen: Int32Array;
  /** Terms in fewer or more of the seen texts are left out: counts from 1, or shares below 1. */
  readonly minDf: number;
  readonly maxDf: number;
  /** The most frequent terms alone; null for all. */
  readonly maxFeatures: number | null;
};

/** Counts of terms, row by row: text i has the terms `columns[start[i] … start[i + 1])`, ascending. */
export type TermCounts = {
  readonly terms: readonly string[];
  /** In how many of the seen texts each term is. */
  readonly documents: Float64Array;
  readonly start: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
};

/** A function that cuts a text into its terms, in the order in which they stand, words before pairs of words. */
export function termsOf({ lowercase, ngrams, stopWords }: TermOptions): (text: string) => string[] {
  const stops = stopWords === "english" ? englishStopWords : new Set(stopWords);
  const [least, most] = ngrams;
  return (text) => {
    const all = (lowercase ? text.toLowerCase() : text).match(word) ?? [];
    const words = stops.size > 0 ? all.filter((each) => !stops.has(each)) : [...all];
    if (most === 1) return words;
    const terms: string[] = least === 1 ? [...words] : [];
    for (let n = Math.max(2, least); n <= Math.min(most, words.length); n++)
      for (let i = 0; i + n <= words.length; i++) terms.push(words.slice(i, i + n).join(" "));
    return terms;
  };
}

/**
 * The terms of the seen texts in alphabetical order, and how often each stands in every text.
 *
 * As scikit-learn's CountVectorizer: terms outside the document frequencies are left out; of more than `maxFeatures`
 * the most frequent stay, of equally frequent ones the first. RangeError when no term is left. O(all tokens).
 */
export function termCounts(input: TermCountsInput, hooks: Hooks = quiet): TermCounts {
  const tokens = tokenize(input, hooks);
  const { terms, columnOf } = vocabulary(input, tokens);
  const { start, columns, values } = sortedCounts(tokens, columnOf, terms.length);
  const documents = new Float64Array(terms.length);
  for (const row of input.seen)
    for (let at = start[row]!; at < start[row + 1]!; at++) documents[columns[at]!] = documents[columns[at]!]! + 1;
  return { terms, documents, start, columns, values };
}

/** The texts as numbers of terms, text after text. */
type Tokens = {
  readonly ids: Int32Array;
  readonly start: Int32Array;
  /** How many terms there are. */
  readonly size: number;
  /** Term k. */
  readonly text: (k: number) => string;
};

function tokenize({ texts, ngrams: [least, most], ...options }: TermCountsInput, hooks: Hooks): Tokens {
  const words = new Words(options);
  const pairs = new Pairs();
  const ids = new Int32List();
  const start = new Int32Array(texts.length + 1);
  const own = new Int32List();
  for (let i = 0; i < texts.length; i++) {
    if (i % 1024 === 0) {
      checkCancelled(hooks);
      hooks.progress(i, texts.length);
    }
    if (most === 1) words.read(texts[i]!, ids);
    else {
      own.length = 0;
      words.read(texts[i]!, own);
      for (let from = 0; from + least <= own.length; from++) {
        let term = -1;
        for (let n = 1; n <= most && from + n <= own.length; n++) {
          term = pairs.idOf(term, own.array[from + n - 1]!);
          if (n >= least) ids.push(term);
        }
      }
    }
    start[i + 1] = ids.length;
  }
  const joined = (k: number): string => {
    const [first, last] = pairs.parts(k);
    return first < 0 ? words.text(last) : `${joined(first)} ${words.text(last)}`;
  };
  return most === 1
    ? { ids: ids.all, start, size: words.size, text: (k) => words.text(k) }
    : { ids: ids.all, start, size: pairs.size, text: joined };
}

/** How often each column stands in each text; the columns of a text ascending. */
function sortedCounts(
  { ids, start: tokens }: Tokens,
  columnOf: Int32Array,
  d: number,
): Pick<TermCounts, "start" | "columns" | "values"> {
  const n = tokens.length - 1;
  const start = new Int32Array(n + 1);
  const columns = new Int32Array(ids.length);
  const values = new Float64Array(ids.length);
  // How often each column stands in the text at hand.
  const counts = new Int32Array(d);
  let end = 0;
  for (let i = 0; i < n; i++) {
    const from = end;
    for (let at = tokens[i]!; at < tokens[i + 1]!; at++) {
      const column = columnOf[ids[at]!]!;
      if (column < 0) continue;
      if (counts[column] === 0) columns[end++] = column;
      counts[column] = counts[column]! + 1;
    }
    sortInPlace(columns, from, end);
    for (let at = from; at < end; at++) {
      values[at] = counts[columns[at]!]!;
      counts[columns[at]!] = 0;
    }
    start[i + 1] = end;
  }
  return { start, columns: columns.slice(0, end), values: values.slice(0, end) };
}

/** Sorts the numbers from…to−1; few of them by insertion, which for a text's handful is faster than a call. */
function sortInPlace(numbers: Int32Array, from: number, to: number): void {
  if (to - from > 40) {
    numbers.subarray(from, to).sort();
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const value = numbers[i]!;
    let at = i;
    for (; at > from && numbers[at - 1]! > value; at--) numbers[at] = numbers[at - 1]!;
    numbers[at] = value;
  }
}

/** The kept terms in alphabetical order, and the column of each term, -1 for those left out. */
function vocabulary(
  input: TermCountsInput,
  { ids, start, size, text }: Tokens,
): { terms: string[]; columnOf: Int32Array } {
  const { seen } = input;
  const counts = new Int32Array(size);
  const documents = new Int32Array(size);
  const last = new Int32Array(size).fill(-1);
  for (const row of seen) {
    for (let at = start[row]!; at < start[row + 1]!; at++) {
      const id = ids[at]!;
      counts[id] = counts[id]! + 1;
      if (last[id] !== row) documents[id] = documents[id]! + 1;
      last[id] = row;
    }
  }
  if (!documents.some((df) => df > 0)) throw new RangeError("the texts hold no word of two letters or more");
  const bound = (df: number) => (df < 1 || !Number.isInteger(df) ? df * seen.length : df);
  const [least, most] = [bound(input.minDf), input.maxDf === 1 ? seen.length : bound(input.maxDf)];
  let kept: { readonly id: number; readonly term: string }[] = [];
  // Terms of none of the seen texts are known from the others alone.
  for (let id = 0; id < size; id++) {
    const df = documents[id]!;
    if (df > 0 && df >= least && df <= most) kept.push({ id, term: text(id) });
  }
  if (kept.length === 0) throw new RangeError("no term is left; lower min_df or raise max_df");
  kept.sort((a, b) => byCodePoint(a.term, b.term));
  if (input.maxFeatures !== null && kept.length > input.maxFeatures) {
    kept = kept
      .toSorted((a, b) => counts[b.id]! - counts[a.id]!)
      .slice(0, input.maxFeatures)
      .sort((a, b) => byCodePoint(a.term, b.term));
  }
  const columnOf = new Int32Array(size).fill(-1);
  for (const [column, { id }] of kept.entries()) columnOf[id] = column;
  return { terms: kept.map(({ term }) => term), columnOf };
}

/** Python's order of strings; JavaScript's own goes by halves of letters beyond the 65,536th. */
function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  const isPlain = !/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b);
  if (isPlain) return a < b ? -1 : 1;
  const [x, y] = [[...a], [...b]];
  const at = x.findIndex((letter, k) => letter !== y[k]);
  return at < 0 ? -1 : (x[at]!.codePointAt(0) ?? 0) - (y[at]?.codePointAt(0) ?? -1);
}

/** What `hashedCounts` needs to know. */
export type HashedCountsInput = TermOptions & { readonly texts: readonly string[]; readonly features: number };

/** Counts of terms by the hash of the term, with a sign of its own, as scikit-learn's HashingVectorizer. */
export function hashedCounts(input: HashedCountsInput, hooks: Hooks = quiet): Omit<TermCounts, "terms" | "documents"> {
  const cut = termsOf(input);
  const encoder = new TextEncoder();
  const known = new Map<string, number>();
  const start = new Int32Array(input.texts.length + 1);
  const columns: number[] = [];
  const values: number[] = [];
  for (const [i, text] of input.texts.entries()) {
    if (i % 1024 === 0) {
      checkCancelled(hooks);
      hooks.progress(i, input.texts.length);
    }
    const sums = new Map<number, number>();
    for (const term of cut(text)) {
      const hash = known.get(term) ?? murmur3(encoder.encode(term));
      known.set(term, hash);
      const column = Math.abs(hash) % input.features;
      sums.set(column, (sums.get(column) ?? 0) + (hash >= 0 ? 1 : -1));
    }
    for (const column of [...sums.keys()].sort((a, b) => a - b)) {
      columns.push(column);
      values.push(sums.get(column)!);
    }
    start[i + 1] = columns.length;
  }
  return { start, columns: Int32Array.from(columns), values: Float64Array.from(values) };
}

/** How counts become weights. */
export type Weighting = {
  /** One weight per column, such as the inverse document frequency; null for none. */
  readonly idf: Float64Array | null;
  /** 1 + ln(count) in place of the count. */
  readonly sublinear: boolean;
  /** Whether a term is there at all, in place of the count. */
  readonly binary: boolean;
  /** Brings each row to length 1: by squares, by absolute values, or not at all. */
  readonly norm: "l2" | "l1" | null;
};

/** The values of sparse rows, weighted; a row without terms stays empty. O(values). */
export function weighted(
  { start, columns, values }: Pick<TermCounts, "start" | "columns" | "values">,
  { idf, sublinear, binary, norm }: Weighting,
): Float64Array {
  const out = new Float64Array(values.length);
  for (let at = 0; at < out.length; at++) {
    const value = values[at]!;
    const count = binary ? Math.sign(value) : sublinear ? 1 + Math.log(value) : value;
    out[at] = idf ? count * idf[columns[at]!]! : count;
  }
  if (norm === null) return out;
  for (let i = 0; i + 1 < start.length; i++) {
    let length = 0;
    for (let at = start[i]!; at < start[i + 1]!; at++)
      length += norm === "l2" ? out[at]! * out[at]! : Math.abs(out[at]!);
    if (length === 0) continue;
    const scale = norm === "l2" ? Math.sqrt(length) : length;
    for (let at = start[i]!; at < start[i + 1]!; at++) out[at] = out[at]! / scale;
  }
  return out;
}

/** Inverse document frequencies: ln((1 + n)/(1 + df)) + 1, without smoothing ln(n/df) + 1. */
export function inverseFrequencies(documents: Float64Array, n: number, smooth: boolean): Float64Array {
  const extra = smooth ? 1 : 0;
  return documents.map((df) => Math.log((n + extra) / (df + extra)) + 1);
}
