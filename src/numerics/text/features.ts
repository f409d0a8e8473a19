import type { SparseRows } from "../sparse/rows.ts";
import { checkCancelled, type Hooks } from "../types.ts";
import { Cutter, type Grams, type Texts } from "./units.ts";

/** How texts become sparse rows. */
export type FeatureOptions = Grams & {
  /** 2 to this power columns at most, chosen by hash; null learns a vocabulary. */
  readonly hashBits: number | null;
  /** n-grams in fewer of the seen texts are left out of a vocabulary. */
  readonly minDf: number;
  /** The n-grams that most of the seen texts have. */
  readonly mostColumns: number;
  /** What a count becomes: itself, 1 + ln(count), or 1. */
  readonly counts: "plain" | "sublinear" | "binary";
  /** Whether rare n-grams weigh more, by the inverse document frequency. */
  readonly idf: boolean;
  /** Brings each row to length 1: by squares, by sums, or not at all. */
  readonly norm: "l2" | "l1" | null;
};

/** What was learnt of the seen texts; enough to make rows of any others. */
export type TextFeatures = {
  readonly options: FeatureOptions;
  /** The hash of each column's n-gram; empty where columns are chosen by hash. */
  readonly hashes: Int32Array;
  /** A weight per column; empty for none. */
  readonly idf: Float64Array;
};

/** More different n-grams than this are not held: those seen in one text alone are forgotten. */
const mostTerms = 2 ** 22;

/**
 * The vocabulary of the texts `seen` and the weights of its columns, as in scikit-learn's TfidfVectorizer.
 *
 * Columns stand in the order in which their n-grams come first. RangeError when none is left. O(n-grams).
 */
export function learnFeatures(texts: Texts, seen: Int32Array, given: FeatureOptions, hooks: Hooks): TextFeatures {
  const options = { ...given, mostLetters: given.mostLetters ?? lettersEach(seen.length) };
  const cutter = new Cutter(texts, options);
  if (options.hashBits !== null) {
    // Few texts can't fill many columns, which would only cost time.
    const hashBits = Math.min(options.hashBits, Math.max(10, Math.ceil(Math.log2(8 * lettersOf(texts, seen)))));
    const documents = options.idf ? bucketCounts(cutter, seen, 2 ** hashBits, hooks) : new Float64Array(0);
    return { options: { ...options, hashBits }, hashes: new Int32Array(0), idf: weights(documents, seen.length) };
  }
  const terms = new Terms();
  for (let k = 0; k < seen.length; k++) {
    if (k % 256 === 0) checkCancelled(hooks);
    const count = cutter.cut(seen[k]!);
    for (let at = 0; at < count; at++) terms.see(cutter.hashes[at]!, k);
    if (terms.size > mostTerms) terms.forgetRare();
  }
  const kept = terms.kept(options.minDf, options.mostColumns);
  if (kept.hashes.length === 0) {
    const where = options.minDf === 1 ? "any text" : `${options.minDf} texts or more`;
    throw new RangeError(`no ${options.letters ? "n-gram of letters" : "word of two letters"} stands in ${where}`);
  }
  const idf = options.idf ? weights(kept.documents, seen.length) : new Float64Array(0);
  return { options, hashes: kept.hashes, idf };
}

/** Columns of the rows that `makeRows` answers. */
export function columnsIn({ options, hashes }: TextFeatures): number {
  return options.hashBits === null ? hashes.length : 2 ** options.hashBits;
}

/** The texts named by `rows` as sparse rows; n-grams that were not learnt are left out. O(n-grams). */
export function makeRows(texts: Texts, rows: Int32Array, features: TextFeatures, hooks: Hooks): SparseRows {
  const { options, hashes } = features;
  const cutter = new Cutter(texts, options);
  const table = options.hashBits === null ? Table.of(hashes) : null;
  const mask = 2 ** (options.hashBits ?? 0) - 1;
  const d = columnsIn(features);
  const counts = new Float32Array(d);
  const start = new Int32Array(rows.length + 1);
  let columns = new Int32Array(rows.length * 64);
  let values = new Float32Array(columns.length);
  let size = 0;
  for (let i = 0; i < rows.length; i++) {
    if (i % 256 === 0) checkCancelled(hooks);
    const count = cutter.cut(rows[i]!);
    const from = size;
    if (size + count > columns.length) {
      // As long as the rows still to come will need, if they are like those before.
      const length = Math.ceil(Math.max(1.1 * (size + count), (1.05 * (size + count) * rows.length) / (i + 1)));
      columns = longer(new Int32Array(length), columns);
      values = longer(new Float32Array(length), values);
    }
    for (let at = 0; at < count; at++) {
      const column = table ? table.find(cutter.hashes[at]!) : cutter.hashes[at]! & mask;
      if (column < 0) continue;
      if (counts[column] === 0) columns[size++] = column;
      counts[column]! += 1;
    }
    for (let at = from; at < size; at++) {
      values[at] = counts[columns[at]!]!;
      counts[columns[at]!] = 0;
    }
    weigh(values, columns, from, size, features);
    start[i + 1] = size;
  }
  return { n: rows.length, d, start, columns: columns.subarray(0, size), values: values.subarray(0, size) };
}

function longer<T extends Int32Array | Float32Array>(to: T, from: T): T {
  to.set(from);
  return to;
}

function weigh(values: Float32Array, columns: Int32Array, from: number, to: number, features: TextFeatures): void {
  const { options, idf } = features;
  let length = 0;
  for (let at = from; at < to; at++) {
    let value = values[at]!;
    if (options.counts === "binary") value = 1;
    else if (options.counts === "sublinear") value = 1 + Math.log(value);
    if (options.idf) value *= idf[columns[at]!]!;
    values[at] = value;
    length += options.norm === "l2" ? value * value : value;
  }
  if (options.norm === null || length === 0) return;
  const scale = 1 / (options.norm === "l2" ? Math.sqrt(length) : length);
  for (let at = from; at < to; at++) values[at] = values[at]! * scale;
}

/** Of many texts the first letters of each, so that their n-grams, some four a letter, fit into memory. */
function lettersEach(texts: number): number {
  return Math.min(4000, Math.max(500, Math.floor(20_000_000 / Math.max(1, texts))));
}

function lettersOf({ start }: Texts, rows: Int32Array): number {
  return rows.reduce((sum, row) => sum + start[row + 1]! - start[row]!, 1);
}

function bucketCounts(cutter: Cutter, seen: Int32Array, size: number, hooks: Hooks): Float64Array {
  const documents = new Float64Array(size);
  const last = new Int32Array(size).fill(-1);
  for (let k = 0; k < seen.length; k++) {
    if (k % 256 === 0) checkCancelled(hooks);
    const count = cutter.cut(seen[k]!);
    for (let at = 0; at < count; at++) {
      const column = cutter.hashes[at]! & (size - 1);
      if (last[column] !== k) documents[column]! += 1;
      last[column] = k;
    }
  }
  return documents;
}

/** Smooth inverse document frequencies: ln((1 + n)/(1 + df)) + 1. */
function weights(documents: Float64Array, n: number): Float64Array {
  return documents.map((df) => Math.log((1 + n) / (1 + df)) + 1);
}

/** A hash table of 32-bit keys with open addressing; each key gets the number of keys before it. */
class Table {
  keys: Int32Array;
  ids: Int32Array;
  size = 0;

  constructor(room: number) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(16, 2 * room)));
    this.keys = new Int32Array(slots);
    this.ids = new Int32Array(slots).fill(-1);
  }

  static of(keys: Int32Array): Table {
    const table = new Table(keys.length);
    for (const key of keys) table.add(key);
    return table;
  }

  /** The number of a key; -1 when it is not there. */
  find(key: number): number {
    return this.ids[this.#slot(key)]!;
  }

  /** The number of a key, which is added when it is new. */
  add(key: number): number {
    const slot = this.#slot(key);
    const known = this.ids[slot]!;
    if (known >= 0) return known;
    this.keys[slot] = key;
    this.ids[slot] = this.size;
    if (2 * ++this.size > this.keys.length) this.#grow();
    return this.size - 1;
  }

  #slot(key: number): number {
    const mask = this.keys.length - 1;
    let slot = key & mask;
    while (this.ids[slot]! >= 0 && this.keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const { keys, ids } = this;
    this.keys = new Int32Array(2 * keys.length);
    this.ids = new Int32Array(2 * keys.length).fill(-1);
    for (let slot = 0; slot < keys.length; slot++) {
      if (ids[slot]! < 0) continue;
      const to = this.#slot(keys[slot]!);
      this.keys[to] = keys[slot]!;
      this.ids[to] = ids[slot]!;
    }
  }
}

/** The n-grams seen so far, and in how many texts each is. */
class Terms {
  #table = new Table(1 << 15);
  #hashes = new Int32Array(1 << 15);
  #documents = new Int32Array(1 << 15);
  #last = new Int32Array(1 << 15);

  get size(): number {
    return this.#table.size;
  }

  see(hash: number, text: number): void {
    const id = this.#table.add(hash);
    if (id >= this.#hashes.length) this.#grow();
    if (this.#documents[id] === 0) this.#hashes[id] = hash;
    else if (this.#last[id] === text) return;
    this.#documents[id]! += 1;
    this.#last[id] = text;
  }

  forgetRare(): void {
    const { hashes, documents } = this.kept(2, mostTerms / 2);
    this.#table = Table.of(hashes);
    this.#documents.fill(0);
    this.#hashes.set(hashes);
    this.#documents.set(documents);
    this.#last.fill(-1);
  }

  /** n-grams in `least` texts or more, of more than `most` those in most texts; of equal ones those that came first. */
  kept(least: number, most: number): { hashes: Int32Array; documents: Float64Array } {
    const ids: number[] = [];
    for (let id = 0; id < this.size; id++) if (this.#documents[id]! >= least) ids.push(id);
    if (ids.length > most) {
      ids.sort((a, b) => this.#documents[b]! - this.#documents[a]! || a - b);
      ids.length = most;
      ids.sort((a, b) => a - b);
    }
    return {
      hashes: Int32Array.from(ids, (id) => this.#hashes[id]!),
      documents: Float64Array.from(ids, (id) => this.#documents[id]!),
    };
  }

  #grow(): void {
    const length = 2 * this.#hashes.length;
    this.#hashes = longer(new Int32Array(length), this.#hashes);
    this.#documents = longer(new Int32Array(length), this.#documents);
    this.#last = longer(new Int32Array(length), this.#last);
  }
}
