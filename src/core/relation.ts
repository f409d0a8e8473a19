import type { Expr } from "../plan/expr.ts";
import type { Column, Fold, Folds } from "./frame.ts";
import { shortened } from "./short-plan.ts";
import { col, columnsOf, file, join, made, quote, raw, rowColumn, type Sql, sql } from "./sql.ts";

export { rowColumn } from "./sql.ts";

/**
 * One place of the sparse rows that two list columns hold: the weight that stands where `at` stands among the terms.
 *
 * Neither list is ever missing, both are of one length, and no term stands in a row twice. A place that a row does not
 * have is 0.
 */
export interface Entry {
  /** The column that lists each row's places, whole numbers from 0. */
  readonly terms: string;
  /** The column that lists the numbers at these places. */
  readonly weights: string;
  readonly at: number;
}

/** An output column of a step: passed through by its name, or computed. */
export interface Output {
  readonly column: Column;
  /** How it is computed; absent when the column passes through unchanged. SQL where the language has no words for it. */
  readonly expr?: Expr | Sql;
  /**
   * It is a place of sparse rows, in place of an expression.
   *
   * SQL looks each up; who reads many of them at once takes the lists as they are, see `sparseReading`.
   */
  readonly entry?: Entry;
  /**
   * What the expression says of a numeric column: this one's numbers, and another in place of missing ones.
   *
   * Who has the numbers in memory need not ask SQL for them. Plans of before have it; now the expression tells.
   */
  readonly filled?: { readonly column: string; readonly value: number };
}

/** A step: one SQL projection with its fitted constants bound. It changes no row's place, and may leave rows out. */
export interface Step {
  readonly block: number;
  readonly name: string;
  readonly outputs: readonly Output[];
  /**
   * How many rows are left: those that `left` says, else the first ones (default: all).
   *
   * With such a step a table of its own begins: its rows are others than those before.
   */
  readonly rows?: number;
  /**
   * Which rows are left, by a condition, and the number that each of them has from then on; they keep their order.
   *
   * `said` is the condition as people would put it, by a row's own cells, where there is such a one.
   */
  readonly left?: { readonly where: Sql; readonly row: Sql; readonly said?: Expr | Sql };
  /**
   * A file of one row, whose columns the expressions may use by their names.
   *
   * What differs from row to row lies there as a list over all rows, to be looked up by the row's number.
   */
  readonly beside?: { readonly artifact: string };
  /** Cells that the step has not learnt, column by column, for rows that come later. */
  readonly unseen?: readonly Unseen[];
}

/** Which cells of a column a step has not learnt, by a condition over the table before it, and what becomes of them. */
export interface Unseen {
  readonly column: string;
  readonly where: Sql;
  /** As in "became all zeros". */
  readonly become: string;
}

/** A table as a plan: one immutable Parquet file and the steps over it. */
export interface Relation {
  readonly artifact: string;
  readonly steps: readonly Step[];
}

/** Which part of a relation to read. */
export interface Selection {
  /** Columns in order (default: all). */
  readonly columns?: readonly string[];
  /** Rows of a fold in the fold's own order (default: all, in table order). */
  readonly fold?: Fold;
  readonly folds?: Folds | null;
  readonly offset?: number;
  readonly limit?: number;
  /** Carry the row number of the source as `__row`; with no columns, it is all that is read. */
  readonly row?: boolean;
  /** Only these rows of the table, by their numbers. */
  readonly rows?: readonly number[];
  /** The column to sort by, missing cells last and equal ones in table order (default: table order). */
  readonly sort?: string;
  readonly descending?: boolean;
  /** Only rows that hold this text, in any case, in one of these columns. */
  readonly search?: { readonly text: string; readonly columns: readonly string[] };
}

/** The part of a table that a selection takes, where it takes one. */
export function foldOf({ fold, folds }: Pick<Selection, "fold" | "folds">): {
  readonly fold: "train" | "test";
  readonly folds: Folds;
} | null {
  return fold && fold !== "all" && folds ? { fold, folds } : null;
}

/** Does a selection take all rows of the table or of a fold, in their own order? */
export function takesAll({ offset, limit, rows, sort, search }: Selection): boolean {
  return [offset, limit, rows, sort, search].every((each) => each === undefined);
}

/** How many rows a plan's steps leave; null where they leave all of the file's. */
export function rowsLeft({ steps }: Relation): number | null {
  return steps.findLast(({ rows }) => rows !== undefined)?.rows ?? null;
}

/** The steps since a plan's table began. */
export function stepsSince(steps: readonly Step[]): readonly Step[] {
  return steps.slice(begin(steps));
}

function begin(steps: readonly Step[]): number {
  return steps.findLastIndex(({ rows }) => rows !== undefined) + 1;
}

/** Are these the same file's rows, though other columns may be made of them? */
export function isSameTable(a: Relation, b: Relation): boolean {
  const begun = ({ steps }: Relation) => JSON.stringify(steps.slice(0, begin(steps)));
  return a.artifact === b.artifact && begun(a) === begun(b);
}

/**
 * The SELECT that reads a relation.
 *
 * Each step is a common table expression, so the text reads as the pipeline ran. Folds are joined by row
 * number, and ordered by it, because DuckDB's joins lose row order.
 */
export function selectFrom(relation: Relation, selection: Selection = {}): Sql {
  const part = foldOf(selection);
  const wantsRow = Boolean(selection.row || selection.rows || part || selection.sort !== undefined);
  const { steps, last, carriesRow } = withSteps(relation, wantsRow, needed(selection));
  const names = selection.columns?.map(col);
  const chosen = names ? join(names) : raw(carriesRow ? `* EXCLUDE (${rowColumn})` : "*");
  const rowAfter = names?.length === 0 ? col(rowColumn) : sql`${chosen}, ${col(rowColumn)}`;
  const withRow = selection.row ? rowAfter : chosen;
  const pieces = [steps, sql`SELECT ${withRow}\nFROM ${last}`];
  if (part) {
    pieces.push(sql`JOIN (${foldRows(part.folds, part.fold)}) AS fold ON fold."row" = ${col(rowColumn)}`);
  }
  const filters = [
    ...(selection.rows ? [sql`${col(rowColumn)} IN (${raw(selection.rows.map(Math.trunc).join(", "))})`] : []),
    ...(selection.search ? [sql`(${holding(selection.search)})`] : []),
  ];
  if (filters.length > 0) pieces.push(sql`WHERE ${join(filters, " AND ")}`);
  const place = part ? raw('fold."pos"') : col(rowColumn);
  if (selection.sort !== undefined) {
    const way = raw(selection.descending ? "DESC NULLS LAST" : "ASC NULLS LAST");
    pieces.push(sql`ORDER BY ${col(selection.sort)} ${way}, ${place}`);
  } else if (part) pieces.push(sql`ORDER BY ${place}`);
  if (selection.limit !== undefined) pieces.push(raw(`LIMIT ${Math.trunc(selection.limit)}`));
  if (selection.offset) pieces.push(raw(`OFFSET ${Math.trunc(selection.offset)}`));
  return join(pieces, "\n");
}

function holding({ text, columns }: NonNullable<Selection["search"]>): Sql {
  if (columns.length === 0) return raw("FALSE");
  return join(
    columns.map((name) => sql`contains(lower(CAST(${col(name)} AS VARCHAR)), lower(${text}))`),
    " OR ",
  );
}

/** `selectFrom` restricted to a fold's rows but in table order, which is cheaper; for aggregates. */
export function rowsOf(relation: Relation, selection: Selection): Sql {
  const part = foldOf(selection);
  if (!part) return selectFrom(relation, selection);
  const chosen = selection.columns ? join(selection.columns.map(col)) : raw(`* EXCLUDE (${rowColumn})`);
  const { steps, last } = withSteps(relation, true, needed(selection));
  return join(
    [
      steps,
      sql`SELECT ${chosen}\nFROM ${last}`,
      sql`WHERE ${col(rowColumn)} IN (SELECT "row" FROM (${foldRows(part.folds, part.fold)}))`,
    ],
    "\n",
  );
}

/** The rows of a fold: `row` in the table, `pos` in the fold. */
export function foldRows(folds: Folds, fold: "train" | "test"): Sql {
  return sql`SELECT "row", "pos" FROM (${rowsWithFolds(folds)}) WHERE "fold" = ${fold === "train" ? 0 : 1}`;
}

/** All rows: `row` in the table, `fold` (0 train, 1 test, 2 neither), `pos` in the fold. */
export function rowsWithFolds(folds: Folds): Sql {
  const rows = sql`read_parquet(${file(folds.artifact)}, file_row_number = true)`;
  return sql`SELECT file_row_number AS "row", "fold", "pos" FROM ${rows}`;
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
): { readonly steps: Sql; readonly last: Sql; readonly carriesRow: boolean } {
  let need = wanted;
  const pruned: Step[] = [];
  for (const step of relation.steps.toReversed()) {
    const within: ReadonlySet<string> | null = need;
    const read = within ? step.outputs.filter(({ column }) => within.has(column.name)) : step.outputs;
    // A table has one column at least, though nothing but its rows may be asked for.
    const outputs = read.length > 0 ? read : step.outputs.slice(0, 1);
    pruned.push({ ...step, outputs });
    need = within && new Set(outputs.flatMap(sourcesOf));
  }
  const kept = shortened(pruned.reverse());
  const row = wantsRow || kept.some((step) => usesRow(step, step.outputs));
  const all = row ? "* EXCLUDE (file_row_number)" : "*";
  const chosen = need && need.size > 0 ? join([...need].map(col)) : raw(all);
  const from = sql`read_parquet(${file(relation.artifact)}${raw(row ? ", file_row_number = true" : "")})`;
  const source = sql`WITH source AS (\n  SELECT ${chosen}${raw(row ? `, file_row_number AS ${rowColumn}` : "")}\n  FROM ${from}\n)`;
  const name = (k: number) => raw(k < 0 ? "source" : quote(`${kept[k].name}_${k + 1}`));
  const steps = kept.map(({ outputs: made, rows, left, beside }, k) => {
    const before = name(k - 1);
    const outputs = made.map((output) => outputSql(output));
    if (row) outputs.push(left ? sql`${left.row} AS ${col(rowColumn)}` : raw(rowColumn));
    const tables = beside === undefined ? before : sql`${before}, read_parquet(${file(beside.artifact)})`;
    const part = left ? sql`\n  WHERE ${left.where}` : rows === undefined ? raw("") : sql`\n  LIMIT ${rows}`;
    return sql`${name(k)} AS (\n  SELECT ${join(outputs)}\n  FROM ${tables}${part}\n)`;
  });
  return { steps: join([source, ...steps], ",\n"), last: name(kept.length - 1), carriesRow: row };
}

/** Does a step need the rows' numbers, to make these of its columns or to leave rows out? */
export function usesRow({ left }: Step, outputs: readonly Output[]): boolean {
  const pieces = [left?.where, ...outputs.map(({ expr }) => expr && sqlOf(expr))];
  return pieces.some((piece) => piece !== undefined && columnsOf(piece).includes(rowColumn));
}

function outputSql({ column, expr, entry }: Output): Sql {
  const cell = expr ? sqlOf(expr) : entry && entrySql(entry);
  return cell ? sql`${cell} AS ${col(column.name)}` : col(column.name);
}

/** What an output is made of, as a piece of SQL. */
export function sqlOf(expr: Expr | Sql): Sql {
  return "parts" in expr ? expr : made(expr);
}

function entrySql({ terms, weights, at }: Entry): Sql {
  return sql`coalesce(list_extract(${col(weights)}, list_position(${col(terms)}, ${at})), 0.0::DOUBLE)`;
}

/** The columns before the step that an output reads; the row's number is none of them. */
export function sourcesOf({ column, expr, entry }: Output): string[] {
  if (entry) return [entry.terms, entry.weights];
  return expr ? columnsOf(sqlOf(expr)).filter((name) => name !== rowColumn) : [column.name];
}

/** The column before the step that an output passes on as it is, under whatever name; null where something is made of it. */
export function passedOn({ column, expr, entry }: Output): string | null {
  if (entry) return null;
  if (!expr) return column.name;
  if (!("parts" in expr)) return "column" in expr ? expr.column : null;
  const [only, ...more] = expr.parts;
  return more.length === 0 && "column" in only ? only.column : null;
}

/** Appends a step; nothing is written. */
export function addStep(relation: Relation, step: Step): Relation {
  return { ...relation, steps: [...relation.steps, step] };
}

/**
 * The steps as they apply to a table that may lack columns: outputs that can't be computed are left out.
 *
 * Used for new rows, which come without targets.
 */
export function stepsFor(steps: readonly Step[], present: readonly string[]): Step[] {
  let have = new Set(present);
  return steps.map((step) => {
    const outputs = step.outputs.filter((output) => sourcesOf(output).every((name) => have.has(name)));
    const unseen = step.unseen?.filter(({ column }) => have.has(column));
    have = new Set(outputs.map((output) => output.column.name));
    return { ...step, outputs, ...(unseen ? { unseen } : {}) };
  });
}
