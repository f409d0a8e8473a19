import type { Grouping, Groups, Rows } from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import { columnsRead, type Expr, looksAlong, rowColumn } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { col, join, made, raw, type Sql, sql } from "../sql.ts";
import { mostTogether } from "./choose.ts";
import type { Duck } from "./duck.ts";
import { exactly } from "./exact.ts";
import { once } from "./once.ts";
import { toCell } from "./read/cells.ts";
import { rowsOf, selectFrom } from "./select.ts";
import { quantilesTogether } from "./together.ts";

/** What aggregates come to over a table's rows. */
export async function aggregateRows(
  duck: Duck,
  relation: Relation,
  rows: Rows,
  aggregates: readonly Expr[],
  signal?: AbortSignal,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const some of fewColumns(aggregates)) {
    const { rows: read, outputs } = once({ rows: rowsReadBy(relation, rows, some), by: [], outputs: some });
    const exact = await exactly(duck, { rows: read, by: [], exprs: outputs }, signal);
    const [row] = await duck.rows(
      exact
        ? sql`SELECT ${join(exact.exprs.map(made))} FROM (${exact.table})`
        : sql`SELECT ${join(quantilesTogether(outputs).map(made))} FROM (${read})`,
      signal,
    );
    for (const cell of row) cells.push(toCell(cell));
  }
  return cells;
}

/** What aggregates come to over groups of rows. */
export async function groupRows(
  duck: Duck,
  relation: Relation,
  rows: Rows,
  { by: keysAsked, outputs, where, order, limit }: Grouping,
  signal?: AbortSignal,
): Promise<Groups> {
  const asked = [...outputs, ...order.map(({ expr }) => expr)];
  const whole = rowsReadBy(relation, rows, [...keysAsked, ...asked, ...(where ? [where] : [])]);
  const { rows: read, by, outputs: told } = once({ rows: whole, by: keysAsked, outputs: asked });
  const written = quantilesTogether(told);
  const columns = written.map((expr, k) => {
    const name = k < outputs.length ? `o${k}` : `k${k - outputs.length}`;
    return sql`${made(expr)} AS ${raw(name)}`;
  });
  const keys = order.map(({ descending }, k) => raw(`k${k} ${descending ? "DESC" : "ASC"} NULLS LAST`));
  const found = await duck.rows(
    sql`WITH grouped AS MATERIALIZED (
  SELECT ${join([...columns, raw("count(*) AS n")])}
  FROM (${read})${where ? sql` WHERE ${made(where)}` : raw("")}
  GROUP BY ${by.length > 0 ? join(by.map(made)) : raw("()")}
)
SELECT ${join([...outputs.map((_, k) => raw(`o${k}`)), raw("(SELECT count(*) FROM grouped)"), raw("(SELECT sum(n) FROM grouped)")])}
FROM grouped${keys.length > 0 ? sql` ORDER BY ${join(keys)}` : raw("")}${limit === undefined ? raw("") : raw(` LIMIT ${Math.trunc(limit)}`)}`,
    signal,
  );
  const [groups = 0, all = 0] = (found[0] ?? []).slice(outputs.length).map(Number);
  return { found: found.map((row) => row.slice(0, outputs.length).map(toCell)), groups, rows: all };
}

/** The first rows in which a condition is true. */
export async function findRows(
  duck: Duck,
  relation: Relation,
  rows: Rows,
  { where, outputs, limit }: { readonly where: Expr; readonly outputs: readonly Expr[]; readonly limit: number },
  signal?: AbortSignal,
): Promise<Cell[][]> {
  const read = selectFrom(relation, { ...rows, columns: namesIn([where, ...outputs]), row: true });
  const found = await duck.rows(
    sql`SELECT ${join([col(rowColumn), ...outputs.map(made)])} FROM (${read}) WHERE ${made(where)} ORDER BY 1 LIMIT ${raw(String(Math.trunc(limit)))}`,
    signal,
  );
  return found.map((row) => row.map(toCell));
}

/** The numbers of the rows in which a condition is true, as SQL with a column "row". */
export function numbersWhere(relation: Relation, where: Expr): Sql {
  const rows = selectFrom(relation, { columns: columnsRead(where), row: true });
  return sql`SELECT ${col(rowColumn)} AS "row" FROM (${rows}) WHERE ${made(where)}`;
}

/** Rows with the columns that expressions read. */
function rowsReadBy(relation: Relation, rows: Rows, exprs: readonly Expr[]): Sql {
  const columns = namesIn(exprs);
  if (columns.length > 0 && !exprs.some(looksAlong)) return rowsOf(relation, { ...rows, columns });
  return selectFrom(relation, { ...rows, columns, row: true });
}

function namesIn(exprs: readonly Expr[]): string[] {
  return [...new Set(exprs.flatMap(columnsRead))];
}

/** Aggregates in runs that read a few hundred columns each. */
function fewColumns(aggregates: readonly Expr[]): Expr[][] {
  const runs: Expr[][] = [];
  let names = new Set<string>();
  for (const each of aggregates) {
    const wider = new Set([...names, ...columnsRead(each)]);
    if (runs.length > 0 && wider.size <= mostTogether) {
      runs[runs.length - 1].push(each);
      names = wider;
    } else {
      runs.push([each]);
      names = new Set(columnsRead(each));
    }
  }
  return runs;
}
