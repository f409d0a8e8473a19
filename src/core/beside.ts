import { quote, raw, type Sql, sql } from "./sql.ts";
import type { WriteColumn } from "./tables.ts";

/**
 * A list as a column of the one row of a file that is read beside a table: see `Step.beside`.
 *
 * A join of the table with a file of as many rows would lose the rows' order, and finding it again takes as long as
 * writing them.
 */
export function listBeside(name: string, items: Uint8Array | Float64Array): WriteColumn {
  return { column: { name, type: "tensor" }, values: { start: Int32Array.of(0, items.length), items } };
}

/** The list's item at a place from 0. */
export function itemBeside(name: string, place: Sql): Sql {
  return sql`list_extract(${raw(quote(name))}, ${place} + 1)`;
}
