import { messageOf } from "../core/errors.ts";
import { loadCells } from "./behind.ts";
import type { CellHost, Cells } from "./cells.ts";
import { apply, cleaned, type Edit, type Editor, position, replace } from "./editor.ts";
import { History } from "./history.ts";
import { editFor, type KeyPress, piecesOf } from "./keys.ts";
import { type Menu, menuKey } from "./menu.ts";
import { beginning, blank, done, type PromptState } from "./prompt-state.ts";
import { prompted } from "./prompted.ts";
import { emptySearch, type Search, searchKey } from "./search.ts";
import type { Theme } from "./theme.ts";

/** A preview comes once the typing rests. */
const restMs = 70;

/** Moves to the top of the screen and empties it; what scrolled away stays. */
const clearScreen = "\u001b[H\u001b[2J";

/** Lines of the screen that the prompt itself takes, with one between. */
const promptRows = 4;

/** What the prompt needs of its surroundings. */
export interface PromptHost extends Omit<CellHost, "page"> {
  /** Lets the user change a text in an editor of their own. */
  edit(text: string): Promise<string>;
  /** Waits until the screen shows what the state says. */
  painted(): Promise<void>;
  /** How many lines the screen shows. */
  rows(): number;
  readonly historyFile: string | null;
  readonly theme: Theme;
  /** What runs before anything is typed. */
  readonly first: string | null;
}

/** The prompt without its looks: takes keys, runs cells, tells what to show. */
export class Prompt {
  readonly #host: PromptHost;
  readonly #history: History;
  readonly #listeners = new Set<() => void>();
  /** What runs cells; it is loaded behind the first picture of the prompt. */
  #cells: Cells | null = null;
  #loading: Promise<Cells> | null = null;
  /** Keys and pastes that wait for their turn: while a cell runs, until it has ended. */
  #ahead: (KeyPress | string)[] = [];
  #isTaking = false;
  #isCancelled = false;
  #prefill: string | null = null;
  #resting: NodeJS.Timeout | undefined;
  #asked = 0;
  #state: PromptState;

  constructor(host: PromptHost) {
    this.#host = host;
    this.#history = new History(host.historyFile);
    this.#state = {
      ...blank,
      running: null,
      asks: false,
      progress: null,
      more: null,
      status: "",
      theme: host.theme,
      isOver: false,
    };
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
    const bench = await this.#bench();
    bench.session.onProgress((progress) => this.#set({ progress }));
    await this.#tellStatus();
    if (this.#host.first !== null) await this.#submit(this.#host.first);
  }

  /** Takes what the terminal sent; a fast typist's text, tab and return may come in one piece. */
  async key(press: KeyPress): Promise<void> {
    const isStop = press.ctrl && press.input === "c";
    if (isStop && (this.#isTaking || this.#state.running !== null)) return this.#cancel();
    if (isClear(press)) return this.#host.print(clearScreen);
    this.#ahead.push(...piecesOf(press));
    await this.#takeAhead();
  }

  /** Takes a paste, as text alone. */
  async paste(text: string): Promise<void> {
    this.#ahead.push(text);
    await this.#takeAhead();
  }

  /** Takes what was typed, one after the other; a cell that it starts leaves the rest to its own end. */
  async #takeAhead(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (this.#ahead.length > 0 && this.#state.running === null && !this.#state.isOver) {
        const piece = this.#ahead.shift() as KeyPress | string;
        if (typeof piece === "string") this.#edit({ kind: "insert", text: piece });
        // Who goes on typing wants no completion any more; what came in one piece with the tab builds on it.
        else if (piece.name === "tab" && this.#ahead.length === 0) void this.#one(piece);
        else await this.#one(piece);
      }
    } finally {
      this.#isTaking = false;
    }
  }

  async #one(press: KeyPress): Promise<void> {
    if (this.#state.more && this.#moreKey(press)) return;
    if (isClear(press)) return this.#host.print(clearScreen);
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
    this.#edit({ kind: "type", text: press.input });
  }

  #load(): Promise<Cells> {
    const host = this.#host;
    this.#loading ??= loadCells({
      open: (journal) => host.open(journal),
      print: (text) => host.print(text),
      page: (lines) => this.#page(lines, lines.length),
      explore: (source) => host.explore(source),
      setTheme: (theme) => {
        host.setTheme(theme);
        this.#set({ theme });
      },
      home: host.home,
    }).then((cells) => {
      this.#cells = cells;
      return cells;
    });
    return this.#loading;
  }

  async #bench() {
    return await (await this.#load()).bench();
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
    const { evaluator } = await this.#bench();
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
    const { status, indent = "" } = isCommand ? { status: "complete" } : await completeness(text);
    // It was cancelled meanwhile.
    if (this.#state.editor !== editor) return;
    if (status === "incomplete") return this.#edit({ kind: "insert", text: `\n${indent}` });
    this.#history.add(text);
    await this.#submit(text);
  }

  async #submit(text: string): Promise<void> {
    this.#host.print(`${prompted(text, this.#state.asks ? "? " : "> ")}\n`);
    this.#set({ ...blank, running: text });
    // A cell may never let the event loop turn again; that it runs has to be seen before.
    await this.#host.painted();
    const cells = await this.#load();
    const { isOver, offers, prefill, asks } = this.#isCancelled ? done : await cells.run(text);
    this.#isCancelled = false;
    // It comes from a file, so it is taken as a paste is.
    this.#prefill = prefill === null ? null : cleaned(prefill);
    const editor = beginning(this.#prefill ?? "");
    this.#set({ running: null, progress: null, offered: offers, isOver, asks, editor });
    if (isOver) return;
    // The service may take its time to answer; what was typed ahead need not wait for it.
    void this.#tellStatus();
    await this.#takeAhead();
  }

  #cancel(): void {
    this.#ahead = [];
    if (this.#cells?.cancel()) return;
    // A cell that hasn't begun won't.
    if (this.#state.running !== null) {
      this.#isCancelled = true;
      return;
    }
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
      this.#host.print(`${messageOf(error)}\n`);
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
    const { start, end, items } = await (await this.#load()).complete(editor.text, editor.cursor);
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

  /** Prints the lines that the screen has room for, above the prompt; the others wait for a key. */
  #page(lines: readonly string[], of: number): void {
    // A last screen may be fuller by what would tell of more.
    const room = Math.max(5, this.#host.rows() - promptRows);
    const isLast = lines.length <= room + 1;
    const now = isLast ? lines : lines.slice(0, room);
    this.#host.print(`${now.join("\n")}\n`);
    this.#set({ more: isLast ? null : { lines: lines.slice(room), of } });
  }

  /** Keys below a part of a long page; false when the key ends it and means something else. */
  #moreKey({ input, name, ctrl }: KeyPress): boolean {
    const { more } = this.#state;
    if (more && (input.startsWith(" ") || name === "return" || name === "pageDown" || name === "down")) {
      this.#page(more.lines, more.of);
      // Pressed fast, several come in one piece.
      if (input.length > 1) this.#ahead.unshift({ input: input.slice(1) });
      return true;
    }
    this.#set({ more: null });
    return input === "q" || name === "escape" || (ctrl === true && input === "c");
  }

  #accept(menu: Menu): void {
    this.#show(replace(this.#state.editor, menu.start, menu.end, menu.items[menu.chosen].text));
  }

  async #tellStatus(): Promise<void> {
    const asked = ++this.#asked;
    const status = await (await this.#load()).standing();
    // A later question may have been answered sooner.
    if (asked === this.#asked) this.#set({ status });
  }

  #set(change: Partial<PromptState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function isClear({ ctrl, input }: KeyPress): boolean {
  return ctrl === true && input === "l";
}

/** Is the text a whole cell? What tells is loaded behind the prompt. */
async function completeness(text: string): Promise<{ readonly status: string; readonly indent?: string }> {
  return (await import("../evaluator/completeness.ts")).completeness(text);
}
