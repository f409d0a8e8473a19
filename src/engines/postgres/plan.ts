import { type Column, valueType } from "../../plan/column.ts";
import { type Expr, rowColumn } from "../../plan/expr.ts";
import { type Relation, type Step, unsettled } from "../../plan/node.ts";
import { shortened } from "../../plan/short-plan.ts";
import { type NamedTable, type PlanWriter, planRefusals } from "../port.ts";
import { col, join, quote, raw, type Sql, show, sql } from "../sql.ts";
import { can, storedTypes, writeExpression } from "./expressions.ts";

/**
 * Plans as one SELECT of Postgres 16 and later, over a table whose columns are of `storedTypes`.
 *
 * The rows come in the order of the table's row column, which is answered as `__row`, numbered anew where rows are left out.
 */
export const postgres: PlanWriter = {
  can: (relation) => planRefusals(relation, can),
  write: (relation, table) =>
    show(selectFrom(relation, table), { path: (artifact) => artifact, write: writeExpression }),
};

const row = col(rowColumn);

function selectFrom(relation: Relation, { name, row: numbers }: NamedTable): Sql {
  const { steps } = unsettled(relation);
  const source = sql`source AS (\n  SELECT *, ${col(numbers)} AS ${row}\n  FROM ${raw(quote(name))}\n)`;
  const short = shortened(steps);
  const called = (k: number) => raw(k < 0 ? "source" : quote(`${short[k].name}_${k + 1}`));
  const tables = short.map((step, k) => sql`${called(k)} AS (\n  ${selectOf(step, called(k - 1))}\n)`);
  return sql`WITH ${join([source, ...tables], ",\n")}\nSELECT *\nFROM ${called(short.length - 1)}\nORDER BY ${row}`;
}

function selectOf({ outputs, kept, rows }: Step, before: Sql): Sql {
  const columns = outputs.map(({ column, expr }) => (expr ? cellOf(expr, column) : col(column.name)));
  const number = kept ? sql`row_number() OVER (ORDER BY ${row}) - 1 AS ${row}` : row;
  const where = kept?.where ? writeExpression(kept.where) : rows === undefined ? null : sql`${row} < ${rows}`;
  return sql`SELECT ${join([...columns, number])}\n  FROM ${before}${where ? sql`\n  WHERE ${where}` : raw("")}`;
}

function cellOf(expr: Expr, column: Column): Sql {
  return sql`CAST(${writeExpression(expr)} AS ${raw(storedTypes[valueType(column)])}) AS ${col(column.name)}`;
}
