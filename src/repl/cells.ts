import { messageOf } from "../core/errors.ts";
import { isShowable, text, type View, viewOf } from "../core/view.ts";
import { harmless } from "../core/visible.ts";
import { toCellError } from "../evaluator/cell-errors.ts";
import { type Bundle, viewIn } from "../evaluator/display.ts";
import type { CellError, CellResult, Completions } from "../evaluator/evaluator.ts";
import { toText } from "../render/index.ts";
import { askedName, HelpPage, helpAsked, type Session } from "../session/index.ts";
import { commandIn } from "./command.ts";
import { completeCommand } from "./command-completion.ts";
import { type CommandRoom, runCommand } from "./commands.ts";
import { Journal } from "./journal.ts";
import type { LessonHost, LessonRun } from "./learn/learner.ts";
import { Lessons } from "./learn/lessons.ts";
import type { ProgressBook } from "./learn/progress.ts";
import { type Bench, errorLines } from "./lines.ts";
import { type Done, done } from "./prompt-state.ts";
import { prompted } from "./prompted.ts";
import { Status } from "./status.ts";

/** What cells run on and are shown with. */
export interface CellBench extends Bench {
  readonly session: Session;
  /** What a value that has no view becomes in a notebook. */
  display(value: unknown): Promise<readonly Bundle[]>;
  doctor(): Promise<View>;
  /** Markdown as lines for the terminal. */
  explain(markdown: string): readonly string[];
}

/** What the runner needs of its surroundings. */
export interface CellHost extends Pick<CommandRoom, "setTheme" | "explore"> {
  /** Opens evaluator and session; called once. */
  open(journal: Journal): Promise<CellBench>;
  /** Prints above the prompt. */
  print(text: string): void;
  /** Prints a page above the prompt, one screen after the other. */
  page(lines: readonly string[]): void;
  /** Takes what went wrong, where it is not printed with the rest. */
  fail?(words: string): void;
  /** The data folder, where the progress in lessons is kept. */
  readonly home: string;
}

/** A cell's run, with more than the prompt needs. */
interface CellDone extends Done {
  readonly isGood: boolean;
  readonly value: unknown;
  readonly shown: View | readonly Bundle[] | null;
}

/** Runs cells, `:` commands and `name?`, prints what comes of them, and keeps the journal. */
export class Cells {
  readonly journal = new Journal();
  readonly #host: CellHost;
  #opened: Promise<CellBench> | null = null;
  #stop: AbortController | null = null;
  readonly #lessons: Lessons;
  /** The name of the last kept result, such as "_3". */
  #result: string | null = null;
  #status: Status | null = null;

  constructor(host: CellHost) {
    this.#host = host;
    this.#lessons = new Lessons(host.home, process.cwd(), (book) => this.#lessonHost(book));
  }

  /** The step of the open lesson, in words; null outside of lessons. */
  get lesson(): string | null {
    return this.#lessons.learner?.standing ?? null;
  }

  /** Where one stands, in a line; what keeps it from being told stands in its place. */
  async standing(): Promise<string> {
    try {
      const { session } = await this.bench();
      this.#status ??= new Status(session);
      const result = this.#result ? [`result ${this.#result}`] : [];
      return [...(await this.#status.parts()), ...result, ...(this.lesson ? [this.lesson] : [])].join(" · ");
    } catch (error) {
      return messageOf(error);
    }
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
      lesson: this.#lessons,
      runCell: async (source, cellId, metadata) => {
        this.#host.print(`${prompted(source)}\n`);
        return (await this.#cell(source, { cellId, ...(metadata ? { metadata } : {}) })).isGood;
      },
    };
  }

  /** Completes what is typed. */
  async complete(text: string, cursor: number): Promise<Completions> {
    if (text.startsWith(":")) return await completeCommand(text, cursor, await this.room());
    return await (await this.bench()).evaluator.complete(text, cursor);
  }

  /** Runs what was typed. */
  async run(code: string): Promise<Done> {
    const { offers, ...rest } = await this.#typed(code);
    const wants = this.#lessons.wants;
    return { ...rest, prefill: wants.prefill, asks: wants.asks, offers: offers ?? wants.offers };
  }

  async #typed(code: string): Promise<Done> {
    this.#stop = new AbortController();
    try {
      const typed = code.trim();
      const { learner } = this.#lessons;
      const command = commandIn(typed);
      if (command !== null) return await this.#command(command);
      if (learner?.wants.asks) return await learner.answer(code).then(() => done);
      const asked = askedName(typed);
      if (asked !== null) return await this.#help(asked);
      if (!learner?.takesCell) return await this.#cell(code);
      await learner.cell(code);
      return done;
    } catch (error) {
      const words = messageOf(error);
      if (this.#host.fail) {
        this.#host.fail(`${words}\n`);
        return done;
      }
      // Without a bench there is nothing that breaks lines.
      await this.#print(shown(text(words))).catch(() => this.#host.print(`${harmless(words)}\n`));
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
    await this.#print(line === ":help" ? new HelpPage(view) : shown(view));
    return done;
  }

  async #help(name: string): Promise<Done> {
    const { evaluator } = await this.bench();
    const page = await helpAsked(name, () => evaluator.inspect(name, name.length));
    await this.#print(page);
    return { ...done, offers: exampleOf(page) };
  }

  async #cell(source: string, how: Partial<LessonRun> = {}): Promise<CellDone> {
    const { evaluator } = await this.bench();
    const { cellId, metadata, isQuiet = false } = how;
    const signal = this.#stop?.signal;
    if (signal?.aborted) return { ...done, isGood: false, value: undefined, shown: null };
    const start = performance.now();
    this.journal.begin();
    this.journal.isQuiet = isQuiet;
    const result = await evaluator.run(source, { ...(signal ? { signal } : {}), ...(cellId ? { cellId } : {}) });
    const ms = performance.now() - start;
    // What it printed comes before its value, an unfinished line included.
    this.#host.print("");
    this.journal.isQuiet = false;
    const { value: shown, error } = await this.#value(result, isQuiet);
    this.journal.end({ source, ms, shown, error, ...(metadata ? { metadata } : {}) });
    if (error) await this.#printError(error);
    if (result.kind === "error") return { ...done, isGood: false, value: undefined, shown };
    const { value, name = null } = result;
    this.#result = name ?? this.#result;
    const offers = value instanceof HelpPage ? exampleOf(value) : null;
    return { ...done, offers, isGood: error === null, value, shown };
  }

  /** Prints a cell's value; one that can't be drawn is an error of the cell. */
  async #value(
    result: CellResult,
    isQuiet: boolean,
  ): Promise<{ value: View | readonly Bundle[] | null; error: CellError | null }> {
    if (result.kind === "error") return { value: null, error: result.error };
    try {
      const { value } = result;
      if (value === undefined) return { value: null, error: null };
      const view = await viewIn(value);
      if (!isQuiet) await this.#print(view && !(value instanceof HelpPage) ? shown(view) : value);
      return { value: view ?? (await (await this.bench()).display(value)), error: null };
    } catch (error) {
      return { value: null, error: toCellError(error) };
    }
  }

  /** Prints an error, its sentence broken between words. */
  async #printError(error: CellError): Promise<void> {
    if (this.#host.fail) return this.#host.fail(`${errorLines(error).join("\n")}\n`);
    const [sentence, ...rest] = errorLines(error).join("\n").split("\n");
    await this.#print(shown(text(sentence)));
    if (rest.length > 0) this.#host.print(`${harmless(rest.join("\n"))}\n`);
  }

  /** What a lesson works with. */
  async #lessonHost(book: ProgressBook): Promise<LessonHost> {
    const { session, evaluator, explain } = await this.bench();
    return {
      session,
      evaluator,
      book,
      run: async (source, how) => {
        const { isGood, value, shown } = await this.#cell(source, how);
        const printed = this.journal.cells.at(-1)?.printed.map(({ text }) => text) ?? [];
        return { isGood, value, shown: [...printed, textOf(shown)].join("\n") };
      },
      echo: (source) => this.#host.print(`${prompted(source)}\n`),
      explain: (markdown) => this.#host.print(`\n${explain(markdown).join("\n")}\n\n`),
      show: (view) => this.#print(shown(view)),
      signal: () => this.#stop?.signal,
    };
  }

  async #print(value: unknown): Promise<void> {
    const lines = await (await this.bench()).show(value);
    if (lines.length === 0) return;
    if (value instanceof HelpPage) return this.#host.page(lines.join("\n").split("\n"));
    // A view's text is harmless already, and its pictures are escape codes.
    this.#host.print(`${isShowable(value) ? lines.join("\n") : harmless(lines.join("\n"))}\n`);
  }
}

function exampleOf({ example }: HelpPage): string | null {
  return example?.startsWith("session.") ? `await ${example}` : example;
}

/** What a cell showed, as text. */
function textOf(shown: View | readonly Bundle[] | null): string {
  if (shown === null) return "";
  if ("kind" in shown) return toText(shown);
  return shown.map(({ data }) => String(data["text/plain"] ?? "")).join("\n");
}

function shown(view: View) {
  return { [viewOf]: () => view };
}
