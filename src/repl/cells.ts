import { isShowable, type View, viewOf } from "../core/view.ts";
import { visible } from "../core/visible.ts";
import { toCellError } from "../notebook/cell-errors.ts";
import type { Bundle } from "../notebook/display.ts";
import type { CellError, CellResult } from "../notebook/evaluator.ts";
import { HelpPage, help, type Session } from "../session/index.ts";
import { type CommandRoom, runCommand } from "./commands.ts";
import { Journal } from "./journal.ts";
import { type Bench, errorLines } from "./lines.ts";
import { harmless } from "./printer.ts";

/** What cells run on and are shown with. */
export interface CellBench extends Bench {
  readonly session: Session;
  /** What a value that has no view becomes in a notebook. */
  display(value: unknown): Promise<readonly Bundle[]>;
  doctor(): Promise<View>;
}

/** What the runner needs of its surroundings. */
export interface CellHost extends Pick<CommandRoom, "setTheme" | "explore"> {
  /** Opens evaluator and session; called once. */
  open(journal: Journal): Promise<CellBench>;
  /** Prints above the prompt. */
  print(text: string): void;
}

/** What came of a cell, for the prompt. */
export interface Done {
  readonly isOver: boolean;
  /** The name of the kept result, such as "_3". */
  readonly name: string | null;
  /** A line of code that the cell's answer offers to run next, such as a help page's example. */
  readonly offers: string | null;
}

const done: Done = { isOver: false, name: null, offers: null };

/** Runs cells, `:` commands and `name?`, prints what comes of them, and keeps the journal. */
export class Cells {
  readonly journal = new Journal();
  readonly #host: CellHost;
  #opened: Promise<CellBench> | null = null;
  #stop: AbortController | null = null;

  constructor(host: CellHost) {
    this.#host = host;
  }

  /** Evaluator and session, opened when first asked for. */
  bench(): Promise<CellBench> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** What commands work with. */
  async room(): Promise<CommandRoom> {
    const { session, evaluator, doctor } = await this.bench();
    return {
      session,
      evaluator,
      journal: this.journal,
      cwd: process.cwd(),
      doctor,
      setTheme: (theme) => this.#host.setTheme(theme),
      explore: (source) => this.#host.explore(source),
      runCell: async (source, cellId) => {
        this.#host.print(`${prompted(source)}\n`);
        return (await this.#cell(source, cellId)).isGood;
      },
    };
  }

  /** Runs what was typed. */
  async run(code: string): Promise<Done> {
    this.#stop = new AbortController();
    try {
      const typed = code.trim();
      if (typed.startsWith(":")) return await this.#command(typed);
      const asked = /^(?:session\.)?(\w+)\?$/.exec(typed)?.[1];
      if (asked !== undefined) return await this.#help(asked);
      return await this.#cell(code);
    } catch (error) {
      this.#host.print(`${harmless(error instanceof Error ? error.message : String(error))}\n`);
      return done;
    } finally {
      this.#stop = null;
    }
  }

  /** Cancels what runs; false when nothing does. */
  cancel(): boolean {
    this.#stop?.abort();
    return this.#stop !== null;
  }

  async #open(): Promise<CellBench> {
    const bench = await this.#host.open(this.journal);
    bench.session.onBlock((run) => this.journal.block(run));
    return bench;
  }

  async #command(line: string): Promise<Done> {
    const view = await runCommand(line, await this.room());
    if (view === null) return { ...done, isOver: true };
    await this.#print(shown(view));
    return done;
  }

  async #help(name: string): Promise<Done> {
    const page = help(name);
    await this.#print(page);
    return { ...done, offers: exampleOf(page) };
  }

  async #cell(source: string, cellId?: string): Promise<Done & { readonly isGood: boolean }> {
    const { evaluator } = await this.bench();
    const signal = this.#stop?.signal;
    if (signal?.aborted) return { ...done, isGood: false };
    const start = performance.now();
    this.journal.begin();
    const result = await evaluator.run(source, { ...(signal ? { signal } : {}), ...(cellId ? { cellId } : {}) });
    const ms = performance.now() - start;
    // What it printed comes before its value, an unfinished line included.
    this.#host.print("");
    const { value, error } = await this.#value(result);
    this.journal.end({ source, ms, shown: value, error });
    if (error) this.#host.print(`${harmless(errorLines(error).join("\n"))}\n`);
    if (result.kind === "error") return { ...done, isGood: false };
    const offers = result.value instanceof HelpPage ? exampleOf(result.value) : null;
    return { ...done, name: result.name ?? null, offers, isGood: error === null };
  }

  /** Prints a cell's value; one that can't be drawn is an error of the cell. */
  async #value(result: CellResult): Promise<{ value: View | readonly Bundle[] | null; error: CellError | null }> {
    if (result.kind === "error") return { value: null, error: result.error };
    try {
      const { value } = result;
      if (value === undefined) return { value: null, error: null };
      const view = isShowable(value) ? await value[viewOf]() : null;
      await this.#print(view ? shown(view) : value);
      return { value: view ?? (await (await this.bench()).display(value)), error: null };
    } catch (error) {
      return { value: null, error: toCellError(error) };
    }
  }

  async #print(value: unknown): Promise<void> {
    const lines = await (await this.bench()).show(value);
    if (lines.length === 0) return;
    // A view's text is harmless already, and its pictures are escape codes.
    this.#host.print(`${isShowable(value) ? lines.join("\n") : harmless(lines.join("\n"))}\n`);
  }
}

function exampleOf({ example }: HelpPage): string | null {
  return example?.startsWith("session.") ? `await ${example}` : example;
}

function shown(view: View) {
  return { [viewOf]: () => view };
}

/** A cell as it stands in the scrollback. */
export function prompted(code: string): string {
  return code
    .split("\n")
    .map((line, k) => `${k === 0 ? "> " : "… "}${visible(line)}`)
    .join("\n");
}
