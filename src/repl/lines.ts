import { BlocklabError, messageOf } from "../core/errors.ts";
import { harmlessJson } from "../core/visible.ts";
import type { CellError, Evaluator } from "../evaluator/evaluator.ts";
import { commandIn } from "./command.ts";

/** What running cells outside the app needs. */
export interface Bench {
  readonly evaluator: Evaluator;
  /** A value as lines of text; none for undefined. */
  show(value: unknown): Promise<readonly string[]>;
}

/** Where results and errors go. */
export interface Sinks {
  out(text: string): void;
  err(text: string): void;
}

/**
 * Groups lines into cells: a cell ends where it is complete and the next line does not go on with it.
 *
 * A line that begins with a dot goes on with the chain before it; a command of the prompt, or `name?`, is a cell.
 */
export function toCells(text: string, isComplete: (code: string) => boolean): string[] {
  const lines = text.split(/\r?\n/);
  const cells: string[] = [];
  let cell = "";
  for (const [k, line] of lines.entries()) {
    cell = cell === "" ? line : `${cell}\n${line}`;
    if (cell.trim() === "") {
      cell = "";
      continue;
    }
    const next = lines.slice(k + 1).find((later) => later.trim() !== "");
    const isCommand = cell === line && isTyped(line);
    if (!isCommand && next !== undefined && /^\s*\./.test(next) && !isTyped(next)) continue;
    if (!isCommand && !isComplete(cell)) continue;
    cells.push(cell);
    cell = "";
  }
  return cell.trim() === "" ? cells : [...cells, cell];
}

/** Is it a line for the prompt rather than code? */
export function isTyped(line: string): boolean {
  return commandIn(line) !== null || /^[\w$.]+\?\s*$/.test(line);
}

/** Runs the cells of a text and prints their results; stops at the first error with status 1. */
export async function runLines(text: string, bench: Bench, sinks: Sinks): Promise<number> {
  for (const cell of toCells(text, (code) => bench.evaluator.isComplete(code).status !== "incomplete")) {
    if (!(await runOne(cell, bench, sinks))) return 1;
  }
  return 0;
}

/** Runs one cell and prints its value or its error; says whether it went well. */
export async function runOne(cell: string, bench: Bench, sinks: Sinks): Promise<boolean> {
  const result = await bench.evaluator.run(cell);
  try {
    if (result.kind === "value") {
      for (const line of await bench.show(result.value)) sinks.out(`${line}\n`);
      return true;
    }
    sinks.err(`${errorLines(result.error).join("\n")}\n`);
    return false;
  } catch (error) {
    sinks.err(`${messageOf(error)}\n`);
    return false;
  }
}

/** Runs one cell and prints its value as JSON, for machines. */
export async function runJson(cell: string, bench: Bench, sinks: Sinks): Promise<number> {
  const result = await bench.evaluator.run(cell);
  if (result.kind === "error") {
    const { name, message, cause } = result.error;
    const detail = cause instanceof BlocklabError ? cause.detail : undefined;
    sinks.err(`${harmlessJson({ error: { name, message, detail } })}\n`);
    return 1;
  }
  sinks.out(`${harmlessJson(plainData(result.value))}\n`);
  return 0;
}

/** A result stands for its record; everything else for itself. */
function plainData(value: unknown): unknown {
  const record = (value as { record?: unknown } | null)?.record;
  return record === undefined ? value : record;
}

/** An error as lines: our own sentences alone, others with where they came from. */
export function errorLines(error: CellError): string[] {
  if (error.cause instanceof BlocklabError) return [error.message];
  return [`${error.name}: ${error.message}`, ...error.trace.map((line) => `  ${line}`)];
}
