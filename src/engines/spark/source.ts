import { rowColumn } from "../../plan/expr.ts";
import type { ClusterColumn, ClusterTable } from "../../plan/node.ts";
import { col, join, raw, type Sql, sql } from "../sql.ts";
import { real } from "./words.ts";

/** A table of the cluster as a query reads it, and what tells the file of a row and its place there. */
export interface Scanned {
  readonly from: Sql;
  readonly file: Sql;
  readonly place: Sql;
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
 * them takes as long as to add up a column or two.
 */
export function selectSource(
  { columns, files, order }: ClusterTable,
  { from, file, place }: Scanned,
  wanted: Stretch | "cells" | null = null,
): Sql {
  const cells = columns.map((each) => sql`${cellOf(each)} AS ${col(each.column.name)}`);
  if (files) {
    const paths = files.map(({ path }) => sql`${path}`);
    if (wanted === "cells") {
      const missing = sql`CAST(NULL AS BIGINT) AS ${col(rowColumn)}`;
      return sql`SELECT ${join([...cells, missing])}\n  FROM ${from}\n  WHERE ${file} IN (${join(paths)})`;
    }
    const [first, ...more] = files;
    if (more.length === 0) {
      return sql`SELECT ${join([...cells, sql`${place} AS ${col(rowColumn)}`])}\n  FROM ${from}\n  WHERE ${file} = ${first.path}`;
    }
    let end = 0;
    const placed = files.map(({ path, rows }) => {
      end += rows;
      return { path, begin: end - rows, end };
    });
    const begins = placed.map(({ path, begin }) => sql`(${path}, ${raw(`${begin}L`)})`);
    const row = sql`f.begin + ${place} AS ${col(rowColumn)}`;
    const joined = sql`SELECT /*+ BROADCAST(f) */ ${join([...cells, row])}\n  FROM ${from}\n  JOIN VALUES ${join(begins)} AS f(path, begin) ON f.path = ${file}`;
    if (!wanted) return joined;
    // What is asked of the path alone keeps Spark from opening the other files.
    const read = paths.filter((_, k) => placed[k].begin < wanted.to && placed[k].end > wanted.from);
    return sql`${joined}\n  WHERE ${file} IN (${join(read.length > 0 ? read : paths.slice(0, 1))})`;
  }
  const keys = order === "files" ? [file, place] : columns.map(keyOf);
  const row = sql`row_number() OVER (ORDER BY ${join(keys)}) - 1L AS ${col(rowColumn)}`;
  return sql`SELECT ${join([...cells, row])}\n  FROM ${from}`;
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
