import type { Progress } from "../core/record.ts";

/** Reports how far a block is, at most ten times a second, with an estimate once a tenth is done. */
export class ProgressMeter {
  readonly #block: number;
  readonly #listen: ((progress: Progress) => void) | undefined;
  #phase = "";
  #started = 0;
  #last = 0;

  constructor(block: number, listen?: (progress: Progress) => void) {
    this.#block = block;
    this.#listen = listen;
  }

  report(phase: string, done: number, total: number): void {
    if (!this.#listen) return;
    const now = performance.now();
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#started = now;
      this.#last = 0;
    }
    if (now - this.#last < 100 && done < total) return;
    this.#last = now;
    const share = total > 0 ? done / total : 0;
    const eta = share >= 0.1 ? Math.round(((now - this.#started) * (1 - share)) / share) : null;
    this.#listen({ block: this.#block, phase, done, total, eta_ms: eta });
  }
}
