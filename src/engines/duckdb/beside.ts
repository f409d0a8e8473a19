import type { WriteColumn } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import { col, quote, raw, type Sql, sql } from "../sql.ts";

/**
 * A list as a column of the one row of a file that is read beside a table: see `Step.beside`.
 *
 * A join of the table with a file of as many rows would lose the rows' order, and finding it again takes as long as
 * writing them.
 */
export function listBeside(
  name: string,
  items: Uint8Array | Int32Array | Float64Array,
  kind: { readonly integer?: boolean } = {},
): WriteColumn {
  return { column: { name, type: "tensor", ...kind }, values: { start: Int32Array.of(0, items.length), items } };
}

/** As many bytes of lists lie beside a table: the engine copies them for every 2,048 rows, which are as many more. */
export const mostBytesBeside = 4 * 2 ** 20;

/** The bytes of `rowsBeside` for a table of so many rows. */
export function bytesOfRows(rows: number): number {
  return Float64Array.BYTES_PER_ELEMENT * itemsFor(rows);
}

/** The list's item at a place from 0; null behind its end. */
export function itemBeside(name: string, place: Sql): Sql {
  return sql`list_extract(${raw(quote(name))}, ${place} + 1)`;
}

/**
 * Some of a table's rows, ascending, as a list beside it: a third of a byte for each row of the table.
 *
 * What is known of these rows alone lies in lists as long as they are many, at `placeBeside`. An item tells of 24 rows:
 * a bit for each, and above these how many of the rows stand before. A double holds that for half a billion rows.
 */
export function rowsBeside(name: string, some: Int32Array, rows: number): WriteColumn {
  const items = new Float64Array(itemsFor(rows));
  for (let item = 0, k = 0; item < items.length; item++) {
    const before = k;
    const next = (item + 1) * inItem;
    let bits = 0;
    for (; k < some.length && some[k] < next; k++) bits |= 1 << (some[k] - next + inItem);
    items[item] = before * aboveBits + bits;
  }
  return listBeside(name, items, { integer: true });
}

function itemsFor(rows: number): number {
  return Math.floor(rows / inItem) + 1;
}

const inItem = 24;
const aboveBits = 2 ** inItem;
const row = col(rowColumn);

function itemOfRow(name: string): Sql {
  return itemBeside(name, sql`${row} // ${inItem}`);
}

/** Is the row that is looked at one of them? */
export function isBeside(name: string): Sql {
  return sql`(${itemOfRow(name)} >> (${row} % ${inItem})) & 1 = 1`;
}

/** The place, from 0, of the row that is looked at among them, which it must be one of. */
export function placeBeside(name: string): Sql {
  const before = sql`(CAST(1 AS BIGINT) << (${row} % ${inItem})) - 1`;
  return sql`((${itemOfRow(name)} >> ${inItem}) + bit_count(${itemOfRow(name)} & (${before})))`;
}
