import type { Subset } from "../../core/frame.ts";
import type { Selection } from "../../core/selection.ts";
import type { Grouping, Sketching } from "../../core/tables.ts";
import { type Constant, call, column, type Expr, rowColumn, type SortKey, value } from "../../plan/expr.ts";
import type { Joined, Relation } from "../../plan/node.ts";
import { col, join, raw, type Sql, sql } from "../sql.ts";
import { sortKey } from "../sql-calls.ts";
import { selectGroups } from "./exact.ts";
import { writeExpression } from "./expressions.ts";
import type { Bounds } from "./known-sums.ts";
import {
  cellsFor,
  hashOf,
  mostHash,
  rowsFor,
  SparkPlan,
  type SparkTables,
  sideOf,
  splitPlace,
  splitSide,
} from "./plan.ts";

const row = col(rowColumn);

/** What aggregates come to over a plan's rows: one row. */
export function askAggregates(
  relation: Relation,
  exprs: readonly Expr[],
  names: SparkTables,
  subset: Subset = "all",
  bounds?: Bounds,
): Sql {
  const plan = new SparkPlan(names);
  const { name, cells } = selectGroups(plan, cellsFor(plan, relation, exprs, subset), { by: [], exprs, bounds });
  return plan.select(sql`SELECT ${join(cells)}\nFROM ${name}`);
}

/** The cells asked of groups, and behind them how many groups there are without a limit, and of how many rows. */
export function askGroups(
  relation: Relation,
  { by, outputs, where, order, limit }: Grouping,
  names: SparkTables,
  subset: Subset = "all",
  bounds?: Bounds,
): Sql {
  const plan = new SparkPlan(names);
  const exprs = [...outputs, ...order.map(({ expr }) => expr), call("count")];
  const rows = cellsFor(plan, relation, [...by, ...exprs, ...(where ? [where] : [])], subset);
  const { name, cells } = selectGroups(plan, rows, { by, exprs, where, bounds });
  const keys = order.map(({ descending }, k) => sortKey(cells[outputs.length + k], descending));
  const told = [
    ...cells.slice(0, outputs.length),
    raw("count(*) OVER ()"),
    sql`sum(${cells[exprs.length - 1]}) OVER ()`,
  ];
  return plan.select(sql`SELECT ${join(told)}\nFROM ${name}${ordered(keys)}${limited(limit)}`);
}

/** The first rows in which a condition is true: a row's number, then a cell for each output. */
export function askRows(
  relation: Relation,
  { where, outputs, limit }: { readonly where: Expr; readonly outputs: readonly Expr[]; readonly limit: number },
  names: SparkTables,
  subset: Subset = "all",
): Sql {
  const plan = new SparkPlan(names);
  const { name } = sideOf(plan, plan.numbered(plan.rows(relation)), subset);
  const cells = [row, ...outputs.map(writeExpression)];
  return plan.select(
    sql`SELECT ${join(cells)}\nFROM ${name}\nWHERE ${writeExpression(where)}${ordered([row])}${limited(limit)}`,
  );
}

/** How many marks a sketch has in all, and of how many rows. */
export function askMarks(relation: Relation, sketching: Sketching, names: SparkTables, subset: Subset = "all"): Sql {
  const plan = new SparkPlan(names);
  return plan.select(sql`SELECT count(*), coalesce(sum(vn), 0L)\nFROM ${marksOf(plan, relation, sketching, subset)}`);
}

/** As many marks as are wanted: of lines the least and greatest of each stretch, else some that are drawn by hash. */
export function askSketch(
  relation: Relation,
  sketching: Sketching,
  marks: number,
  names: SparkTables,
  subset: Subset = "all",
): Sql {
  const { series, most, stretches } = sketching;
  const plan = new SparkPlan(names);
  const all = marksOf(plan, relation, sketching, subset);
  const columns = raw(series ? "vx, vy, vs" : "vx, vy");
  const order = raw(stretches === undefined ? "vr" : "vx, vr");
  if (marks <= most) return plan.select(sql`SELECT ${columns}\nFROM ${all}\nORDER BY ${order}`);
  if (stretches === undefined) {
    const drawn = plan.table("drawn", sql`SELECT * FROM ${all} ORDER BY xxhash64(vr), vr LIMIT ${raw(String(most))}`);
    return plan.select(sql`SELECT ${columns}\nFROM ${drawn}\nORDER BY ${order}`);
  }
  const parts = plan.table(
    "parts",
    sql`SELECT *, ntile(${raw(String(stretches))}) OVER (ORDER BY vx, vr) AS b FROM ${all}`,
  );
  const within = raw(series ? "PARTITION BY vs, b" : "PARTITION BY b");
  const ends = plan.table(
    "ends",
    sql`SELECT *, row_number() OVER (${within} ORDER BY vy NULLS LAST, vr) AS lo, row_number() OVER (${within} ORDER BY vy DESC NULLS LAST, vr) AS hi FROM ${parts}`,
  );
  return plan.select(sql`SELECT ${columns}\nFROM ${ends}\nWHERE lo = 1 OR hi = 1\nORDER BY ${order}`);
}

/** All marks: `vx`, `vy`, `vs` that tells series apart, the first of their rows `vr`, and how many rows they have. */
function marksOf(
  plan: SparkPlan,
  relation: Relation,
  { where, x, y, series, isJoined }: Sketching,
  subset: Subset,
): Sql {
  const key = series ? [x, series] : [x];
  const rows = rowsFor(plan, relation, [where, y, ...key], subset);
  const names = [raw("vx"), ...(series ? [raw("vs")] : [])];
  if (!isJoined) {
    const cells = [...key, y].map((expr, k) => sql`${writeExpression(expr)} AS ${[...names, raw("vy")][k]}`);
    return plan.table(
      "marks",
      sql`SELECT ${join([...cells, sql`${row} AS vr`, raw("1L AS vn")])}\n  FROM ${rows}\n  WHERE ${writeExpression(where)}`,
    );
  }
  const first = call("min", column(rowColumn, "integer"));
  const { name, cells } = selectGroups(plan, rows, { by: key, exprs: [...key, y, first, call("count")], where });
  const called = [...names, raw("vy"), raw("vr"), raw("vn")].map((each, k) => sql`${cells[k]} AS ${each}`);
  return plan.table("marks", sql`SELECT ${join(called)}\n  FROM ${name}`);
}

/** How many rows are on each side of a plan's split: those that train, and those that test. */
export function askSides(relation: Relation, names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const { name } = plan.rows(relation);
  return plan.select(sql`SELECT count_if(${splitSide} = 0), count_if(${splitSide} = 1)\nFROM ${name}`);
}

/** The numbers of the rows of one side of a plan's split, in the order of that side. */
export function askSide(relation: Relation, subset: Subset, names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const { name } = sideOf(plan, plan.numbered(plan.rows(relation)), subset);
  return plan.select(sql`SELECT CAST(${row} AS INT)\nFROM ${name}${ordered([splitPlace, row])}`);
}

/** The numbers of a plan's rows in the order of these keys. */
export function askOrder(relation: Relation, by: readonly SortKey[], names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const { name } = plan.numbered(plan.rows(relation));
  const keys = by.map(({ column: key, descending }) => sortKey(col(key), descending));
  return plan.select(sql`SELECT CAST(${row} AS INT)\nFROM ${name}${ordered([...keys, row])}`);
}

/** The place of each row's cell among labels, -1 where it is none of them, in the order of the rows. */
export function askCodes(relation: Relation, name: string, labels: readonly Constant[], names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const rows = plan.rows(relation);
  const cases = labels.map(
    (label, k) => sql`WHEN ${col(name)} = ${writeExpression(value(label))} THEN ${raw(String(k))}`,
  );
  return plan.select(sql`SELECT CASE ${join(cases, " ")} ELSE -1 END\nFROM ${rows.name}${ordered([row])}`);
}

/** How many rows of each stratum have a hash in each of `parts` equal parts of all hashes; parts of no row are left out. */
export function askHashParts(relation: Relation, hashed: Hashed, parts: number, names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const part = sql`h DIV ${raw(`${mostHash / parts}L`)}`;
  return plan.select(
    sql`SELECT s, ${part}, count(*)\nFROM ${hashesOf(plan, relation, hashed)}\nGROUP BY 1, 2\nORDER BY 1, 2`,
  );
}

/** The hashes of some strata in some parts, ascending in each. */
export function askHashes(
  relation: Relation,
  hashed: Hashed,
  wanted: readonly { readonly value?: Constant; readonly from: number; readonly to: number }[],
  names: SparkTables,
): Sql {
  const plan = new SparkPlan(names);
  const within = wanted.map(({ value: own, from, to }) => {
    const range = sql`h >= ${raw(`${from}L`)} AND h < ${raw(`${to}L`)}`;
    return hashed.by === undefined ? sql`(${range})` : sql`(s = ${writeExpression(value(own ?? null))} AND ${range})`;
  });
  const all = hashesOf(plan, relation, hashed);
  return plan.select(sql`SELECT s, h\nFROM ${all}\nWHERE ${join(within, " OR ")}\nORDER BY s, h`);
}

/** The stratum `s` and the hash `h` of each row. */
function hashesOf(plan: SparkPlan, relation: Relation, { seed, by }: Hashed): Sql {
  const rows = by === undefined ? plan.rowNumbers(relation) : plan.rows(relation).name;
  const stratum = by === undefined ? raw("0") : col(by);
  return plan.table("hashed", sql`SELECT ${stratum} AS s, ${hashOf(seed, row)} AS h\n  FROM ${rows}`);
}

/** By what rows are drawn: a seed, and the column that tells strata apart. */
export interface Hashed {
  readonly seed: number;
  readonly by?: string | undefined;
}

/** A part of a plan's rows, in their order or sorted. */
export function askCells(relation: Relation, selection: Selection, names: SparkTables): Sql {
  const { columns = [], limit, offset = 0, sort, descending, search, rows: numbers, subset = "all" } = selection;
  const plan = new SparkPlan(names);
  const isCut = limit !== undefined && sort === undefined && !search;
  const wanted = isCut && !numbers && subset === "all" ? { from: offset, to: offset + limit } : null;
  const rows = plan.rows(relation, wanted);
  const { name, isNumbered } = sideOf(plan, numbers ? plan.numbered(rows) : rows, subset);
  // What is numbered is cut by its numbers, for which nothing has to be sorted, and looked at no longer than until all are found.
  const byNumber = isCut && isNumbered && !numbers;
  const filters = [
    ...(numbers ? [sql`${row} IN (${raw(numbers.map(Math.trunc).join(", "))})`] : []),
    ...(byNumber ? [sql`${row} >= ${raw(`${offset}L`)} AND ${row} < ${raw(`${offset + limit}L`)}`] : []),
    ...(search ? [holding(search)] : []),
  ];
  const where = filters.length > 0 ? sql`\nWHERE ${join(filters, " AND ")}` : raw("");
  const own = subset === "all" ? [row] : [splitPlace, row];
  const order = ordered([...(sort === undefined ? [] : [sortKey(col(sort), descending)]), ...own]);
  const cells = columns.length > 0 ? join(columns.map(col)) : row;
  if (byNumber) {
    const cut = plan.table("cut", sql`SELECT *\n  FROM ${name}${where}${limited(limit)}`);
    return plan.select(sql`SELECT ${cells}\nFROM ${cut}${order}`);
  }
  const skipped = offset > 0 ? raw(`\nOFFSET ${Math.trunc(offset)}`) : raw("");
  return plan.select(sql`SELECT ${cells}\nFROM ${name}${where}${order}${limited(limit)}${skipped}`);
}

function holding({ text, columns }: NonNullable<Selection["search"]>): Sql {
  if (columns.length === 0) return raw("FALSE");
  const found = columns.map((name) => sql`contains(lower(CAST(${col(name)} AS STRING)), lower(${text}))`);
  return sql`(${join(found, " OR ")})`;
}

/** What learns from a plan's rows is dealt so many of them at a time. */
const rowsOfPart = 100_000;
const mostParts = 200;

/**
 * Numbers `f0`, `f1` … and `label` of a plan's rows, in parts and in an order within them that depend on the rows' numbers alone,
 * however the table is parted.
 */
export function askDealt(
  relation: Relation,
  { features, target, rows: n }: { readonly features: readonly Expr[]; readonly target: Expr; readonly rows: number },
  names: SparkTables,
  subset: Subset = "all",
): Sql {
  const plan = new SparkPlan(names);
  const rows = rowsFor(plan, relation, [...features, target], subset);
  const parts = raw(String(Math.max(1, Math.min(mostParts, Math.ceil(n / rowsOfPart)))));
  const cells = features.map((expr, k) => sql`CAST(${writeExpression(expr)} AS DOUBLE) AS ${raw(`f${k}`)}`);
  const label = sql`CAST(${writeExpression(target)} AS DOUBLE) AS label`;
  const all = [...cells, label, row, sql`${row} % ${parts} AS __part`];
  return plan.select(sql`SELECT /*+ REPARTITION(${parts}, __part) */ ${join(all)}\nFROM ${rows}\nSORT BY ${row}`);
}

/** How many rows a plan has, or those in which a text is. */
export function askCount(
  relation: Relation,
  search: Selection["search"],
  names: SparkTables,
  subset: Subset = "all",
): Sql {
  const plan = new SparkPlan(names);
  const { name } = sideOf(plan, plan.rows(relation), subset);
  return plan.select(sql`SELECT count(*)\nFROM ${name}${search ? sql`\nWHERE ${holding(search)}` : raw("")}`);
}

/** How many rows an inner join has, how many of each table find one alike, and how often a key of the other repeats. */
export function askPairs({ of, other, on }: Joined, names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const keys = on.map((_, k) => raw(`k${k}`));
  const [left, right] = [of, other].map((each, side) => {
    const { name } = plan.rows(each);
    const columns = on.map((pair) => col(side === 0 ? pair.column : pair.other));
    const cells = columns.map((cell, k) => sql`${cell} AS ${keys[k]}`);
    const there = columns.map((cell) => sql`${cell} IS NOT NULL`);
    return plan.table(
      side === 0 ? "left_keys" : "right_keys",
      sql`SELECT ${join([...cells, raw("count(*) AS n")])}\n  FROM ${name}\n  WHERE ${join(there, " AND ")}\n  GROUP BY ${join(columns)}`,
    );
  });
  const alike = keys.map((key) => sql`l.${key} = r.${key}`);
  return plan.select(sql`SELECT coalesce(sum(CAST(l.n AS DOUBLE) * r.n), 0D), coalesce(sum(l.n), 0L), coalesce(sum(r.n), 0L), coalesce((SELECT max(n) FROM ${right}), 0L)
FROM ${left} AS l JOIN ${right} AS r ON ${join(alike, " AND ")}`);
}

/** The whole plan for people. */
export function showRows(relation: Relation, names: SparkTables): Sql {
  const plan = new SparkPlan(names);
  const { name, isSplit } = plan.rows(relation);
  const hidden = isSplit ? [row, splitSide, splitPlace] : [row];
  return plan.select(sql`SELECT * EXCEPT (${join(hidden)})\nFROM ${name}\nORDER BY ${row}`);
}

function ordered(keys: readonly Sql[]): Sql {
  return keys.length > 0 ? sql`\nORDER BY ${join(keys)}` : raw("");
}

function limited(limit: number | undefined): Sql {
  return limit === undefined ? raw("") : raw(`\nLIMIT ${Math.trunc(limit)}`);
}
