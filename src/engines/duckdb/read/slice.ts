import { setImmediate as turn } from "node:timers/promises";

/** So long a thread may be kept before others have their turn. */
const sliceMs = 5;

/** A stretch of work on the thread that also serves others. */
export class Slice {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= sliceMs;
  }

  /** Lets others have their turn, and begins anew. */
  async turn(): Promise<void> {
    await turn();
    this.#since = performance.now();
  }
}
