import type { DuckDBBitValue, DuckDBValue } from "@duckdb/node-api";
import { allDone } from "../../../core/all-done.ts";
import { rowColumn } from "../../../plan/expr.ts";
import { soleSources } from "../../../plan/lineage.ts";
import type { Relation } from "../../../plan/node.ts";
import { col, join, type Sql, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";
import { selectFrom } from "../select.ts";
import { doubleOf, placeAmong } from "./as-numbers.ts";
import { isMarked } from "./marks.ts";
import type { ValueGroup } from "./putting.ts";
import { countRows } from "./streamed.ts";

/** More values than these are no categories. */
const mostValues = 256;

/** Fewer columns, or fewer numbers in all, are read as quickly as the values are looked for. */
const fewestColumns = 3;
const fewestNumbers = 1_000_000;

/** Each takes a connection while it is looked for. */
const groupsAtOnce = 8;

/** Finds columns of a plan that are best read by the values of what they are made of; `plain` are the others. */
export async function groupsByValue(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  members: DuckDBBitValue | null,
  signal?: AbortSignal,
): Promise<{ readonly groups: readonly ValueGroup[]; readonly plain: readonly number[] }> {
  const all = columns.map((_, k) => k);
  const candidates = [...bySource(relation, columns)].filter(([, at]) => at.length >= fewestColumns);
  if (candidates.length === 0) return { groups: [], plain: all };
  const rows = await countRows(duck, { artifact: relation.artifact, steps: [] }, {}, signal);
  const large = candidates.filter(([, at]) => at.length * rows >= fewestNumbers);
  const groups: ValueGroup[] = [];
  for (let from = 0; from < large.length; from += groupsAtOnce) {
    const some = large.slice(from, from + groupsAtOnce);
    const found = await allDone(
      some.map(([source, at]) => groupOf(duck, relation, source, at, { columns, members, signal })),
    );
    groups.push(...found.filter((group) => group !== null));
  }
  const grouped = new Set(groups.flatMap(({ at }) => at));
  return { groups, plain: all.filter((k) => !grouped.has(k)) };
}

function bySource(relation: Relation, columns: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [k, source] of soleSources(relation, columns).entries()) {
    if (source === null) continue;
    const at = found.get(source);
    if (at) at.push(k);
    else found.set(source, [k]);
  }
  return found;
}

interface Asked {
  readonly columns: readonly string[];
  readonly members: DuckDBBitValue | null;
  readonly signal: AbortSignal | undefined;
}

async function groupOf(
  duck: Duck,
  relation: Relation,
  source: string,
  at: readonly number[],
  { columns, members, signal }: Asked,
): Promise<ValueGroup | null> {
  const own = selectFrom({ artifact: relation.artifact, steps: [] }, { columns: [source], row: true });
  const rows = duck.statement(sql`SELECT ${col(source)} AS cell, ${col(rowColumn)} AS place FROM (${own})`);
  const bound: DuckDBValue[] = [...rows.values];
  const counted = members ? ` FILTER (WHERE ${isMarked(members, "place", bound)})` : "";
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
  return sql`CAST(coalesce(${placeAmong(source, texts)}, ${texts.length}) AS DOUBLE)`;
}
