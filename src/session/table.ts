import { extname } from "node:path";
import { inspect } from "node:util";
import { type ArrowTable, arrowTable } from "../client/arrow-file.ts";
import { type FileOptions, type Link, type TableBatch, type TableFormat, tableFormats } from "../client/link.ts";
import type { ColumnValues } from "../core/column-values.ts";
import { ArgsError } from "../core/errors.ts";
import { type Column, typeName } from "../core/frame.ts";
import { count, quoted } from "../core/names.ts";
import { type Cell, type Showable, type View, viewOf } from "../core/view.ts";
import { currentCell } from "./cells.ts";

/** So many rows a front end still scrolls with ease. */
const mostShown = 1_000;

/** Which rows of a table are looked at, and in which order. */
export interface PageOptions {
  /** The column to sort by, missing cells last (default: the table's order). */
  readonly sort?: string;
  /** From the largest to the smallest (default false). */
  readonly descending?: boolean;
  /** Only rows that hold this text, in any case, in one of their columns. */
  readonly search?: string;
  /** Rows to leave out before the first (default 0). */
  readonly offset?: number;
  /** Rows to show, 1000 at most (default 100). */
  readonly rows?: number;
}

/** A table of a block, read when asked for. */
export class Table {
  /** The artifact's URL. */
  readonly url: string;
  readonly #link: Link;
  readonly #name: string;

  constructor(link: Link, name: string, url: string) {
    this.#link = link;
    this.#name = name;
    this.url = url;
  }

  /** The columns with their types, and the number of rows. */
  async shape(): Promise<{ readonly columns: readonly Column[]; readonly rows: number }> {
    const { columns, total } = await this.#link.table(this.url, { limit: 0 });
    return { columns, rows: total };
  }

  /** The first rows as objects (default 5). */
  async head(rows = 5): Promise<Record<string, Cell>[]> {
    const { columns, rows: found } = await this.#link.table(this.url, { limit: rows }, reading());
    return [...rowsOf({ columns, cells: columns.map((_, k) => found.map((row) => row[k])) })];
  }

  /** All rows as objects. */
  async rows(): Promise<Record<string, Cell>[]> {
    const all: Record<string, Cell>[] = [];
    for await (const batch of this.#link.batches(this.url)) for (const row of rowsOf(batch)) all.push(row);
    return all;
  }

  /** One column's values, in order. */
  async column(name: string): Promise<Cell[]> {
    const { rows } = await this.#link.table(this.url, { columns: [name] }, reading());
    return rows.map(([value]) => value);
  }

  /**
   * Columns by name, each in the form of its type, read at once: all of them, or those that are named.
   *
   * Numbers are a Float64Array with NaN where they are missing (whole ones beyond 2^53 a BigInt64Array, or a list where
   * some are missing); texts, truths, Dates and tensors are lists with null where they are missing.
   */
  async columns(names?: readonly string[]): Promise<Record<string, ColumnValues>> {
    if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === "string"))) {
      throw new ArgsError('columns: names must be a list of texts, as in columns(["age", "city"]).', { path: "names" });
    }
    const { columns, values } = await this.#link.columns(this.url, names);
    return Object.fromEntries(columns.map(({ name }, k) => [name, values[k]]));
  }

  /** The whole table as one of Apache Arrow's, for what reads such tables, as aq.fromArrow(table) of Arquero. */
  async toArrow(): Promise<ArrowTable> {
    return await arrowTable(await this.#link.download(this.url, "arrow"));
  }

  /** The whole table as CSV text. */
  async csv(): Promise<string> {
    return new TextDecoder().decode(await this.#link.download(this.url, "csv"));
  }

  /**
   * Writes the whole table to a file, in the format that its name ends in: .parquet, .csv, .json, .arrow or .npy.
   *
   * A file that is there already is replaced once the new one is whole. In a notebook or at the prompt the path is
   * this machine's, also when the service is another. ArgsError for another ending or a folder that isn't there.
   * `{ formulas: "escape" }` begins texts that a spreadsheet would run as a formula with an apostrophe, in CSV.
   */
  async save(path: string, options: FileOptions = {}): Promise<void> {
    await this.#link.save(this.url, formatOf(path), path, options);
  }

  /** Row after row, as they are read; who leaves the loop ends the reading, and so does an interrupt of the cell. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Record<string, Cell>> {
    const signal = currentCell()?.signal;
    for await (const batch of this.#link.batches(this.url)) {
      signal?.throwIfAborted();
      yield* rowsOf(batch);
    }
  }

  /** Some rows to look at, sorted and searched where the table lies: only these travel, in a box that scrolls. */
  page(options: PageOptions = {}): Showable {
    const { rows = 100 } = options;
    if (!Number.isInteger(rows) || rows < 1 || rows > mostShown) {
      throw new ArgsError(`page: rows must be a whole number between 1 and ${mostShown}, got ${String(rows)}.`, {
        path: "rows",
      });
    }
    return { [viewOf]: () => this.#view({ ...options, rows }) };
  }

  [viewOf](): Promise<View> {
    return this.#view({ rows: 10 });
  }

  async #view({ rows: limit, ...part }: PageOptions): Promise<View> {
    const { columns, rows, total } = await this.#link.table(this.url, { ...part, limit }, reading());
    const order = part.sort === undefined ? "" : `, by ${part.sort}${part.descending ? " from the largest" : ""}`;
    const found = part.search === undefined ? "" : ` with ${quoted(part.search)}`;
    return {
      kind: "table",
      title: `${this.#name}: ${count(total, "row")}${found}${order}${part.offset ? `, from row ${part.offset + 1}` : ""}`,
      columns: columns.map((column) => ({ name: column.name, type: typeName(column) as "integer" })),
      rows,
      total,
    };
  }

  [inspect.custom](): string {
    return `Table { ${this.#name} } — await .head(), .rows(), .column(name), .save("rows.parquet")`;
  }
}

/** Endings that say the same as another one. */
const otherEndings: Readonly<Record<string, TableFormat>> = { pq: "parquet", feather: "arrow" };

function formatOf(path: string): TableFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const format = otherEndings[ending] ?? tableFormats.find((each) => each === ending);
  if (format) return format;
  throw new ArgsError(
    `save: a table is written as ${tableFormats.map((each) => `.${each}`).join(", ")}, and ${quoted(path)} ends in none of them.`,
    { path: "path", got: path.slice(-100), expected: tableFormats },
  );
}

/** The rows of a batch as objects. */
function* rowsOf({ columns, cells }: TableBatch): Generator<Record<string, Cell>> {
  const names = columns.map(({ name }) => name);
  const rows = cells[0]?.length ?? 0;
  // Assigned, it would be the row's prototype.
  const isOdd = names.includes("__proto__");
  for (let i = 0; i < rows; i++) {
    if (isOdd) yield Object.fromEntries(names.map((name, k) => [name, cells[k][i]]));
    else {
      const row: Record<string, Cell> = {};
      for (let k = 0; k < names.length; k++) row[names[k]] = cells[k][i];
      yield row;
    }
  }
}

/** An interrupt of the cell ends the reading. */
function reading(): { readonly signal?: AbortSignal } {
  const signal = currentCell()?.signal;
  return signal ? { signal } : {};
}
