import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

const mostEntries = 2000;

/** Longer cells, such as a pasted file, are remembered in this session alone. */
const mostLetters = 100_000;

/** What was typed before, in this session and earlier ones; a cell per line of the file, as JSON. */
export class History {
  readonly #file: string | null;
  readonly #entries: string[];
  /** Where browsing stands; one past the end is the line being typed. */
  #at: number;
  #draft = "";

  constructor(file: string | null) {
    this.#file = file;
    this.#entries = file ? read(file) : [];
    this.#at = this.#entries.length;
  }

  /** Remembers a cell; the same one twice in a row counts once. */
  add(cell: string): void {
    if (cell.trim() !== "" && this.#entries.at(-1) !== cell) {
      this.#entries.push(cell);
      if (this.#file && cell.length <= mostLetters) write(this.#file, cell);
    }
    this.#at = this.#entries.length;
  }

  /** The next older entry that begins as the draft does; null when there is none. */
  older(text: string): string | null {
    if (this.#at === this.#entries.length) this.#draft = text;
    return this.#step(-1);
  }

  /** The next newer entry, at last the draft itself; null at the end. */
  newer(): string | null {
    return this.#step(1);
  }

  /** The latest entry that goes on from `text`, for the grey suggestion. */
  suggestion(text: string): string | null {
    if (text === "") return null;
    return this.#entries.findLast((entry) => entry.startsWith(text) && entry !== text) ?? null;
  }

  /** The entry that holds `query` and is the `skip`-th latest of these, each counted once; null when there is none. */
  search(query: string, skip: number): string | null {
    const found = new Set<string>();
    for (let at = this.#entries.length - 1; at >= 0; at--) {
      const entry = this.#entries[at];
      if (!entry.includes(query)) continue;
      found.add(entry);
      if (found.size > skip) return entry;
    }
    return null;
  }

  #step(by: number): string | null {
    for (let at = this.#at + by; at >= 0 && at <= this.#entries.length; at += by) {
      const entry = at === this.#entries.length ? this.#draft : this.#entries[at];
      if (at < this.#entries.length && !entry.startsWith(this.#draft)) continue;
      this.#at = at;
      return entry;
    }
    return null;
  }
}

function read(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(-mostEntries)
    .flatMap((line) => {
      try {
        const entry: unknown = JSON.parse(line);
        return typeof entry === "string" ? [entry] : [];
      } catch {
        return [];
      }
    });
}

/** What is typed may hold secrets, so the file is the user's alone. */
function write(file: string, cell: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  appendFileSync(file, `${JSON.stringify(cell)}\n`, { mode: 0o600 });
}
