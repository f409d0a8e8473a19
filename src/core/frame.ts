import type { Column } from "../plan/column.ts";
import type { Relation, Step } from "../plan/node.ts";
import { ArgsError } from "./errors.ts";
import { didYouMean, listed, quoted } from "./names.ts";
import type { Marks } from "./number-marks.ts";

export { type Column, type ColumnType, cell, valueType, wideCell } from "../plan/column.ts";

/** Which rows train and which test. */
export interface Split {
  /** A file with a row per row of the frame, in its order (see `split.ts`); empty on a cluster, where the plan says it. */
  readonly artifact: string;
  readonly train: number;
  readonly test: number;
}

/** Something a block learnt from rows, kept so that a later split can tell that it saw test rows. */
export interface Fit {
  readonly block: number;
  readonly code: string;
  readonly name: string;
  readonly columns: readonly string[];
  /**
   * What it did to rows besides: drew, made or dropped some of them by others ("resampled"), or made windows that
   * overlap ("windows").
   */
  readonly rows?: "resampled" | "windows";
}

/**
 * A block's state: one table with roles and a split over it.
 *
 * All of it is plain data, so a block can run in another process or on another machine.
 */
export interface Frame {
  readonly relation: Relation;
  readonly rows: number;
  readonly columns: readonly Column[];
  /** Feature columns in order; null until a block assigns roles. */
  readonly x: readonly string[] | null;
  /** Target columns in order; null until a block assigns roles. */
  readonly y: readonly string[] | null;
  readonly split: Split | null;
  /** Fits made on all rows, before any split. */
  readonly fits: readonly Fit[];
  /** Every fitted row-wise step since the input, for applying the chain to new rows. */
  readonly lineage: readonly Step[];
  /** The columns as they were read, which new raw rows must match. */
  readonly raw: readonly Column[];
  /** How they were read, which is how new raw rows are read; absent where they come from no file. */
  readonly reading?: Reading;
}

/** How the cells of a file were read, so that other files are read alike. */
export interface Reading {
  /** Texts that count as missing among numbers, booleans and times. */
  readonly missing: readonly string[];
  /** Those that count as missing in columns of text too. */
  readonly missingTexts: readonly string[];
  /** How the numbers of columns are written that are not written as 1234.5, by name. */
  readonly marks?: Readonly<Record<string, Marks>>;
  /** How a text file is written, as far as that is the file's to say. */
  readonly written: Readonly<Record<string, string | boolean | number>>;
}

/** The frame of a table that has just been read or made: no roles, no split, nothing learnt. */
export function sourceFrame(artifact: string, columns: readonly Column[], rows: number, reading?: Reading): Frame {
  return {
    relation: { artifact, steps: [] },
    rows,
    columns,
    x: null,
    y: null,
    split: null,
    fits: [],
    lineage: [],
    raw: columns,
    ...(reading ? { reading } : {}),
  };
}

/** The seven projections of a frame that an artifact can hold. */
export const variables = ["dataset", "x", "y", "x_train", "y_train", "x_test", "y_test"] as const;

/** One of the frame's projections. */
export type Variable = (typeof variables)[number];

/** Which part of a frame's rows: all in table order, or one subset in its own order. */
export type Subset = "all" | "train" | "test";

/** The columns and rows that a variable stands for; null when the frame does not have it yet. */
export function projection(frame: Frame, variable: Variable): { columns: readonly string[]; subset: Subset } | null {
  if (variable === "dataset") return { columns: frame.columns.map((column) => column.name), subset: "all" };
  const columns = variable.startsWith("x") ? frame.x : frame.y;
  if (!columns || columns.length === 0) return null;
  if (variable.length === 1) return { columns, subset: "all" };
  if (!frame.split) return null;
  return { columns, subset: variable.endsWith("train") ? "train" : "test" };
}

/** The rows on which fitting may look: training rows once there is a split. */
export function fitSubset(frame: Frame): Subset {
  return frame.split ? "train" : "all";
}

/** How many rows a subset has. */
export function subsetSize(frame: Frame, subset: Subset): number {
  return subset === "all" || !frame.split ? frame.rows : frame.split[subset];
}

const places = new WeakMap<readonly Column[], ReadonlyMap<string, Column>>();

/** Looking through thousands of columns for each of thousands takes seconds. */
function byName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  let known = places.get(columns);
  if (!known) {
    known = new Map(columns.map((each) => [each.name, each]));
    places.set(columns, known);
  }
  return known;
}

/** Those of the columns that have these names, in the order of the names; unknown ones are left out. */
export function columnsNamed(columns: readonly Column[], names: readonly string[]): Column[] {
  const known = byName(columns);
  return names.flatMap((name) => known.get(name) ?? []);
}

/** The names of a frame's columns that are not among these. */
export function otherNames({ columns }: Pick<Frame, "columns">, names: readonly string[]): string[] {
  const among = new Set(names);
  return columns.flatMap(({ name }) => (among.has(name) ? [] : [name]));
}

/** The column of that name; an unknown one is answered with the nearest. */
export function column(frame: Frame, name: string): Column {
  const found = byName(frame.columns).get(name);
  if (found) return found;
  throw unknownColumn(
    name,
    frame.columns.map((candidate) => candidate.name),
  );
}

/** The error for a column that is not there, with the nearest one and those there are. */
export function unknownColumn(name: string, among: readonly string[], where = "the table"): ArgsError {
  return new ArgsError(
    `column ${quoted(name)} is not in ${where}.${didYouMean(name, among)} Columns: ${listed(among)}.`,
    { code: "unknown_column", got: name, expected: among.slice(0, 50) },
  );
}

/** Is the column a number or a boolean, something arithmetic can take? */
export function isNumeric(candidate: Column): boolean {
  return candidate.type === "number" || candidate.type === "boolean";
}

/** The column's type as people read it: `integer`, `number`, `string` … */
export function typeName(candidate: Column): string {
  return candidate.type === "number" && candidate.integer ? "integer" : candidate.type;
}
