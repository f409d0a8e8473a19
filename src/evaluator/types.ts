import { Worker } from "node:worker_threads";
import type { Answer, Question, Questions, Tables, TypesOptions } from "./types-protocol.ts";

/** How long a cell waits for its check; then it runs unchecked. */
const patienceMs = 1_500;

/** A checker that nobody has asked this long goes, and what it holds, some 80 MB, with it; the next question loads it. */
const restMs = 60_000;

/** By default V8 lets a thread's fresh values take 48 MB, of which a checker leaves most as garbage: 70 MB less, no slower. */
const youngMegabytes = 4;

/**
 * A TypeScript language service over the cells run so far and the one at hand.
 *
 * It works on a thread of its own: loading takes one to two seconds and a check 50 ms and more, which
 * neither a running cell nor the prompt should feel.
 */
export class Types {
  readonly #options: TypesOptions;
  readonly #restMs: number;
  readonly #whenAtRest: () => void;
  /** The cells that ran, each once, in the order of their last runs. */
  readonly #cells = new Set<string>();
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #worker: Worker | null = null;
  #rest: NodeJS.Timeout | null = null;
  #next = 1;
  #isReady = false;
  #isGone = false;

  /** `rest` is after how many idle milliseconds the checker is let go (default: a minute); then `whenAtRest` is called. */
  constructor(options: TypesOptions, rest = restMs, whenAtRest: () => void = () => {}) {
    this.#options = options;
    this.#restMs = rest;
    this.#whenAtRest = whenAtRest;
    this.#start();
  }

  /** Answers come at once from now on. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Asks the checker, which may first have to load; null when it can't answer. */
  ask<K extends keyof Questions>(
    name: K,
    code: string,
    cursor = 0,
    tables: Tables = {},
  ): Promise<ReturnType<Questions[K]> | null> {
    if (this.#isGone) return Promise.resolve(null);
    const worker = this.#worker ?? this.#start();
    if (name === "add") {
      this.#cells.delete(code);
      this.#cells.add(code);
    }
    const id = this.#next++;
    worker.postMessage({ id, name, code, cursor, tables } satisfies Question);
    // Only someone who waits keeps the process alive.
    worker.ref();
    this.#rest?.refresh();
    // The cast holds because the worker answers with what the method of that name returns.
    return new Promise((resolve) => this.#waiting.set(id, resolve as (result: unknown) => void));
  }

  /** Asks without waiting longer than a person at the keyboard would. */
  async askBriefly<K extends keyof Questions>(
    name: K,
    code: string,
    tables: Tables,
  ): Promise<ReturnType<Questions[K]> | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, patienceMs, null);
    });
    try {
      return await Promise.race([this.ask(name, code, 0, tables), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#giveUp();
    await this.#letGo();
  }

  /** Loads the checker, and tells it what ran before. */
  #start(): Worker {
    const file = `./types-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`;
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: this.#options,
      name: "blocklab types",
      resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
    });
    this.#worker = worker;
    worker.unref();
    const whileOurs = <A extends unknown[]>(work: (...given: A) => void) => {
      return (...given: A) => (this.#worker === worker ? work(...given) : undefined);
    };
    worker.on(
      "message",
      whileOurs((answer: Answer) => this.#take(worker, answer)),
    );
    worker.on(
      "error",
      whileOurs(() => this.#giveUp()),
    );
    worker.on(
      "exit",
      whileOurs(() => this.#giveUp()),
    );
    for (const code of this.#cells)
      worker.postMessage({ id: 0, name: "add", code, cursor: 0, tables: {} } satisfies Question);
    this.#rest = setTimeout(() => this.#onRest(), this.#restMs).unref();
    return worker;
  }

  #onRest(): void {
    if (this.#waiting.size > 0) this.#rest?.refresh();
    else void this.#letGo().then(this.#whenAtRest);
  }

  async #letGo(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#isReady = false;
    if (this.#rest) clearTimeout(this.#rest);
    await worker?.terminate();
  }

  #take(worker: Worker, { id, result }: Answer): void {
    this.#isReady = true;
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) worker.unref();
  }

  #giveUp(): void {
    this.#isGone = true;
    this.#isReady = false;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}
