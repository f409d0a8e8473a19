/** Texts in one piece of memory, in lower case: text i is the UTF-16 units from start[i] up to start[i + 1]. */
export type Texts = {
  readonly units: Uint16Array;
  /** As many as there are texts, and one. */
  readonly start: Int32Array;
};

/** More units than this, two gigabytes of text, are refused. */
const mostUnits = 2 ** 30;

/** Letters after which packing lets others have the thread. */
const atOnce = 2 ** 20;

/**
 * Texts packed into shared memory, so that several workers read them without a copy.
 *
 * RangeError beyond 2³⁰ letters. O(letters).
 */
export function packTexts(texts: readonly string[]): Texts {
  const steps = packing(texts);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The same in steps of a few milliseconds, each of which says which share is done. */
export function* packing(texts: readonly string[]): Generator<number, Texts> {
  const lower: string[] = [];
  let total = 0;
  for (let i = 0, next = atOnce; i < texts.length; i++) {
    const text = texts[i]!.toLowerCase();
    lower.push(text);
    total += text.length;
    if (total < next) continue;
    yield i / texts.length / 2;
    next = total + atOnce;
  }
  if (total > mostUnits) throw new RangeError(`the texts have ${total} letters together; ${mostUnits} is the most`);
  const units = new Uint16Array(new SharedArrayBuffer(2 * total));
  const start = new Int32Array(new SharedArrayBuffer(4 * (texts.length + 1)));
  for (let i = 0, at = 0, next = atOnce; i < lower.length; i++) {
    const text = lower[i]!;
    for (let k = 0; k < text.length; k++) units[at++] = text.charCodeAt(k);
    start[i + 1] = at;
    if (at < next) continue;
    yield 0.5 + i / texts.length / 2;
    next = at + atOnce;
  }
  return { units, start };
}

/** What a unit is to a word: no part of one, a part, or a word by itself (as Chinese signs are). */
const apart = 0;
const part = 1;
const alone = 2;

let kinds: Uint8Array | undefined;

/** Kinds of all 65,536 units. Halves of rarer letters count as parts, so that an emoji is a word of two units. */
function unitKinds(): Uint8Array {
  if (kinds) return kinds;
  kinds = new Uint8Array(65_536);
  for (let unit = 0; unit < kinds.length; unit++) {
    const isHalf = unit >= 0xd800 && unit <= 0xdfff;
    const isSign = (unit >= 0x3040 && unit <= 0x30ff) || (unit >= 0x3400 && unit <= 0x9fff);
    if (isSign) kinds[unit] = alone;
    else if (isHalf || /[\p{L}\p{M}\p{N}_]/u.test(String.fromCharCode(unit))) kinds[unit] = part;
  }
  return kinds;
}

/** Which n-grams stand for a text; a range of sizes, or null for none of the kind. */
export type Grams = {
  readonly words: readonly [number, number] | null;
  /** Of letters within the pieces between blanks, with a blank before and after each. */
  readonly letters: readonly [number, number] | null;
  /** As many of a text's letters, from its beginning, are cut into n-grams of letters (default: all). */
  readonly mostLetters?: number;
};

/**
 * Cuts texts into n-grams, each known by 32 bits of a hash over its units (FNV-1a with a finish of MurmurHash3).
 *
 * Hashes in place of strings make this several times as fast, and a vocabulary of a million terms has about a hundred
 * that share one. Words have two letters or more, as in scikit-learn.
 */
export class Cutter {
  /** The hashes of the text cut last; as many as `cut` answered. */
  hashes = new Int32Array(4096);
  readonly #texts: Texts;
  readonly #grams: Grams;
  readonly #kinds = unitKinds();
  #words = new Int32Array(1024);
  #count = 0;

  constructor(texts: Texts, grams: Grams) {
    this.#texts = texts;
    this.#grams = grams;
  }

  /** Cuts text i; answers how many n-grams it has. */
  cut(i: number): number {
    const { start } = this.#texts;
    this.#count = 0;
    if (this.#grams.words) this.#cutWords(start[i]!, start[i + 1]!, this.#grams.words);
    if (this.#grams.letters) this.#cutLetters(start[i]!, start[i + 1]!, this.#grams.letters);
    return this.#count;
  }

  #cutWords(from: number, to: number, [least, most]: readonly [number, number]): void {
    const words = this.#wordHashes(from, to);
    for (let i = 0; i < words; i++) {
      let hash = 0;
      for (let n = 1; n <= most && i + n <= words; n++) {
        hash = (Math.imul(hash, 0x2c1b3c6d) + this.#words[i + n - 1]!) | 0;
        if (n >= least) this.#keep(finished(hash));
      }
    }
  }

  #wordHashes(from: number, to: number): number {
    const { units } = this.#texts;
    let words = 0;
    for (let at = from; at < to; ) {
      const kind = this.#kinds[units[at]!]!;
      if (kind === apart) {
        at++;
        continue;
      }
      const begin = at;
      let hash = 0x811c9dc5;
      do hash = Math.imul(hash ^ units[at++]!, 0x01000193);
      while (kind === part && at < to && this.#kinds[units[at]!] === part);
      if (kind === part && at - begin < 2) continue;
      if (words === this.#words.length) this.#words = doubled(this.#words);
      this.#words[words++] = hash;
    }
    return words;
  }

  #cutLetters(from: number, to: number, [least, most]: readonly [number, number]): void {
    const { units } = this.#texts;
    const end = Math.min(to, from + (this.#grams.mostLetters ?? Infinity));
    for (let at = from; at < end; at++) {
      if (units[at]! <= 32) continue;
      const begin = at;
      while (at < end && units[at]! > 32) at++;
      // Each window begins at the blank before the piece or at a letter, and may end at the blank after it.
      for (let first = begin - 1; first < at; first++) {
        let hash = 0x3c6ef372;
        for (let n = 1, k = first; n <= most && k <= at; n++, k++) {
          hash = Math.imul(hash ^ (k < begin || k === at ? 32 : units[k]!), 0x01000193);
          if (n >= least) this.#keep(finished(hash));
        }
      }
    }
  }

  #keep(hash: number): void {
    if (this.#count === this.hashes.length) this.hashes = doubled(this.hashes);
    this.hashes[this.#count++] = hash;
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(2 * array.length);
  longer.set(array);
  return longer;
}

/** Spreads every bit of a hash over all of them. */
function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
