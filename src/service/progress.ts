import { AsyncResource } from "node:async_hooks";
import type { Progress } from "../core/record.ts";

/** Reports how far a block is, at most ten times a second, with an estimate once a tenth is done. */
export class ProgressMeter {
  readonly #block: number;
  readonly #listen: ((progress: Progress) => void) | undefined;
  #work = "";
  #started = 0;
  #last = 0;
  #done = 0;
  #total = -1;
  #whole: Whole | null = null;

  constructor(block: number, listen?: (progress: Progress) => void) {
    this.#block = block;
    // Workers were started by some block long ago, and what they report would be taken for that block's cell's.
    this.#listen = listen && AsyncResource.bind(listen);
  }

  report(phase: string, done: number, total: number): void {
    const whole = this.#whole;
    if (whole === null) {
      this.#tell(phase, phase, done, total);
      return;
    }
    // Work of several phases begins anew with each; the bar does not go back.
    whole.reached = Math.max(whole.reached, total > 0 ? Math.min(1, done / total) : 0);
    const inner = [whole.inner, phase].filter((word) => word !== "").join(", ");
    this.#tell(whole.phase, `${whole.phase} (${inner})`, whole.done + whole.span * whole.reached, whole.total);
  }

  /** Counts what is told while `part` runs as the part of a longer work that comes behind `done` of its `total` parts. */
  async within<T>(phase: string, done: number, total: number, part: () => Promise<T>): Promise<T> {
    const outer = this.#whole;
    this.report(phase, done, total);
    this.#whole = outer
      ? {
          ...outer,
          inner: `${phase} ${done + 1} of ${total}`,
          done: outer.done + (outer.span * done) / total,
          span: outer.span / total,
          reached: 0,
        }
      : { phase, inner: "", done, span: 1, total, reached: 0 };
    try {
      return await part();
    } finally {
      this.#whole = outer;
    }
  }

  /** `work` is what goes on under changing phases. */
  #tell(work: string, phase: string, done: number, total: number): void {
    if (!this.#listen) return;
    const now = performance.now();
    // The same work may name its phase anew, such as by the epoch; it goes on, so the clock does too.
    if (work !== this.#work && (done < this.#done || total !== this.#total)) this.#started = now;
    if (work !== this.#work) this.#last = 0;
    [this.#work, this.#done, this.#total] = [work, done, total];
    if (now - this.#last < 100 && done < total) return;
    this.#last = now;
    const share = total > 0 ? done / total : 0;
    const eta = share >= 0.1 ? Math.round(((now - this.#started) * (1 - share)) / share) : null;
    this.#listen({ block: this.#block, phase, done, total, eta_ms: eta });
  }
}

/** A longer work, and which part of it runs. */
interface Whole {
  readonly phase: string;
  /** Of a work inside of it, which part runs. */
  readonly inner: string;
  /** Parts before this one, and how many of the whole's this one counts for. */
  readonly done: number;
  readonly span: number;
  readonly total: number;
  /** The share of the part that was reached. */
  reached: number;
}
