import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { ArgsError, BlocklabError } from "../core/errors.ts";
import { quoted } from "../core/names.ts";
import { toLines } from "../core/nbformat.ts";
import { replaceText } from "../core/replace-file.ts";
import { harmless } from "../core/visible.ts";
import { toCellError } from "../evaluator/cell-errors.ts";
import { type Bundle, plain } from "../evaluator/display.ts";
import type { CellError, Evaluator, OnOutput } from "../evaluator/evaluator.ts";
import { fromLines, type Notebook, type NotebookCell, type Output, parseNotebook, writeNotebook } from "./ipynb.ts";
import { toErrorOutput, toOutput } from "./outputs.ts";

/** What running a file needs: an evaluator whose output can be heard, and a way to show values. */
export interface RunBench {
  readonly evaluator: Evaluator;
  display(value: unknown): Promise<readonly Bundle[]>;
  close(): Promise<void>;
}

/** Opens a bench. */
export type OpenBench = (options: { readonly onOutput: OnOutput; readonly cwd: string }) => Promise<RunBench>;

/** How a file is run. */
export interface RunFileOptions {
  /** Write the new outputs into the notebook. */
  readonly inplace: boolean;
  /** Fail when the stored outputs are not what comes out now. */
  readonly check: boolean;
}

/** Runs a notebook or a script, printing its output; answers the exit status. */
export async function runFile(file: string, options: RunFileOptions, open: OpenBench): Promise<number> {
  const source = await readFile(file, "utf8").catch((error: unknown) => {
    throw new ArgsError(`there is no file ${quoted(file)} to run.`, { got: file }, { cause: error });
  });
  const run = new FileRun(basename(file), options);
  const bench = await open({ onOutput: (stream, text) => run.hear(stream, text), cwd: dirname(resolve(file)) });
  try {
    if (!file.endsWith(".ipynb")) return await run.script(source, bench);
    const book = parseNotebook(source, file);
    const status = await run.notebook(book, bench);
    if (options.inplace) await replaceText(file, writeNotebook(book));
    return status;
  } finally {
    await bench.close();
  }
}

type Shown = { readonly bundles: readonly Bundle[] } | { readonly error: CellError };

/** Runs a cell and draws its value; a value that can't be drawn is an error of the cell. */
async function runAndShow(source: string, cellId: string, bench: RunBench, number = 1): Promise<Shown> {
  const result = await bench.evaluator.run(source, { cellId, number });
  if (result.kind === "error") return { error: result.error };
  try {
    return { bundles: await bench.display(result.value) };
  } catch (error) {
    return { error: toCellError(error) };
  }
}

class FileRun {
  readonly #name: string;
  readonly #options: RunFileOptions;
  #outputs: Output[] = [];

  constructor(name: string, options: RunFileOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Takes what a cell prints. */
  hear(stream: "stdout" | "stderr", text: string): void {
    if (!this.#options.check) process[stream].write(harmless(text));
    const last = this.#outputs.at(-1);
    if (last?.output_type === "stream" && last.name === stream) (last.text as string[]).push(text);
    else this.#outputs.push({ output_type: "stream", name: stream, text: [text] });
  }

  async script(source: string, bench: RunBench): Promise<number> {
    const shown = await runAndShow(source, this.#name, bench);
    if ("error" in shown) return this.#fail(shown.error);
    for (const bundle of shown.bundles) print(bundle);
    return 0;
  }

  async notebook(book: Notebook, bench: RunBench): Promise<number> {
    const cells = book.cells.filter((cell) => cell.cell_type === "code");
    let differing = 0;
    for (const [k, cell] of cells.entries()) {
      const stored = cell.outputs ?? [];
      const error = await this.#cell(cell, k + 1, bench);
      if (this.#options.check) {
        const difference = compare(stored, cell.outputs ?? []);
        if (difference)
          process.stderr.write(harmless(`${this.#name}, cell ${k + 1}: stored output differs.\n${difference}\n`));
        if (difference) differing++;
      }
      if (error) return this.#fail(error);
    }
    if (this.#options.check && differing === 0)
      process.stdout.write(`${this.#name}: ${cells.length} cells as stored.\n`);
    return differing === 0 ? 0 : 1;
  }

  async #cell(cell: NotebookCell, number: number, bench: RunBench): Promise<CellError | null> {
    this.#outputs = [];
    const source = fromLines(cell.source);
    const isEmpty = source.trim() === "";
    const shown = isEmpty ? { bundles: [] } : await runAndShow(source, cell.id ?? `cell-${number}`, bench, number);
    if ("error" in shown) this.#outputs.push(toErrorOutput(shown.error));
    else {
      for (const [k, bundle] of shown.bundles.entries()) {
        if (!this.#options.check) print(bundle);
        this.#outputs.push(toOutput(bundle, k === shown.bundles.length - 1 ? number : null));
      }
    }
    for (const output of this.#outputs) {
      if (output.output_type === "stream") output.text = toLines(fromLines(output.text as string[]));
    }
    cell.outputs = this.#outputs;
    cell.execution_count = isEmpty ? null : number;
    return "error" in shown ? shown.error : null;
  }

  #fail(error: CellError): number {
    const isOwn = error.cause instanceof BlocklabError;
    const lines = isOwn ? [error.message] : [`${error.name}: ${error.message}`, ...error.trace];
    process.stderr.write(harmless(`${lines.join("\n")}\n`));
    return 1;
  }
}

function print({ data }: Bundle): void {
  const text = data["text/plain"];
  process.stdout.write(harmless(`${typeof text === "string" ? text : plain(data)}\n`));
}

/** The first difference between stored and new outputs, by their text; null when there is none. */
function compare(stored: readonly Output[], fresh: readonly Output[]): string | null {
  const before = stored.map(textOf).join("\n").split("\n");
  const after = fresh.map(textOf).join("\n").split("\n");
  const at = Array.from({ length: Math.max(before.length, after.length) }, (_, k) => k).find(
    (k) => before[k] !== after[k],
  );
  if (at === undefined) return null;
  return [`  line ${at + 1}`, `  - ${before[at] ?? "(nothing)"}`, `  + ${after[at] ?? "(nothing)"}`].join("\n");
}

function textOf(output: Output): string {
  if (output.output_type === "stream") return fromLines(output.text as string[]);
  if (output.output_type === "error") return `${output.ename}: ${output.evalue}`;
  const plainText = (output.data as Record<string, unknown> | undefined)?.["text/plain"];
  return fromLines((plainText as string[] | undefined) ?? "");
}
