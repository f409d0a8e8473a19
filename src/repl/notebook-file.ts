import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ArgsError, ConflictError } from "../core/errors.ts";
import { count, quoted } from "../core/names.ts";
import { notebookMetadata } from "../core/nbformat.ts";
import { replaceText } from "../core/replace-file.ts";
import type { View } from "../core/view.ts";
import type { Bundle } from "../evaluator/display.ts";
import { fromLines, makeCell, type NotebookCell, parseNotebook, writeNotebook } from "../notebooks/ipynb.ts";
import { toErrorOutput, toOutput, toStreamOutput } from "../notebooks/outputs.ts";
import { toBundles } from "../render/index.ts";
import type { Ran } from "./journal.ts";

/** Files that this prompt wrote; another's is never replaced. */
const written = new Set<string>();

/** Saves cells as a notebook with their outputs; answers what it did in a sentence. */
export async function saveNotebook(name: string, cells: readonly Ran[], cwd: string): Promise<string> {
  const file = notebookPath(":save", name, cwd);
  if (cells.length === 0) throw new ArgsError(":save: no cell has run yet, so there is nothing to save.");
  const isTaken = await stat(file).then(
    () => true,
    () => false,
  );
  if (isTaken && !written.has(file))
    throw new ConflictError(`:save: ${quoted(name)} exists already and is not this session's; take another name.`);
  const made: NotebookCell[] = [];
  for (const [k, cell] of cells.entries()) made.push(await toCell(cell, k + 1));
  await replaceText(
    file,
    writeNotebook({ cells: made, metadata: notebookMetadata, nbformat: 4, nbformat_minor: 5 }),
  ).catch((error: NodeJS.ErrnoException) => {
    throw new ArgsError(`:save: ${quoted(name)} can't be written (${error.code}).`, { got: name }, { cause: error });
  });
  written.add(file);
  return `${count(made.length, "cell")} saved to ${name}.`;
}

/** A cell with its outputs; a chart gets its pictures here. */
async function toCell(ran: Ran, number: number): Promise<NotebookCell> {
  const bundles = await bundlesOf(ran.shown);
  const outputs = [
    ...ran.printed.map(({ stream, text }) => toStreamOutput(stream, text)),
    ...bundles.map((bundle, k) => toOutput(bundle, k === bundles.length - 1 ? number : null)),
    ...(ran.error ? [toErrorOutput(ran.error)] : []),
  ];
  const cell = makeCell("code", ran.source);
  return { ...cell, metadata: { ...cell.metadata, ...ran.metadata }, execution_count: number, outputs };
}

async function bundlesOf(shown: View | readonly Bundle[] | null): Promise<readonly Bundle[]> {
  if (shown === null) return [];
  return "kind" in shown ? await toBundles(shown) : shown;
}

/** A code cell of a notebook: its text, and an id under which it may run again. */
export interface LoadedCell {
  readonly id: string;
  readonly source: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The code cells of a notebook, in order, the empty ones left out. */
export async function loadNotebook(name: string, cwd: string): Promise<LoadedCell[]> {
  const file = notebookPath(":load", name, cwd);
  const source = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ArgsError(`:load: there is no file ${quoted(name)}.`, { got: name }, { cause: error });
  });
  return parseNotebook(source, name)
    .cells.filter((cell) => cell.cell_type === "code")
    .map((cell, k) => ({ id: `${file}#${cell.id ?? k}`, source: fromLines(cell.source), metadata: cell.metadata }))
    .filter((cell) => cell.source.trim() !== "");
}

function notebookPath(command: string, name: string, cwd: string): string {
  if (/.\.ipynb$/.test(name)) return resolve(cwd, name);
  const came = name === "" ? "nothing" : quoted(name);
  throw new ArgsError(`${command} takes the name of a notebook that ends in .ipynb, got ${came}.`, { got: name });
}
