import { type Column, valueType } from "../plan/column.ts";
import { type Expr, rowColumn } from "../plan/expr.ts";
import { type Relation, type Step, unsettled } from "../plan/node.ts";
import { shortened } from "../plan/short-plan.ts";
import type { ValueType } from "../plan/types.ts";
import type { NamedTable } from "./port.ts";
import { col, join, raw, type Sql, sql } from "./sql.ts";

/** What an engine's SELECT is made with: its expressions, and its names of the types of values. */
export interface PlanWords {
  readonly write: (expr: Expr) => Sql;
  readonly storedTypes: Readonly<Record<Exclude<ValueType, "missing">, string>>;
}

const row = col(rowColumn);

/** A plan as one SELECT, a named table for each step, over a table of the engine's own; its rows in order. */
export function selectFrom(relation: Relation, { name, row: numbers }: NamedTable, words: PlanWords): Sql {
  const { steps } = unsettled(relation);
  const source = sql`source AS (\n  SELECT *, ${col(numbers)} AS ${row}\n  FROM ${col(name)}\n)`;
  const short = shortened(steps);
  const called = (k: number) => (k < 0 ? raw("source") : col(`${short[k].name}_${k + 1}`));
  const tables = short.map((step, k) => sql`${called(k)} AS (\n  ${selectOf(step, called(k - 1), words)}\n)`);
  return sql`WITH ${join([source, ...tables], ",\n")}\nSELECT *\nFROM ${called(short.length - 1)}\nORDER BY ${row}`;
}

function selectOf({ outputs, kept, rows }: Step, before: Sql, words: PlanWords): Sql {
  const columns = outputs.map(({ column, expr }) => (expr ? cellOf(expr, column, words) : col(column.name)));
  const number = kept ? sql`row_number() OVER (ORDER BY ${row}) - 1 AS ${row}` : row;
  const where = kept?.where ? words.write(kept.where) : rows === undefined ? null : sql`${row} < ${rows}`;
  return sql`SELECT ${join([...columns, number])}\n  FROM ${before}${where ? sql`\n  WHERE ${where}` : raw("")}`;
}

/** A column that a step makes, in its stored type. */
export function cellOf(expr: Expr, column: Column, { write, storedTypes }: PlanWords): Sql {
  return sql`CAST(${write(expr)} AS ${raw(storedTypes[valueType(column)])}) AS ${col(column.name)}`;
}
