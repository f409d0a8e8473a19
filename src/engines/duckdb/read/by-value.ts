import type { DuckDBBitValue, DuckDBValue } from "@duckdb/node-api";
import { rowColumn } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { col, join, type Sql, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { selectFrom } from "../select.ts";
import { doubleOf, placeAmong } from "./as-numbers.ts";
import type { ValueGroup } from "./putting.ts";
import { isSelected } from "./selection-mask.ts";

/** More values than these are no categories. */
const mostValues = 256;

interface Asked {
  readonly columns: readonly string[];
  readonly members: DuckDBBitValue | null;
  readonly signal: AbortSignal | undefined;
}

/** What a plan makes of each value of a column; null where these are too many, or no texts. */
export async function valueGroup(
  duck: Duck,
  relation: Relation,
  source: string,
  at: readonly number[],
  { columns, members, signal }: Asked,
): Promise<ValueGroup | null> {
  const own = selectFrom({ artifact: relation.artifact, steps: [] }, { columns: [source], row: true });
  const rows = duck.statement(sql`SELECT ${col(source)} AS cell, ${col(rowColumn)} AS place FROM (${own})`);
  const bound: DuckDBValue[] = [...rows.values];
  const counted = members ? ` FILTER (WHERE ${isSelected(members, "place", bound)})` : "";
  const text = `SELECT cell, min(place), count(*)${counted} FROM (${rows.text}) GROUP BY 1 ORDER BY cell IS NULL, 2 LIMIT ${mostValues + 1}`;
  const found = await duck.answers({ text, values: bound }, signal);
  const values = found.flatMap(([cell]) => (cell === null || typeof cell === "string" ? [cell] : []));
  if (values.length < found.length || values.length > mostValues) return null;
  const names = at.map((k) => columns[k]!);
  // The first row that has a value shows what the plan makes of it.
  const firsts = found.map(([, place]) => Number(place));
  const shown = selectFrom(relation, { columns: names, row: true, rows: firsts });
  const made = await duck.rows(sql`SELECT ${join([rowColumn, ...names].map(doubleOf))} FROM (${shown})`, signal);
  const numbers = new Map(made.map(([place, ...cells]) => [place, cells]));
  return {
    source,
    values,
    counts: found.map(([, , n]) => Number(n)),
    at,
    numbers: names.map((_, j) => Float64Array.from(firsts, (place) => Number(numbers.get(place)?.[j]))),
  };
}

/** SQL for the place of a row's value among a group's, as a double. */
export function placeOfValue({ source, values }: ValueGroup): Sql {
  const texts = values.filter((value) => value !== null);
  return sql`CAST(coalesce(${placeAmong(col(source), texts)}, ${texts.length}) AS DOUBLE)`;
}
