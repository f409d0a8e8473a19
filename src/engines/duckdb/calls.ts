import { Worker } from "node:worker_threads";
import type { DuckDBValue } from "@duckdb/node-api";
import { CancelledError } from "../../core/errors.ts";
import {
  type Call,
  columnIn,
  type FromThread,
  type Ring,
  ringOf,
  stopRing,
  type ThreadOptions,
  type ToThread,
} from "./call-messages.ts";
import { type InstanceOptions, SqlFailure } from "./instance.ts";
import type { Run } from "./read/runs.ts";
import { Slice } from "./read/slice.ts";

const script = new URL(import.meta.url.endsWith(".ts") ? "./call-thread.ts" : "./call-thread.js", import.meta.url);

/** So long the end of the process waits for statements to end. */
const mostEndMs = 5000;

/** What a statement's functions work with. */
type Functions = Pick<Call, "items" | "lists" | "targets"> & {
  /** Takes the runs of `columns` columns. */
  readonly take?: { readonly columns: number; readonly run: (run: Run) => void };
};

/** A statement on its way. */
interface Pending {
  readonly text: string;
  readonly ring: Ring | undefined;
  readonly full: { readonly slot: number; readonly rows: number }[];
  take(run: Run): void;
  end(failed: string | null): void;
  /** What was thrown while a run was taken: within a query it would come back as text alone. */
  thrown: unknown[];
  taking: Promise<void> | null;
}

/**
 * Statements that call functions of ours, on a thread with a DuckDB of its own.
 *
 * A function is given the vectors that the engine works on. The same rows as a stream are copied from thread to thread
 * first, and each chunk is a trip of its own to another thread: that takes three times as long. But the engine's threads
 * wait for each call's answer. On this thread they would keep others from their turns, and when the process ends they
 * would wait for ever, and the process for them: so the thread is asked to end them first.
 */
export class Calls {
  readonly #options: InstanceOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #drained = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #onExit = () => this.#endAll();
  #thread: Worker | null = null;
  #last = 0;

  constructor(options: InstanceOptions) {
    this.#options = options;
  }

  /** A number for a statement's functions to be called with. */
  newId(): number {
    return ++this.#last;
  }

  /** Runs a statement whose functions are called with a number of its own. */
  async run(
    id: number,
    { text, values }: { readonly text: string; readonly values: readonly DuckDBValue[] },
    { take, ...data }: Functions,
    signal?: AbortSignal,
  ): Promise<void> {
    if (signal?.aborted) throw new CancelledError();
    const ring = take && ringOf(take.columns);
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const pending: Pending = {
      text,
      ring,
      full: [],
      take: (run) => take?.run(run),
      end: resolve,
      thrown: [],
      taking: null,
    };
    const interrupt = () => {
      if (ring) stopRing(ring);
      this.#tell({ interrupt: id });
    };
    this.#pending.set(id, pending);
    if (this.#pending.size === 1) process.on("exit", this.#onExit);
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      this.#tell({ call: { id, text, values, ring, ...data } });
      this.#thread?.ref();
      const failed = await promise;
      await pending.taking;
      if (pending.thrown.length > 0) throw pending.thrown[0];
      if (signal?.aborted) throw new CancelledError();
      if (failed !== null) throw new SqlFailure(failed, text);
    } finally {
      signal?.removeEventListener("abort", interrupt);
      this.#pending.delete(id);
      if (this.#pending.size === 0) {
        process.off("exit", this.#onExit);
        this.#thread?.unref();
      }
    }
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (!thread) return;
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    thread.postMessage({ close: true } satisfies ToThread);
    thread.ref();
    await ended;
  }

  #tell(message: ToThread): void {
    this.#thread ??= this.#start();
    this.#thread.postMessage(message);
  }

  #start(): Worker {
    const workerData: ThreadOptions = { ...this.#options, drained: this.#drained };
    // Options of the program's own, such as those of `node --eval`, are not for a file.
    const thread = new Worker(script, { workerData, execArgv: [] });
    thread.on("message", (message: FromThread) => this.#hear(message));
    const lost = (why: string) => {
      if (this.#thread === thread) this.#thread = null;
      for (const pending of this.#pending.values()) pending.end(why);
    };
    thread.on("error", (error) => lost(error instanceof Error ? error.message : String(error)));
    thread.on("exit", () => lost("the thread of the engine ended"));
    return thread;
  }

  #hear(message: FromThread): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if ("failed" in message) {
      pending.end(message.failed);
      return;
    }
    pending.full.push(message);
    pending.taking ??= this.#takeAll(pending).finally(() => {
      pending.taking = null;
    });
  }

  /** Takes all runs that are there, with turns for others; a port would hand over a thousand messages in one turn. */
  async #takeAll(pending: Pending): Promise<void> {
    const ring = pending.ring as Ring;
    const slice = new Slice();
    for (let next = pending.full.shift(); next; next = pending.full.shift()) {
      const { slot, rows } = next;
      try {
        if (pending.thrown.length === 0) pending.take({ rows, column: (k) => columnIn(ring, slot, k, rows) });
      } catch (error) {
        pending.thrown.push(error);
        stopRing(ring);
      }
      Atomics.store(ring.state, 1 + slot, 0);
      Atomics.notify(ring.state, 1 + slot);
      if (slice.isOver) await slice.turn();
    }
  }

  /** The process ends, and nothing may wait for an answer of ours by then. */
  #endAll(): void {
    for (const { ring } of this.#pending.values()) if (ring) stopRing(ring);
    this.#thread?.postMessage({ exit: true } satisfies ToThread);
    Atomics.wait(this.#drained, 0, 0, mostEndMs);
  }
}
