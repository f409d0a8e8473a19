import { Session } from "node:inspector";
import { toCellError } from "./cell-errors.ts";
import { completeness } from "./completeness.ts";
import type { CellOptions, CellResult, Completions, Evaluator, Inspection, OnOutput } from "./evaluator.ts";
import { completeLive } from "./live.ts";
import { cellImports, cellRequire } from "./modules.ts";
import { cellStorage, watchOutput } from "./output.ts";
import { importName, transpile } from "./transpile.ts";
import { openTypes, type Types, type TypesOptions } from "./types.ts";

/** How an evaluator is set up. */
export interface EvaluatorOptions {
  /** The folder from which cells import. */
  readonly cwd: string;
  /** Names that cells find in scope. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** Modules that cells can import under these names although they aren't installed beside the notebook. */
  readonly modules?: Readonly<Record<string, unknown>>;
  readonly onOutput?: OnOutput;
  readonly types?: TypesOptions;
}

/** An evaluator on V8's REPL mode; ready at once, its TypeScript service loads when first asked. */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  return new V8Evaluator(options);
}

type Raw = { readonly objectId?: string; readonly value?: unknown; readonly unserializableValue?: string };
type Evaluated = {
  readonly result: Raw;
  readonly exceptionDetails?: { readonly text: string; readonly exception?: Raw };
};

/** Where values cross from V8's inspector into this program. */
const holder = Symbol.for("blocklab.holder");

class V8Evaluator implements Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #inspector = new Session();
  readonly #sources: string[] = [];
  #types: Promise<Types> | null = null;
  #cells = 0;
  #interrupt: (() => void) | null = null;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#inspector.connect();
    watchOutput();
    const names = {
      ...options.globals,
      require: cellRequire(options.cwd),
      [importName]: cellImports(options.cwd, options.modules ?? {}),
    };
    for (const [name, value] of Object.entries(names)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
    }
    Object.defineProperty(globalThis, holder, {
      value: { take: (value: unknown) => value },
      configurable: true,
      writable: true,
    });
  }

  /** Cells run one after the other. */
  run(code: string, options: CellOptions = {}): Promise<CellResult> {
    const result = this.#tail.then(() => this.#runCell(code, options));
    this.#tail = result;
    return result;
  }

  async complete(code: string, cursor: number): Promise<Completions> {
    const live = completeLive(this.#inspector, code, cursor);
    if (live) return live;
    return (
      (await this.#typesOrNull())?.complete(this.#sources, code, cursor) ?? { start: cursor, end: cursor, items: [] }
    );
  }

  async inspect(code: string, cursor: number): Promise<Inspection | null> {
    return (await this.#typesOrNull())?.inspect(this.#sources, code, cursor) ?? null;
  }

  isComplete(code: string) {
    return completeness(code);
  }

  interrupt(): void {
    this.#interrupt?.();
  }

  async close(): Promise<void> {
    this.#inspector.disconnect();
  }

  async #runCell(code: string, options: CellOptions): Promise<CellResult> {
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    const interrupted = new Promise<never>((_, reject) => {
      const end = () => reject(interruption());
      signal.addEventListener("abort", end, { once: true });
    });
    interrupted.catch(() => undefined);
    this.#interrupt = () => stop.abort();
    const cell = { id: options.cellId, signal, onOutput: this.#options.onOutput };
    try {
      await this.#check(code);
      const script = `${transpile(code)}\n//# sourceURL=cell-${++this.#cells}`;
      const value = await Promise.race([cellStorage.run(cell, () => this.#evaluate(script)), interrupted]);
      this.#sources.push(code);
      Object.defineProperty(globalThis, "_", { value, configurable: true, writable: true, enumerable: false });
      return { kind: "value", value };
    } catch (error) {
      return { kind: "error", error: toCellError(error) };
    } finally {
      this.#interrupt = null;
    }
  }

  /** The value of the script's last expression, awaited when it is a promise or a chain. */
  async #evaluate(script: string): Promise<unknown> {
    const answer = await new Promise<Evaluated>((resolve, reject) => {
      const params = { expression: script, replMode: true, awaitPromise: true, userGesture: false };
      this.#inspector.post("Runtime.evaluate", params, (error, result) => {
        if (error) reject(error);
        else resolve(result as Evaluated);
      });
    });
    if (answer.exceptionDetails) {
      const { exception, text } = answer.exceptionDetails;
      if (!exception) throw /terminated/i.test(text) ? interruption() : new Error(text);
      const thrown = this.#fetch(exception);
      throw thrown === null && /terminated/i.test(text) ? interruption() : thrown;
    }
    return await this.#fetch(answer.result);
  }

  /** The value itself behind what the inspector says of it. */
  #fetch(raw: Raw): unknown {
    if (raw.objectId === undefined) {
      if (raw.unserializableValue !== undefined) return unserializable(raw.unserializableValue);
      return raw.value;
    }
    const box: { value?: unknown } = {};
    Object.assign((globalThis as unknown as { [holder]: object })[holder], {
      take: (value: unknown) => (box.value = value),
    });
    this.#inspector.post("Runtime.callFunctionOn", {
      functionDeclaration: `function () { globalThis[Symbol.for("blocklab.holder")].take(this); }`,
      objectId: raw.objectId,
    });
    this.#inspector.post("Runtime.releaseObject", { objectId: raw.objectId });
    return box.value;
  }

  async #check(code: string): Promise<void> {
    // Without a call there is nothing of the session's to get wrong, and checking takes some 15 ms.
    if (this.#options.types?.check !== "session" || !/\w\s*\(/.test(code)) return;
    this.#types ??= openTypes(this.#options.types);
    // Running never waits for the checker to load; the first cells go unchecked if they are faster.
    const ready = await Promise.race([this.#types, new Promise<null>((resolve) => setImmediate(resolve, null))]);
    ready?.refuse(this.#sources, code);
  }

  async #typesOrNull(): Promise<Types | null> {
    if (!this.#options.types) return null;
    this.#types ??= openTypes(this.#options.types);
    return await this.#types;
  }
}

function interruption(): Error {
  return Object.assign(new Error("the cell was interrupted; names keep their values"), {
    name: "Interrupted",
    stack: "",
  });
}

function unserializable(text: string): unknown {
  if (/^-?\d+n$/.test(text)) return BigInt(text.slice(0, -1));
  return text === "-0" ? -0 : Number(text);
}
