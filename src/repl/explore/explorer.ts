import { messageOf } from "../../core/errors.ts";
import type { Column } from "../../core/frame.ts";
import type { Cell } from "../../core/view.ts";
import { cleaned } from "../editor.ts";
import type { KeyPress } from "../keys.ts";

/** Which part of the table to read. */
export interface Wanted {
  readonly columns: readonly string[];
  readonly offset: number;
  readonly limit: number;
  readonly sort?: string;
  readonly descending?: boolean;
  readonly search?: string;
}

/** A table that is read a screen at a time. */
export interface Source {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly total: number;
  read(part: Wanted): Promise<{ readonly rows: readonly (readonly Cell[])[]; readonly total: number }>;
}

/** The rows and columns that were read last. */
export interface Page {
  readonly top: number;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** What the full-screen view shows just now. */
export interface ExplorerState {
  readonly title: string;
  /** Rows of the table, or of those that hold the search. */
  readonly total: number;
  readonly page: Page;
  /** The column that sorting means. */
  readonly chosen: string;
  readonly sort: { readonly column: string; readonly descending: boolean } | null;
  readonly search: string;
  /** A search being typed; null when none is. */
  readonly typing: string | null;
  readonly isReading: boolean;
  readonly error: string | null;
  readonly isOver: boolean;
}

/** The narrowest a column may be, with the gap behind it. */
const leastColumn = 5;

/** A table full-screen, without its looks: takes keys, reads what the screen shows and nothing more. */
export class Explorer {
  readonly #source: Source;
  readonly #columns: readonly Column[];
  readonly #listeners = new Set<() => void>();
  #top = 0;
  #first = 0;
  #chosen = 0;
  #rows = 1;
  #width = 80;
  #fitted = 1;
  /** Which reading counts: another order or search doesn't wait for the last one's rows. */
  #reading = 0;
  #isStale = false;
  #state: ExplorerState;

  constructor(source: Source) {
    this.#source = source;
    // A tensor's cell may hold more numbers than the screen has letters.
    this.#columns = source.columns.filter(({ type }) => type !== "tensor");
    this.#state = {
      title: source.title,
      total: source.total,
      page: { top: 0, columns: [], rows: [] },
      chosen: this.#columns[0]?.name ?? "",
      sort: null,
      search: "",
      typing: null,
      isReading: false,
      error: null,
      isOver: false,
    };
  }

  get state(): ExplorerState {
    return this.#state;
  }

  /** Calls back on every change; answers a function that ends it. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Says how many rows and letters there is room for. */
  resize(rows: number, width: number): void {
    if (rows === this.#rows && width === this.#width && this.#state.page.columns.length > 0) return;
    this.#rows = Math.max(1, rows);
    this.#width = width;
    this.#go(this.#top);
  }

  /** Says how many of the columns that were read fit beside each other. */
  fit(columns: number): void {
    this.#fitted = Math.max(1, columns);
    const last = this.#first + this.#fitted - 1;
    if (this.#chosen > last && this.#state.page.columns[0] === this.#columns[this.#first]) {
      this.#first += this.#chosen - last;
      this.#read();
    }
  }

  /** Takes a key. */
  key(press: KeyPress): void {
    const { typing, search } = this.#state;
    const { name, input, ctrl } = press;
    if (ctrl && input === "c") this.#set({ isOver: true });
    else if (typing !== null) this.#typeSearch(typing, press);
    else if (stepOf(press, this.#rows) !== 0) this.#go(this.#top + stepOf(press, this.#rows));
    else if (name === "home" || input === "g") this.#go(0);
    else if (name === "end" || input === "G") this.#go(this.#state.total);
    else if (name === "left" || name === "right") this.#choose(this.#chosen + (name === "left" ? -1 : 1));
    else if (input === "s") this.#sort();
    else if (input === "/") this.#set({ typing: search });
    else if (name === "escape" && search !== "") this.#find("");
    else if (input === "q" || name === "escape") this.#set({ isOver: true });
  }

  #typeSearch(typing: string, { name, input, ctrl, meta }: KeyPress): void {
    if (name === "return") this.#find(typing);
    else if (name === "escape") this.#set({ typing: null });
    else if (name === "backspace") this.#set({ typing: [...typing].slice(0, -1).join("") });
    else if (!name && !ctrl && !meta) this.#set({ typing: typing + cleaned(input).replaceAll("\n", "") });
  }

  #find(search: string): void {
    this.#set({ search, typing: null });
    this.#anew();
  }

  /** Sorts by the chosen column: from the smallest on, from the largest on, and as the table is. */
  #sort(): void {
    const column = this.#columns[this.#chosen]?.name;
    if (column === undefined) return;
    const { sort } = this.#state;
    const isSame = sort?.column === column;
    const next = !isSame ? { column, descending: false } : sort.descending ? null : { column, descending: true };
    this.#set({ sort: next });
    this.#anew();
  }

  #choose(column: number): void {
    this.#chosen = Math.max(0, Math.min(column, this.#columns.length - 1));
    this.#set({ chosen: this.#columns[this.#chosen]?.name ?? "" });
    const first = Math.min(this.#chosen, Math.max(this.#first, this.#chosen - this.#fitted + 1));
    if (first === this.#first) return;
    this.#first = first;
    this.#read();
  }

  #go(row: number): void {
    this.#top = Math.max(0, Math.min(row, this.#state.total - this.#rows));
    this.#read();
  }

  /** Reads from the top in another order, or other rows. */
  #anew(): void {
    this.#top = 0;
    this.#isStale = true;
    void this.#readAll(++this.#reading);
  }

  /** Reads what the screen shows now; keys pressed meanwhile are answered by one more reading, not by one each. */
  #read(): void {
    this.#isStale = true;
    if (!this.#state.isReading) void this.#readAll(++this.#reading);
  }

  async #readAll(reading: number): Promise<void> {
    this.#set({ isReading: true });
    while (this.#isStale && !this.#state.isOver) {
      this.#isStale = false;
      const top = this.#top;
      const columns = this.#columns.slice(this.#first, this.#first + Math.ceil(this.#width / leastColumn));
      const { sort, search } = this.#state;
      try {
        const { rows, total } = await this.#source.read({
          columns: columns.map(({ name }) => name),
          offset: top,
          limit: this.#rows,
          ...(sort ? { sort: sort.column, descending: sort.descending } : {}),
          ...(search === "" ? {} : { search }),
        });
        if (reading !== this.#reading) return;
        this.#set({ page: { top, columns, rows }, total, error: null });
      } catch (error) {
        if (reading !== this.#reading) return;
        this.#set({ error: messageOf(error) });
      }
    }
    this.#set({ isReading: false });
  }

  #set(change: Partial<ExplorerState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** How many rows a key scrolls by. */
function stepOf({ name, input }: KeyPress, page: number): number {
  if (name === "down" || name === "return" || input === "j") return 1;
  if (name === "up" || input === "k") return -1;
  if (name === "pageDown" || input === " ") return page;
  return name === "pageUp" || input === "b" ? -page : 0;
}
