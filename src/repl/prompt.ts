import type { Progress } from "../core/record.ts";
import { type View, viewOf } from "../core/view.ts";
import { completeness } from "../notebook/completeness.ts";
import type { Completion } from "../notebook/evaluator.ts";
import { help, type Session } from "../session/index.ts";
import { runCommand } from "./commands.ts";
import { apply, type Edit, type Editor, emptyEditor, position, replace } from "./editor.ts";
import { History } from "./history.ts";
import { editFor, type KeyPress } from "./keys.ts";
import { type Bench, errorLines } from "./lines.ts";

/** Two of Ink's frames, which start.ts sets to 120 a second: what just changed is on the screen after it. */
const paintMs = 17;

/** What the prompt shows just now. */
export interface PromptState {
  readonly editor: Editor;
  readonly suggestion: string | null;
  readonly menu: Menu | null;
  /** The code that runs, while it does. */
  readonly running: string | null;
  readonly progress: Progress | null;
  readonly status: string;
  readonly isOver: boolean;
}

/** A completion menu. */
export interface Menu {
  readonly start: number;
  readonly end: number;
  readonly items: readonly Completion[];
  readonly chosen: number;
}

/** What the prompt needs of its surroundings. */
export interface PromptHost {
  /** Opens evaluator and session; called once, behind the first paint. */
  open(): Promise<Bench & { readonly session: Session; readonly evaluator: Bench["evaluator"] }>;
  /** Prints above the prompt. */
  print(text: string): void;
  readonly historyFile: string | null;
}

/** The prompt without its looks: takes keys, runs cells, tells what to show. */
export class Prompt {
  readonly #host: PromptHost;
  readonly #history: History;
  readonly #listeners = new Set<() => void>();
  #opened: ReturnType<PromptHost["open"]> | null = null;
  #stop: AbortController | null = null;
  /** What was typed while a cell ran; it counts once the cell has ended. */
  #ahead: (KeyPress | string)[] = [];
  #state: PromptState = {
    editor: emptyEditor,
    suggestion: null,
    menu: null,
    running: null,
    progress: null,
    status: "",
    isOver: false,
  };

  constructor(host: PromptHost) {
    this.#host = host;
    this.#history = new History(host.historyFile);
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
  }

  /** Takes what the terminal sent; a fast typist's text, tab and return may come in one piece. */
  async key(press: KeyPress): Promise<void> {
    const pieces = press.name ? [] : (press.input.match(/[\t\r\n]|[^\t\r\n]+/g) ?? []);
    if (pieces.length < 2) return await this.#one(press);
    for (const piece of pieces) {
      const name = piece === "\t" ? "tab" : /[\r\n]/.test(piece) ? "return" : undefined;
      await this.#one(name ? { input: "", name } : { input: piece });
    }
  }

  async #one(press: KeyPress): Promise<void> {
    if (press.ctrl && press.input === "c") return this.#cancel();
    if (this.#state.running !== null) return void this.#ahead.push(press);
    if (press.ctrl && press.input === "d") return this.#leaveOrErase();
    if (this.#state.menu && this.#menuKey(press)) return;
    if (press.name === "return")
      return press.meta || press.shift ? this.#edit({ kind: "insert", text: "\n" }) : await this.#enter();
    if (press.name === "tab") return await this.#complete();
    if (press.name === "up" || press.name === "down") return this.#upDown(press.name);
    const edit = editFor(press);
    if (edit) return this.#edit(edit);
    if (press.input === "" || press.ctrl || press.meta) return;
    this.#edit({ kind: "insert", text: press.input });
  }

  /** Takes a paste, as text alone. */
  paste(text: string): void {
    if (this.#state.running === null) this.#edit({ kind: "insert", text });
    else this.#ahead.push(text);
  }

  #edit(edit: Edit): void {
    const { editor, suggestion } = this.#state;
    const isAtEnd = editor.cursor === editor.text.length;
    const takesSuggestion = suggestion && isAtEnd && edit.kind === "move" && (edit.to === "right" || edit.to === "end");
    const next = takesSuggestion ? { text: suggestion, cursor: suggestion.length } : apply(editor, edit);
    this.#set({ editor: next, menu: null, suggestion: this.#history.suggestion(next.text) });
  }

  async #enter(): Promise<void> {
    const { text } = this.#state.editor;
    if (text.trim() === "") return this.#set({ editor: emptyEditor });
    const isCommand = text.startsWith(":") || /\?$/.test(text.trim());
    const found = isCommand ? { status: "complete" as const } : completeness(text);
    if (found.status === "incomplete") return this.#edit({ kind: "insert", text: `\n${found.indent}` });
    this.#history.add(text);
    this.#host.print(`${prompted(text)}\n`);
    this.#set({ editor: emptyEditor, suggestion: null, running: text });
    // A cell may never let the event loop turn again; that it runs has to be seen before.
    await new Promise((painted) => setTimeout(painted, paintMs));
    await this.#run(text);
    this.#set({ running: null, progress: null });
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

  async #run(code: string): Promise<void> {
    const bench = await this.#bench();
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const special = await this.#special(code.trim(), bench.session);
      if (special === "leave") return this.#set({ isOver: true });
      if (special) return await this.#show({ [viewOf]: () => special });
      const result = await bench.evaluator.run(code, { signal: stop.signal });
      if (result.kind === "value") await this.#show(result.value);
      else this.#host.print(`${errorLines(result.error).join("\n")}\n`);
    } catch (error) {
      this.#host.print(`${error instanceof Error ? error.message : String(error)}\n`);
    } finally {
      this.#stop = null;
    }
  }

  /** `:command` and `name?`. */
  async #special(code: string, session: Session): Promise<View | "leave" | null> {
    if (code.startsWith(":")) return (await runCommand(code, session)) ?? "leave";
    const asked = /^(?:session\.)?(\w+)\?$/.exec(code)?.[1];
    return asked === undefined ? null : help(asked)[viewOf]();
  }

  async #show(value: unknown): Promise<void> {
    const lines = await (await this.#bench()).show(value);
    if (lines.length > 0) this.#host.print(`${lines.join("\n")}\n`);
  }

  #cancel(): void {
    this.#ahead = [];
    if (this.#stop) {
      this.#stop.abort();
      return;
    }
    if (this.#state.editor.text === "") this.#host.print("ctrl-d or :quit leaves\n");
    this.#set({ editor: emptyEditor, menu: null, suggestion: null });
  }

  #leaveOrErase(): void {
    if (this.#state.editor.text === "") this.#set({ isOver: true });
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
    if (entry !== null) this.#set({ editor: { text: entry, cursor: entry.length }, suggestion: null });
  }

  async #complete(): Promise<void> {
    const { editor } = this.#state;
    // At the start of a line a tab indents.
    if (/^\s*$/.test(editor.text.slice(0, editor.cursor).split("\n").at(-1) ?? ""))
      return this.#edit({ kind: "insert", text: "  " });
    const { evaluator } = await this.#bench();
    const { start, end, items } = await evaluator.complete(editor.text, editor.cursor);
    if (this.#state.editor !== editor || items.length === 0) return;
    if (items.length === 1) return this.#accept({ start, end, items, chosen: 0 });
    this.#set({ menu: { start, end, items, chosen: 0 } });
  }

  /** Keys of an open menu; false when the key closes it and means something else. */
  #menuKey(press: KeyPress): boolean {
    const menu = this.#state.menu as Menu;
    const step =
      press.name === "down" || (press.name === "tab" && !press.shift)
        ? 1
        : press.name === "up" || press.name === "tab"
          ? -1
          : 0;
    if (step !== 0) {
      this.#set({ menu: { ...menu, chosen: (menu.chosen + step + menu.items.length) % menu.items.length } });
      return true;
    }
    if (press.name === "return") {
      this.#accept(menu);
      return true;
    }
    this.#set({ menu: null });
    return press.name === "escape";
  }

  #accept(menu: Menu): void {
    this.#set({ editor: replace(this.#state.editor, menu.start, menu.end, menu.items[menu.chosen].text), menu: null });
  }

  async #tellStatus(): Promise<void> {
    const { session } = await this.#bench();
    try {
      const project = await session.current();
      const { where } = await session.link;
      this.#set({
        status: `${project.project_name} · ${session.last ? `block ${session.last}` : "no block yet"} · ${where}`,
      });
    } catch (error) {
      this.#set({ status: error instanceof Error ? error.message : String(error) });
    }
  }

  #bench(): ReturnType<PromptHost["open"]> {
    this.#opened ??= this.#host.open();
    return this.#opened;
  }

  #set(change: Partial<PromptState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** A cell as it stands in the scrollback. */
export function prompted(code: string): string {
  return code
    .split("\n")
    .map((line, k) => `${k === 0 ? "> " : "… "}${line}`)
    .join("\n");
}
