import type { CellError } from "./evaluator.ts";
import { CellSyntaxError } from "./transpile.ts";

/** Our own compiled or source files, whose frames say nothing to the person at the screen. */
const ownFolder = new URL("..", import.meta.url).href;

/** Whatever was thrown, as front ends show it. */
export function toCellError(thrown: unknown): CellError {
  if (thrown instanceof CellSyntaxError) {
    return { name: thrown.name, message: thrown.message, trace: thrown.excerpt, cause: thrown };
  }
  if (!isError(thrown)) return { name: "Thrown", message: describe(thrown), trace: [], cause: thrown };
  return { name: thrown.name || "Error", message: thrown.message, trace: traceOf(thrown), cause: thrown };
}

/** Errors of a cell may come from another realm, so `instanceof` is not enough. */
function isError(thrown: unknown): thrown is Error {
  return (
    typeof thrown === "object" && thrown !== null && typeof (thrown as Error).message === "string" && "stack" in thrown
  );
}

/** The frames in cells and in the user's own files. */
function traceOf(error: Error): string[] {
  const frames = String(error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .filter(
      (line) =>
        !/node:internal|node:inspector|\(<anonymous>\)$/.test(line) &&
        !line.includes(ownFolder) &&
        !line.includes(ownPath),
    );
  return frames.slice(0, 8).map((line) => line.replace(/\bcell-(\d+):(\d+):(\d+)/, "cell $1, line $2, column $3"));
}

const ownPath = decodeURIComponent(new URL(ownFolder).pathname);

function describe(thrown: unknown): string {
  try {
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    return String(thrown);
  }
}
