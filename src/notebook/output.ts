import { AsyncLocalStorage } from "node:async_hooks";
import type { OnOutput } from "./evaluator.ts";

/** The cell on whose behalf something runs. */
export interface RunningCell {
  readonly id: string | undefined;
  readonly signal: AbortSignal;
  readonly onOutput: OnOutput | undefined;
}

/** Follows a cell through everything it starts, also after it ended. */
export const cellStorage = new AsyncLocalStorage<RunningCell>();

/** The session room finds the running cell here; see src/session/cells.ts. */
const seam = Symbol.for("blocklab.cell");

let isWatching = false;

/** From here on what cells write to stdout and stderr reaches their evaluator. */
export function watchOutput(): void {
  if (isWatching) return;
  isWatching = true;
  Object.defineProperty(globalThis, seam, { configurable: true, value: () => cellStorage.getStore() });
  divert("stdout");
  divert("stderr");
}

function divert(name: "stdout" | "stderr"): void {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const cell = cellStorage.getStore();
    if (!cell?.onOutput) return write(chunk, ...rest);
    const { onOutput } = cell;
    const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    // Outside the cell, so that a listener may itself write to the stream.
    cellStorage.exit(() => onOutput(name, text, cell.id));
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  }) as typeof stream.write;
}
