import { Worker } from "node:worker_threads";

/** Slots of the memory that the main thread shares with the watcher. */
export const slot = { running: 0, beat: 1 } as const;

/** What the watcher is given. */
export interface StopKeyData {
  readonly state: SharedArrayBuffer;
  /** The terminal. */
  readonly path: string;
}

const beatMs = 50;

/**
 * Makes ctrl-c stop a loop that keeps the main thread busy.
 *
 * At a prompt the terminal sends ctrl-c as a byte, not as a signal, and a busy main thread doesn't read it.
 * So a thread of its own reads the terminal while a cell runs and the main thread shows no life.
 */
export class StopKey {
  readonly #state = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;
  #beat: NodeJS.Timeout | undefined;

  /** `onStop` hears of it once the loop has ended. */
  constructor(path: string, onStop: () => void) {
    const file = `./stop-key-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`;
    // A cast because the buffer was made shared just above.
    const workerData: StopKeyData = { state: this.#state.buffer as SharedArrayBuffer, path };
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData, name: "blocklab stop key" });
    this.#worker.unref();
    this.#worker.on("message", onStop);
    // Without the watcher ctrl-c still ends everything but a busy loop.
    this.#worker.on("error", () => undefined);
  }

  /** Runs a cell's work under watch. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#beat = setInterval(() => Atomics.add(this.#state, slot.beat, 1), beatMs).unref();
    Atomics.store(this.#state, slot.running, 1);
    try {
      return await work();
    } finally {
      Atomics.store(this.#state, slot.running, 0);
      clearInterval(this.#beat);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** The terminal whose ctrl-c comes as a byte; null where there is none, or signals work. */
export function rawTerminal(): string | null {
  return process.platform !== "win32" && process.stdin.isTTY && process.stdin.isRaw ? "/dev/tty" : null;
}
