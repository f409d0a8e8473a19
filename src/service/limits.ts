import { BlocklabError, DataError } from "../core/errors.ts";

/** What bounds a block while it runs; undefined: nothing. */
export interface BlockLimits {
  readonly timeoutMs?: number;
  /** Bytes that running blocks may take together, beyond what the process takes when none runs. */
  readonly memory?: number;
}

interface Running {
  readonly who: string;
  /** Bytes by which the process grew while it ran, shared evenly with what ran beside it. */
  grown: number;
  end(error: BlocklabError): void;
}

const tickMs = 50;

/** Ends blocks that take too long or too much, and leaves the others alone. */
export class Watch {
  readonly #limits: BlockLimits;
  readonly #memoryNow: () => number;
  readonly #running = new Set<Running>();
  #timer: NodeJS.Timeout | undefined;
  #idle = 0;
  #last = 0;

  constructor(limits: BlockLimits, memoryNow: () => number = process.memoryUsage.rss) {
    this.#limits = limits;
    this.#memoryNow = memoryNow;
  }

  /** Runs the work with a signal that fires at a limit too; its reason then is the error to answer with. */
  async over<T>(who: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs, memory } = this.#limits;
    const stop = new AbortController();
    const entry: Running = { who, grown: 0, end: (error) => stop.abort(error) };
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => entry.end(tooLong(who, timeoutMs)), timeoutMs);
    if (memory !== undefined) this.#enter(entry);
    try {
      return await work(signal ? AbortSignal.any([signal, stop.signal]) : stop.signal);
    } finally {
      clearTimeout(timer);
      this.#leave(entry);
    }
  }

  #enter(entry: Running): void {
    if (this.#running.size === 0) {
      this.#idle = this.#memoryNow();
      this.#last = this.#idle;
      this.#timer = setInterval(() => this.#look(), tickMs);
      this.#timer.unref();
    }
    this.#running.add(entry);
  }

  #leave(entry: Running): void {
    this.#running.delete(entry);
    if (this.#running.size === 0) clearInterval(this.#timer);
  }

  #look(): void {
    const { memory = Number.POSITIVE_INFINITY } = this.#limits;
    const now = this.#memoryNow();
    for (const entry of this.#running) entry.grown += (now - this.#last) / this.#running.size;
    this.#last = now;
    if (now - this.#idle <= memory) return;
    const [most] = [...this.#running].sort((a, b) => b.grown - a.grown);
    most.end(tooMuch(most.who, memory));
    // What it held is given back only once it has ended; until then nobody else pays for it.
    this.#running.delete(most);
    this.#idle = now;
  }
}

function tooLong(who: string, timeoutMs: number): BlocklabError {
  return new DataError(
    `${who}: the block ran longer than the ${timeoutMs / 1000} s that the service allows, and was ended. Work on fewer rows or columns, or raise --block-timeout.`,
    { code: "block_timeout", expected: timeoutMs },
  );
}

function tooMuch(who: string, memory: number): BlocklabError {
  return new DataError(
    `${who}: the block took more memory than the ${Math.round(memory / 2 ** 20)} MiB that the service allows, and was ended. Work on fewer rows or columns, or raise --memory-limit.`,
    { code: "memory", expected: memory },
  );
}

/** The error with which a limit ended a block; null when it was somebody else. */
export function limitOf(signal: AbortSignal): BlocklabError | null {
  return signal.reason instanceof BlocklabError ? signal.reason : null;
}
