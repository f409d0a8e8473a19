import { AsyncResource } from "node:async_hooks";
import type { Progress } from "../core/record.ts";

/** Reports how far a block is, at most ten times a second, with an estimate once a tenth is done. */
export class ProgressMeter {
  readonly #block: number;
  readonly #listen: ((progress: Progress) => void) | undefined;
  #phase = "";
  #started = 0;
  #last = 0;
  #done = 0;
  #total = -1;

  constructor(block: number, listen?: (progress: Progress) => void) {
    this.#block = block;
    // Workers were started by some block long ago, and what they report would be taken for that block's cell's.
    this.#listen = listen && AsyncResource.bind(listen);
  }

  report(phase: string, done: number, total: number): void {
    if (!this.#listen) return;
    const now = performance.now();
    // The same work may name its phase anew, such as by the epoch; it goes on, so the clock does too.
    if (phase !== this.#phase && (done < this.#done || total !== this.#total)) this.#started = now;
    if (phase !== this.#phase) this.#last = 0;
    [this.#phase, this.#done, this.#total] = [phase, done, total];
    if (now - this.#last < 100 && done < total) return;
    this.#last = now;
    const share = total > 0 ? done / total : 0;
    const eta = share >= 0.1 ? Math.round(((now - this.#started) * (1 - share)) / share) : null;
    this.#listen({ block: this.#block, phase, done, total, eta_ms: eta });
  }
}
