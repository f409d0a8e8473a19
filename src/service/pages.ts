import type { Column } from "../core/frame.ts";
import type { Selection } from "../core/selection.ts";
import type { Cell } from "../core/view.ts";
import { countFound, type Duck, readCells, readOrder, readRows } from "../engines/duckdb/index.ts";
import type { Relation } from "../plan/node.ts";

/** The first so many rows of a sorted table are found without sorting the others. */
const firstRows = 1_000;

/** A stretch longer than this is no page, and read as a whole. */
const longestPage = 1_000;

/** Orders of tables with more rows than this are not kept; all that are kept have as many at most (64 MB). */
const mostKept = 16_000_000;

/** How many counts of rows that hold a text are remembered, for tables whose orders are not. */
const rememberedCounts = 50;

/** A part of a table, one array per column, and the rows that there are in all. */
export interface Page {
  readonly cells: Cell[][];
  readonly total: number;
}

/**
 * Reads tables page by page, for who scrolls through them.
 *
 * A sort or a search is worked out once: the numbers of its rows in their order are kept, and a page reads its own rows
 * alone. Artifacts never change, so what was worked out stays right.
 */
export class Pages {
  readonly #duck: Duck;
  readonly #orders = new Map<string, Promise<Int32Array>>();
  readonly #lengths = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  constructor(duck: Duck) {
    this.#duck = duck;
  }

  /** A part of the table of an artifact, which has `total` rows without a search. */
  async read(id: string, relation: Relation, selection: Selection, total: number): Promise<Page> {
    const { limit, offset = 0, sort, search } = selection;
    const isPage = limit !== undefined && limit <= longestPage && total <= mostKept;
    const key = keyOf(id, selection);
    const isFirst = search === undefined && offset + (limit ?? 0) <= firstRows && !this.#orders.has(key);
    if (isPage && (sort !== undefined || search) && !isFirst) {
      const order = await this.#order(key, relation, selection, total);
      const rows = order.subarray(offset, offset + limit);
      return { cells: await readRows(this.#duck, relation, selection.columns ?? [], rows), total: order.length };
    }
    const found = search ? await this.#count(key, relation, selection) : total;
    return { cells: limit === 0 ? [] : await readCells(this.#duck, relation, selection), total: found };
  }

  /** The order of a sort or a search; whoever asks while it is worked out waits for the same. */
  async #order(key: string, relation: Relation, selection: Selection, total: number): Promise<Int32Array> {
    const { limit: _limit, offset: _offset, columns: _columns, ...all } = selection;
    const order = this.#orders.get(key) ?? readOrder(this.#duck, relation, all);
    this.#orders.delete(key);
    this.#orders.set(key, order);
    if (!this.#lengths.has(key)) this.#lengths.set(key, total);
    this.#dropOldest();
    try {
      const { length } = await order;
      if (this.#orders.has(key)) this.#lengths.set(key, length);
    } catch (error) {
      this.#drop(key);
      throw error;
    }
    return await order;
  }

  #dropOldest(): void {
    while (this.#orders.size > 1 && [...this.#lengths.values()].reduce((sum, each) => sum + each, 0) > mostKept) {
      this.#drop(this.#orders.keys().next().value as string);
    }
  }

  #drop(key: string): void {
    this.#orders.delete(key);
    this.#lengths.delete(key);
  }

  async #count(key: string, relation: Relation, selection: Selection): Promise<number> {
    const { subset, split, search } = selection;
    const found = this.#counts.get(key) ?? (await countFound(this.#duck, relation, { subset, split, search }));
    this.#counts.delete(key);
    this.#counts.set(key, found);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > rememberedCounts) this.#counts.delete(oldest);
    return found;
  }
}

function keyOf(id: string, { sort, descending, search }: Selection): string {
  return JSON.stringify([id, sort, Boolean(descending), search?.text]);
}

/**
 * The columns that may hold a text: of a number's letters there are few, and looking into numbers takes long.
 *
 * A tensor holds none.
 */
export function searchable(columns: readonly Column[], text: string): string[] {
  const looked = text.toLowerCase();
  const isIn = (words: readonly string[]) => words.some((word) => word.includes(looked));
  return columns
    .filter(({ type }) => {
      if (type === "number") return /^[-+.\de]*$/.test(looked) || isIn(["-inf", "nan"]);
      return type === "boolean" ? isIn(["true", "false"]) : type !== "tensor";
    })
    .map(({ name }) => name);
}
