import type { Rows, Sketch, Sketching } from "../../core/tables.ts";
import { columnsRead, rowColumn } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { col, join, made, raw, type Sql, sql } from "../sql.ts";
import type { Duck } from "./duck.ts";
import { toCell } from "./read/cells.ts";
import { selectFrom } from "./select.ts";

/** Few of a table's marks that look as all of them do when they are drawn. */
export async function sketchRows(
  duck: Duck,
  relation: Relation,
  rows: Rows,
  sketching: Sketching,
  signal?: AbortSignal,
): Promise<Sketch> {
  const all = allMarks(relation, rows, sketching);
  const [[marks, drawn]] = await duck.rows(sql`SELECT count(*), coalesce(sum(vn), 0) FROM (${all})`, signal);
  const found = await duck.rows(few(all, Number(marks), sketching), signal);
  return { found: found.map((row) => row.map(toCell)), marks: Number(marks), rows: Number(drawn) };
}

/** All marks: `vx`, `vy`, `vs` that tells series apart, the first of their rows `vr`, and how many rows they have. */
function allMarks(relation: Relation, rows: Rows, { where, x, y, series, isJoined }: Sketching): Sql {
  const key = series ? [x, series] : [x];
  const columns = [...new Set([where, y, ...key].flatMap(columnsRead))];
  const read = selectFrom(relation, { ...rows, columns, row: true });
  const row = col(rowColumn);
  const outputs = [
    sql`${made(x)} AS vx`,
    sql`${made(y)} AS vy`,
    ...(series ? [sql`${made(series)} AS vs`] : []),
    isJoined ? sql`min(${row}) AS vr, count(*) AS vn` : sql`${row} AS vr, 1 AS vn`,
  ];
  const groups = isJoined ? sql` GROUP BY ${join(key.map(made))}` : raw("");
  return sql`SELECT ${join(outputs)} FROM (${read}) WHERE ${made(where)}${groups}`;
}

/** As many marks as are wanted: of lines the least and greatest of each stretch, else some that are drawn by hash. */
function few(all: Sql, marks: number, { series, most, stretches }: Sketching): Sql {
  const columns = raw(series ? "vx, vy, vs" : "vx, vy");
  const order = raw(stretches === undefined ? "vr" : "vx, vr");
  if (marks <= most) return sql`SELECT ${columns} FROM (${all}) ORDER BY ${order}`;
  if (stretches === undefined) {
    return sql`SELECT ${columns} FROM (SELECT * FROM (${all}) ORDER BY hash(vr), vr LIMIT ${most}) ORDER BY ${order}`;
  }
  const part = raw(series ? "PARTITION BY vs, b" : "PARTITION BY b");
  return sql`SELECT ${columns} FROM (
  SELECT *, row_number() OVER (${part} ORDER BY vy, vr) AS lo, row_number() OVER (${part} ORDER BY vy DESC, vr) AS hi
  FROM (SELECT *, ntile(${stretches}) OVER (ORDER BY vx, vr) AS b FROM (${all}))
) WHERE lo = 1 OR hi = 1 ORDER BY ${order}`;
}
