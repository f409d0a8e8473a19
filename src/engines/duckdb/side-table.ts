import type { Column } from "../../core/frame.ts";
import type { Tables, WriteColumn } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import type { Own } from "../../plan/node.ts";
import { col, made, quote, raw, type Sql, sql } from "../sql.ts";
import { duckType } from "./read/cells.ts";

/** Where what is made of a table is put. */
export interface Writing {
  write(statement: Sql): Promise<string>;
  /** Writes a SELECT that looks up a number for each row: `item` is SQL for that of a row's number. */
  writeWith(items: Uint8Array, statement: (item: (row: Sql) => Sql) => Sql): Promise<string>;
  writeColumns(columns: readonly WriteColumn[]): Promise<string>;
  discard(artifact: string): Promise<void>;
  settleLater: Tables["settleLater"];
}

/**
 * A list as a column of the one row of a file that is read beside a table: see `Step.sideTable`.
 *
 * A join of the table with a file of as many rows would lose the rows' order, and finding it again takes as long as
 * writing them.
 */
export function sideList(
  name: string,
  items: Uint8Array | Int32Array | Float64Array,
  kind: { readonly integer?: boolean } = {},
): WriteColumn {
  return { column: { name, type: "tensor", ...kind }, values: { start: Int32Array.of(0, items.length), items } };
}

/** The bytes of `sideRows` for a table of so many rows. */
export function bytesOfRows(rows: number): number {
  return Float64Array.BYTES_PER_ELEMENT * itemsFor(rows);
}

/** The list's item at a place from 0; null behind its end. */
export function sideItem(name: string, place: Sql): Sql {
  return sql`list_extract(${raw(quote(name))}, ${place} + 1)`;
}

/**
 * Some of a table's rows, ascending, as a list beside it: a third of a byte for each row of the table.
 *
 * What is known of these rows alone lies in lists as long as they are many, at `placeInSideRows`. An item tells of 24 rows:
 * a bit for each, and above these how many of the rows stand before. A double holds that for half a billion rows.
 */
export function sideRows(name: string, some: Int32Array, rows: number): WriteColumn {
  const items = new Float64Array(itemsFor(rows));
  for (let item = 0, k = 0; item < items.length; item++) {
    const before = k;
    const next = (item + 1) * inItem;
    let bits = 0;
    for (; k < some.length && some[k] < next; k++) bits |= 1 << (some[k] - next + inItem);
    items[item] = before * aboveBits + bits;
  }
  return sideList(name, items, { integer: true });
}

function itemsFor(rows: number): number {
  return Math.floor(rows / inItem) + 1;
}

const inItem = 24;
const aboveBits = 2 ** inItem;
const row = col(rowColumn);

function itemOfRow(name: string): Sql {
  return sideItem(name, sql`${row} // ${inItem}`);
}

/** Is the row that is looked at one of them? */
export function isInSideRows(name: string): Sql {
  return sql`(${itemOfRow(name)} >> (${row} % ${inItem})) & 1 = 1`;
}

/** The place, from 0, of the row that is looked at among them, which it must be one of. */
export function placeInSideRows(name: string): Sql {
  const before = sql`(CAST(1 AS BIGINT) << (${row} % ${inItem})) - 1`;
  return sql`((${itemOfRow(name)} >> ${inItem}) + bit_count(${itemOfRow(name)} & (${before})))`;
}

/** The cell that a row at hand has in a column. */
export function ownCell(column: Column, own: Own): Sql {
  if ("atHand" in own) throw new TypeError("rows that lie on a cluster are none of these");
  if ("gaps" in own) return filledCell(column, own);
  return numberOfPart(own, sideItem(own.parts, row));
}

/** A number of a row's part. */
export function numberOfPart({ numbers, size, place }: Extract<Own, { numbers: string }>, part: Sql): Sql {
  return sideItem(numbers, sql`CAST(${part} AS BIGINT) * ${size} + ${made(place)} + 1`);
}

/** The column's cell, else what fills the row's gap, where something does. A CASE looks that up for these rows alone. */
function filledCell(column: Column, { gaps, fills, places, isWhole }: Extract<Own, { gaps: string }>): Sql {
  const place = placeInSideRows(gaps);
  const fill = sideItem(fills, places === undefined ? place : sideItem(places, place));
  const name = col(column.name);
  // Fills by places are cells of the column's own.
  const as = (each: Sql) => (places === undefined ? sql`CAST(${each} AS ${raw(duckType(column))})` : each);
  if (isWhole) return sql`CASE WHEN ${name} IS NULL THEN ${as(fill)} ELSE ${as(name)} END`;
  return sql`CASE WHEN ${name} IS NOT NULL THEN ${as(name)} WHEN ${isInSideRows(gaps)} THEN ${as(fill)} END`;
}
