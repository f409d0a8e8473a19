import { type ResourceLimits, Worker } from "node:worker_threads";
import * as kernels from "../kernels/index.ts";
import { Cancelled, type Kernel } from "../kernels/types.ts";
import { type Answer, type Request, throttled } from "./messages.ts";

/** How a pool is made. */
export type PoolOptions = {
  /** Worker threads at most; 0 runs kernels on the calling thread. */
  size: number;
  /** Memory limits of each worker, as node:worker_threads takes them (default node's own). */
  resourceLimits?: ResourceLimits;
};

/** How one run is watched. */
export type RunOptions = {
  /** Aborting it cancels the run, or takes it out of the queue. */
  signal?: AbortSignal;
  /** Hears how far the kernel is, at most 20 times a second; `done` never falls. */
  onProgress?(done: number, total: number): void;
};

/** Worker threads that run kernels. */
export type Pool = {
  /**
   * Runs an export of kernels/index on a free worker, first come, first served.
   *
   * The input is cloned unless it lies in shared memory; typed arrays of the result are handed over.
   * Rejects with the signal's reason when aborted, with the kernel's error (same name and message), or with an
   * Error that says so when the worker dies.
   */
  run<I, O>(kernel: Kernel<I, O>, input: I, options?: RunOptions): Promise<O>;
  /** Worker threads at most. */
  readonly size: number;
  /** Ends all workers; what still runs or waits is rejected. */
  close(): Promise<void>;
};

type Job = {
  request: Request;
  options: RunOptions;
  progress: (done: number, total: number) => void;
  resolve(output: unknown): void;
  reject(reason: unknown): void;
};

type Slot = { worker: Worker; job?: Job; failure?: Error; stopping?: NodeJS.Timeout };

const PATIENCE_MS = 100;
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
const NAMES = new Map<unknown, string>(Object.entries(kernels).map(([name, kernel]) => [kernel, name]));

/** A pool of workers, started when first needed, kept for the next job, and no reason for the process to stay. */
export function createPool(options: PoolOptions): Pool {
  const pool = options.size > 0 ? new Workers(options) : undefined;
  return {
    size: options.size,
    async run<I, O>(kernel: Kernel<I, O>, input: I, watch: RunOptions = {}): Promise<O> {
      const name = NAMES.get(kernel);
      if (!name) throw new TypeError(`${kernel.name || "the function"} is not exported by kernels/index`);
      watch.signal?.throwIfAborted();
      // The answer is what the kernel of that name returns, which its type says is O.
      return pool ? (pool.run(name, input, watch) as Promise<O>) : runInline(kernel, input, watch);
    },
    close: async () => pool?.close(),
  };
}

async function runInline<I, O>(kernel: Kernel<I, O>, input: I, { signal, onProgress }: RunOptions): Promise<O> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
  try {
    return kernel(input, {
      progress: throttled((done, total) => onProgress?.(done, total)),
      cancelled: () => signal?.aborted ?? false,
    });
  } catch (error) {
    throw error instanceof Cancelled && signal?.aborted ? signal.reason : error;
  }
}

class Workers {
  readonly #options: PoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #queue: Job[] = [];
  #closed = false;
  #ids = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  run(name: string, input: unknown, options: RunOptions): Promise<unknown> {
    if (this.#closed) return Promise.reject(new Error("the worker pool is closed"));
    return new Promise((resolve, reject) => {
      const { signal, onProgress } = options;
      const flag = new Int32Array(new SharedArrayBuffer(4));
      const abort = () => this.#cancel(job);
      const settle = <T>(act: (value: T) => void) => {
        return (value: T) => {
          signal?.removeEventListener("abort", abort);
          act(value);
        };
      };
      const job: Job = {
        request: { id: this.#ids++, name, input, flag },
        options,
        progress: throttled((done, total) => onProgress?.(done, total)),
        resolve: settle(resolve),
        reject: settle(reject),
      };
      signal?.addEventListener("abort", abort);
      this.#queue.push(job);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closed = new Error("the worker pool was closed");
    for (const job of this.#queue.splice(0)) job.reject(closed);
    await Promise.all(
      [...this.#slots].map((slot) => {
        slot.failure = closed;
        return this.#terminate(slot);
      }),
    );
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const slot = this.#free();
      if (!slot) return;
      const job = this.#queue.shift()!;
      slot.job = job;
      slot.worker.ref();
      try {
        slot.worker.postMessage(job.request);
      } catch (error) {
        this.#release(slot);
        job.reject(error);
      }
    }
  }

  #free(): Slot | undefined {
    for (const slot of this.#slots) if (!slot.job) return slot;
    if (this.#slots.size >= this.#options.size) return undefined;
    const slot: Slot = { worker: new Worker(SCRIPT, { resourceLimits: this.#options.resourceLimits }) };
    slot.worker.on("message", (answer: Answer) => this.#hear(slot, answer));
    slot.worker.on("messageerror", (error) => {
      slot.failure = error;
      this.#terminate(slot);
    });
    slot.worker.on("error", (error: Error) => {
      slot.failure = error;
    });
    slot.worker.on("exit", (code) => this.#bury(slot, code));
    this.#slots.add(slot);
    return slot;
  }

  #hear(slot: Slot, answer: Answer): void {
    const job = slot.job;
    if (!job || job.request.id !== answer.id) return;
    if (answer.kind === "progress") {
      if (!job.options.signal?.aborted) job.progress(answer.done, answer.total);
      return;
    }
    this.#release(slot);
    if (answer.kind === "result") job.resolve(answer.output);
    else job.reject(revived(answer.error));
    this.#next();
  }

  #release(slot: Slot): void {
    clearTimeout(slot.stopping);
    slot.stopping = undefined;
    slot.job = undefined;
    slot.worker.unref();
  }

  /** The caller is free at once; the worker is busy until it answers or its time is up. */
  #cancel(job: Job): void {
    job.reject(job.options.signal?.reason);
    const waiting = this.#queue.indexOf(job);
    if (waiting >= 0) {
      this.#queue.splice(waiting, 1);
      return;
    }
    Atomics.store(job.request.flag, 0, 1);
    for (const slot of this.#slots) {
      if (slot.job === job) slot.stopping = setTimeout(() => this.#terminate(slot), PATIENCE_MS);
    }
  }

  async #terminate(slot: Slot): Promise<void> {
    this.#slots.delete(slot);
    await slot.worker.terminate();
  }

  #bury(slot: Slot, code: number): void {
    this.#slots.delete(slot);
    const job = slot.job;
    this.#release(slot);
    const cause = slot.failure;
    const why = cause?.message ?? `exit code ${code}`;
    const died = job && new Error(`the worker died while it ran ${job.request.name}: ${why}`, { cause });
    job?.reject(this.#closed && cause ? cause : died);
    if (!this.#closed) this.#next();
  }
}

/** A kernel's error as it was thrown, but for its class: name, message and the worker's stack cross over. */
function revived({ name, message, stack }: { name: string; message: string; stack?: string }): Error {
  const error = new Error(message);
  error.name = name;
  if (stack) error.stack = stack;
  return error;
}
