import type { View } from "../core/view.ts";
import type { Bundle } from "../evaluator/display.ts";
import type { CellError } from "../evaluator/evaluator.ts";
import type { BlockRun } from "../session/index.ts";

/** How much of what a cell prints is kept for a notebook; a cell may print forever. */
const mostPrinted = 1_000_000;

/** A cell that ran, and what came of it. */
export interface Ran {
  readonly source: string;
  readonly ms: number;
  readonly blocks: readonly BlockRun[];
  readonly printed: readonly { readonly stream: "stdout" | "stderr"; readonly text: string }[];
  /** What it showed: a view, which becomes pictures once it is saved, or bundles; null for nothing. */
  readonly shown: View | readonly Bundle[] | null;
  readonly error: CellError | null;
  /** The metadata of the notebook's cell that it came from. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The cells of this session, for `:time` and `:save`. */
export class Journal {
  readonly #cells: Ran[] = [];
  #blocks: BlockRun[] = [];
  #printed: { stream: "stdout" | "stderr"; text: string }[] = [];
  #length = 0;
  /** Is what cells print kept, but not shown? */
  isQuiet = false;

  /** All cells that ran, in order. */
  get cells(): readonly Ran[] {
    return this.#cells;
  }

  /** A cell begins: what is printed and which blocks run from here on are its own. */
  begin(): void {
    this.#blocks = [];
    this.#printed = [];
    this.#length = 0;
  }

  /** Takes what the cell prints. */
  hear(stream: "stdout" | "stderr", text: string): void {
    if (this.#length > mostPrinted) return;
    const left = mostPrinted - this.#length;
    const kept = text.length > left ? `${text.slice(0, left)}\n… what it printed beyond this is not kept\n` : text;
    this.#length += text.length;
    const last = this.#printed.at(-1);
    if (last?.stream === stream) last.text += kept;
    else this.#printed.push({ stream, text: kept });
  }

  /** Takes a block that ran. */
  block(run: BlockRun): void {
    this.#blocks.push(run);
  }

  /** The cell has ended. */
  end(cell: Pick<Ran, "source" | "ms" | "shown" | "error" | "metadata">): void {
    this.#cells.push({ ...cell, blocks: this.#blocks, printed: this.#printed });
  }
}
