import type { Split } from "../../core/frame.ts";
import { type Selection, subsetOf } from "../../core/selection.ts";
import { subsetColumn } from "../../core/split.ts";
import { looksAlong, matchColumn, rowColumn } from "../../plan/expr.ts";
import { leadingTo, usesRow } from "../../plan/lineage.ts";
import type { Entry, Kept, Made, Match, Output, Relation, Step } from "../../plan/node.ts";
import { shortened } from "../../plan/short-plan.ts";
import { col, file, join, made, quote, raw, type Sql, sql } from "../sql.ts";
import { isInSideRows, ownCell, placeInSideRows } from "./side-table.ts";

/** A plan as people read it: tables one behind the other, what a file was written for in place of the file. */
export interface Shown {
  /** The tables so far, each a common table expression. */
  readonly tables: Sql[];
  /** A name that no table has yet. */
  named(name: string): Sql;
  /** The rows of a node that is no step over one table. */
  made(made: Made): Sql;
}

/**
 * The SELECT that reads a relation.
 *
 * Each step is a common table expression, so the text reads as the pipeline ran. Subsets are joined by row
 * number, and ordered by it, because DuckDB's joins lose row order. `shown`: for people, rows are left out by their own
 * cells where these say it, and the tables are put there, which this reads.
 */
export function selectFrom(relation: Relation, selection: Selection = {}, shown?: Shown): Sql {
  const part = subsetOf(selection);
  const isMatched = relation.steps.some(({ outputs }) => outputs.some(({ match }) => match));
  const wantsRow = Boolean(selection.row || selection.rows || part || selection.sort !== undefined || isMatched);
  const { tables, last, carriesRow } = withSteps(relation, wantsRow, needed(selection), shown);
  const names = selection.columns?.map(col);
  const chosen = names ? join(names) : raw(carriesRow ? `* EXCLUDE (${rowColumn})` : "*");
  const rowAfter = names?.length === 0 ? col(rowColumn) : sql`${chosen}, ${col(rowColumn)}`;
  const withRow = selection.row ? rowAfter : chosen;
  const pieces = [...(shown ? [] : [withTables(tables)]), sql`SELECT ${withRow}\nFROM ${last}`];
  if (part) {
    pieces.push(sql`JOIN (${subsetRows(part.split, part.subset)}) AS subset ON subset."row" = ${col(rowColumn)}`);
  }
  const filters = [
    ...(selection.rows ? [sql`${col(rowColumn)} IN (${raw(selection.rows.map(Math.trunc).join(", "))})`] : []),
    ...(selection.search ? [sql`(${holding(selection.search)})`] : []),
  ];
  if (filters.length > 0) pieces.push(sql`WHERE ${join(filters, " AND ")}`);
  const place = part ? raw('subset."pos"') : col(rowColumn);
  if (selection.sort !== undefined) {
    const way = raw(selection.descending ? "DESC NULLS LAST" : "ASC NULLS LAST");
    pieces.push(sql`ORDER BY ${col(selection.sort)} ${way}, ${place}`);
  } else if (part || isMatched) pieces.push(sql`ORDER BY ${place}`);
  if (selection.limit !== undefined) pieces.push(raw(`LIMIT ${Math.trunc(selection.limit)}`));
  if (selection.offset) pieces.push(raw(`OFFSET ${Math.trunc(selection.offset)}`));
  return join(pieces, "\n");
}

/** The begin of a SELECT that reads tables of its own. */
export function withTables(tables: readonly Sql[]): Sql {
  return sql`WITH ${join(tables, ",\n")}`;
}

function holding({ text, columns }: NonNullable<Selection["search"]>): Sql {
  if (columns.length === 0) return raw("FALSE");
  return join(
    columns.map((name) => sql`contains(lower(CAST(${col(name)} AS VARCHAR)), lower(${text}))`),
    " OR ",
  );
}

/** `selectFrom` restricted to a subset's rows but in table order, which is cheaper; for aggregates. */
export function rowsOf(relation: Relation, selection: Selection): Sql {
  const part = subsetOf(selection);
  if (!part) return selectFrom(relation, selection);
  const chosen = selection.columns ? join(selection.columns.map(col)) : raw(`* EXCLUDE (${rowColumn})`);
  const { tables, last } = withSteps(relation, true, needed(selection));
  return join(
    [
      withTables(tables),
      sql`SELECT ${chosen}\nFROM ${last}`,
      sql`WHERE ${col(rowColumn)} IN (SELECT "row" FROM (${subsetRows(part.split, part.subset)}))`,
    ],
    "\n",
  );
}

/** The rows of a subset: `row` in the table, `pos` in the subset. */
export function subsetRows(split: Pick<Split, "artifact">, subset: "train" | "test"): Sql {
  return sql`SELECT "row", "pos" FROM (${rowsOfSplit(split)}) WHERE "subset" = ${subset === "train" ? 0 : 1}`;
}

/** All rows: `row` in the table, `subset` (0 train, 1 test, 2 neither), `pos` in the subset. */
export function rowsOfSplit(split: Pick<Split, "artifact">): Sql {
  const rows = sql`read_parquet(${file(split.artifact)}, file_row_number = true)`;
  return sql`SELECT file_row_number AS "row", ${col(subsetColumn)} AS "subset", "pos" FROM ${rows}`;
}

/** The columns that a selection reads, or null for all. */
function needed({ columns, sort, search }: Selection): ReadonlySet<string> | null {
  if (!columns) return null;
  return new Set([...columns, ...(sort === undefined ? [] : [sort]), ...(search?.columns ?? [])]);
}

/**
 * The steps as common table expressions, with the columns alone that are wanted in the end; the last one's name.
 *
 * The engine leaves out what nobody reads as well, but only after it has looked at each column of each step, which for
 * a few columns out of thousands takes longer than the reading.
 */
function withSteps(
  relation: Relation,
  wantsRow: boolean,
  wanted: ReadonlySet<string> | null,
  shown?: Shown,
): { readonly tables: readonly Sql[]; readonly last: Sql; readonly carriesRow: boolean } {
  const { steps: leading, read: need } = leadingTo(relation.steps, wanted);
  const kept = shortened(leading);
  const isByCells = shown !== undefined && kept.every((step) => isSaidByCells(step));
  const row = wantsRow || kept.some((step) => (isByCells ? isByNumber(step) : usesRow(step, step.outputs)));
  const from = sourceOf(relation, need, row, shown);
  const tables = shown?.tables ?? [];
  let before = shown?.named(relation.holds?.made ?? "source") ?? raw("source");
  tables.push(sql`${before} AS (\n  ${from}\n)`);
  for (const [k, { name, outputs: columns, rows, kept: left, sideTable }] of kept.entries()) {
    const matched = matchesOf(columns);
    const outputs = columns.map((output) => outputSql(output, matched));
    if (row) outputs.push(left ? sql`${numberAnew(left, isByCells)} AS ${col(rowColumn)}` : raw(rowColumn));
    const joined = matched.length > 0 ? sql`${before}\n  ${join(matched.map(joinOf), "\n  ")}` : before;
    const read = sideTable && !isByCells ? sql`${joined}, read_parquet(${file(sideTable.artifact)})` : joined;
    const where =
      left && (left.list === undefined || isByCells ? left.where && made(left.where) : isInSideRows(left.list));
    const part = where ? sql`\n  WHERE ${where}` : rows === undefined ? raw("") : sql`\n  LIMIT ${rows}`;
    before = shown?.named(name) ?? raw(quote(`${name}_${k + 1}`));
    tables.push(sql`${before} AS (\n  SELECT ${join(outputs)}\n  FROM ${read}${part}\n)`);
  }
  return { tables, last: before, carriesRow: row };
}

/** The rows of a plan's file. */
function sourceOf({ artifact, holds }: Relation, need: ReadonlySet<string> | null, row: boolean, shown?: Shown): Sql {
  if (holds && shown) {
    const rows = shown.made(holds);
    return row ? sql`SELECT *, row_number() OVER () - 1 AS ${col(rowColumn)}\n  FROM (${rows})` : rows;
  }
  const all = row ? "* EXCLUDE (file_row_number)" : "*";
  const chosen = need && need.size > 0 ? join([...need].map(col)) : raw(all);
  const from = sql`read_parquet(${file(artifact)}${raw(row ? ", file_row_number = true" : "")})`;
  return sql`SELECT ${chosen}${raw(row ? `, file_row_number AS ${rowColumn}` : "")}\n  FROM ${from}`;
}

/** The number that a row gets that is left. */
function numberAnew({ list }: Kept, isByCells: boolean): Sql {
  if (list !== undefined && !isByCells) return placeInSideRows(list);
  return sql`row_number() OVER (ORDER BY ${col(rowColumn)}) - 1`;
}

/** Does the row's number say whether it is left? */
function isByNumber({ kept }: Step): boolean {
  return kept?.where !== undefined && looksAlong(kept.where);
}

/** Do a row's own cells, or its number, say whether it is left? */
function isSaidByCells({ kept, outputs }: Step): boolean {
  return (!kept || kept.where !== undefined) && !usesRow({}, outputs);
}

/** A column of a node, made of those before it. */
export function outputSql({ column, expr, entry, own, match }: Output, matched: readonly Matched[] = []): Sql {
  const cell = own
    ? ownCell(column, own)
    : expr
      ? made(expr)
      : entry
        ? entrySql(entry)
        : match && matchSql(match, matched);
  return cell ? sql`${cell} AS ${col(column.name)}` : col(column.name);
}

/** Cells that are looked up in one file by the same columns: one join serves them. */
interface Matched {
  readonly key: string;
  readonly name: Sql;
  readonly match: Match;
  readonly columns: string[];
}

function keyOf({ artifact, on, isMissingAlike }: Match): string {
  return JSON.stringify([artifact, on, isMissingAlike]);
}

function matchesOf(outputs: readonly Output[]): Matched[] {
  const found: Matched[] = [];
  for (const { match } of outputs) {
    if (!match) continue;
    const key = keyOf(match);
    const known = found.find((each) => each.key === key);
    if (known) known.columns.push(match.column);
    else found.push({ key, name: raw(`match_${found.length}`), match, columns: [match.column] });
  }
  return found;
}

/** The other file's columns travel in one that no table can have, so that no name of theirs meets one of the table's. */
function joinOf({ name, match, columns }: Matched): Sql {
  const keys = match.on.map(({ other }, k) => sql`${raw(`key_${k}`)} := ${col(other)}`);
  const cells = columns.map((column, k) => sql`${raw(`cell_${k}`)} := ${col(column)}`);
  const packed = sql`SELECT struct_pack(${join([...keys, ...cells])}) AS ${raw(matchColumn)} FROM read_parquet(${file(match.artifact)})`;
  const alike = raw(match.isMissingAlike ? "IS NOT DISTINCT FROM" : "=");
  const pairs = match.on.map(
    ({ column }, k) => sql`${name}.${raw(matchColumn)}.${raw(`key_${k}`)} ${alike} ${col(column)}`,
  );
  return sql`LEFT JOIN (${packed}) AS ${name} ON ${join(pairs, " AND ")}`;
}

function matchSql(match: Match, matched: readonly Matched[]): Sql {
  const { name, columns } = matched.find(({ key }) => key === keyOf(match)) as Matched;
  return sql`${name}.${raw(matchColumn)}.${raw(`cell_${columns.indexOf(match.column)}`)}`;
}

function entrySql({ terms, weights, at }: Entry): Sql {
  return sql`coalesce(list_extract(${col(weights)}, list_position(${col(terms)}, ${at})), 0.0::DOUBLE)`;
}
