import type { DuckDBConnection, DuckDBDataChunk, DuckDBListVector } from "@duckdb/node-api";
import { DataError } from "../core/errors.ts";
import type { ClassColumn, NumberColumns } from "../core/matrix.ts";
import { quoted } from "../core/names.ts";
import { foldRows, type Relation, rowColumn, type Selection, selectFrom } from "../core/relation.ts";
import { col, file, join, literal, raw, type Sql, sql } from "../core/sql.ts";
import type { Cell } from "../core/view.ts";
import { toCell } from "./cells.ts";
import { type Duck, failing } from "./duck.ts";

class Growing {
  array = new Float64Array(2048);
  length = 0;

  append(items: Float64Array): void {
    if (this.length + items.length > this.array.length) {
      const larger = new Float64Array(this.array.length * 2);
      larger.set(this.array.subarray(0, this.length));
      this.array = larger;
    }
    this.array.set(items, this.length);
    this.length += items.length;
  }
}

async function eachChunk(
  connection: DuckDBConnection,
  text: string,
  values: readonly unknown[],
  take: (chunk: DuckDBDataChunk) => void,
): Promise<void> {
  const result = await failing(text, () => connection.stream(text, values as never));
  for (;;) {
    const chunk = await failing(text, () => result.fetchChunk());
    if (!chunk || chunk.rowCount === 0) return;
    take(chunk);
  }
}

/** Reads numeric columns into one matrix over shared memory; missing cells are NaN. */
export async function readNumbers(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  signal?: AbortSignal,
): Promise<NumberColumns> {
  const names = selection.columns;
  const d = names.length;
  if (d === 0) return { names, n: 0, d, data: new Float64Array(0) };
  const n = await countRows(duck, relation, selection, signal);
  const data = new Float64Array(new SharedArrayBuffer(n * d * Float64Array.BYTES_PER_ELEMENT));
  const { placed, isScattered } = placedRows(relation, selection);
  // Missing cells become NaN here: in a chunk their slots hold garbage.
  const doubles = names.map((name) => sql`coalesce(CAST(${col(name)} AS DOUBLE), 'nan'::DOUBLE)`);
  const { text, values } = duck.statement(
    sql`SELECT ${join(isScattered ? [...doubles, col(placeColumn)] : doubles)} FROM (${placed})`,
  );
  const places = new Int32Array(isScattered ? n : 0);
  let from = 0;
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      for (let k = 0; k < d; k++) data.set(itemsOf(chunk, k).subarray(0, chunk.rowCount), k * n + from);
      if (isScattered) places.set(itemsOf(chunk, d).subarray(0, chunk.rowCount), from);
      from += chunk.rowCount;
    });
  }, signal);
  if (isScattered) permute(data, places, d);
  return { names, n, d, data };
}

/** Moves row i of each column to places[i]; a column at a time, because one alone fits into the cache. */
function permute(data: Float64Array, places: Int32Array, d: number): void {
  const n = places.length;
  const before = new Float64Array(n);
  for (let k = 0; k < d; k++) {
    const column = data.subarray(k * n, (k + 1) * n);
    before.set(column);
    for (let i = 0; i < n; i++) column[places[i]] = before[i];
  }
}

/** `items` is private in the typings of @duckdb/node-api 1.5; a public typed-array view would replace it. */
function itemsOf(chunk: DuckDBDataChunk, k: number): Float64Array | Int32Array {
  return (chunk.getColumnVector(k) as unknown as { items: Float64Array | Int32Array }).items;
}

/** The place of a row within its fold, which travels beside the columns. */
const placeColumn = "__place";

/**
 * The rows to read. A whole fold comes in any order with each row's place beside it: putting numbers in their
 * places costs half of what sorting the rows does.
 */
function placedRows(relation: Relation, selection: Selection): { placed: Sql; isScattered: boolean } {
  const { fold, folds, offset, limit, columns } = selection;
  if (!fold || fold === "all" || !folds || offset !== undefined || limit !== undefined) {
    return { placed: selectFrom(relation, selection), isScattered: false };
  }
  const inner = selectFrom(relation, { columns, row: true });
  const placed = sql`SELECT rows.*, fold."pos"::INTEGER AS ${col(placeColumn)} FROM (${inner}) AS rows JOIN (${foldRows(folds, fold)}) AS fold ON fold."row" = rows.${col(rowColumn)}`;
  return { placed, isScattered: true };
}

/** How many rows a selection has; steps change no row's place, so the folds or the file alone tell. */
async function countRows(duck: Duck, relation: Relation, selection: Selection, signal?: AbortSignal): Promise<number> {
  const { fold, folds, offset = 0, limit = Number.POSITIVE_INFINITY } = selection;
  const isFold = fold && fold !== "all" && folds;
  const counted = sql`SELECT count(*) FROM read_parquet(${file(relation.artifact)})`;
  const total = isFold ? folds[fold] : Number((await duck.rows(counted, signal))[0][0]);
  return Math.max(0, Math.min(total - offset, limit));
}

/** The numbers of a selection's rows in its order, such as those that hold a text, or all of them sorted. */
export async function readOrder(duck: Duck, relation: Relation, selection: Selection): Promise<Int32Array> {
  const { text, values } = duck.statement(
    sql`SELECT ${col(rowColumn)}::INTEGER FROM (${selectFrom(relation, { ...selection, columns: [], row: true })})`,
  );
  const pieces: Int32Array[] = [];
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      pieces.push((itemsOf(chunk, 0) as Int32Array).slice(0, chunk.rowCount));
    });
  });
  const order = new Int32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    order.set(piece, at);
    at += piece.length;
  }
  return order;
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
    await eachChunk(connection, text, values, (chunk) => {
      const vector = chunk.getColumnVector(0) as DuckDBListVector;
      // `items` is private in the typings of @duckdb/node-api 1.5; a public typed-array view would replace it.
      const { items } = vector.childVector as unknown as { items: Float32Array };
      for (let i = 0; i < chunk.rowCount; i++) {
        const start = vector.getEntryOffset(i);
        const isMissing = vector.getItemVector(i) === null;
        cells.push(isMissing ? null : items.slice(start, start + vector.getEntryLength(i)));
      }
    });
  }, signal);
  const size = cells.find((cell) => cell !== null)?.length ?? 0;
  if (cells.some((cell) => cell !== null && cell.length !== size)) return null;
  const data = new Float32Array(cells.length * size).fill(Number.NaN);
  cells.forEach((cell, i) => {
    if (cell) data.set(cell, i * size);
  });
  return { n: cells.length, size, data };
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
  const inner = selectFrom(relation, { ...rest, columns: [name] });
  const labels = given ?? (await distinctLabels(duck, inner, name, signal));
  if (labels.length === 0) {
    const [[rows]] = await duck.rows(sql`SELECT count(*) FROM (${inner})`, signal);
    return { name, labels, codes: new Int32Array(Number(rows)).fill(-1) };
  }
  const code = codeOf(name, labels);
  const { text, values } = duck.statement(sql`SELECT coalesce(${code}, -1)::DOUBLE FROM (${inner})`);
  const codes = new Growing();
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      codes.append((itemsOf(chunk, 0) as Float64Array).subarray(0, chunk.rowCount));
    });
  }, signal);
  return { name, labels, codes: Int32Array.from(codes.array.subarray(0, codes.length)) };
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
  if (labels.every((label) => typeof label === "string")) {
    const list = raw(labels.map((label) => literal(label)).join(", "));
    return sql`enum_code(TRY_CAST(CAST(${col(name)} AS VARCHAR) AS ENUM(${list})))`;
  }
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
  const { text, values } = duck.statement(selectFrom(relation, selection));
  const columns: Cell[][] = [];
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      for (let k = 0; k < chunk.columnCount; k++) {
        columns[k] ??= [];
        for (const value of chunk.getColumnValues(k)) columns[k].push(toCell(value));
      }
    });
  }, signal);
  if (columns.length === 0 && selection.columns) return selection.columns.map(() => []);
  return columns;
}
