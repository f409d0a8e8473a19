import type { Relation } from "../plan/node.ts";
import type { BlockContext } from "./block.ts";
import { DataError } from "./errors.ts";
import type { Column, ColumnType } from "./frame.ts";
import { count, quoted } from "./names.ts";
import { rowColumn, selectFrom } from "./relation.ts";
import { col, join, raw, type Sql, sql } from "./sql.ts";

/** The SQL type in which a column of each type is calculated with; "" where nothing can be cast to it. */
export const sqlTypes: Readonly<Record<ColumnType, string>> = {
  number: "DOUBLE",
  boolean: "BOOLEAN",
  string: "VARCHAR",
  category: "VARCHAR",
  datetime: "TIMESTAMP",
  tensor: "",
};

/** A column's cells as another type; those that can't be it are missing, and so is a text that reads as NaN. */
export function tryCast(from: Column, type: ColumnType): Sql {
  const cell = attempt(from, type);
  return type === "number" ? withoutNan(cell) : cell;
}

/** SQL for a number that is missing where it is NaN. */
export function withoutNan(value: Sql): Sql {
  return sql`CASE WHEN isnan(${value}) THEN NULL ELSE ${value} END`;
}

/** SQL for the number that a text is, missing where it is none; DuckDB's cast alone would take 1_000 and +-5 as well. */
export function numberOfText(text: Sql): Sql {
  return sql`TRY_CAST(CASE WHEN NOT (contains(${text}, '_') OR contains(${text}, '+-')) THEN ${text} END AS DOUBLE)`;
}

/** SQL for the whole number that a text is, cut off behind the point; DuckDB's cast alone would round 2.5 and take 0x1F. */
export function integerOfText(text: Sql): Sql {
  const isDigits = sql`regexp_full_match(${text}, '\\s*[+-]?[0-9]+\\s*')`;
  return sql`CASE WHEN ${isDigits} THEN TRY_CAST(${text} AS BIGINT) ELSE TRY_CAST(trunc(${numberOfText(text)}) AS BIGINT) END`;
}

function attempt(from: Column, type: ColumnType): Sql {
  if (type === "number" && (from.type === "string" || from.type === "category")) return numberOfText(col(from.name));
  // DuckDB has no cast between times and numbers, not even one that fails; by way of text there is none to miss.
  const isPlain = from.type !== "datetime" && from.type !== "tensor" && type !== "datetime";
  const cell = isPlain ? col(from.name) : sql`CAST(${col(from.name)} AS VARCHAR)`;
  return sql`TRY_CAST(${cell} AS ${raw(sqlTypes[type])})`;
}

/** A column's cells as text. New rows may bring fractions to a column of integers, whose 2 must not become "2.0" then. */
export function asWords({ name, integer }: Column): Sql {
  const words = sql`CAST(${col(name)} AS VARCHAR)`;
  if (!integer) return words;
  return sql`CASE WHEN ${col(name)} = trunc(${col(name)}) THEN coalesce(CAST(TRY_CAST(${col(name)} AS BIGINT) AS VARCHAR), ${words}) ELSE ${words} END`;
}

/** A column as it is, and the type it should have. */
export interface Recast {
  readonly from: Column;
  readonly type: ColumnType;
}

/** Refuses columns with a cell that can't be cast, naming the first; `who` says who wants the type. */
export async function refuseOtherTypes(
  relation: Relation,
  recasts: readonly Recast[],
  who: string,
  context: BlockContext,
): Promise<void> {
  if (recasts.length === 0) return;
  const cells = selectFrom(relation, { columns: recasts.map(({ from }) => from.name), row: true });
  const lost = ({ from, type }: Recast) => sql`${col(from.name)} IS NOT NULL AND ${attempt(from, type)} IS NULL`;
  const [counts] = await context.tables.query(
    sql`SELECT ${join(recasts.map((each) => sql`count(*) FILTER (${lost(each)})`))} FROM (${cells})`,
  );
  const k = recasts.findIndex((_, i) => Number(counts[i]) > 0);
  if (k < 0) return;
  const { from, type } = recasts[k];
  const [[row, value]] = await context.tables.query(
    sql`SELECT ${col(rowColumn)}, CAST(${col(from.name)} AS VARCHAR) FROM (${cells}) WHERE ${lost(recasts[k])} ORDER BY 1 LIMIT 1`,
  );
  throw new DataError(
    `${who} was fitted on column ${quoted(from.name)} as a ${type}, but ${count(Number(counts[k]), "cell")} can't be read as one, the first in row ${row}: ${quoted(String(value))}.`,
    { code: "other_type", got: from.name, expected: type },
  );
}
