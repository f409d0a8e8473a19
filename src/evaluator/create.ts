import { Session } from "node:inspector";
import { setTimeout } from "node:timers/promises";
import { promiseHooks } from "node:v8";
import { harmless } from "../core/visible.ts";
import { scriptName, toCellError } from "./cell-errors.ts";
import { completeness } from "./completeness.ts";
import type { CellOptions, CellResult, Completions, Evaluator, Inspection, OnOutput, Variable } from "./evaluator.ts";
import { importName } from "./imports.ts";
import { interruption, isTermination, unlessAborted } from "./interruption.ts";
import { lackingWords, lookedAt } from "./lacking.ts";
import { completeLive, merge } from "./live.ts";
import { cellImports, cellRequire } from "./modules.ts";
import { declared, keepResult, makeWay, setGlobal } from "./names.ts";
import { cellStorage, type RunningCell, watchOutput } from "./output.ts";
import { Peek } from "./peek.ts";
import { giveBackMemory } from "./rest.ts";
import { rawTerminal, StopKey } from "./stop-key.ts";
import { surviveStrayErrors } from "./stray.ts";
import { CellSyntaxError } from "./syntax.ts";
import { type Script, transpile } from "./transpile.ts";
import { Types } from "./types.ts";
import type { Tables, TypesOptions } from "./types-protocol.ts";

/** How an evaluator is set up. */
export interface EvaluatorOptions {
  /** The folder from which cells import. */
  readonly cwd: string;
  /** Names that cells find in scope. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** Modules that cells can import under these names although they aren't installed beside the notebook. */
  readonly modules?: Readonly<Record<string, object>>;
  readonly onOutput?: OnOutput;
  /** Empties what a cell has shown, when it calls `console.clear()` (default: as Node does). */
  readonly onClear?: () => void;
  readonly types?: TypesOptions;
  /** The columns of the tables that the code's chains begin with, as far as they can be told at once (default: none). */
  readonly tables?: (code: string, cellId: string | undefined) => Promise<Tables>;
  /** Keep the last results as `_1`, `_2`, … beside `_` (default false). */
  readonly keepsResults?: boolean;
}

/** An evaluator on V8's REPL mode; ready at once, its TypeScript service loads behind it. */
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

/** A completion waits so long for a checker that loads. */
const loadingMs = 100;

/** What the inspector holds for one cell goes when the cell ends. */
const objectGroup = "blocklab";

class V8Evaluator implements Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #inspector = new Session();
  /** The names that cells declared as constants. */
  readonly #constants = new Set<string>();
  /** All names that this evaluator's cells declared. */
  readonly #own = new Set<string>();
  #types: Types | null = null;
  /** The cells that ran before the types were first asked for. */
  #untold: string[] = [];
  /** Promises of scripts that have not answered yet. */
  readonly #held = new Set<Promise<unknown>>();
  readonly #peek = new Peek(this.#inspector);
  #cells = 0;
  #results = 0;
  #stopKey: StopKey | null = null;
  #interrupt: (() => void) | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#inspector.connect();
    watchOutput();
    surviveStrayErrors();
    const names = {
      ...options.globals,
      require: cellRequire(options.cwd),
      [importName]: cellImports(options.cwd, options.modules ?? {}),
    };
    for (const [name, value] of Object.entries(names)) setGlobal(name, value);
    Object.defineProperty(globalThis, holder, {
      value: { take: (value: unknown) => value },
      configurable: true,
      writable: true,
    });
    // Behind whatever the host does first.
    if ((options.types?.check ?? "off") !== "off") setImmediate(() => this.#openTypes());
  }

  /** Cells run one after the other. */
  run(code: string, options: CellOptions = {}): Promise<CellResult> {
    const result = this.#tail.then(() => this.#runCell(code, options));
    this.#tail = result;
    return result;
  }

  async complete(code: string, cursor: number): Promise<Completions> {
    const live = completeLive(this.#inspector, code, cursor);
    const types = this.#openTypes();
    if (!types) return live ?? { start: cursor, end: cursor, items: [] };
    const asked = this.#tables(code).then((tables) => types.ask("complete", code, cursor, tables));
    if (types.isReady) return merge(live, await asked) ?? { start: cursor, end: cursor, items: [] };
    // Nobody waits for the checker to load; what the program itself knows is at hand.
    const typed = live ? null : await Promise.race([asked, setTimeout(loadingMs, null, { ref: false })]);
    return typed ?? { ...(live ?? { start: cursor, end: cursor, items: [] }), isEarly: true };
  }

  async inspect(code: string, cursor: number): Promise<Inspection | null> {
    return (await this.#openTypes()?.ask("inspect", code, cursor, await this.#tables(code))) ?? null;
  }

  preview(code: string): string | null {
    return this.#isClosed ? null : this.#peek.preview(code);
  }

  variables(): Variable[] {
    return [...this.#own].map((name) => this.#peek.variable(name)).filter((each) => each !== null);
  }

  isComplete(code: string) {
    return completeness(code);
  }

  interrupt(): void {
    this.#interrupt?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#inspector.disconnect();
    await Promise.all([this.#types?.close(), this.#stopKey?.close()]);
  }

  async #runCell(code: string, options: CellOptions): Promise<CellResult> {
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    this.#interrupt = () => stop.abort();
    const { onOutput, onClear } = this.#options;
    const cell: RunningCell = { id: options.cellId, signal, onOutput, onClear };
    try {
      const value = await unlessAborted(signal, async () => {
        await this.#check(code, cell);
        signal.throwIfAborted();
        return await this.#runScript(code, cell, options.number);
      });
      if (value === undefined) await this.#tellLacking(code, cell);
      const name = value === undefined ? null : this.#keep(value);
      return { kind: "value", value, ...(name === null ? {} : { name }) };
    } catch (error) {
      return { kind: "error", error: toCellError(error) };
    } finally {
      this.#interrupt = null;
      this.#peek.rest();
    }
  }

  #keep(value: unknown): string | null {
    return keepResult(value, this.#options.keepsResults ? ++this.#results : null);
  }

  async #runScript(code: string, cell: RunningCell, number?: number): Promise<unknown> {
    const script = transpile(code, this.#constants);
    // Told before it runs: a cell that fails half-way has declared names, too.
    if (this.#types) this.#types.ask("add", code);
    else if (this.#options.types) this.#untold.push(code);
    this.#declare(script, false);
    this.#cells++;
    const text = `${script.js}\n//# sourceURL=${scriptName(number ?? this.#cells, script.before)}`;
    const work = () => cellStorage.run(cell, () => this.#evaluate(text));
    const value = await (this.#watched()?.during(work) ?? work());
    this.#declare(script, true);
    return value;
  }

  /** Makes way for a cell's names before it runs; remembers its constants once they have their values. */
  #declare({ declares }: Script, isDone: boolean): void {
    for (const [name, isConstant] of declares) {
      if (isDone && isConstant) this.#constants.add(name);
      else this.#constants.delete(name);
      if (!isDone) makeWay(name);
      declared.add(name);
      this.#own.add(name);
    }
  }

  #watched(): StopKey | null {
    const terminal = rawTerminal();
    if (terminal === null) return null;
    this.#stopKey ??= new StopKey(terminal, () => this.interrupt());
    return this.#stopKey;
  }

  /** The value of the script's last expression, awaited when it is a promise or a chain. */
  async #evaluate(expression: string): Promise<unknown> {
    const answer = await new Promise<Evaluated>((resolve, reject) => {
      const params = { expression, objectGroup, replMode: true, awaitPromise: true, userGesture: false };
      let release: (() => void) | null = null;
      release = this.#holdFirstPromise(() =>
        this.#inspector.post("Runtime.evaluate", params, (error, result) => {
          release?.();
          if (error) reject(isTermination(error.message) ? interruption() : error);
          else resolve(result as Evaluated);
        }),
      );
    });
    try {
      if (!answer.exceptionDetails) return await this.#fetch(answer.result);
      const { exception, text } = answer.exceptionDetails;
      const thrown = exception ? this.#fetch(exception) : null;
      throw thrown === null && isTermination(text) ? interruption() : thrown;
    } finally {
      if (!this.#isClosed) this.#inspector.post("Runtime.releaseObjectGroup", { objectGroup });
    }
  }

  /**
   * Keeps the first promise that the work makes, the script's own, until the answer releases it.
   *
   * A script may wait for what never comes; once nothing leads to its promise, V8's inspector says so in the middle
   * of a garbage collection, where no JavaScript may run, and the process dies.
   */
  #holdFirstPromise(work: () => void): (() => void) | null {
    let own: Promise<unknown> | null = null;
    const stop = promiseHooks.onInit((promise) => {
      own ??= promise;
    }) as () => void;
    try {
      work();
    } finally {
      stop();
    }
    // A cast because the hook's assignment is invisible to the type checker.
    const held = own as Promise<unknown> | null;
    if (held) this.#held.add(held);
    return held && (() => this.#held.delete(held));
  }

  /** The value itself behind what the inspector says of it. */
  #fetch(raw: Raw): unknown {
    if (raw.objectId === undefined) {
      if (raw.unserializableValue !== undefined) return unserializable(raw.unserializableValue);
      return raw.value;
    }
    const box: { value?: unknown } = {};
    Object.assign((globalThis as unknown as { [holder]: object })[holder], {
      take: (value: unknown) => {
        box.value = value;
      },
    });
    this.#inspector.post("Runtime.callFunctionOn", {
      // Strict, or a symbol would come as an object around it.
      functionDeclaration: `function () { "use strict"; globalThis[Symbol.for("blocklab.holder")].take(this); }`,
      objectId: raw.objectId,
    });
    return box.value;
  }

  async #check(code: string, { id, onOutput }: RunningCell): Promise<void> {
    const check = this.#options.types?.check ?? "off";
    // Without a call there is nothing of the session's to get wrong.
    if (check === "off" || (check === "session" && !/\w\s*\(/.test(code))) return;
    // Running never waits for the checker to load; the first cells go unchecked if they are faster.
    const types = this.#openTypes();
    const tables = types?.isReady ? await this.#tables(code, id) : {};
    const fault = types?.isReady ? await types.askBriefly("fault", code, tables) : null;
    if (fault) throw new CellSyntaxError(fault.message, fault.excerpt, false, "Type error");
    if (check !== "all" || !types?.isReady) return;
    for (const { message, excerpt } of (await types.askBriefly("warnings", code, tables)) ?? []) {
      onOutput?.("stderr", [`Type warning: ${message}`, ...excerpt, ""].join("\n"), id);
    }
  }

  /** Says so where a cell looks at a property that a value of ours does not have: nothing at all would be shown. */
  async #tellLacking(code: string, { id, onOutput }: RunningCell): Promise<void> {
    const looked = lookedAt(code);
    if (!looked) return;
    const value = await this.#evaluate(`[${looked.name}]`).catch(() => null);
    const words = Array.isArray(value) ? lackingWords(value[0], looked.path) : null;
    if (words === null) return;
    if (onOutput) onOutput("stderr", `${words}\n`, id);
    else process.stderr.write(`${harmless(words)}\n`);
  }

  /** What is known of the tables in the code; nothing where that fails, since it is a help alone. */
  async #tables(code: string, cellId?: string): Promise<Tables> {
    return (await this.#options.tables?.(code, cellId).catch(() => ({}))) ?? {};
  }

  /** Nobody has run or asked anything for a while. */
  #rest(): void {
    if (this.#interrupt === null && !this.#isClosed) giveBackMemory();
  }

  #openTypes(): Types | null {
    const { types, cwd } = this.#options;
    if (!types || this.#isClosed) return null;
    if (this.#types === null) {
      this.#types = new Types({ cwd, ...types }, undefined, () => this.#rest());
      for (const code of this.#untold) this.#types.ask("add", code);
      this.#untold = [];
    }
    return this.#types;
  }
}

function unserializable(text: string): unknown {
  if (/^-?\d+n$/.test(text)) return BigInt(text.slice(0, -1));
  return text === "-0" ? -0 : Number(text);
}
