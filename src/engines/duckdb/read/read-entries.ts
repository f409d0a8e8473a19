import type { DuckDBDataChunk, DuckDBListVector } from "@duckdb/node-api";
import type { Selection } from "../../../core/selection.ts";
import type { EntryGroup } from "../../../plan/sparse.ts";
import { col, join, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { itemsIn, itemsOf } from "./chunks.ts";
import { eachChunk, Growing, placeColumn, placedRows } from "./streamed.ts";

/** Sparse rows as they are stored: row i has `terms[at]` with `weights[at]` for at = start[i] … start[i + 1] − 1. */
export interface Lists {
  readonly start: Int32Array;
  readonly terms: Int32Array;
  readonly weights: Float64Array;
  /** Which row of the selection each of them is. */
  readonly places: Int32Array;
}

/** Reads the lists of a group's rows, in the order in which they come. */
export async function readLists(
  duck: Duck,
  { relation, terms, weights }: EntryGroup,
  selection: Selection,
  signal?: AbortSignal,
): Promise<Lists> {
  const { placed, isScattered } = placedRows(relation, { ...selection, columns: [terms, weights] });
  const lists = [sql`CAST(${col(terms)} AS INTEGER[])`, sql`CAST(${col(weights)} AS DOUBLE[])`];
  const { text, values } = duck.statement(
    sql`SELECT ${join(isScattered ? [...lists, col(placeColumn)] : lists)} FROM (${placed})`,
  );
  const ends = new Growing<Int32Array>(new Int32Array(2048));
  ends.append(Int32Array.of(0));
  const found = {
    terms: new Growing<Int32Array>(new Int32Array(16_384)),
    weights: new Growing<Float64Array>(new Float64Array(16_384)),
    places: new Growing<Int32Array>(new Int32Array(2048)),
  };
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      const from = found.terms.length;
      const lengths = appendItems(chunk, 0, found.terms);
      appendItems(chunk, 1, found.weights);
      let end = from;
      ends.append(lengths.map((length) => (end += length)));
      const before = found.places.length;
      found.places.append(
        isScattered
          ? (itemsOf(chunk, 2) as Int32Array).subarray(0, chunk.rowCount)
          : Int32Array.from(lengths, (_, i) => before + i),
      );
    });
  }, signal);
  return { start: ends.all, terms: found.terms.all, weights: found.weights.all, places: found.places.all };
}

/** Appends the items of a chunk's lists, one list after the other; answers their lengths. */
function appendItems<T extends Float64Array | Int32Array>(
  chunk: DuckDBDataChunk,
  k: number,
  to: Growing<T>,
): Int32Array {
  const vector = chunk.getColumnVector(k) as DuckDBListVector;
  const items = itemsIn<T>(vector.childVector);
  const lengths = new Int32Array(chunk.rowCount);
  // Lists mostly lie one behind the other, and are taken together as far as they do.
  let [from, until] = [0, 0];
  for (let i = 0; i < lengths.length; i++) {
    lengths[i] = vector.getEntryLength(i);
    if (lengths[i] === 0) continue;
    const offset = vector.getEntryOffset(i);
    if (offset !== until) {
      to.append(items.subarray(from, until) as T);
      from = offset;
    }
    until = offset + lengths[i];
  }
  to.append(items.subarray(from, until) as T);
  return lengths;
}

/** Writes the places that were asked for into their columns of a matrix of n rows, column after column, that holds zeros. */
export function fillEntries({ places: wanted }: EntryGroup, lists: Lists, data: Float64Array, n: number): void {
  const { start, terms, weights, places } = lists;
  const columns = columnsByTerm(wanted);
  for (let i = 0; i < places.length; i++) {
    for (let at = start[i]; at < start[i + 1]; at++) {
      const k = columns[terms[at]] ?? -1;
      if (k >= 0) data[k * n + places[i]] = weights[at];
    }
  }
  for (const { at, k } of wanted) {
    const first = columns[at];
    // The same place under a second name.
    if (first !== k) data.copyWithin(k * n, first * n, (first + 1) * n);
  }
}

/** The first column of each term, -1 for those that nobody wants. */
export function columnsByTerm(wanted: EntryGroup["places"]): Int32Array {
  const most = wanted.reduce((max, { at }) => Math.max(max, at), -1);
  const columns = new Int32Array(most + 1).fill(-1);
  for (const { at, k } of wanted) if (columns[at] < 0) columns[at] = k;
  return columns;
}
