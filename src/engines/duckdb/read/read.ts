import type { DuckDBDataChunk, DuckDBListVector } from "@duckdb/node-api";
import { DataError } from "../../../core/errors.ts";
import type { ClassColumn, NumberColumns } from "../../../core/matrix.ts";
import { quoted } from "../../../core/names.ts";
import { type Selection, subsetOf } from "../../../core/selection.ts";
import type { TableSelection } from "../../../core/tables.ts";
import type { Cell } from "../../../core/view.ts";
import { rowColumn } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { col, file, join, raw, type Sql, sql } from "../../sql.ts";
import { isPage, keyOf, readsBoth } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { selectFrom } from "../select.ts";
import { placeAmong } from "./as-numbers.ts";
import { toCell } from "./cells.ts";
import { cellsIn } from "./chunk-cells.ts";
import { itemsIn, itemsOf } from "./chunks.ts";
import { forgetCopies } from "./copies.ts";
import { readColumnsInto, readInto, readSplitInto } from "./placed.ts";
import { fillEntries, readLists } from "./read-entries.ts";
import { countRows, eachChunk, Growing } from "./streamed.ts";
import { type Ways, waysOf } from "./ways.ts";

/**
 * Reads numeric columns into one matrix over shared memory; missing cells are NaN.
 *
 * Columns that are places of sparse rows are filled in from the rows' lists, since looking up each of thousands of
 * places in SQL takes as long as if they all were there.
 */
export async function readNumbers(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  signal?: AbortSignal,
  memory?: Float64Array,
): Promise<NumberColumns> {
  const ways = await waysOf(duck, relation, selection, signal);
  return await readBy(ways, duck, relation, selection, signal, memory);
}

async function readBy(
  ways: Ways,
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  signal?: AbortSignal,
  memory?: Float64Array,
): Promise<NumberColumns> {
  const names = selection.columns;
  const d = names.length;
  if (d === 0) return { names, n: 0, d, data: new Float64Array(0) };
  const n = await countRows(duck, relation, selection, signal);
  const { sparse, byValue, plain } = ways;
  if (sparse.length > 0) refuseLarge(n, d, duck.memory);
  const isRoom = memory !== undefined && memory.length >= n * d;
  const data = isRoom ? memory.subarray(0, n * d) : newMatrix(n, d);
  // Places that rows lack stay as they are.
  if (isRoom && sparse.length > 0) data.fill(0);
  if (plain.length + byValue.length > 0) {
    await readColumnsInto(duck, relation, selection, ways, columnsOf(data, d), signal);
  }
  for (const group of sparse) fillEntries(group, await readLists(duck, group, selection, signal), data, n);
  return { names, n, d, data };
}

/** The same, of a table or one of its subsets, which may be kept for whoever reads them next: see `Tables.look`. */
export async function lookAtNumbers(
  duck: Duck,
  relation: Relation,
  selection: TableSelection,
  signal?: AbortSignal,
  memory?: Float64Array,
): Promise<NumberColumns & { readonly isKept: boolean }> {
  const { key, names } = keyOf(relation, selection);
  const found = duck.kept.find(key, names);
  if (found) return { names: selection.columns, d: names.length, ...found, isKept: true };
  const ways = await waysOf(duck, relation, selection, signal);
  const both = memory === undefined ? await keepSplit(ways, duck, relation, selection, signal) : null;
  if (both) return { ...both, isKept: true };
  const read = await readBy(ways, duck, relation, selection, signal, memory);
  const { n, d, data } = read;
  // What others gave the memory for is theirs.
  const mayKeep = memory === undefined && n * d > 0;
  return { ...read, isKept: mayKeep && duck.kept.add({ key, names, n, data }) };
}

/** Reads training and test rows at once, keeps both, and answers the subset that is selected; null where one is read alone. */
async function keepSplit(
  ways: Ways,
  duck: Duck,
  relation: Relation,
  selection: TableSelection,
  signal?: AbortSignal,
): Promise<NumberColumns | null> {
  const { columns } = selection;
  const d = columns.length;
  const part = subsetOf(selection);
  if (!part || !readsBoth(duck.kept, part.split, d, ways.sparse.length > 0)) return null;
  const { subset, split } = part;
  const matrices = { train: newMatrix(split.train, d), test: newMatrix(split.test, d) };
  const into = { train: columnsOf(matrices.train, d), test: columnsOf(matrices.test, d) };
  await readSplitInto(duck, relation, columns, ways, split, into, signal);
  for (const each of ["train", "test"] as const) {
    duck.kept.add({ ...keyOf(relation, { columns, subset: each, split }), n: split[each], data: matrices[each] });
  }
  return { names: columns, n: split[subset], d, data: matrices[subset] };
}

/** A matrix's columns, one behind the other. */
function columnsOf(data: Float64Array, d: number): Float64Array[] {
  const n = data.length / d;
  return Array.from({ length: d }, (_, k) => data.subarray(k * n, (k + 1) * n));
}

/** A matrix over shared memory, which goes to workers without a copy. */
function newMatrix(n: number, d: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(n * d * Float64Array.BYTES_PER_ELEMENT));
}

/** Sparse rows are small on the disk, and a matrix of them that does not fit into memory would end the process. */
function refuseLarge(n: number, d: number, memory: number): void {
  const bytes = n * d * Float64Array.BYTES_PER_ELEMENT;
  if (bytes <= memory) return;
  const gigabytes = (each: number) => `${(each / 1e9).toPrecision(2)} GB`;
  throw new DataError(
    `${n.toLocaleString("en-US")} rows × ${d.toLocaleString("en-US")} columns of terms would fill ${gigabytes(bytes)} of memory, and ${gigabytes(memory)} is the most here. Lower max_features or raise min_df in vectorize (DP_VEC), or take a model that reads terms as they are, such as logistic (ML_CN_1).`,
    { code: "matrix_too_large", got: n * d, expected: `at most ${Math.floor(memory / 8)} numbers` },
  );
}

/** The numbers of a selection's rows in its order, such as those that hold a text, or all of them sorted. */
export async function readOrder(duck: Duck, relation: Relation, selection: Selection): Promise<Int32Array> {
  return await rowNumbers(
    duck,
    sql`SELECT ${col(rowColumn)}::INTEGER FROM (${selectFrom(relation, { ...selection, columns: [], row: true })})`,
  );
}

/** What a SELECT of one INTEGER column answers. */
export async function rowNumbers(duck: Duck, statement: Sql, signal?: AbortSignal): Promise<Int32Array> {
  const { text, values } = duck.statement(statement);
  const order = new Growing<Int32Array>(new Int32Array(0));
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      order.append((itemsOf(chunk, 0) as Int32Array).subarray(0, chunk.rowCount));
    });
  }, signal);
  return order.all;
}

/** Some rows by their numbers and in that order, as cells, one array per column. */
export async function readRows(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  rows: Int32Array,
): Promise<Cell[][]> {
  if (rows.length === 0) return columns.map(() => []);
  const found = await readCells(duck, relation, { columns, row: true, rows: [...rows] });
  const places = new Map((found.at(-1) ?? []).map((row, place) => [row, place]));
  return columns.map((_, k) => Array.from(rows, (row) => found[k][places.get(row) as number]));
}

/** How many rows hold a selection's search. */
export async function countFound(duck: Duck, relation: Relation, selection: Selection): Promise<number> {
  const [[total]] = await duck.rows(sql`SELECT count(*) FROM (${selectFrom(relation, selection)})`);
  return Number(total);
}

/**
 * Reads a tensor column, all cells one after the other; null when their lengths differ.
 *
 * A missing cell is NaN throughout.
 */
export async function readTensors(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly [string] },
  signal?: AbortSignal,
): Promise<{ readonly n: number; readonly size: number; readonly data: Float32Array } | null> {
  const { text, values } = duck.statement(selectFrom(relation, selection));
  const cells: (Float32Array | null)[] = [];
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => cells.push(...listsIn<Float32Array>(chunk)));
  }, signal);
  const size = cells.find((cell) => cell !== null)?.length ?? 0;
  if (cells.some((cell) => cell !== null && cell.length !== size)) return null;
  const data = new Float32Array(cells.length * size).fill(Number.NaN);
  cells.forEach((cell, i) => {
    if (cell) data.set(cell, i * size);
  });
  return { n: cells.length, size, data };
}

/** The lists of an artifact that has a column of them, "items", in its order. */
export async function readListFile(duck: Duck, artifact: string): Promise<Float64Array[]> {
  const { text, values } = duck.statement(sql`SELECT "items" FROM read_parquet(${file(artifact)})`);
  const lists: (Float64Array | null)[] = [];
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => lists.push(...listsIn<Float64Array>(chunk)));
  });
  // Nothing is missing in what we wrote.
  return lists as Float64Array[];
}

/** A chunk's only column, of lists of numbers; null where one is missing. */
function* listsIn<T extends Float32Array | Float64Array>(chunk: DuckDBDataChunk): Generator<T | null> {
  const vector = chunk.getColumnVector(0) as DuckDBListVector;
  const items = itemsIn<T>(vector.childVector);
  for (let i = 0; i < chunk.rowCount; i++) {
    const start = vector.getEntryOffset(i);
    yield vector.getItemVector(i) === null ? null : (items.slice(start, start + vector.getEntryLength(i)) as T);
  }
}

/** From where to where the numbers of a tensor go, and how many they are. */
export interface Extent {
  readonly least: number | null;
  readonly most: number | null;
  readonly size: number;
}

/** The extents of tensor columns' cells, one array per column; null where a cell is missing. */
export async function readExtents(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
): Promise<(Extent | null)[][]> {
  const names = selection.columns;
  const ends = names.map((name) => sql`list_min(${col(name)}), list_max(${col(name)}), len(${col(name)})`);
  const rows = await duck.rows(sql`SELECT ${join(ends)} FROM (${selectFrom(relation, selection)})`);
  return names.map((_, k) =>
    rows.map((row) => {
      const [least, most, size] = row.slice(3 * k, 3 * k + 3).map((each) => (each === null ? null : Number(each)));
      return size === null ? null : { least, most, size };
    }),
  );
}

/** Reads a column as class codes into its sorted labels; -1 where missing or not among `labels`. */
export async function readClasses(
  duck: Duck,
  relation: Relation,
  name: string,
  selection: Selection & { readonly labels?: ClassColumn["labels"] } = {},
  signal?: AbortSignal,
): Promise<ClassColumn> {
  const { labels: given, ...rest } = selection;
  const labels =
    given ?? (await distinctLabels(duck, selectFrom(relation, { ...rest, columns: [name] }), name, signal));
  const n = await countRows(duck, relation, rest, signal);
  const codes = new Int32Array(new SharedArrayBuffer(n * Int32Array.BYTES_PER_ELEMENT)).fill(-1);
  if (labels.length === 0) return { name, labels, codes };
  const code = sql`coalesce(${codeOf(name, labels)}, -1)::DOUBLE`;
  await readInto(duck, relation, { ...rest, columns: [name] }, [code], [codes], signal);
  return { name, labels, codes };
}

async function distinctLabels(
  duck: Duck,
  inner: Sql,
  name: string,
  signal?: AbortSignal,
): Promise<(string | number | boolean)[]> {
  const most = 10_000;
  const found = await duck.rows(
    sql`SELECT DISTINCT ${col(name)} AS label FROM (${inner}) WHERE ${col(name)} IS NOT NULL ORDER BY label LIMIT ${raw(String(most + 1))}`,
    signal,
  );
  if (found.length > most) {
    throw new DataError(`column ${quoted(name)} has more than ${most} different values, too many to be classes.`, {
      got: found.length,
      expected: `at most ${most} classes`,
    });
  }
  return found.map(([value]) => toCell(value) as string | number | boolean);
}

/** The SQL for the position of a column's value among `labels`. */
function codeOf(name: string, labels: ClassColumn["labels"]): Sql {
  if (labels.every((label) => typeof label === "string")) return placeAmong(sql`CAST(${col(name)} AS VARCHAR)`, labels);
  const cases = labels.map((label, k) => sql`WHEN ${col(name)} = ${label} THEN ${raw(String(k))}`);
  return sql`CASE ${join(cases, " ")} END`;
}

/** Reads any columns as cells, one array per column. */
export async function readCells(
  duck: Duck,
  relation: Relation,
  selection: Selection,
  signal?: AbortSignal,
): Promise<Cell[][]> {
  const columns = await (isPage(selection) ? pageOf : cellsOf)(duck, selectFrom(relation, selection), signal);
  if (columns.length === 0 && selection.columns) return selection.columns.map(() => []);
  return columns;
}

/** What a SELECT of few rows answers as cells, one array per column; none where it has no rows. */
export async function pageOf(duck: Duck, statement: Sql, signal?: AbortSignal): Promise<Cell[][]> {
  const chunks = await duck.chunksOfFew(duck.statement(statement), signal);
  const [first = [], ...others] = chunks.map(columnsIn);
  return first.map((cells, k) => cells.concat(...others.map((columns) => columns[k]!)));
}

/** What a SELECT answers as cells, one array per column; none where it has no rows. */
export async function cellsOf(duck: Duck, statement: Sql, signal?: AbortSignal): Promise<Cell[][]> {
  const columns: Cell[][] = [];
  for await (const batch of batchesOf(duck, statement, signal)) {
    batch.forEach((cells, k) => {
      columns[k] ??= [];
      for (const cell of cells) columns[k].push(cell);
    });
  }
  return columns;
}

/** Any columns as cells while they are read, some rows at a time, in order; who stops asking ends the reading. */
export function cellBatches(duck: Duck, relation: Relation, selection: Selection): AsyncGenerator<Cell[][]> {
  return batchesOf(duck, selectFrom(relation, selection));
}

async function* batchesOf(duck: Duck, statement: Sql, signal?: AbortSignal): AsyncGenerator<Cell[][]> {
  for await (const chunk of duck.chunks(duck.statement(statement), signal)) {
    yield columnsIn(chunk);
    forgetCopies(chunk);
  }
}

function columnsIn(chunk: DuckDBDataChunk): Cell[][] {
  return Array.from({ length: chunk.columnCount }, (_, k) => cellsIn(chunk, k));
}
