/** One executed cell. */
interface Entry {
  readonly line: number;
  readonly source: string;
  output: string | null;
}

/** What a history_request asks for. */
export interface HistoryRequest {
  readonly hist_access_type?: string;
  readonly output?: boolean;
  readonly n?: number;
  readonly start?: number;
  readonly stop?: number | null;
  readonly session?: number;
  readonly pattern?: string;
  readonly unique?: boolean;
}

/** A row of a history_reply: session, line, and the source or the source with its output. */
export type HistoryRow = [number, number, string | [string, string | null]];

/** Is a text like a pattern with `*` and `?` as in file names? Looked at piece by piece, in O(nm) time. */
function isLike(text: string, pattern: string): boolean {
  const pieces = pattern.split("*").map((piece) => piece.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("?", "[^]"));
  const last = pieces.pop() ?? "";
  let at = 0;
  for (const [k, piece] of pieces.entries()) {
    const wanted = new RegExp(piece, k === 0 ? "uy" : "ug");
    wanted.lastIndex = at;
    if (!wanted.test(text)) return false;
    at = wanted.lastIndex;
  }
  return new RegExp(pieces.length === 0 ? `^${last}$` : `${last}$`, "u").test(text.slice(at));
}

function lastOfEach(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.source, entry])).values()].sort((a, b) => a.line - b.line);
}

/** The cells this kernel has run, in its memory alone. */
export class History {
  readonly #entries: Entry[] = [];

  /** Notes a cell; give its output afterwards to `setOutput`. */
  add(line: number, source: string): void {
    this.#entries.push({ line, source, output: null });
  }

  /** Notes the plain text of the newest cell's value. */
  setOutput(line: number, output: string): void {
    const entry = this.#entries.at(-1);
    if (entry?.line === line) entry.output = output;
  }

  /** Answers a history_request; an access type or session it doesn't know has no rows. */
  answer(request: HistoryRequest): HistoryRow[] {
    return this.#select(request).map((entry) => [
      0,
      entry.line,
      request.output ? [entry.source, entry.output] : entry.source,
    ]);
  }

  #select(request: HistoryRequest): Entry[] {
    const count = request.n ?? this.#entries.length;
    const newest = (entries: Entry[]): Entry[] => (count > 0 ? entries.slice(-count) : []);
    switch (request.hist_access_type) {
      case "tail":
        return newest(this.#entries);
      case "range": {
        if (request.session) return [];
        const [start, stop] = [request.start ?? 0, request.stop ?? Number.POSITIVE_INFINITY];
        return this.#entries.filter((entry) => entry.line >= start && entry.line < stop);
      }
      case "search": {
        const found = this.#entries.filter((entry) => isLike(entry.source, request.pattern ?? "*"));
        return newest(request.unique ? lastOfEach(found) : found);
      }
      default:
        return [];
    }
  }
}
