import type { Progress } from "../core/record.ts";
import { completeness } from "../notebook/completeness.ts";
import { type CellHost, Cells, prompted } from "./cells.ts";
import { completeCommand } from "./command-completion.ts";
import { apply, cleaned, type Edit, type Editor, emptyEditor, position, replace } from "./editor.ts";
import { History } from "./history.ts";
import { editFor, type KeyPress, piecesOf } from "./keys.ts";
import { type Menu, menuKey } from "./menu.ts";
import { emptySearch, type Search, searchKey } from "./search.ts";
import { Status } from "./status.ts";
import type { Theme } from "./theme.ts";

/** A preview comes once the typing rests. */
const restMs = 70;

/** What the prompt shows just now. */
export interface PromptState {
  readonly editor: Editor;
  readonly suggestion: string | null;
  /** A line of code that the last answer offers to run; it shows while nothing is typed. */
  readonly offered: string | null;
  readonly menu: Menu | null;
  readonly search: Search | null;
  /** The value of what is typed, found without running anything that has an effect. */
  readonly preview: string | null;
  /** The code that runs, while it does. */
  readonly running: string | null;
  /** Is what is typed an answer to a question, and no code? */
  readonly asks: boolean;
  readonly progress: Progress | null;
  readonly status: string;
  readonly theme: Theme;
  readonly isOver: boolean;
}

/** What the prompt needs of its surroundings. */
export interface PromptHost extends CellHost {
  /** Lets the user change a text in an editor of their own. */
  edit(text: string): Promise<string>;
  /** Waits until the screen shows what the state says. */
  painted(): Promise<void>;
  readonly historyFile: string | null;
  readonly theme: Theme;
  /** What runs before anything is typed. */
  readonly first: string | null;
}

/** The prompt without its looks: takes keys, runs cells, tells what to show. */
export class Prompt {
  readonly #host: PromptHost;
  readonly #history: History;
  readonly #cells: Cells;
  readonly #listeners = new Set<() => void>();
  /** What was typed while a cell ran; it counts once the cell has ended. */
  #ahead: (KeyPress | string)[] = [];
  #result: string | null = null;
  #prefill: string | null = null;
  #resting: NodeJS.Timeout | undefined;
  #status: Status | null = null;
  #state: PromptState;

  constructor(host: PromptHost) {
    this.#host = host;
    this.#history = new History(host.historyFile);
    this.#state = {
      ...blank,
      running: null,
      asks: false,
      progress: null,
      status: "",
      theme: host.theme,
      isOver: false,
    };
    const setTheme: CellHost["setTheme"] = (theme) => {
      host.setTheme(theme);
      this.#set({ theme });
    };
    this.#cells = new Cells({
      open: (journal) => host.open(journal),
      print: (text) => host.print(text),
      explore: (source) => host.explore(source),
      setTheme,
      home: host.home,
    });
  }

  get state(): PromptState {
    return this.#state;
  }

  /** Calls back on every change; answers a function that ends it. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens the session behind the prompt, so that the first cell need not wait. */
  async warm(): Promise<void> {
    const bench = await this.#cells.bench();
    bench.session.onProgress((progress) => this.#set({ progress }));
    await this.#tellStatus();
    if (this.#host.first !== null) await this.#submit(this.#host.first);
  }

  /** Takes what the terminal sent; a fast typist's text, tab and return may come in one piece. */
  async key(press: KeyPress): Promise<void> {
    for (const piece of piecesOf(press)) await this.#one(piece);
  }

  async #one(press: KeyPress): Promise<void> {
    if (this.#state.running !== null && !(press.ctrl && press.input === "c")) return void this.#ahead.push(press);
    if (this.#state.search) return this.#searchKey(this.#state.search, press);
    if (press.ctrl && press.input === "c") return this.#cancel();
    if (press.ctrl && press.input === "d") return this.#leaveOrErase();
    if (this.#state.menu && this.#menuKey(this.#state.menu, press)) return;
    if (press.ctrl && press.input === "r") return this.#set({ search: emptySearch, preview: null });
    if ((press.ctrl && press.input === "o") || (press.meta && press.input === "e")) return await this.#editOutside();
    if (press.name === "return")
      return press.meta || press.shift ? this.#edit({ kind: "insert", text: "\n" }) : await this.#enter();
    if (press.name === "tab") return await this.#complete();
    if (press.name === "up" || press.name === "down") return this.#upDown(press.name);
    const edit = editFor(press);
    if (edit) return this.#edit(edit);
    if (press.input === "" || press.ctrl || press.meta) return;
    // A command takes the place of a cell that a lesson began and nobody has changed.
    if (press.input.startsWith(":") && this.#state.editor.text === this.#prefill) this.#set(blank);
    this.#edit({ kind: "insert", text: press.input });
  }

  /** Takes a paste, as text alone. */
  paste(text: string): void {
    if (this.#state.running === null) this.#edit({ kind: "insert", text });
    else this.#ahead.push(text);
  }

  #edit(edit: Edit): void {
    const { editor, suggestion, offered } = this.#state;
    const isAtEnd = editor.cursor === editor.text.length;
    const ghost = editor.text === "" ? offered : suggestion;
    const takesGhost = ghost && isAtEnd && edit.kind === "move" && (edit.to === "right" || edit.to === "end");
    this.#show(takesGhost ? { text: ghost, cursor: ghost.length } : apply(editor, edit));
  }

  /** Shows a changed text, with what goes with it. */
  #show(editor: Editor): void {
    this.#set({ ...blank, editor, suggestion: this.#state.asks ? null : this.#history.suggestion(editor.text) });
    clearTimeout(this.#resting);
    if (editor.text !== "" && !this.#state.asks) this.#resting = setTimeout(() => void this.#look(editor), restMs);
  }

  async #look(editor: Editor): Promise<void> {
    const { evaluator } = await this.#cells.bench();
    if (this.#state.editor !== editor || this.#state.running !== null || editor.text.startsWith(":")) return;
    const preview = evaluator.preview(editor.text);
    if (preview !== null) this.#set({ preview });
  }

  async #enter(): Promise<void> {
    const { editor, offered } = this.#state;
    const text = editor.text.trim() === "" && offered !== null ? offered : editor.text;
    if (this.#state.asks) return await this.#submit(text);
    if (text.trim() === "") return this.#set(blank);
    const isCommand = text.startsWith(":") || /\?$/.test(text.trim());
    const found = isCommand ? { status: "complete" as const } : completeness(text);
    if (found.status === "incomplete") return this.#edit({ kind: "insert", text: `\n${found.indent}` });
    this.#history.add(text);
    await this.#submit(text);
  }

  async #submit(text: string): Promise<void> {
    this.#host.print(`${prompted(text, this.#state.asks ? "? " : "> ")}\n`);
    this.#set({ ...blank, running: text });
    // A cell may never let the event loop turn again; that it runs has to be seen before.
    await this.#host.painted();
    const { isOver, name, offers, prefill, asks } = await this.#cells.run(text);
    this.#result = name ?? this.#result;
    // It comes from a file, so it is taken as a paste is.
    this.#prefill = prefill === null ? null : cleaned(prefill);
    const editor = beginning(this.#prefill ?? "");
    this.#set({ running: null, progress: null, offered: offers, isOver, asks, editor });
    if (isOver) return;
    await this.#tellStatus();
    await this.#typeAhead();
  }

  /** Takes what was typed meanwhile; a cell that it starts leaves the rest to its own end. */
  async #typeAhead(): Promise<void> {
    const ahead = this.#ahead.splice(0);
    for (const piece of ahead) {
      if (typeof piece === "string") this.paste(piece);
      else await this.#one(piece);
    }
  }

  #cancel(): void {
    this.#ahead = [];
    if (this.#cells.cancel()) return;
    if (this.#state.editor.text === "") this.#host.print("ctrl-d or :quit leaves\n");
    // What a lesson began with stays at hand.
    this.#set({ ...blank, offered: this.#prefill });
  }

  #leaveOrErase(): void {
    const { text } = this.#state.editor;
    if (text === "" || text === this.#prefill) this.#set({ isOver: true });
    else this.#edit({ kind: "erase", what: "after" });
  }

  #upDown(way: "up" | "down"): void {
    const { editor } = this.#state;
    const { line } = position(editor);
    const last = editor.text.split("\n").length - 1;
    if ((way === "up" && line > 0) || (way === "down" && line < last)) {
      this.#edit({ kind: "move", to: way });
      return;
    }
    const entry = way === "up" ? this.#history.older(editor.text) : this.#history.newer();
    if (entry !== null) this.#set({ ...blank, editor: { text: entry, cursor: entry.length } });
  }

  async #editOutside(): Promise<void> {
    try {
      const text = cleaned(await this.#host.edit(this.#state.editor.text));
      this.#show({ text, cursor: text.length });
    } catch (error) {
      this.#host.print(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }

  #searchKey(search: Search, press: KeyPress): void {
    const next = searchKey(search, press, this.#history);
    const text = search.found ?? "";
    if (next === "take") this.#show({ text, cursor: text.length });
    else this.#set({ search: next === "cancel" ? null : next });
  }

  async #complete(): Promise<void> {
    const { editor } = this.#state;
    if (this.#state.asks && !editor.text.startsWith(":")) return;
    // At the start of a line a tab indents.
    if (/^\s*$/.test(editor.text.slice(0, editor.cursor).split("\n").at(-1) ?? ""))
      return this.#edit({ kind: "insert", text: "  " });
    const { start, end, items } = editor.text.startsWith(":")
      ? await completeCommand(editor.text, editor.cursor, await this.#cells.room())
      : await (await this.#cells.bench()).evaluator.complete(editor.text, editor.cursor);
    if (this.#state.editor !== editor || items.length === 0) return;
    if (items.length === 1) return this.#accept({ start, end, items, chosen: 0 });
    this.#set({ menu: { start, end, items, chosen: 0 }, preview: null });
  }

  /** Keys of an open menu; false when the key closes it and means something else. */
  #menuKey(menu: Menu, press: KeyPress): boolean {
    const next = menuKey(menu, press);
    if (next === "take") this.#accept(menu);
    else this.#set({ menu: next === "close" ? null : next });
    return next !== "close" || press.name === "escape";
  }

  #accept(menu: Menu): void {
    this.#show(replace(this.#state.editor, menu.start, menu.end, menu.items[menu.chosen].text));
  }

  async #tellStatus(): Promise<void> {
    const { session } = await this.#cells.bench();
    this.#status ??= new Status(session);
    try {
      const parts = await this.#status.parts();
      const result = this.#result ? [`result ${this.#result}`] : [];
      const lesson = this.#cells.lesson ? [this.#cells.lesson] : [];
      this.#set({ status: [...parts, ...result, ...lesson].join(" · ") });
    } catch (error) {
      this.#set({ status: error instanceof Error ? error.message : String(error) });
    }
  }

  #set(change: Partial<PromptState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** A cell to begin with; the cursor stands behind its gap, where it has one. */
function beginning(text: string): Editor {
  const gap = text.indexOf("___");
  return { text, cursor: gap < 0 ? text.length : gap + 3 };
}

/** Nothing typed, and nothing that goes with it. */
const blank = {
  editor: emptyEditor,
  suggestion: null,
  offered: null,
  menu: null,
  search: null,
  preview: null,
} as const;
