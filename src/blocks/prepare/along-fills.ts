import { isBeside, itemBeside, listBeside, placeBeside, rowsBeside } from "../../core/beside.ts";
import type { BlockContext } from "../../core/block.ts";
import { readFolds } from "../../core/folds.ts";
import { type Column, columnsNamed, type Frame, isNumeric } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { rowColumn, selectFrom } from "../../core/relation.ts";
import { col, file, join, raw, type Sql, sql } from "../../core/sql.ts";
import type { WriteColumn } from "../../core/tables.ts";
import { fillGaps, type Gaps, type GapsInput } from "../../numerics/statistics/gaps.ts";
import { addStep } from "../../plan/node.ts";
import { inTurns } from "../shared/column-turns.ts";
import { computeColumns } from "../shared/row-parts.ts";

/** Strategies that look along the table's order. */
export type Along = GapsInput["by"];

/** What fills the holes of some columns, beside their table. */
export interface Fills {
  readonly beside: { readonly artifact: string };
  /** The columns filled, by their names. */
  readonly made: ReadonlyMap<string, Sql>;
  /** The cells of a column that stay missing, where some do. */
  readonly left: ReadonlyMap<string, number>;
}

/** What fills one column. */
interface Piece {
  readonly made: Sql;
  readonly left: number;
  /** What lies beside the table for it. */
  readonly lists: readonly WriteColumn[];
  /** And what the table engine adds to that: cells of the column's own. */
  readonly collected?: Sql;
}

/** What the lists of one column are called. */
interface Names {
  readonly holes: string;
  readonly sources: string;
  readonly places: string;
  readonly values: string;
}

/** A column, and what fills its gaps. */
interface Holey {
  readonly column: Column;
  readonly names: Names;
  readonly gaps: Gaps;
  /** Of how many rows. */
  readonly of: number;
}

/** Finds what fills each hole, and writes it beside the table; `holes` are the columns that have some, and how many. */
export async function fillsBeside(
  frame: Frame,
  holes: ReadonlyMap<string, number>,
  strategy: Along,
  context: BlockContext,
): Promise<Fills> {
  const holey = [...holes.keys()];
  const parts = frame.folds && (await partsOf(frame, context));
  const names = namesFor(frame, holey);
  const pieces = new Map<string, Piece>();
  for (const [from, columns] of readable(frame, columnsNamed(frame.columns, holey), context)) {
    const found = await inTurns(from, { columns: columns.map(({ name }) => name) }, context, async (x, _, some) => {
      const counts = some.map((name) => holes.get(name) as number);
      const gaps = await computeColumns(context, fillGaps, { x, counts, by: strategy, parts }, "filling");
      return columnsNamed(columns, some).map((column, k): [string, Piece] => {
        const one = { column, names: names.get(column.name) as Names, gaps: gaps[k], of: x.n };
        return [column.name, byNumbers(one, strategy) ?? byCells(one)];
      });
    });
    for (const [name, piece] of found) pieces.set(name, piece);
  }
  return {
    beside: { artifact: await written(frame, pieces, context) },
    made: new Map([...pieces].map(([name, { made }]) => [name, made])),
    left: new Map([...pieces].flatMap(([name, { left }]) => (left > 0 ? [[name, left]] : []))),
  };
}

/** Training rows are 0, test rows 1, and those in neither 2. */
async function partsOf(frame: Frame, context: BlockContext): Promise<Uint8Array> {
  const { test, others } = await readFolds(frame, context.tables);
  const parts = new Uint8Array(new SharedArrayBuffer(frame.rows));
  for (const row of test) parts[row] = 1;
  for (const row of others) parts[row] = 2;
  return parts;
}

function namesFor(frame: Frame, holey: readonly string[]): Map<string, Names> {
  const taken = frame.columns.map(({ name }) => name);
  const kinds = ["holes", "sources", "places", "values"];
  const fresh = freshNames(
    holey.flatMap((_, k) => kinds.map((kind) => `${kind}_${k}`)),
    taken,
  );
  return new Map(
    holey.map((name, k) => {
      const [holes, sources, places, values] = fresh.slice(k * kinds.length);
      return [name, { holes, sources, places, values }];
    }),
  );
}

/** Columns with a frame in which they are numbers: those that are none have 0 there where they have a cell. */
function readable(
  frame: Frame,
  columns: readonly Column[],
  { block }: BlockContext,
): (readonly [Frame, readonly Column[]])[] {
  const [numeric, others] = [columns.filter(isNumeric), columns.filter((each) => !isNumeric(each))];
  const outputs = others.map((column) => ({
    column,
    expr: sql`CASE WHEN ${col(column.name)} IS NULL THEN NULL ELSE 0 END`,
  }));
  const relation = addStep(frame.relation, { block: block.id, name: "present", outputs });
  return [
    [frame, numeric],
    [{ ...frame, relation }, others],
  ];
}

/** Fills a column of numbers; null where it is none, or has integers too large to be numbers here. */
function byNumbers({ column, names, gaps, of }: Holey, strategy: Along): Piece | null {
  if (!isNumeric(column)) return null;
  const isLine = strategy === "linear";
  const type = raw(column.type === "boolean" ? "BOOLEAN" : column.integer && !isLine ? "BIGINT" : "DOUBLE");
  if (column.integer && !isLine && gaps.fills.some((value) => Math.abs(value) > Number.MAX_SAFE_INTEGER)) return null;
  const { rows, fills } = filledOnly(gaps);
  const left = gaps.rows.length - rows.length;
  return {
    made: filledCell(column.name, names, itemBeside(names.values, placeBeside(names.holes)), left, type),
    left,
    lists: [rowsBeside(names.holes, rows, of), listBeside(names.values, fills)],
  };
}

/** Those gaps that something fills. */
function filledOnly(gaps: Gaps): Gaps {
  if (!gaps.sources.includes(-1)) return gaps;
  const isFilled = (_: number, k: number) => gaps.sources[k] >= 0;
  const { rows, sources, fills } = gaps;
  return { rows: rows.filter(isFilled), sources: sources.filter(isFilled), fills: fills.filter(isFilled) };
}

/** The column's cell, else what fills the row's hole, where something does. A CASE looks that up for these rows alone. */
function filledCell(name: string, { holes }: Names, fill: Sql, left: number, type: Sql | null): Sql {
  const [cell, found] = [col(name), fill].map((each) => (type ? sql`CAST(${each} AS ${type})` : each));
  if (left === 0) return sql`CASE WHEN ${col(name)} IS NULL THEN ${found} ELSE ${cell} END`;
  return sql`CASE WHEN ${col(name)} IS NOT NULL THEN ${cell} WHEN ${isBeside(holes)} THEN ${found} END`;
}

/** Fills any column with cells of its own, which the engine collects. */
function byCells({ column, names, gaps, of }: Holey): Piece {
  const { rows, sources } = filledOnly(gaps);
  const place = new Map<number, number>();
  for (const row of sources.toSorted()) if (!place.has(row)) place.set(row, place.size);
  const cell = sql`{'row': ${col(rowColumn)}, 'cell': ${col(column.name)}}`;
  const collected = sql`list_sort(list(${cell}) FILTER (${isBeside(names.sources)}))`;
  const fill = itemBeside(names.values, itemBeside(names.places, placeBeside(names.holes)));
  const left = gaps.rows.length - rows.length;
  return {
    made: filledCell(column.name, names, fill, left, null),
    left,
    lists: [
      rowsBeside(names.holes, rows, of),
      rowsBeside(names.sources, Int32Array.from(place.keys()), of),
      listBeside(
        names.places,
        sources.map((row) => place.get(row) as number),
      ),
    ],
    collected: sql`list_transform(${collected}, lambda each: each."cell") AS ${col(names.values)}`,
  };
}

/** Writes the lists of all columns into one file of one row. */
async function written(frame: Frame, pieces: ReadonlyMap<string, Piece>, { tables }: BlockContext): Promise<string> {
  const artifact = await tables.writeColumns([...pieces.values()].flatMap(({ lists }) => lists));
  const collected = [...pieces.values()].flatMap((each) => each.collected ?? []);
  if (collected.length === 0) return artifact;
  const columns = [...pieces.keys()].filter((name) => pieces.get(name)?.collected);
  const lists = sql`read_parquet(${file(artifact)})`;
  const rows = sql`(${selectFrom(frame.relation, { columns, row: true })})`;
  const all = await tables.write(sql`SELECT * FROM ${lists}, (SELECT ${join(collected)} FROM ${rows}, ${lists})`);
  await tables.discard(artifact);
  return all;
}
