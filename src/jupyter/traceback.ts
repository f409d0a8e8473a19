import { stripVTControlCharacters } from "node:util";
import type { CellError } from "../evaluator/evaluator.ts";

const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;
const faint = (text: string): string => `\u001b[2m${text}\u001b[22m`;

/** Text without escape sequences or control characters: an error's words may come from anyone's data. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** The content of an `error` message. */
export interface ErrorContent {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

/** An error as Jupyter shows it: the name in red, the frames faint. */
export function errorContent(error: Pick<CellError, "name" | "message" | "trace">): ErrorContent {
  const name = plain(error.name);
  const message = plain(error.message);
  const title = message === "" ? red(name) : `${red(name)}: ${message}`;
  const frames = error.trace.map(plain).filter((line) => line.trim() !== "");
  return { ename: name, evalue: message, traceback: [title, ...frames.map(faint)] };
}

/** What was thrown outside a cell's own code, as an error of that cell. */
export function errorOf(cause: unknown): CellError {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return { name: error.name, message: error.message, trace: [], cause };
}
