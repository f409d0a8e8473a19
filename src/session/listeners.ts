import type { StateRecord } from "../core/record.ts";

/** A block that has just run, or answered from its record. */
export interface BlockRun {
  readonly record: StateRecord;
  readonly ms: number;
}

/** Whoever wants to hear of something. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  /** Does anybody listen? */
  get some(): boolean {
    return this.#all.size > 0;
  }

  /** Calls back from now on; answers a function that ends it. */
  add(listener: (value: T) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  tell(value: T): void {
    for (const listener of this.#all) listener(value);
  }
}
