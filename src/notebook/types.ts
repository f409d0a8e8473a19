import { Worker } from "node:worker_threads";
import type { Answer, Question, Questions, TypesOptions } from "./types-protocol.ts";

/** How long a cell waits for its check; then it runs unchecked. */
const patienceMs = 1_500;

/**
 * A TypeScript language service over the cells run so far and the one at hand.
 *
 * It works on a thread of its own: loading takes one to two seconds and a check 50 ms and more, which
 * neither a running cell nor the prompt should feel.
 */
export class Types {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #next = 1;
  #isReady = false;
  #isGone = false;

  constructor(options: TypesOptions) {
    const file = `./types-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`;
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: options, name: "blocklab types" });
    this.#worker.unref();
    this.#worker.on("message", (answer: Answer) => this.#take(answer));
    this.#worker.on("error", () => this.#giveUp());
    this.#worker.on("exit", () => this.#giveUp());
  }

  /** Answers come at once from now on. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Asks the checker, which may first have to load; null when it can't answer. */
  ask<K extends keyof Questions>(name: K, code: string, cursor = 0): Promise<ReturnType<Questions[K]> | null> {
    if (this.#isGone) return Promise.resolve(null);
    const id = this.#next++;
    const question: Question = { id, name, code, cursor };
    this.#worker.postMessage(question);
    // Only someone who waits keeps the process alive.
    this.#worker.ref();
    // The cast holds because the worker answers with what the method of that name returns.
    return new Promise((resolve) => this.#waiting.set(id, resolve as (result: unknown) => void));
  }

  /** Asks without waiting longer than a person at the keyboard would. */
  async askBriefly<K extends keyof Questions>(name: K, code: string): Promise<ReturnType<Questions[K]> | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, patienceMs, null);
    });
    try {
      return await Promise.race([this.ask(name, code), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #take({ id, result }: Answer): void {
    this.#isReady = true;
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #giveUp(): void {
    this.#isGone = true;
    this.#isReady = false;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}
