import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import type { Rows } from "../../core/tables.ts";
import { noRows, refuseFaults, refuseOtherTypes } from "../../core/training.ts";
import type { Cell } from "../../core/view.ts";
import type { ProductSums } from "../../numerics/linear/products.ts";
import { layoutOf } from "../../numerics/statistics/co-products.ts";
import { call, column, type Expr, rowColumn, value } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";

/** Products of so many columns are asked of a cluster at most: of each pair one sum. */
const mostColumns = 200;

/** Some rows of a table that lies on a cluster. */
export interface FarRows {
  readonly relation: Relation;
  readonly rows: Rows;
}

/** What is known of numeric columns of a cluster before products are asked for. */
export interface FarColumns extends FarRows {
  readonly columns: readonly Column[];
  /** Rows. */
  readonly n: number;
  /** How many cells of each column are there. */
  readonly present: readonly number[];
  /** Their means, of a constant column its value; 0 where a column has no cell. */
  readonly mean: Float64Array;
  readonly isConstant: readonly boolean[];
  readonly isInfinite: readonly boolean[];
  /** Are its numbers whole, and products of them far from running over? */
  readonly isSmallWhole: readonly boolean[];
  /** Is each of its cells there, and 0 or 1? */
  readonly isFlag: readonly boolean[];
}

/** Whole numbers up to here in size are small. */
const mostSmall = 2 ** 20;

/** A numeric column as a number. */
export function numberOf(column: Column): Expr {
  return column.type === "boolean" ? call("number", cell(column)) : cell(column);
}

/** A whole number below `parts` that a hash of a row's number deals it, the same however the table is parted. */
export function dealt(parts: number): Expr {
  return call("modulo", call("hash32", column(rowColumn, "integer")), value(parts, "integer"));
}

/** Counts, means and extremes of numeric columns over some rows of a cluster. */
export async function farColumns(
  columns: readonly Column[],
  { relation, rows }: FarRows,
  { tables }: Pick<BlockContext, "tables">,
): Promise<FarColumns> {
  const measures = ["count", "min", "max", "mean"] as const;
  const asked = columns.flatMap((each) => measures.map((name) => call(name, numberOf(each))));
  const [n, ...cells] = await tables.aggregate(relation, rows, [call("count"), ...asked]);
  const of = columns.map((_, k) => cells.slice(k * measures.length, (k + 1) * measures.length));
  const isAt = (end: Cell, which: number) => end !== null && Number(end) === which;
  const isWhole = columns.map((each) => each.integer === true || each.type === "boolean");
  return {
    ...{ relation, rows, columns, n: Number(n) },
    present: of.map(([present]) => Number(present)),
    mean: Float64Array.from(of, ([, min, max, mean]) => Number(min !== null && min === max ? min : (mean ?? 0))),
    isConstant: of.map(([, min, max]) => min === max),
    isInfinite: of.map(([, min, max]) => isAt(min, -Infinity) || isAt(max, Infinity)),
    isSmallWhole: of.map(
      ([, min, max], k) => columns[k].integer === true && Math.max(Math.abs(Number(min)), Number(max)) <= mostSmall,
    ),
    isFlag: of.map(
      ([present, min, max], k) => isWhole[k] && Number(present) === Number(n) && Number(min) >= 0 && Number(max) <= 1,
    ),
  };
}

/**
 * Features of a cluster's rows: numeric, complete and finite, else refused as those that are read into memory.
 *
 * A target stands behind them where one is named; what it must be is left to the caller.
 */
export async function farFeatures(
  frame: Pick<Frame, "columns">,
  names: readonly string[],
  where: FarRows,
  context: Pick<BlockContext, "tables">,
  who: string,
  { learnt = false, target }: { readonly learnt?: boolean; readonly target?: string } = {},
): Promise<FarColumns> {
  refuseOtherTypes(frame.columns, names, who);
  if (names.length > mostColumns) {
    throw new DataError(
      `${who}: ${count(names.length, "feature")} are too many for products on Spark; at most ${mostColumns} fit. Drop some with drop (DP_6), or bring the rows here by collect().`,
      { code: "on_cluster", got: names.length, expected: `at most ${mostColumns}` },
    );
  }
  const all = target === undefined ? names : [...names, target];
  const found = await farColumns(columnsNamed(frame.columns, all), where, context);
  const { n, present, isInfinite } = found;
  if (n === 0) throw noRows(who);
  const of = (is: (k: number) => boolean) => names.filter((_, k) => is(k));
  const faults = {
    missing: of((k) => present[k] < n),
    empty: of((k) => present[k] === 0),
    infinite: of((k) => isInfinite[k]),
  };
  refuseFaults(faults, who, learnt);
  return found;
}

/**
 * Inner products of complete columns less `shift`, over a cluster's rows: as `productSums` lays them out, the target last.
 *
 * Each product is rounded once, and their sums are exact, so they are the same however the table is parted. Of rows that
 * are alike in columns of 0 and 1, as encode() makes them, the others alone are multiplied.
 */
export async function farProducts(
  far: FarColumns,
  shift: Float64Array,
  { tables }: Pick<BlockContext, "tables">,
  width = far.columns.length + 1,
): Promise<ProductSums> {
  const flags = flagsIn(far);
  const byFlags = flags.length > 1 ? await productsByFlags(far, shift, flags, { tables }, width) : null;
  if (byFlags) return byFlags;
  const all = await tables.aggregate(far.relation, far.rows, productsAsked(far, shift));
  return productsIn(all, far.columns.length, width, far.n);
}

/** Rows are told apart by so many patterns of 0 and 1 at most. */
const mostPatterns = 1000;

/** The places of columns of 0 and 1 that are likely to make few patterns: those of one encoded text have 1 in one alone. */
function flagsIn({ isFlag, mean }: FarColumns): number[] {
  const texts: number[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const [j, is] of isFlag.entries()) {
    if (!is) {
      sum = Number.POSITIVE_INFINITY;
      continue;
    }
    sum += mean[j];
    if (sum <= 1 + 1e-9) texts.at(-1)?.push(j);
    else {
      texts.push([j]);
      sum = mean[j];
    }
  }
  let patterns = 1;
  return texts.flatMap((columns) => {
    if (patterns * (columns.length + 1) > mostPatterns) return [];
    patterns *= columns.length + 1;
    return columns;
  });
}

/** The same products, from sums over the rows of each pattern of flags; null where there are too many patterns. */
async function productsByFlags(
  { columns, relation, rows, n, isSmallWhole }: FarColumns,
  shift: Float64Array,
  flags: readonly number[],
  { tables }: Pick<BlockContext, "tables">,
  width: number,
): Promise<ProductSums | null> {
  const others = columns.map((_, j) => j).filter((j) => !flags.includes(j));
  const asked = productsAsked(
    { columns: others.map((j) => columns[j]), isSmallWhole: others.map((j) => isSmallWhole[j]) },
    Float64Array.from(others, (j) => shift[j]),
  );
  const by = flags.map((j) => numberOf(columns[j]));
  const order = by.map((expr) => ({ expr }));
  const outputs = [...by, call("count"), ...asked];
  const { found, groups } = await tables.groups(relation, rows, { by, outputs, order, limit: mostPatterns });
  if (groups > found.length) return null;
  const place = columns.map((_, j) => others.indexOf(j));
  const sums = new Float64Array(width * width);
  for (const cells of found) {
    const pattern = cells.slice(0, by.length).map(Number);
    const size = Number(cells[by.length]);
    const { sums: own, width: line } = productsIn(cells.slice(by.length + 1), others.length, others.length + 1, size);
    // Over these rows a flag is a constant, and so are the ones behind the last column.
    const constant = columns.map((_, j) => (place[j] < 0 ? pattern[flags.indexOf(j)] - shift[j] : null));
    constant.push(1);
    const sumOf = (j: number, of: number | null) => (of === null ? own[others.length * line + place[j]] : of * size);
    for (const [i, a] of constant.entries()) {
      for (const [j, b] of constant.slice(0, i + 1).entries()) {
        if (a !== null) sums[i * width + j] += a * sumOf(j, b);
        else sums[i * width + j] += b === null ? own[place[i] * line + place[j]] : b * sumOf(i, a);
      }
    }
  }
  return { n, sums, width };
}

/**
 * The same of each of some runs of the rows, by one pass for all of them.
 *
 * Without a split these are runs of the table's rows, as of rows in memory; behind one a hash of the rows' numbers deals them.
 */
export async function farProductsOf(
  far: FarColumns,
  shift: Float64Array,
  runs: readonly { readonly from: number; readonly to: number }[],
  { tables }: Pick<BlockContext, "tables">,
): Promise<ProductSums[]> {
  const { columns, relation, rows, n } = far;
  const isAll = (rows.subset ?? "all") === "all";
  const place = isAll ? column(rowColumn, "integer") : dealt(n);
  const run = runs.reduceRight<Expr>(
    (rest, { to }, k) => call("choose", call("less", place, value(to, "integer")), value(k, "integer"), rest),
    value(null),
  );
  const outputs = [call("count"), ...productsAsked(far, shift)];
  // Of few rows a run may have got none.
  const { found } = await tables.groups(relation, rows, { by: [run], outputs, order: [{ expr: run }] });
  return found.map(([own, ...cells]) => productsIn(cells, columns.length, columns.length + 1, Number(own)));
}

/**
 * What to take off columns before they are multiplied, so that products keep their digits: near the means.
 *
 * Of whole numbers a whole one, so that their products are whole, which a cluster adds up in half the time.
 */
export function shiftsOf({ isSmallWhole, mean }: FarColumns): Float64Array {
  return mean.map((each, j) => (isSmallWhole[j] ? Math.round(each) : each));
}

/** Products of all pairs of columns less `shift`, and what each adds up to. */
function productsAsked(
  { columns, isSmallWhole }: Pick<FarColumns, "columns" | "isSmallWhole">,
  shift: Float64Array,
): Expr[] {
  const x = columns.map((each, j) => {
    const type = isSmallWhole[j] && Number.isInteger(shift[j]) ? "integer" : "number";
    return call("subtract", numberOf(each), value(shift[j], type));
  });
  const products = x.flatMap((a, i) => x.slice(0, i + 1).map((b) => call("sum", call("multiply", a, b))));
  return [...products, ...x.map((each) => call("sum", each))];
}

/** What was asked, as `productSums` lays it out. */
function productsIn(found: readonly Cell[], d: number, width: number, n: number): ProductSums {
  const cells = found.map((each) => (each === null ? Number.NaN : Number(each))).values();
  const sums = new Float64Array(width * width);
  for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) sums[i * width + j] = cells.next().value as number;
  for (let j = 0; j < d; j++) sums[d * width + j] = cells.next().value as number;
  sums[d * width + d] = n;
  return { n, sums, width };
}

/** What `correlationsOf` needs of numeric columns, some with missing cells, over a cluster's rows. */
export async function farCoProducts(
  { columns, relation, rows, n, present, mean }: FarColumns,
  { tables }: Pick<BlockContext, "tables">,
): Promise<{ readonly parts: readonly Float64Array[]; readonly holes: Uint8Array }> {
  const d = columns.length;
  const holes = Uint8Array.from(present, (own) => (own < n ? 1 : 0));
  const { holey, values, theres, across, line, size } = layoutOf(holes);
  const x = columns.map((each, j) => call("subtract", numberOf(each), value(mean[j], "number")));
  const asked: { readonly at: number; readonly expr: Expr }[] = [];
  for (let i = 0; i < d; i++)
    for (let j = 0; j <= i; j++) asked.push({ at: i * values + j, expr: call("sum", call("multiply", x[i], x[j])) });
  holey.forEach((h, k) => {
    const there = (expr: Expr) => call("choose", call("isMissing", x[h]), value(null), expr);
    const from = across + k * line;
    for (let j = 0; j < d; j++) {
      asked.push({ at: from + j, expr: call("sum", there(x[j])) });
      asked.push({ at: from + values + theres + j, expr: call("sum", there(call("multiply", x[j], x[j]))) });
    }
    holey.forEach((other, m) => {
      asked.push({ at: from + values + m, expr: call("count", there(x[other])) });
    });
  });
  const found = await tables.aggregate(
    relation,
    rows,
    asked.map(({ expr }) => expr),
  );
  const part = new Float64Array(size);
  for (const [k, { at }] of asked.entries()) part[at] = Number(found[k] ?? 0);
  return { parts: [part], holes };
}
