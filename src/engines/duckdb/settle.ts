import type { Selection } from "../../core/selection.ts";
import { type Expr, mapCalls, rowColumn, type SortKey } from "../../plan/expr.ts";
import { usesRow } from "../../plan/lineage.ts";
import type { Appended, Joined, Longer, Made, Relation, Settled, Sorted, Wider } from "../../plan/node.ts";
import { col, made as expr, file, join, raw, type Sql, sql } from "../sql.ts";
import { sortKey } from "../sql-calls.ts";
import type { Answer, Asked } from "./exact.ts";
import { duckType } from "./read/cells.ts";
import { rowsOfSplit, selectFrom, subsetRows } from "./select.ts";

const row = col(rowColumn);

/** The rows of a relation, with their numbers. */
type Read = (relation: Relation, selection?: Selection) => Sql;

/** The SELECT of a node that is no step over one table; its rows come in the node's order, without numbers. */
export function selectMade(made: Made, read: Read = selectFrom): Sql {
  switch (made.made) {
    case "same":
      return sameRows(made, read);
    case "sort":
      return sortedRows(made, read);
    case "take":
      return takenRows(made.of, file(made.rows.artifact), read);
    case "groups":
      return groupedRows(made, read);
    case "join":
      return joinedRows(made, read);
    case "append":
      return appendedRows(made, read);
    case "longer":
      return longerRows(made, read);
    case "wider":
      return widerRows(made, read);
    case "query":
      return queriedRows(made, read);
  }
}

/** The numbers of a table's rows in the order of keys. */
export function selectOrder(relation: Relation, by: readonly SortKey[]): Sql {
  const columns = by.map(({ column }) => column);
  return sql`SELECT ${row}::INTEGER FROM (${selectFrom(relation, { columns, row: true })}) ORDER BY ${keysOf(by)}`;
}

function sortedRows({ of, by, part }: Sorted, read: Read): Sql {
  const rows = sql`SELECT * EXCLUDE (${row})\nFROM (${read(of, { row: true })})\nORDER BY ${keysOf(by)}`;
  return part ? sql`${rows}\nLIMIT ${raw(String(part.to - part.from))} OFFSET ${raw(String(part.from))}` : rows;
}

function keysOf(by: readonly SortKey[]): Sql {
  return join([...by.map(({ column, descending }) => sortKey(col(column), descending)), row]);
}

/** A plan's rows as they are, the windows of its last node along the rows of each part of a split apart. */
function sameRows({ of, within }: Settled, read: Read): Sql {
  const isInOrder = !of.steps.some((step) => usesRow(step, step.outputs));
  if (!within && isInOrder) return read(of);
  if (!within) return sql`SELECT * EXCLUDE (${row}) FROM (${read(of, { row: true })}) ORDER BY ${row}`;
  const rows = read({ ...of, steps: of.steps.slice(0, -1) }, { row: true });
  const told = sql`SELECT t.*, f."subset" AS __subset FROM (${rows}) AS t JOIN (${rowsOfSplit(within)}) AS f ON f."row" = t.${row}`;
  const outputs = (of.steps.at(-1)?.outputs ?? []).map(({ column: { name }, expr: cell }) =>
    cell ? sql`${expr(withinSubset(cell))} AS ${col(name)}` : col(name),
  );
  return sql`SELECT ${join(outputs)} FROM (${told}) ORDER BY ${row}`;
}

function withinSubset(cell: Expr): Expr {
  return mapCalls(cell, (call) =>
    call.over ? { ...call, over: { ...call.over, by: ["__subset", ...call.over.by] } } : call,
  );
}

function takenRows(relation: Relation, list: Sql, read: Read): Sql {
  const numbers = sql`SELECT "row", file_row_number AS place FROM read_parquet(${list}, file_row_number = true)`;
  return sql`SELECT t.* EXCLUDE (${row})\nFROM (${numbers}) AS n JOIN (${read(relation, { row: true })}) AS t ON t.${row} = n."row"\nORDER BY n.place`;
}

type Grouped = Extract<Made, { made: "groups" }>;

/** What is asked of the rows of groups. */
export function askedOfGroups({ of, train, by, outputs }: Grouped, read: Read = selectFrom): Asked {
  const exprs = outputs.map(({ column, expr: cell }): Expr => cell ?? { column: column.name });
  const all = read(of, { row: true });
  const rows = train
    ? sql`SELECT * FROM (${all}) WHERE ${row} IN (SELECT "row" FROM (${subsetRows(train, "train")}))`
    : all;
  return { rows, by, exprs };
}

/** The groups by their keys, where their aggregates were worked out before. */
export function selectGroups(made: Grouped, { table, exprs }: Answer): Sql {
  return groupsFrom(made, sql`(${table})`, exprs);
}

function groupedRows(made: Grouped, read: Read): Sql {
  const { rows, by, exprs } = askedOfGroups(made, read);
  return groupsFrom(made, by.length === 0 ? sql`(${rows})` : sql`(${rows})\nGROUP BY ${join(by.map(col))}`, exprs);
}

function groupsFrom({ by, outputs }: Grouped, from: Sql, exprs: readonly Expr[]): Sql {
  const keys = by.map(col);
  const cells = exprs.map((cell, k) => sql`${expr(cell)} AS ${col(outputs[k].column.name)}`);
  const order = keys.length === 0 ? raw("") : sql`\nORDER BY ${join(keys.map((key) => sortKey(key)))}`;
  return sql`SELECT ${join([...keys, ...cells])}\nFROM ${from}${order}`;
}

/** Of the left table's rows that have one like them in the other, or have none; of pairs, both sides. */
const joinWords: Readonly<Record<Joined["how"], string>> = {
  inner: "JOIN",
  left: "LEFT JOIN",
  right: "RIGHT JOIN",
  full: "FULL JOIN",
  semi: "SEMI JOIN",
  anti: "ANTI JOIN",
  cross: "CROSS JOIN",
};

function pairsOf({ of, other, how, on }: Joined, read: Read, names: readonly (readonly string[])[] | null): Sql {
  const [left, right] = [of, other].map((each, k) =>
    read(each, names ? { columns: names[k], row: true } : { row: true }),
  );
  const alike = on.map((pair) => sql`l.${col(pair.column)} = r.${col(pair.other)}`);
  const where = how === "cross" ? raw("") : sql` ON ${join(alike, " AND ")}`;
  return sql`(${left}) AS l ${raw(joinWords[how])} (${right}) AS r${where}`;
}

/** By the left table's rows, then the other's; rows that only the other table has come last. */
function pairOrder({ how }: Joined): Sql {
  return isOfLeft(how) ? sql`l.${row}` : sql`l.${row} NULLS LAST, r.${row}`;
}

/** Do rows alone decide, so that the other table has none in the answer? */
function isOfLeft(how: Joined["how"]): boolean {
  return how === "semi" || how === "anti";
}

function joinedRows(made: Joined, read: Read): Sql {
  const { how, on, columns } = made;
  const keys = new Map(on.map(({ column, other }) => [column, other]));
  const cells = columns.map(({ column, from, isOther }) => {
    const other = how === "right" || how === "full" ? keys.get(from) : undefined;
    if (!isOther && other !== undefined) return sql`coalesce(l.${col(from)}, r.${col(other)}) AS ${col(column.name)}`;
    return sql`${raw(isOther ? "r" : "l")}.${col(from)} AS ${col(column.name)}`;
  });
  const named = (isOther: boolean) => columns.filter((each) => each.isOther === isOther).map(({ from }) => from);
  const names = [
    [...new Set([...named(false), ...on.map(({ column }) => column)])],
    [...new Set([...named(true), ...on.map(({ other }) => other)])],
  ];
  return sql`SELECT ${join(cells)}\nFROM ${pairsOf(made, read, names)}\nORDER BY ${pairOrder(made)}`;
}

/** The left table's row numbers of a join's rows, in their order; -1 where the other table alone has a row. */
export function selectPairs(made: Joined): Sql {
  const names = [made.on.map(({ column }) => column), made.on.map(({ other }) => other)];
  return sql`SELECT coalesce(l.${row}, -1)::INTEGER FROM ${pairsOf(made, selectFrom, names)} ORDER BY ${pairOrder(made)}`;
}

/** How many rows a join has, without joining them; those of the keys that the other table has more than once. */
export function countPairs({ of, other, on }: Joined): Sql {
  const keys = on.map((_, k) => raw(`k${k}`));
  const [left, right] = [of, other].map((each, side) => {
    const names = on.map((pair) => (side === 0 ? pair.column : pair.other));
    const cells = names.map((name, k) => sql`${col(name)} AS ${keys[k]}`);
    const there = names.map((name) => sql`${col(name)} IS NOT NULL`);
    return sql`SELECT ${join(cells)}, count(*) AS n FROM (${selectFrom(each, { columns: names })}) WHERE ${join(there, " AND ")} GROUP BY ALL`;
  });
  return sql`SELECT coalesce(sum(l.n::DOUBLE * r.n), 0), coalesce(sum(l.n), 0), coalesce(sum(r.n), 0), coalesce((SELECT max(n) FROM (${right})), 0)
FROM (${left}) AS l JOIN (${right}) AS r ON ${join(
    keys.map((key) => sql`l.${key} = r.${key}`),
    " AND ",
  )}`;
}

function appendedRows({ of, columns, has }: Appended, read: Read): Sql {
  const parts = of.map((each, k) => {
    const cells = columns.map((column) => {
      const there = has[k].includes(column.name) ? col(column.name) : raw("NULL");
      return sql`CAST(${there} AS ${raw(duckType(column))}) AS ${col(column.name)}`;
    });
    return sql`SELECT ${join(cells)}, ${raw(String(k))} AS __place, ${row}\nFROM (${read(each, { row: true })})`;
  });
  return sql`SELECT * EXCLUDE (__place, ${row})\nFROM (${join(parts, "\nUNION ALL\n")})\nORDER BY __place, ${row}`;
}

function longerRows({ of, kept, columns, names, values }: Longer, read: Read): Sql {
  const labels = sql`unnest([${join(columns.map((name) => sql`${name}`))}]) AS ${col(names)}`;
  const type = raw(duckType(values));
  const cells = sql`unnest([${join(columns.map((name) => sql`CAST(${col(name)} AS ${type})`))}]) AS ${col(values.name)}`;
  const place = sql`unnest(range(${raw(String(columns.length))})) AS __place`;
  const rows = sql`SELECT ${join([...kept.map(col), labels, cells, place, row])}\nFROM (${read(of, { row: true })})`;
  return sql`SELECT * EXCLUDE (__place, ${row})\nFROM (${rows})\nORDER BY ${row}, __place`;
}

function widerRows({ of, keys, found }: Wider, read: Read): Sql {
  const cells = found.map(({ output: { column, expr: cell } }) =>
    cell ? sql`${expr(cell)} AS ${col(column.name)}` : col(column.name),
  );
  const grouped = keys.length > 0 ? sql`\nGROUP BY ${join(keys.map(col))}` : raw("");
  return sql`SELECT ${join([...keys.map(col), ...cells])}\nFROM (${read(of, { row: true })})${grouped}\nORDER BY min(${row})`;
}

/** What a SELECT of the user's answers, as people see it: it is run on an engine of its own. */
function queriedRows({ sql: text, over, columns }: Extract<Made, { made: "query" }>, read: Read): Sql {
  const tables = Object.entries(over).map(([name, relation]) => sql`${col(name)} AS (${read(relation)})`);
  const names = join(columns.map(({ name }) => col(name)));
  return sql`WITH ${join([...tables, sql`answer(${names}) AS (\n${raw(text)}\n)`], ",\n")}\nSELECT * FROM answer`;
}
