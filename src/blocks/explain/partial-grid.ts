import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Column } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { quoted } from "../../core/names.ts";
import type { Cell } from "../../core/view.ts";
import { partialValues } from "../../numerics/explain/partial-values.ts";
import { gatherRows, type Matrix } from "../../numerics/types.ts";
import { carriedOn, type Kin, makingOf, sharedOrigin } from "../../plan/lineage.ts";
import { type Relation, unsettled } from "../../plan/node.ts";
import type { Predictor } from "../models/model-types.ts";
import type { Judged } from "../models/new-rows.ts";
import { judgedMatrix } from "../models/predict.ts";
import { columnsOf, isRead } from "./origins.ts";

/** Values of a column that a model is asked with, and what its features are then. */
export interface Grid {
  /** The column, as people know it. */
  readonly name: string;
  readonly kind: "number" | "datetime" | "category";
  /** The values, ascending. */
  readonly values: readonly Cell[];
  /** The features' places in the model's matrix. */
  readonly places: readonly number[];
  /** values×places: what the features are at each value. */
  readonly features: Matrix;
}

/** What a grid is asked for. */
export interface Wanted {
  /** Values at most. */
  readonly most: number;
  /** The quantiles between which numbers are taken. */
  readonly ends: readonly [number, number];
}

/** What a grid needs to know of the model and its rows. */
export interface Ground {
  readonly predictor: Predictor;
  readonly file: ModelFile;
  readonly judged: Judged;
  /** The rows as the model's matrix. */
  readonly x: Matrix;
}

/**
 * The values of a column, in its own units, with what the chain's fitted steps make of each.
 *
 * Where its features can't be followed back to one column, the values are those that the features have together.
 */
export async function gridOf(
  kin: Kin,
  ground: Ground,
  wanted: Wanted,
  context: BlockContext,
  who: string,
): Promise<Grid> {
  const { file, judged, predictor } = ground;
  const features = kin.places.map((place) => file.features[place]);
  const names = features.map(({ name }) => name);
  const relation = unsettled(judged.relation);
  const origin = sharedOrigin(relation, names, isRead);
  if (!origin) return togetherGrid(kin, names, ground, wanted, context, who);
  // The plan was followed back to it, so it is there.
  const column = await columnsOf(relation, context)(origin.behind, origin.name);
  const name = column.name === kin.column ? kin.column : `${kin.column} (of ${column.name})`;
  const found = await valuesOf({ relation, behind: origin.behind, column, name }, ground, wanted, context, who);
  const written = await context.tables.writeColumns([{ column: found.column, values: found.values }]);
  const made = { artifact: written, steps: makingOf(relation, origin.behind, names) };
  const rows = { ...judged, relation: made, selection: {}, columns: features };
  const matrix = await judgedMatrix(rows, { ...file, features }, context, who, predictor.isRaw);
  const own = gatherRows(
    matrix,
    Int32Array.from({ length: matrix.n }, (_, i) => i),
  );
  await context.tables.discard(written);
  return { name, kind: found.kind, values: found.values, places: kin.places, features: own };
}

/** A column behind one of a plan's nodes. */
interface Place {
  readonly relation: Relation;
  readonly behind: number;
  readonly column: Column;
  readonly name: string;
}

interface Values {
  readonly kind: Grid["kind"];
  readonly column: Column;
  readonly values: readonly Cell[];
}

async function valuesOf(
  { relation, behind, column, name }: Place,
  { judged }: Ground,
  { most, ends }: Wanted,
  context: BlockContext,
  who: string,
): Promise<Values> {
  const { tables, block } = context;
  const carried = carriedOn(relation, [{ column, behind, as: column.name }], block);
  const { subset, split } = judged.selection;
  const rows = { subset, split };
  if (column.type === "tensor") {
    throw new DataError(`${who}: ${quoted(name)} holds arrays, along which nothing can be drawn.`, { path: "columns" });
  }
  if (column.type === "number") {
    const found = columnOf(await tables.numbers(carried, { ...rows, columns: [column.name] }), 0);
    const values = partialValues(found, most, ...ends);
    if (values.length === 0) throw tooAlike(name, found, ends, who);
    const isWhole = values.every(Number.isInteger);
    return {
      kind: "number",
      column: { name: column.name, type: "number", ...(isWhole && column.integer ? { integer: true } : {}) },
      values: [...values],
    };
  }
  if (column.type === "datetime") {
    const [cells] = await tables.cells(carried, { ...rows, columns: [column.name] });
    const distinct = [...new Set(cells)].filter((cell) => cell !== null).sort();
    return { kind: "datetime", column, values: spread(nonEmpty(distinct, name, who), most) };
  }
  const { labels, codes } = await tables.classes(carried, column.name, rows);
  const counts = new Int32Array(labels.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const values = frequent(nonEmpty(labels, name, who), counts, most, name, context, who);
  return { kind: "category", column, values };
}

function nonEmpty<T>(values: readonly T[], name: string, who: string): readonly T[] {
  if (values.length > 0) return values;
  throw new DataError(`${who}: ${quoted(name)} has no value in these rows.`, { code: "missing_features", got: name });
}

function tooAlike(name: string, found: Float64Array, [low, high]: Wanted["ends"], who: string): DataError {
  if (found.every(Number.isNaN)) {
    return new DataError(`${who}: ${quoted(name)} has no value in these rows.`, {
      code: "missing_features",
      got: name,
    });
  }
  return new DataError(
    `${who}: the quantiles ${low} and ${high} of ${quoted(name)} are the same number. Set them farther apart, as in percentiles: [0, 1].`,
    { path: "percentiles", got: [low, high] },
  );
}

/** So many of the values, evenly among all, the first and the last with them. */
function spread<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values;
  return Array.from({ length: most }, (_, k) => values[Math.round((k * (values.length - 1)) / Math.max(1, most - 1))]);
}

/** The labels with most rows, in their own order. */
function frequent<T>(
  labels: readonly T[],
  counts: Int32Array,
  most: number,
  name: string,
  context: BlockContext,
  who: string,
): readonly T[] {
  if (labels.length <= most) return labels;
  context.notice(
    `${who}: of the ${labels.length.toLocaleString("en-US")} values of ${quoted(name)} the ${most} most frequent are told; grid_resolution takes more.`,
  );
  return Array.from(labels.keys())
    .sort((a, b) => counts[b] - counts[a] || a - b)
    .slice(0, most)
    .sort((a, b) => a - b)
    .map((k) => labels[k]);
}

/** The values that features have together in these rows, named by those that are not 0, such as the dummy of a category. */
function togetherGrid(
  { column, places }: Kin,
  names: readonly string[],
  { x }: Ground,
  { most }: Wanted,
  context: BlockContext,
  who: string,
): Grid {
  const first = new Map<string, number>();
  const counts = new Map<string, number>();
  for (let i = 0; i < x.n; i++) {
    const key = places.map((j) => x.data[j * x.n + i]).join();
    if (!first.has(key)) first.set(key, i);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const told = Array.from(first, ([key, row]) => ({ label: together(names, places, x, row, column), row, key }));
  told.sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.row - b.row));
  const kept = frequent(
    told,
    Int32Array.from(told, ({ key }) => counts.get(key) ?? 0),
    most,
    column,
    context,
    who,
  );
  const rows = Int32Array.from(kept, ({ row }) => row);
  const all = gatherRows(x, rows);
  const features = {
    n: rows.length,
    d: places.length,
    data: Float64Array.from({ length: rows.length * places.length }, (_, at) => {
      const [k, i] = [Math.floor(at / rows.length), at % rows.length];
      return all.data[places[k] * rows.length + i];
    }),
  };
  return { name: column, kind: "category", values: kept.map(({ label }) => label), places, features };
}

function together(names: readonly string[], places: readonly number[], x: Matrix, row: number, column: string): string {
  const words = names.flatMap((name, k) => {
    const value = x.data[places[k] * x.n + row];
    const short = name.startsWith(`${column}_`) ? name.slice(column.length + 1) : name;
    return value === 0 ? [] : [value === 1 ? short : `${short} ${Number(value.toPrecision(4))}`];
  });
  return words.length > 0 ? words.join(", ") : "none of them";
}
