import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type ControlData, type FromWorker, idle, loading, slot, type ToWorker } from "./control-protocol.ts";
import type { ConnectionInfo, Outlet } from "./tslab.ts";

/** What the control channel brings. */
export interface ControlEvents {
  /** A request's frames, and the number of the cell that ran when it came. */
  onRequest(frames: Buffer[], cell: number): void;
  /** The process that started the kernel is gone. */
  onOrphaned(): void;
}

const closeTimeoutMs = 1_500;

function workerUrl(): URL {
  return new URL(`./control-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
}

/**
 * The control channel and the heartbeat, on a thread of their own.
 *
 * There they answer while a cell's loop keeps the main thread busy; an interrupt that finds it busy
 * ends the loop from outside.
 */
export class Control implements Outlet {
  readonly #state = new Int32Array(new SharedArrayBuffer(16));
  readonly #worker: Worker;
  readonly #ready: Promise<void>;

  constructor(info: ConnectionInfo, events: ControlEvents) {
    Atomics.store(this.#state, slot.cell, loading);
    const watchParent = process.env.JPY_PARENT_PID !== undefined;
    const workerData: ControlData = {
      info,
      key: info.key,
      state: this.#state.buffer as SharedArrayBuffer,
      watchParent,
    };
    this.#worker = new Worker(workerUrl(), { workerData, name: "blocklab control" });
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once("error", reject);
      this.#worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve();
        else if (message.kind === "orphaned") events.onOrphaned();
        else {
          if (message.kind === "control")
            events.onRequest(
              message.frames.map((frame) => Buffer.from(frame)),
              message.cell,
            );
          Atomics.store(this.#state, slot.seen, message.number);
        }
      });
    });
  }

  /** Resolves once the sockets are bound. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Tells the worker which cell interrupts are meant for from now on. */
  setBegun(cell: number): void {
    Atomics.store(this.#state, slot.begun, cell);
  }

  /** Tells the worker which cell has been answered. */
  setEnded(cell: number): void {
    Atomics.store(this.#state, slot.ended, cell);
  }

  /** Tells the worker which cell runs; `idle` for none. */
  setCell(cell: number): void {
    Atomics.store(this.#state, slot.cell, cell);
  }

  /** The host is there: from now on a blocked main thread is a cell's doing. */
  setLoaded(): void {
    Atomics.compareExchange(this.#state, slot.cell, loading, idle);
  }

  send(frames: (Buffer | string)[]): void {
    this.#worker.postMessage({ kind: "send", frames } satisfies ToWorker);
  }

  /** Closes the sockets after what was sent has left; the process may end after it. */
  async close(): Promise<void> {
    const gone = once(this.#worker, "exit");
    this.#worker.postMessage({ kind: "close" } satisfies ToWorker);
    const timeout = new Promise((resolve) => setTimeout(resolve, closeTimeoutMs).unref());
    await Promise.race([gone, timeout]);
  }
}
