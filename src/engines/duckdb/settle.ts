import type { Selection } from "../../core/selection.ts";
import { type Expr, mapCalls, rowColumn, type SortKey } from "../../plan/expr.ts";
import type { Made, Relation, Settled } from "../../plan/node.ts";
import { col, made as expr, file, join, type Sql, sql } from "../sql.ts";
import { sortKey } from "../sql-calls.ts";
import { selectFrom } from "./select.ts";

const row = col(rowColumn);

/** The rows of a relation, with their numbers. */
type Read = (relation: Relation, selection?: Selection) => Sql;

/** The SELECT of a node that is no step over one table; its rows come in the node's order, without numbers. */
export function selectMade(made: Made, read: Read = selectFrom): Sql {
  switch (made.made) {
    case "same":
      return sameRows(made, read);
    case "sort":
      return sql`SELECT * EXCLUDE (${row})\nFROM (${read(made.of, { row: true })})\nORDER BY ${keysOf(made.by)}`;
    case "take":
      return takenRows(made.of, file(made.rows.artifact), read);
    case "groups":
      return groupedRows(made, read);
    default:
      throw new TypeError(`a plan holds a node that is not known here: ${made.made}`);
  }
}

/** The numbers of a table's rows in the order of keys. */
export function selectOrder(relation: Relation, by: readonly SortKey[]): Sql {
  const columns = by.map(({ column }) => column);
  return sql`SELECT ${row}::INTEGER FROM (${selectFrom(relation, { columns, row: true })}) ORDER BY ${keysOf(by)}`;
}

function keysOf(by: readonly SortKey[]): Sql {
  return join([...by.map(({ column, descending }) => sortKey(col(column), descending)), row]);
}

/** A plan's rows as they are, the windows of its last node along the rows of each part of a split apart. */
function sameRows({ of, within }: Settled, read: Read): Sql {
  if (!within) return sql`SELECT * EXCLUDE (${row}) FROM (${read(of, { row: true })}) ORDER BY ${row}`;
  const rows = read({ ...of, steps: of.steps.slice(0, -1) }, { row: true });
  const folds = sql`SELECT file_row_number AS "row", "fold" FROM read_parquet(${file(within.artifact)}, file_row_number = true)`;
  const folded = sql`SELECT t.*, f."fold" AS __fold FROM (${rows}) AS t JOIN (${folds}) AS f ON f."row" = t.${row}`;
  const outputs = (of.steps.at(-1)?.outputs ?? []).map(({ column: { name }, expr: cell }) =>
    cell ? sql`${expr(withinFold(cell))} AS ${col(name)}` : col(name),
  );
  return sql`SELECT ${join(outputs)} FROM (${folded}) ORDER BY ${row}`;
}

function withinFold(cell: Expr): Expr {
  return mapCalls(cell, (call) =>
    call.over ? { ...call, over: { ...call.over, by: ["__fold", ...call.over.by] } } : call,
  );
}

function takenRows(relation: Relation, list: Sql, read: Read): Sql {
  const numbers = sql`SELECT "row", file_row_number AS place FROM read_parquet(${list}, file_row_number = true)`;
  return sql`SELECT t.* EXCLUDE (${row})\nFROM (${numbers}) AS n JOIN (${read(relation, { row: true })}) AS t ON t.${row} = n."row"\nORDER BY n.place`;
}

function groupedRows({ of, train, by, outputs }: Extract<Made, { made: "groups" }>, read: Read): Sql {
  const folds = train ? { fold: "train" as const, folds: { artifact: train.artifact, train: 0, test: 0 } } : {};
  const columns = outputs.map(({ column, expr: cell }) =>
    cell ? sql`${expr(cell)} AS ${col(column.name)}` : col(column.name),
  );
  const keys = by.map(col);
  const rows = read(of, { ...folds, row: true });
  const grouped = sql`SELECT ${join([...keys, ...columns])}\nFROM (${rows})`;
  if (by.length === 0) return grouped;
  return sql`${grouped}\nGROUP BY ${join(keys)}\nORDER BY ${join(keys.map((key) => sortKey(key)))}`;
}
