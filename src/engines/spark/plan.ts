import type { Subset } from "../../core/frame.ts";
import { valueType } from "../../plan/column.ts";
import { column, type Expr, isOfOneRow, looksAlong, partsOf, rowColumn, sideColumn, value } from "../../plan/expr.ts";
import {
  type Appended,
  type ClusterSplit,
  type ClusterTable,
  exprAtHand,
  type Grouped,
  type HashStratum,
  type Joined,
  type Longer,
  type Made,
  type Output,
  type Relation,
  type Sorted,
  type Step,
  type Taken,
  unsettled,
  type Wider,
  withHeld,
} from "../../plan/node.ts";
import { shortened } from "../../plan/short-plan.ts";
import { type NamedTable, type PlanWriter, stepRefusals } from "../port.ts";
import type { Refusal } from "../refusal.ts";
import { col, type Dialect, join, raw, type Sql, show, sql } from "../sql.ts";
import { sortKey } from "../sql-calls.ts";
import { cellOf } from "../sql-plan.ts";
import { selectGroups } from "./exact.ts";
import { can, writeExpression } from "./expressions.ts";
import { type Scanned, type Stretch, selectSource } from "./source.ts";
import { literal, quote, storedTypes } from "./words.ts";

/** How SQL becomes a text that Spark reads. */
export const dialect: Dialect = { path: (artifact) => artifact, write: writeExpression, quote, literal };

/**
 * Plans as one SELECT of Spark 4.0 and later, over a table whose columns are of `storedTypes`.
 *
 * The session must have `sessionSettings`. The rows come in the order of the table's row column, which is answered as
 * `__row`: the same on any number of partitions.
 */
export const spark: PlanWriter = {
  can: planObjections,
  write(relation, table) {
    const plan = new SparkPlan({ base: table, scan: noTable, list: noTable });
    const { name } = plan.rows(relation);
    return show(plan.select(sql`SELECT *\nFROM ${name}\nORDER BY ${row}`), dialect);
  },
};

function noTable(): never {
  throw new TypeError("a plan over a named table reads no other");
}

const row = col(rowColumn);
const fold = col(sideColumn);
const place = col("__place");

/** What the tables of a plan are called where it runs. */
export interface SparkTables {
  /** A table of the cluster. */
  scan(table: ClusterTable): Scanned;
  /** A list of row numbers of ours: a table with the columns "row", and "place" from 0; that of a split has "fold" besides. */
  list(artifact: string): Sql;
  /** Is the query for people, so that sums are written as one would, whose last digits depend on how the table is parted? */
  readonly isShown?: boolean;
  /** What the plan is over where it is over no table of the cluster. */
  readonly base?: NamedTable;
}

/** Some of a plan's rows: a table in which `__row` ascends in their order, from 0 without gaps where they are numbered. */
export interface SparkRows {
  readonly name: Sql;
  readonly isNumbered: boolean;
  /** Has it the columns `__fold` and `__place`, which say a row's side of a split and its place there? */
  readonly isSplit?: boolean;
}

/** What Spark has against a plan, node by node; empty where it can work it out. */
export function planObjections(relation: Relation): Refusal[] {
  return withHeld(relation).flatMap(({ holds, steps }) => [
    ...(holds ? madeObjections(holds) : []),
    ...stepRefusals(steps, can),
  ]);
}

function madeObjections(made: Made): Refusal[] {
  if (made.made === "groups" && !made.train) return outputObjections(made.outputs);
  if (made.made === "wider") return outputObjections(made.found.map(({ output }) => output));
  if (made.made === "same" ? !made.within : made.made !== "query" && made.made !== "groups") return [];
  return [
    {
      call: "sql",
      message: `its rows come of a table that blocklab wrote (${made.made})`,
      cure: "Save the table as a file behind that block, and load it there.",
    },
  ];
}

function outputObjections(outputs: readonly Output[]): Refusal[] {
  return outputs.flatMap(({ expr }) => (expr ? can(expr) : []));
}

/**
 * A query over plans, written table by table.
 *
 * Numbering rows from 0 without gaps takes one task that sees them all, so it is done where something asks for numbers
 * alone; for their order ascending ones do.
 */
export class SparkPlan {
  readonly #tables: Sql[] = [];
  readonly #names: SparkTables;

  constructor(names: SparkTables) {
    this.#names = names;
  }

  get isShown(): boolean {
    return this.#names.isShown === true;
  }

  /** The whole query, whose last SELECT reads tables of the plan. */
  select(last: Sql): Sql {
    return sql`WITH ${join(this.#tables, ",\n")}\n${last}`;
  }

  /** One more table of the plan. */
  table(name: string, select: Sql): Sql {
    const called = col(this.#tables.length === 0 ? name : `${name}_${this.#tables.length}`);
    this.#tables.push(sql`${called} AS (\n  ${select}\n)`);
    return called;
  }

  /** A plan's rows; `wanted` are the numbers of those that are looked at alone, or no number is and cells alone are. */
  rows(relation: Relation, wanted: Stretch | "cells" | null = null): SparkRows {
    const { cluster, holds, steps } = unsettled(relation);
    const isAlone = steps.every(wanted === "cells" ? isOfOwnCells : isOfOwnRow);
    let rows = cluster ? this.#source(cluster, isAlone ? wanted : null) : holds ? this.#made(holds) : this.#base();
    for (const step of shortened(steps)) rows = this.#step(step, rows);
    return rows;
  }

  /** A plan's rows of which the number is all that is looked at: where each row of files is left, no file is read. */
  rowNumbers(relation: Relation): Sql {
    const { cluster, steps } = unsettled(relation);
    if (!cluster?.files || !steps.every(isOfOwnRow)) return this.rows(relation).name;
    const rows = cluster.files.reduce((sum, each) => sum + each.rows, 0);
    return this.table("numbers", sql`SELECT id AS ${row} FROM range(${raw(String(rows))})`);
  }

  /** The same rows, numbered from 0 without gaps. */
  numbered(rows: SparkRows): SparkRows {
    if (rows.isNumbered) return rows;
    return { ...rows, ...this.#ordered("numbered", sql`* EXCEPT (${row})`, rows.name, [row]) };
  }

  /** Rows numbered in the order of keys. */
  #ordered(name: string, cells: Sql, from: Sql, order: readonly Sql[]): SparkRows {
    const number = sql`row_number() OVER (ORDER BY ${join(order)}) - 1L AS ${row}`;
    return { name: this.table(name, sql`SELECT ${cells}, ${number}\n  FROM ${from}`), isNumbered: true };
  }

  #source(table: ClusterTable, wanted: Stretch | "cells" | null): SparkRows {
    return { name: this.table("source", selectSource(table, this.#names.scan(table), wanted)), isNumbered: true };
  }

  #base(): SparkRows {
    const { base } = this.#names;
    if (!base) throw new TypeError("the plan is over a file of blocklab's");
    const select = sql`SELECT *, ${col(base.row)} AS ${row}\n  FROM ${col(base.name)}`;
    return { name: this.table("source", select), isNumbered: true };
  }

  #step(step: Step, before: SparkRows): SparkRows {
    const { outputs, kept, rows: left } = step;
    if (step.split) return this.#split(step.split, before);
    const read = readsNumbers(step) ? this.numbered(before) : before;
    const { name, isNumbered, isSplit = false } = read;
    const columns = outputs.map((each) => {
      const expr = exprAtHand(each);
      return expr ? cellOf(expr, each.column, words) : col(each.column.name);
    });
    if (kept?.where && looksAlong(kept.where)) return this.#looked(step, kept.where, read);
    const where = kept?.where ? writeExpression(kept.where) : left === undefined ? null : sql`${row} < ${left}`;
    const part = where ? sql`\n  WHERE ${where}` : raw("");
    const carried = isSplit ? [row, fold, place] : [row];
    const table = this.table(step.name, sql`SELECT ${join([...columns, ...carried])}\n  FROM ${name}${part}`);
    return { name: table, isNumbered: isNumbered && !kept, isSplit };
  }

  /** The rows in which a condition is true that looks along rows: a window, which stands in no WHERE. */
  #looked(step: Step, where: Expr, before: SparkRows): SparkRows {
    const told = col("__kept");
    const name = this.table("looked", sql`SELECT *, ${writeExpression(where)} AS ${told}\n  FROM ${before.name}`);
    const left = this.table("left", sql`SELECT * EXCEPT (${told})\n  FROM ${name}\n  WHERE ${told}`);
    const { kept: _kept, rows: _rows, ...outputs } = step;
    return this.#step(outputs, { ...before, name: left, isNumbered: false });
  }

  /** The rows with their side of a split, 0 for those that train and 1 for those that test, and their place there. */
  #split(split: ClusterSplit, before: SparkRows): SparkRows {
    const told = this.#sides(split, before);
    return { ...told, name: this.table("split", told.name), isSplit: true };
  }

  #sides(split: ClusterSplit, before: SparkRows): SparkRows {
    // By its sides of an earlier split no row is divided anew.
    const cells = before.isSplit ? sql`t.* EXCEPT (${fold}, ${place})` : raw("t.*");
    if (split.kind === "hash") {
      const side = sidesByHash(split, sql`${hashOf(split.seed, sql`t.${row}`)}`);
      const select = sql`SELECT ${cells}, ${side} AS ${fold}, ${hashOf(split.seed, sql`t.${row}`)} AS ${place}\n  FROM ${before.name} AS t`;
      return { name: select, isNumbered: before.isNumbered };
    }
    const { name } = this.numbered(before);
    if (split.kind === "list") {
      const select = sql`SELECT ${cells}, s.fold AS ${fold}, s.place AS ${place}\n  FROM ${name} AS t JOIN ${this.#names.list(split.artifact)} AS s ON s.row = t.${row}`;
      return { name: select, isNumbered: true };
    }
    const [train, all] = [split.train, split.train + split.test].map((end) => raw(`${end}L`));
    const side = sql`CASE WHEN t.${row} < ${train} THEN 0 WHEN t.${row} < ${all} THEN 1 ELSE 2 END`;
    const select = sql`SELECT ${cells}, ${side} AS ${fold}, t.${row} AS ${place}\n  FROM ${name} AS t`;
    return { name: select, isNumbered: true };
  }

  #made(made: Made): SparkRows {
    switch (made.made) {
      case "same":
        return this.rows(made.of);
      case "sort":
        return this.#sorted(made);
      case "take":
        return this.#taken(made);
      case "groups":
        return this.#grouped(made);
      case "join":
        return this.#joined(made);
      case "append":
        return this.#appended(made);
      case "longer":
        return this.#longer(made);
      case "wider":
        return this.#wider(made);
      case "query":
        throw new TypeError("Spark runs no SQL of DuckDB's");
    }
  }

  #sorted({ of, by, part }: Sorted): SparkRows {
    const { name, isSplit = false } = this.rows(of);
    const keys = by.map(({ column: key, descending }) => sortKey(col(key), descending));
    const cells = isSplit ? sql`* EXCEPT (${row}, ${place}), ${placedAnew(row)}` : sql`* EXCEPT (${row})`;
    const sorted = { ...this.#ordered("sort", cells, name, [...keys, row]), isSplit };
    if (!part) return sorted;
    const { from, to } = part;
    const select = sql`SELECT * EXCEPT (${row}), ${row} - ${from} AS ${row}\n  FROM ${sorted.name}\n  WHERE ${row} >= ${from} AND ${row} < ${to}`;
    return { ...sorted, name: this.table("slice", select) };
  }

  #taken({ of, rows }: Taken): SparkRows {
    const { name, isSplit = false } = this.numbered(this.rows(of));
    const cells = isSplit
      ? sql`t.* EXCEPT (${row}, ${place}), ${placedAnew(sql`t.${row}`, raw("n.place"))}`
      : sql`t.* EXCEPT (${row})`;
    const select = sql`SELECT ${cells}, n.place AS ${row}\n  FROM ${name} AS t JOIN ${this.#names.list(rows.artifact)} AS n ON n.row = t.${row}`;
    return { name: this.table("take", select), isNumbered: true, isSplit };
  }

  #grouped({ of, by, outputs, side }: Grouped): SparkRows {
    const { name } = sideOf(this, this.rows(of), side ?? "all");
    const keys = by.map(col);
    const cells = outputs.map(({ column: each, expr }) => ({ column: each, expr: expr ?? column(each.name) }));
    const groups = selectGroups(this, name, { by: by.map((key) => column(key)), exprs: cells.map(({ expr }) => expr) });
    const typed = cells.map(
      ({ column: each }, k) =>
        sql`CAST(${groups.cells[k]} AS ${raw(storedTypes[valueType(each)])}) AS ${col(each.name)}`,
    );
    const order = keys.length > 0 ? keys.map((key) => sortKey(key)) : [raw("1")];
    return this.#ordered("groups", join([...keys, ...typed]), groups.name, order);
  }

  #joined({ of, other, how, on, columns, isLookup }: Joined): SparkRows {
    const [left, right] = [of, other].map((each) => this.rows(each));
    const keys = new Map(on.map((pair) => [pair.column, pair.other]));
    const cells = columns.map(({ column: each, from, isOther }) => {
      const theirs = how === "right" || how === "full" ? keys.get(from) : undefined;
      if (!isOther && theirs !== undefined) return sql`coalesce(l.${col(from)}, r.${col(theirs)}) AS ${col(each.name)}`;
      return sql`${raw(isOther ? "r" : "l")}.${col(from)} AS ${col(each.name)}`;
    });
    const { isSplit = false } = left;
    if (isSplit) cells.push(sql`l.${fold}`, sql`l.${place}`);
    const alike = on.map((pair) => sql`l.${col(pair.column)} = r.${col(pair.other)}`);
    const condition = how === "cross" ? raw("") : sql` ON ${join(alike, " AND ")}`;
    const pairs = sql`${left.name} AS l ${raw(joinWords[how])} ${right.name} AS r${condition}`;
    if (how === "semi" || how === "anti" || isLookup) {
      const name = this.table("join", sql`SELECT ${join([...cells, sql`l.${row} AS ${row}`])}\n  FROM ${pairs}`);
      return { name, isNumbered: left.isNumbered && isLookup === true, isSplit };
    }
    const order = [sql`l.${row} NULLS LAST`, sql`r.${row} NULLS LAST`];
    return { ...this.#ordered("join", join(cells), pairs, order), isSplit };
  }

  #appended({ of, columns, has }: Appended): SparkRows {
    const parts = of.map((each, k) => {
      const cells = columns.map((column) => {
        const there = has[k].includes(column.name) ? col(column.name) : raw("NULL");
        return sql`CAST(${there} AS ${raw(storedTypes[valueType(column)])}) AS ${col(column.name)}`;
      });
      return sql`SELECT ${join(cells)}, ${raw(String(k))} AS __place, ${row}\n  FROM ${this.rows(each).name}`;
    });
    const all = this.table("appended", join(parts, "\n  UNION ALL\n  "));
    return this.#ordered("append", join(columns.map(({ name }) => col(name))), all, [raw("__place"), row]);
  }

  #longer({ of, kept, columns, names, values }: Longer): SparkRows {
    const { name, isNumbered, isSplit = false } = this.rows(of);
    const type = raw(storedTypes[valueType(values)]);
    const cells = columns.map(
      (each, k) => sql`named_struct('place', ${raw(`${k}L`)}, 'name', ${each}, 'cell', CAST(${col(each)} AS ${type}))`,
    );
    const lines = sql`LATERAL VIEW inline(array(${join(cells)})) AS __k, __name, __cell`;
    const outputs = [...kept.map(col), sql`__name AS ${col(names)}`, sql`__cell AS ${col(values.name)}`];
    if (isSplit) outputs.push(fold, place);
    const number = sql`${row} * ${raw(`${columns.length}L`)} + __k AS ${row}`;
    return {
      name: this.table("longer", sql`SELECT ${join([...outputs, number])}\n  FROM ${name} ${lines}`),
      isNumbered,
      isSplit,
    };
  }

  #wider({ of, keys, found }: Wider): SparkRows {
    const { name } = this.rows(of);
    const exprs = found.map(({ output: { column: each, expr } }) => expr ?? column(each.name));
    const first: Expr = { call: "min", args: [column(rowColumn, "integer")] };
    const groups = selectGroups(this, name, { by: keys.map((key) => column(key)), exprs: [...exprs, first] });
    const cells = found.map(
      ({ output: { column: each } }, k) =>
        sql`CAST(${groups.cells[k]} AS ${raw(storedTypes[valueType(each)])}) AS ${col(each.name)}`,
    );
    return this.#ordered("wider", join([...keys.map(col), ...cells]), groups.name, [groups.cells[exprs.length]]);
  }
}

const words = { write: writeExpression, storedTypes };

/** Of the left table's rows that have one like them in the other, or have none; of pairs, both sides. */
const joinWords: Readonly<Record<Joined["how"], string>> = {
  inner: "JOIN",
  left: "LEFT JOIN",
  right: "RIGHT JOIN",
  full: "FULL JOIN",
  semi: "LEFT SEMI JOIN",
  anti: "LEFT ANTI JOIN",
  cross: "CROSS JOIN",
};

/**
 * Places on each side of a split where rows get other numbers: those of copies are alike, and their numbers told them apart.
 *
 * `order` are the numbers before, and what tells the copies of one row apart.
 */
function placedAnew(...order: readonly Sql[]): Sql {
  return sql`row_number() OVER (ORDER BY ${join([place, ...order])}) - 1L AS ${place}`;
}

function exprsAtHand(outputs: readonly Output[]): Expr[] {
  return outputs.flatMap((each) => exprAtHand(each) ?? []);
}

/** Does a step keep all rows, and make each one's cells of that row alone? */
function isOfOwnRow({ outputs, kept, rows, split }: Step): boolean {
  return !kept && rows === undefined && !split && exprsAtHand(outputs).every(isOfOneRow);
}

/** Does a step make each row's cells of that row's cells alone, and keep it or not by them? */
function isOfOwnCells({ outputs, kept, rows, split }: Step): boolean {
  const exprs = [...exprsAtHand(outputs), ...(kept?.where ? [kept.where] : [])];
  return (rows === undefined || kept?.where !== undefined) && !split && !exprs.some(looksAlong);
}

/** Do a step's columns or rows depend on the rows' numbers, and not on their order alone? */
function readsNumbers({ outputs, kept, rows }: Step): boolean {
  const exprs = [...exprsAtHand(outputs), ...(kept?.where ? [kept.where] : [])];
  return (rows !== undefined && !kept) || exprs.some(readsNumber);
}

/** Does an expression read the rows' numbers? */
function readsNumber(expr: Expr): boolean {
  for (const part of partsOf(expr)) {
    if ("column" in part ? part.column === rowColumn : "call" in part && part.call === "interpolate") return true;
  }
  return false;
}

/** A plan's rows, or those of a side of its split, numbered where expressions read their numbers. */
export function rowsFor(plan: SparkPlan, relation: Relation, exprs: readonly Expr[], subset: Subset = "all"): Sql {
  const rows = plan.rows(relation);
  return sideOf(plan, exprs.some(readsNumber) ? plan.numbered(rows) : rows, subset).name;
}

/** The same where expressions are all that is asked of them: the rows' numbers may be missing. */
export function cellsFor(plan: SparkPlan, relation: Relation, exprs: readonly Expr[], subset: Subset = "all"): Sql {
  if (subset !== "all" || exprs.some(looksAlong)) return rowsFor(plan, relation, exprs, subset);
  return plan.rows(relation, "cells").name;
}

/** The rows of one side of a split. */
export function sideOf(plan: SparkPlan, rows: SparkRows, subset: Subset): SparkRows {
  if (subset === "all") return rows;
  if (!rows.isSplit) throw new TypeError("a plan without a split has no training and test rows");
  const side = raw(subset === "train" ? "0" : "1");
  const name = plan.table(subset, sql`SELECT *\n  FROM ${rows.name}\n  WHERE ${fold} = ${side}`);
  return { ...rows, name, isNumbered: false };
}

/** The column by which the rows of a side of a split are ordered. */
export const splitPlace = place;

/** The column that says on which side of a split a row is. */
export const splitSide = fold;

/** Hashes lie below this. */
export const mostHash = 2 ** 53;

/** A number from 0 to 2^53 that a row's number and a seed decide, however the table is parted. */
export function hashOf(seed: number, number: Sql): Sql {
  return sql`shiftrightunsigned(xxhash64(${number}, ${raw(`${Math.trunc(seed)}L`)}), 11)`;
}

function sidesByHash({ by, strata }: Extract<ClusterSplit, { kind: "hash" }>, hash: Sql): Sql {
  // Spark works the hash out anew wherever it is named.
  const sides = ({ test, train }: HashStratum) => {
    const rest = train < mostHash ? sql`WHEN ${hash} < ${raw(`${train}L`)} THEN 0 ELSE 2` : raw("ELSE 0");
    return sql`CASE WHEN ${hash} < ${raw(`${test}L`)} THEN 1 ${rest} END`;
  };
  if (by === undefined) return sides(strata[0]);
  const cases = strata.map(
    (stratum) => sql`WHEN t.${col(by)} = ${writeExpression(value(stratum.value ?? null))} THEN ${sides(stratum)}`,
  );
  return sql`CASE ${join(cases, " ")} ELSE 2 END`;
}
