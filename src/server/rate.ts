import { BusyError } from "../core/errors.ts";

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Lets each key ask so many times a minute, in bursts too; beyond it a 429 says when to come again. */
export class Rate {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `now` in milliseconds, by a clock that never goes backwards. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one request off what the key may ask. */
  take(owner: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(owner) ?? { tokens: this.#perMinute, filledAt: now };
    const refill = ((now - bucket.filledAt) / 60_000) * this.#perMinute;
    const tokens = Math.min(this.#perMinute, bucket.tokens + refill);
    this.#buckets.set(owner, { tokens: Math.max(0, tokens - 1), filledAt: now });
    if (tokens >= 1) return;
    const seconds = Math.max(1, Math.ceil(((1 - tokens) / this.#perMinute) * 60));
    throw new BusyError(
      429,
      `The key has asked more than ${this.#perMinute} times in a minute. Try again in ${seconds} s.`,
      { code: "rate", expected: this.#perMinute, hint: "The operator can raise --rate." },
      seconds,
    );
  }
}
