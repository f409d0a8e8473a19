const SIZE = 624;
const SHIFT = 397;

/**
 * numpy's legacy generator, `np.random.RandomState(seed)`, bit for bit.
 *
 * MT19937 of Matsumoto and Nishimura (1998), seeded as numpy seeds it from one int (init_genrand). All draws
 * below use the words in numpy's order, so a sequence of calls here gives what the same sequence gives there.
 */
export class RandomState {
  readonly #key = new Uint32Array(SIZE);
  #at = SIZE;
  #spare: number | undefined;

  /** `seed` is an integer, 0 to 2³²−1; anything else is a RangeError. */
  constructor(seed: number) {
    if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
      throw new RangeError(`a seed must be an integer between 0 and 4294967295, got ${seed}`);
    }
    let word = seed >>> 0;
    for (let i = 0; i < SIZE; i++) {
      this.#key[i] = word;
      word = (Math.imul(1812433253, word ^ (word >>> 30)) + i + 1) >>> 0;
    }
  }

  /** The next 32 random bits, as a number 0 to 2³²−1. */
  uint32(): number {
    if (this.#at === SIZE) this.#refill();
    return temper(this.#key[this.#at++]!) >>> 0;
  }

  #refill(): void {
    const key = this.#key;
    // Three loops, so that no place needs a remainder.
    for (let i = 0; i < SIZE - SHIFT; i++) key[i] = key[i + SHIFT]! ^ twist(key[i]!, key[i + 1]!);
    for (let i = SIZE - SHIFT; i < SIZE - 1; i++) key[i] = key[i + SHIFT - SIZE]! ^ twist(key[i]!, key[i + 1]!);
    key[SIZE - 1] = key[SHIFT - 1]! ^ twist(key[SIZE - 1]!, key[0]!);
    this.#at = 0;
  }

  /** A double in [0, 1) with 53 random bits, as `random_sample()`. */
  uniform(): number {
    const high = this.uint32() >>> 5;
    return (high * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /** Fills `out` with such doubles, as `random_sample(out.length)`; four times as fast as one by one. */
  fillUniform(out: Float64Array): void {
    const key = this.#key;
    for (let i = 0; i < out.length; ) {
      if (this.#at > SIZE - 2) {
        out[i++] = this.uniform();
        continue;
      }
      const n = Math.min(out.length - i, (SIZE - this.#at) >> 1);
      let at = this.#at;
      for (const end = i + n; i < end; i++, at += 2) {
        out[i] = ((temper(key[at]!) >>> 5) * 67108864 + (temper(key[at + 1]!) >>> 6)) / 9007199254740992;
      }
      this.#at = at;
    }
  }

  /** A standard normal number by the polar method, as the legacy `randn()`. */
  normal(): number {
    if (this.#spare !== undefined) {
      const kept = this.#spare;
      this.#spare = undefined;
      return kept;
    }
    let a: number;
    let b: number;
    let r: number;
    do {
      a = 2 * this.uniform() - 1;
      b = 2 * this.uniform() - 1;
      r = a * a + b * b;
    } while (r >= 1 || r === 0);
    const f = Math.sqrt((-2 * Math.log(r)) / r);
    this.#spare = f * a;
    return f * b;
  }

  /** An integer 0 to `max`, both included, by masked rejection (numpy's random_interval); max < 2³². */
  randomInterval(max: number): number {
    if (max === 0) return 0;
    const mask = 0xffffffff >>> Math.clz32(max);
    let value: number;
    do value = (this.uint32() & mask) >>> 0;
    while (value > max);
    return value;
  }

  /** `size` integers 0 to high−1 drawn with replacement, as `randint(0, high, size)`. */
  integers(high: number, size: number): Int32Array {
    const out = new Int32Array(size);
    for (let i = 0; i < size; i++) out[i] = this.randomInterval(high - 1);
    return out;
  }

  /** Shuffles `values` in place, as `shuffle()` does with a one-dimensional array. O(n). */
  shuffle<T extends Int32Array | Float64Array>(values: T): T {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.randomInterval(i);
      const kept = values[j]!;
      values[j] = values[i]!;
      values[i] = kept;
    }
    return values;
  }

  /** 0 to n−1 in random order, as `permutation(n)`. O(n). */
  permutation(n: number): Int32Array {
    const out = new Int32Array(n);
    for (let i = 0; i < n; i++) out[i] = i;
    return this.shuffle(out);
  }
}

/** The highest bit of one word and the others of the next, shifted; the matrix is added by the lowest bit. */
function twist(word: number, next: number): number {
  const y = (word & 0x80000000) | (next & 0x7fffffff);
  return (y >>> 1) ^ (-(y & 1) & 0x9908b0df);
}

/** The generator's last step: the bits of a word, mixed. */
function temper(word: number): number {
  let y = word ^ (word >>> 11);
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return y ^ (y >>> 18);
}
