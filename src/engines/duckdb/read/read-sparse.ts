import type { SparseColumns } from "../../../core/matrix.ts";
import type { Selection } from "../../../core/selection.ts";
import type { Relation } from "../../../plan/node.ts";
import { sparseReading } from "../../../plan/sparse.ts";
import { isSparse } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { columnsByTerm, type Lists, readLists } from "./read-entries.ts";
import { countRows } from "./streamed.ts";

/**
 * Reads columns that are places of sparse rows as such; null where a matrix serves as well.
 *
 * That is where more than a tenth of the columns or of the cells are something. `plain` are the columns that are no
 * places of sparse rows: they are left empty for the caller to fill.
 */
export async function readSparse(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  signal?: AbortSignal,
): Promise<{ readonly x: SparseColumns; readonly plain: readonly number[] } | null> {
  const names = selection.columns;
  const d = names.length;
  const { groups, plain } = sparseReading(relation, selection);
  if (groups.length === 0 || !isSparse(plain.length, d)) return null;
  // A place under a second name would have to stand in its rows twice.
  if (groups.some(({ places }) => new Set(places.map(({ at }) => at)).size < places.length)) return null;
  const n = await countRows(duck, relation, selection, signal);
  const ends = new Int32Array(new SharedArrayBuffer(4 * (n + 1)));
  const parts: { readonly lists: Lists; readonly columns: Int32Array }[] = [];
  for (const group of groups) {
    const lists = await readLists(duck, group, selection, signal);
    parts.push({ lists, columns: columnsByTerm(group.places) });
    eachValue(parts.at(-1)!, (place) => ends[place + 1]++);
  }
  for (let i = 0; i < n; i++) ends[i + 1] += ends[i];
  const size = ends[n];
  if (!isSparse(size + n * plain.length, n * d)) return null;
  const columns = new Int32Array(new SharedArrayBuffer(4 * size));
  const values = new Float64Array(new SharedArrayBuffer(8 * size));
  const next = ends.slice(0, n);
  for (const part of parts) {
    eachValue(part, (place, column, value) => {
      columns[next[place]] = column;
      values[next[place]++] = value;
    });
  }
  return { x: { names, n, d, start: ends, columns, values }, plain };
}

function eachValue(
  { lists: { start, terms, weights, places }, columns }: { readonly lists: Lists; readonly columns: Int32Array },
  take: (place: number, column: number, value: number) => void,
): void {
  for (let i = 0; i < places.length; i++) {
    for (let at = start[i]; at < start[i + 1]; at++) {
      const column = columns[terms[at]] ?? -1;
      if (column >= 0) take(places[i], column, weights[at]);
    }
  }
}
