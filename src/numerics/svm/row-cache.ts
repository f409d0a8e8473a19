/**
 * The kernel rows used last, in float32, within a bound of bytes.
 *
 * A row may be kept in part: its first numbers. The rows used longest ago give way first. There is always room for
 * two whole rows, so the row asked for before the last one stays valid. Source: Chang and Lin, LIBSVM (2011), §5.2.
 */
export class RowCache {
  readonly #n: number;
  readonly #data: (Float32Array | undefined)[];
  /** How many numbers of each slot are there; 0 means that it is not in the list. */
  readonly #length: Int32Array;
  /** Which slot holds a row; rows that change places change slots. */
  readonly #slot: Int32Array;
  /** A ring of slots, used longest ago first, which begins and ends at slot n. */
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  #room: number;
  #spare: Float32Array | undefined;

  /** For rows of at most `n` numbers; `bytes` bounds what is kept, but for the two rows that must fit. */
  constructor(n: number, bytes: number) {
    this.#n = n;
    this.#data = new Array(n);
    this.#length = new Int32Array(n);
    this.#slot = Int32Array.from({ length: n }, (_, i) => i);
    this.#next = new Int32Array(n + 1).fill(n);
    this.#previous = new Int32Array(n + 1).fill(n);
    this.#room = Math.max(Math.floor(bytes / Float32Array.BYTES_PER_ELEMENT), 2 * n);
  }

  /** Room for the first `length` numbers of row i, and how many of them are there already; the rest are to fill. */
  take(i: number, length: number): { data: Float32Array; from: number } {
    const slot = this.#slot[i]!;
    const from = this.#length[slot]!;
    if (from > 0) this.#unlink(slot);
    if (from < length) this.#grow(slot, length);
    this.#link(slot);
    return { data: this.#data[slot]!, from: Math.min(from, length) };
  }

  /** Exchanges rows i and j, and numbers i and j of every row, for each pair (i, j) of the list with i < j. */
  swap(pairs: readonly number[]): void {
    for (let p = 0; p < pairs.length; p += 2) {
      const slot = this.#slot[pairs[p]!]!;
      this.#slot[pairs[p]!] = this.#slot[pairs[p + 1]!]!;
      this.#slot[pairs[p + 1]!] = slot;
    }
    for (let slot = 0; slot < this.#n; slot++) {
      if (this.#length[slot]! > 0 && !swapWithin(this.#data[slot]!, this.#length[slot]!, pairs)) this.#drop(slot);
    }
  }

  #grow(slot: number, length: number): void {
    const old = this.#data[slot];
    const kept = this.#length[slot]!;
    if (old && old.length >= length) {
      this.#length[slot] = length;
      return;
    }
    this.#room += old?.length ?? 0;
    this.#spare = undefined;
    while (this.#room < length) this.#drop(this.#next[this.#n]!);
    const spare = this.#spare as Float32Array | undefined;
    // The row that gave way is as good as a new one, when not much of it would lie idle.
    const fits = spare && spare.length >= length && spare.length <= Math.min(1.25 * length, this.#room);
    const data = fits ? spare : new Float32Array(length);
    this.#spare = undefined;
    if (old) data.set(old.subarray(0, kept));
    this.#room -= data.length;
    this.#data[slot] = data;
    this.#length[slot] = length;
  }

  #drop(slot: number): void {
    this.#unlink(slot);
    this.#spare = this.#data[slot];
    this.#room += this.#spare!.length;
    this.#data[slot] = undefined;
    this.#length[slot] = 0;
  }

  #unlink(slot: number): void {
    this.#next[this.#previous[slot]!] = this.#next[slot]!;
    this.#previous[this.#next[slot]!] = this.#previous[slot]!;
  }

  #link(slot: number): void {
    const last = this.#previous[this.#n]!;
    this.#next[last] = slot;
    this.#previous[slot] = last;
    this.#next[slot] = this.#n;
    this.#previous[this.#n] = slot;
  }
}

/** False when one number of a pair is there and the other is not. */
function swapWithin(data: Float32Array, length: number, pairs: readonly number[]): boolean {
  for (let p = 0; p < pairs.length; p += 2) {
    const i = pairs[p]!;
    const j = pairs[p + 1]!;
    if (i >= length) continue;
    if (j >= length) return false;
    const kept = data[i]!;
    data[i] = data[j]!;
    data[j] = kept;
  }
  return true;
}
