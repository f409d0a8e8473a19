import { toLines } from "../core/nbformat.ts";
import type { Bundle } from "../evaluator/display.ts";
import type { CellError } from "../evaluator/evaluator.ts";
import { type Output, toMimeLines } from "./ipynb.ts";

/** What a cell printed to a stream, as the format keeps it. */
export function toStreamOutput(name: "stdout" | "stderr", text: string): Output {
  return { output_type: "stream", name, text: toLines(text) };
}

/** A value's bundle: the cell's result where it has a count, else something shown on the way. */
export function toOutput({ data, metadata }: Bundle, count: number | null): Output {
  const kept = { data: toMimeLines(data), metadata: metadata ?? {} };
  return count === null
    ? { output_type: "display_data", ...kept }
    : { output_type: "execute_result", execution_count: count, ...kept };
}

/** A cell's error as the format keeps it. */
export function toErrorOutput({ name, message, trace }: CellError): Output {
  return { output_type: "error", ename: name, evalue: message, traceback: [`${name}: ${message}`, ...trace] };
}
