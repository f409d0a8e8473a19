import type { CellError } from "./evaluator.ts";
import { CellSyntaxError, type Place } from "./syntax.ts";

/** Our own compiled or source files, whose frames say nothing to the person at the screen. */
const ownFolder = new URL("..", import.meta.url).href;
const ownPath = decodeURIComponent(new URL(ownFolder).pathname);

interface RanCell {
  readonly label: number;
  before(place: Place): Place;
}

/** The last cells that ran, in any evaluator; older ones are forgotten, to bound the memory. */
const ran = new Map<number, RanCell>();
const rememberedCells = 1_000;
let lastId = 0;

/**
 * Answers the name under which V8 is to know a cell's script.
 *
 * Frames of that script are told with the cell's `label`, and the places that `before` finds.
 */
export function scriptName(label: number, before: (place: Place) => Place): string {
  lastId++;
  ran.set(lastId, { label, before });
  ran.delete(lastId - rememberedCells);
  return `cell-${lastId}`;
}

/** Whatever was thrown, as front ends show it. */
export function toCellError(thrown: unknown): CellError {
  try {
    return read(thrown);
  } catch {
    // A proxy or a getter may itself throw.
    return { name: "Thrown", message: "a value that can't be shown", trace: [], cause: thrown };
  }
}

function read(thrown: unknown): CellError {
  if (thrown instanceof CellSyntaxError) {
    return { name: thrown.name, message: thrown.message, trace: thrown.excerpt, cause: thrown };
  }
  if (!isError(thrown)) return { name: "Thrown", message: describe(thrown), trace: [], cause: thrown };
  const trace = [...framesOf(thrown), ...causesOf(thrown)];
  return { name: String(thrown.name || "Error"), message: String(thrown.message), trace, cause: thrown };
}

/** Errors of a cell may come from another realm, so `instanceof` is not enough. */
function isError(thrown: unknown): thrown is Error {
  return (
    typeof thrown === "object" && thrown !== null && typeof (thrown as Error).message === "string" && "stack" in thrown
  );
}

/** The frames in cells and in the user's own files; what called the cell is the host's business. */
function framesOf(error: Error): string[] {
  const frames = String(error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !isForeign(line))
    .map((line) => line.trim());
  const last = frames.findLastIndex((line) => cellFrame.test(line));
  return (last < 0 ? frames : frames.slice(0, last + 1)).slice(0, 8).map(readable);
}

const cellFrame = /\bcell-(\d+):(\d+):(\d+)/;

function isForeign(line: string): boolean {
  return /node:|\(<anonymous>\)$/.test(line) || line.includes(ownFolder) || line.includes(ownPath);
}

function readable(frame: string): string {
  return frame.replace(cellFrame, (_, id: string, line: string, column: string) => {
    const typed = { line: Number(line), column: Number(column) - 1 };
    const cell = ran.get(Number(id));
    const place = cell?.before(typed) ?? typed;
    return `cell ${cell?.label ?? id}, line ${place.line}, column ${place.column + 1}`;
  });
}

/** What an error was caused by, or the errors that it gathers, a line each. */
function causesOf(error: Error): string[] {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown };
  const causes = Array.isArray(errors) ? errors : isError(cause) ? [cause] : [];
  return causes
    .slice(0, 3)
    .map((each) => `caused by ${isError(each) ? `${each.name}: ${each.message}` : describe(each)}`);
}

function describe(thrown: unknown): string {
  try {
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return String(thrown);
  }
}
