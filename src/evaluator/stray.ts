import { harmless } from "../core/visible.ts";
import { toCellError } from "./cell-errors.ts";
import { cellStorage } from "./output.ts";

let isWatching = false;

/**
 * Keeps the process alive when a promise that nobody awaits, or a timer, fails in a cell; the cell is told.
 *
 * A host that listens itself, as the Jupyter kernel does, goes first. Errors from elsewhere end the process as ever.
 */
export function surviveStrayErrors(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("unhandledRejection", (error) => {
    if (process.listenerCount("unhandledRejection") > 1) return;
    if (!report(error)) throw error;
  });
  process.on("uncaughtException", onException);
}

function onException(error: unknown): void {
  if (process.listenerCount("uncaughtException") > 1 || report(error)) return;
  // Thrown again without this listener, it ends the process in Node's own way.
  process.off("uncaughtException", onException);
  setImmediate(() => {
    throw error;
  });
}

/** What a cell's stderr says of an error that nobody awaits. */
export function strayWords(error: unknown): string {
  const { name, message, trace } = toCellError(error);
  return [`Uncaught ${name}: ${message}`, ...trace.map((line) => `  ${line}`), ""].join("\n");
}

/** Tells a cell's error on its stderr; false when it is no cell's. */
function report(error: unknown): boolean {
  const cell = cellStorage.getStore();
  // Where the cell was lost on the way, a frame in one still tells.
  if (!cell && !/\bcell-\d+:\d+:\d+/.test(String((error as Error | null)?.stack))) return false;
  const text = strayWords(error);
  const { onOutput } = cell ?? {};
  // Outside the cell, so that a listener may itself write to the stream.
  if (onOutput) cellStorage.exit(() => onOutput("stderr", text, cell?.id));
  else process.stderr.write(harmless(text));
  return true;
}
