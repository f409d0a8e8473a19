import { AsyncLocalStorage } from "node:async_hooks";
import { Console } from "node:console";
import type { OnOutput } from "./evaluator.ts";

/** The cell on whose behalf something runs. */
export interface RunningCell {
  readonly id: string | undefined;
  /** Aborted when the cell is interrupted. */
  readonly signal: AbortSignal;
  readonly onOutput: OnOutput | undefined;
  /** Empties what the cell has shown. */
  readonly onClear: (() => void) | undefined;
}

/** Follows a cell through everything it starts, also after it ended. */
export const cellStorage = new AsyncLocalStorage<RunningCell>();

/**
 * The session room finds the running cell here: a function that answers `{ id, signal }`, or undefined
 * outside of cells. See src/session/cells.ts.
 */
const seam = Symbol.for("blocklab.cell");

/** The cell on whose behalf the caller runs, if any. */
export function currentCell(): RunningCell | undefined {
  return cellStorage.getStore();
}

type StreamName = "stdout" | "stderr";

/** Our own `write`s: a stream that lost its own, because someone put the former back, is diverted again. */
const diverted = new WeakSet<NodeJS.WriteStream["write"]>();

let isConsoleDiverted = false;

/** From here on what cells write to stdout and stderr, and to the console, reaches their evaluator. */
export function watchOutput(): void {
  Object.defineProperty(globalThis, seam, { configurable: true, value: currentCell });
  divert("stdout");
  divert("stderr");
  divertConsole();
}

function divert(name: StreamName): void {
  const stream = process[name];
  if (diverted.has(stream.write)) return;
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    if (!tell(name, chunk)) return write(chunk, ...rest);
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  }) as typeof stream.write;
  diverted.add(stream.write);
}

/** Gives a cell's text to its evaluator; false when there is none to take it. */
function tell(name: StreamName, chunk: string | Uint8Array): boolean {
  const cell = cellStorage.getStore();
  if (!cell?.onOutput) return false;
  const { onOutput } = cell;
  const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
  // Outside the cell, so that a listener may itself write to the stream.
  cellStorage.exit(() => onOutput(name, text, cell.id));
  return true;
}

/**
 * Cells have a console of their own.
 *
 * The global one may be patched to print elsewhere, as Ink does; and Node passes what it prints to the
 * inspector, which would keep every object that a cell ever logged.
 */
function divertConsole(): void {
  if (isConsoleDiverted) return;
  isConsoleDiverted = true;
  let shared = globalThis.console;
  const own = new Console({ stdout: cellStream("stdout"), stderr: cellStream("stderr") });
  const clear = own.clear.bind(own);
  own.clear = () => (cellStorage.getStore()?.onClear ?? clear)();
  Object.defineProperty(globalThis, "console", {
    configurable: true,
    enumerable: false,
    get: () => (cellStorage.getStore()?.onOutput ? own : shared),
    set: (next: Console) => {
      shared = next;
    },
  });
}

/** The process's stream as a cell's console sees it. */
function cellStream(name: StreamName): NodeJS.WriteStream {
  const write = (text: string): boolean => tell(name, text) || process[name].write(text);
  return Object.create(process[name], { write: { value: write } });
}
