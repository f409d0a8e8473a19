import { rowColumn } from "../../plan/expr.ts";
import type { ClusterColumn, ClusterTable } from "../../plan/node.ts";
import { col, join, raw, type Sql, sql } from "../sql.ts";
import { real } from "./words.ts";

/** A table of the cluster as a query reads it, and what tells the file of a row and its place there. */
export interface Scanned {
  readonly from: Sql;
  readonly file: Sql;
  readonly place: Sql;
  /** Are its files those that the chain noted, and no other? */
  readonly isWhole?: boolean;
}

/** Rows of a table from one number up to another. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * A table of the cluster with its cells in our types, each row with its number.
 *
 * Of files those alone in which wanted rows are; where nobody looks at the rows' numbers, these are missing, since to find
 * them takes as long as to add up a column.
 */
export function selectSource(
  { columns, files, order }: ClusterTable,
  { from, file, place, isWhole = false }: Scanned,
  wanted: Stretch | "cells" | null = null,
): Sql {
  const cells = columns.map((each) => sql`${cellOf(each)} AS ${col(each.column.name)}`);
  if (!files) {
    const keys = order === "files" ? [file, place] : columns.map(keyOf);
    const row = sql`row_number() OVER (ORDER BY ${join(keys)}) - 1L AS ${col(rowColumn)}`;
    return sql`SELECT ${join([...cells, row])}\n  FROM ${from}`;
  }
  const placed = placedFiles(files);
  const within = wanted && wanted !== "cells" ? wanted : { from: 0, to: Number.POSITIVE_INFINITY };
  const met = placed.filter(({ begin, end }) => begin < within.to && end > within.from);
  const read = met.length > 0 ? met : placed.slice(0, 1);
  const select = (row: Sql, joined?: Sql) =>
    sql`SELECT ${raw(joined ? "/*+ BROADCAST(f) */ " : "")}${join([...cells, sql`${row} AS ${col(rowColumn)}`])}\n  FROM ${from}${joined ?? raw("")}`;
  const paths = read.map(({ path }) => sql`${path}`);
  // What is asked of the path alone keeps Spark from opening other files.
  const where = isWhole && read.length === files.length ? raw("") : sql`\n  WHERE ${file} IN (${join(paths)})`;
  if (wanted === "cells") return sql`${select(raw("CAST(NULL AS BIGINT)"))}${where}`;
  if (read.length === 1) return sql`${select(read[0].begin === 0 ? place : sql`${begun(read[0])} + ${place}`)}${where}`;
  if (read.length <= mostCases) {
    const cases = read.map((each) => sql`WHEN ${each.path} THEN ${begun(each)}`);
    return sql`${select(sql`CASE ${file} ${join(cases, " ")} END + ${place}`)}${where}`;
  }
  const begins = read.map((each) => sql`(${each.path}, ${begun(each)})`);
  const numbered = sql`\n  JOIN VALUES ${join(begins)} AS f(path, begin) ON f.path = ${file}`;
  return sql`${select(sql`f.begin + ${place}`, numbered)}${where}`;
}

/** Of so many files a row's number is found by comparing its path in turn: with 8 in two thirds of the time of a join. */
const mostCases = 24;

/** A file, and the numbers of its rows: from `begin` up to `end`. */
interface PlacedFile {
  readonly path: string;
  readonly begin: number;
  readonly end: number;
}

function placedFiles(files: NonNullable<ClusterTable["files"]>): PlacedFile[] {
  let end = 0;
  return files.map(({ path, rows }) => {
    end += rows;
    return { path, begin: end - rows, end };
  });
}

function begun({ begin }: PlacedFile): Sql {
  return raw(`${begin}L`);
}

function keyOf({ column, isMap }: ClusterColumn): Sql {
  const cell = col(column.name);
  // Maps have no order, but their texts do.
  return sql`${isMap ? sql`CAST(${cell} AS STRING)` : cell} NULLS LAST`;
}

function cellOf({ column, from }: ClusterColumn): Sql {
  const cell = col(column.name);
  switch (from) {
    case "integer":
      return sql`CAST(${cell} AS BIGINT)`;
    case "number":
      return real(sql`CAST(${cell} AS DOUBLE)`);
    case "boolean":
      return cell;
    case "text":
      return sql`CAST(${cell} AS STRING)`;
    case "date":
      return sql`CAST(${cell} AS TIMESTAMP_NTZ)`;
    case "json":
      return sql`to_json(${cell})`;
  }
}

/** Names that no column has, for a row's file and its place there. */
export function hiddenNames({ columns }: Pick<ClusterTable, "columns">): {
  readonly file: string;
  readonly place: string;
} {
  const names = new Set(columns.map(({ column }) => column.name));
  const free = (name: string): string => (names.has(name) ? free(`${name}_`) : name);
  return { file: free("__file"), place: free("__place") };
}
