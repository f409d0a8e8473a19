import { type ResourceLimits, Worker } from "node:worker_threads";
import * as kernels from "../numerics/index.ts";
import type { Kernel } from "../numerics/types.ts";
import { type RunOptions, runInline } from "./inline.ts";
import { type Answer, type Request, revived, throttled } from "./messages.ts";
import { type Priority, threadPriority } from "./priority.ts";

export type { RunOptions } from "./inline.ts";

/** How a pool is made. */
export type PoolOptions = {
  /** Worker threads at most for one group of jobs, and for jobs that aren't long; 0 runs kernels on the calling thread. */
  size: number;
  /** Memory limits of each worker, as node:worker_threads takes them (default node's own). */
  resourceLimits?: ResourceLimits;
  /** How threads step back (default: as the operating system lets them). */
  priority?: Priority;
};

/** How busy the threads of a pool are. */
export type PoolLoad = { readonly busy: number; readonly idle: number; readonly waiting: number };

/** Worker threads that run kernels. */
export type Pool = {
  /**
   * Runs an export of numerics/index on a free worker, first come, first served within a group.
   *
   * A job that takes long goes on at a low priority and no longer counts against the workers that other groups may
   * have, so that short work beside a heavy training neither waits for it nor gets half a core.
   *
   * The input is cloned unless it lies in shared memory; typed arrays of the result are handed over.
   * Rejects with the signal's reason when aborted, with the kernel's error (same name and message), or with an
   * Error that says so when the worker dies.
   */
  run<I, O>(kernel: Kernel<I, O>, input: I, options?: RunOptions): Promise<O>;
  /** Worker threads at most for one group. */
  readonly size: number;
  /** Threads that work and that rest, and jobs that wait for one. */
  load(): PoolLoad;
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

type Slot = {
  worker: Worker;
  job?: Job;
  failure?: Error;
  stopping?: NodeJS.Timeout;
  /** Fires when the job has become a long one. */
  growing?: NodeJS.Timeout;
  /** The operating system's number for it, 0 where that can't be told; absent while it starts, and once it has ended. */
  thread?: number;
  /** It runs a long job, or has run one and may not return to its old priority. */
  isLow: boolean;
};

const PATIENCE_MS = 100;
const LONG_MS = 300;
/** All workers together, in multiples of `size`; beyond it even short jobs wait. */
const MOST = 4;
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
const NAMES = new Map<unknown, string>(Object.entries(kernels).map(([name, kernel]) => [kernel, name]));

/** A pool of workers, started when first needed, kept for the next job, and no reason for the process to stay. */
export function createPool(options: PoolOptions): Pool {
  const pool = options.size > 0 ? new Workers(options) : undefined;
  return {
    size: options.size,
    async run<I, O>(kernel: Kernel<I, O>, input: I, watch: RunOptions = {}): Promise<O> {
      const name = NAMES.get(kernel);
      if (!name) throw new TypeError(`${kernel.name || "the function"} is not exported by numerics/index`);
      watch.signal?.throwIfAborted();
      // The answer is what the kernel of that name returns, which its type says is O.
      return pool ? (pool.run(name, input, watch) as Promise<O>) : runInline(kernel, input, watch);
    },
    load: () => pool?.load() ?? { busy: 0, idle: 0, waiting: 0 },
    close: async () => pool?.close(),
  };
}

class Workers {
  readonly #options: PoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #queue: Job[] = [];
  /** Groups of which a job was long; their next ones probably are, too. */
  readonly #long = new WeakSet<object>();
  readonly #priority: Priority;
  #closed = false;
  #ids = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#priority = options.priority ?? threadPriority;
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

  load(): PoolLoad {
    const busy = [...this.#slots].filter(({ job }) => job).length;
    return { busy, idle: this.#slots.size - busy, waiting: this.#queue.length };
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
    for (let k = 0; k < this.#queue.length; ) {
      const slot = this.#slotFor(groupOf(this.#queue[k]));
      if (slot) this.#start(slot, this.#queue.splice(k, 1)[0]);
      else k++;
    }
  }

  #start(slot: Slot, job: Job): void {
    slot.job = job;
    slot.worker.ref();
    if (slot.thread !== undefined) this.#watch(slot);
    try {
      slot.worker.postMessage(job.request);
    } catch (error) {
      this.#release(slot);
      job.reject(error);
    }
  }

  /** A worker for the next job of a group; none while the group, or short work as a whole, has all that it may. */
  #slotFor(group: object): Slot | undefined {
    const slots = [...this.#slots];
    const { size } = this.#options;
    // One that is being stopped is as good as gone.
    const busy = slots.filter(({ job, stopping }) => job && !stopping);
    if (busy.filter(({ job }) => job && groupOf(job) === group).length >= size) return undefined;
    const idle = slots.filter(({ job }) => !job);
    const isLong = this.#long.has(group);
    const fitting = idle.find(({ isLow }) => isLow === isLong);
    if (isLong && fitting) return fitting;
    if (busy.filter(({ isLow }) => !isLow).length >= size) return undefined;
    return fitting ?? idle.find(({ isLow }) => !isLow) ?? (slots.length < MOST * size ? this.#hired() : idle[0]);
  }

  /** Counts from when the worker works: starting one may take longer than a short job. */
  #watch(slot: Slot): void {
    slot.growing = setTimeout(() => this.#stepBack(slot), LONG_MS);
    slot.growing.unref();
  }

  /** From now on short jobs of others may have a worker beside it. */
  #stepBack(slot: Slot): void {
    if (!slot.job || slot.thread === undefined) return;
    this.#long.add(groupOf(slot.job));
    slot.isLow = true;
    this.#priority.lower(slot.thread);
    this.#next();
  }

  /** Gives a worker its old priority, where it may have it. */
  #comeBack(slot: Slot): void {
    if (slot.isLow && slot.thread !== undefined && this.#priority.raise(slot.thread)) slot.isLow = false;
  }

  #hired(): Slot {
    const worker = new Worker(SCRIPT, { resourceLimits: this.#options.resourceLimits, execArgv: [] });
    const slot: Slot = { worker, isLow: false };
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
    if (answer.kind === "ready") {
      slot.thread = answer.thread;
      if (slot.job) this.#watch(slot);
      return;
    }
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
    clearTimeout(slot.growing);
    slot.stopping = undefined;
    slot.job = undefined;
    slot.worker.unref();
    this.#comeBack(slot);
    const resting = [...this.#slots].filter(({ isLow, job }) => isLow && !job);
    // It would serve long jobs alone, and enough of those are at hand.
    if (slot.isLow && resting.length > this.#options.size) void this.#terminate(slot);
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
      if (slot.job !== job) continue;
      slot.stopping = setTimeout(() => this.#terminate(slot), PATIENCE_MS);
      // It ends the sooner where it may come back for that.
      this.#comeBack(slot);
    }
    this.#next();
  }

  async #terminate(slot: Slot): Promise<void> {
    this.#slots.delete(slot);
    await slot.worker.terminate();
  }

  #bury(slot: Slot, code: number): void {
    this.#slots.delete(slot);
    // Its number may be another thread's by now.
    slot.thread = undefined;
    const job = slot.job;
    this.#release(slot);
    const cause = slot.failure;
    const why = cause?.message ?? `exit code ${code}`;
    const died = job && new Error(`the worker died while it ran ${job.request.name}: ${why}`, { cause });
    job?.reject(this.#closed && cause ? cause : died);
    if (!this.#closed) this.#next();
  }
}

/** The group of jobs that name none. */
const nobody = {};

function groupOf(job: Job): object {
  return job.options.group ?? nobody;
}
