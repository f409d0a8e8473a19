import type { BlockContext, Task } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { type ClassColumn, columnOf, type NumberColumns } from "../../core/matrix.ts";
import { count, listed } from "../../core/names.ts";
import { readSplit } from "../../core/split.ts";
import { type Categories, modelColumns, type ReadingContext, rawFeatures, trainingData } from "../../core/training.ts";
import { RandomState } from "../../numerics/random.ts";
import { gatherRows } from "../../numerics/types.ts";
import { crossValidate } from "../models/cross-validate.ts";
import { countOf, type Folds } from "../models/folds.ts";

/** Rows with their features as they are: missing cells as NaN, texts as codes of categories. */
export interface Rows {
  readonly x: NumberColumns;
  readonly categories: Categories;
  /** The target as numbers; empty for classes. */
  readonly y: Float64Array;
  /** The target as codes into all labels of the training rows; −1 for others. Empty for numbers. */
  readonly codes: Int32Array;
}

/** A part of the rows to learn from, and one to judge by. */
export interface Fold {
  readonly train: Rows;
  readonly test: Rows;
}

/** What a search works on. */
export interface Problem {
  readonly task: Task;
  readonly target: string;
  readonly features: readonly string[];
  /** Features of 0 and 1 that say no and yes. */
  readonly truths: ReadonlySet<string>;
  readonly labels: ClassColumn["labels"];
  /** All training rows. */
  readonly all: Rows;
  readonly folds: readonly Fold[];
}

/** Folds of a search, and from so many rows on. */
const usualFolds = 5;
const fewerFolds = { rows: 50_000, folds: 3 };

/** Fewer rows can't be learnt from and judged by. */
const fewestRows = 8;

/** Numbers of all folds that are held in memory at most. */
const mostNumbers = 500_000_000;

/** Reads all that a search learns from, with the chain's own steps fitted anew in every fold. */
export async function readProblem(
  frame: Frame,
  task: Task,
  { cv, seed }: { readonly cv: Folds | undefined; readonly seed: number },
  context: BlockContext,
  who: string,
): Promise<Problem> {
  const { rows: all, learnable } = await readRows(frame, task, context, who);
  const { features, labels } = learnable;
  const { train } = await readSplit(frame, context.tables);
  if (train.length < fewestRows) {
    throw new DataError(
      `${who}: ${count(train.length, "training row")} can't be learnt from and judged by; it needs at least ${fewestRows}.`,
      { got: train.length, expected: `at least ${fewestRows} rows` },
    );
  }
  const folds = cv ?? (train.length >= fewerFolds.rows ? fewerFolds.folds : foldsFor(all.codes, labels.length));
  const numbers = train.length * features.length * countOf(folds);
  if (numbers > mostNumbers) {
    throw new DataError(
      `${who}: ${count(train.length, "row")} of ${count(features.length, "feature")} in ${countOf(folds)} folds don't fit in memory. Search on fewer rows, as of sample (BL_SAMPLE).`,
      { code: "too_large", got: numbers, expected: `at most ${mostNumbers} numbers` },
    );
  }
  const places = new Map(labels.map((label, code) => [label, code]));
  const read: Fold[] = [];
  const readFold = async (anew: Frame) => {
    const data = await trainingData(anew, task, silent(context), who, true);
    const known = data.categories ?? {};
    const test = await testRows(anew, task, known, places, context, who);
    // A copy where what lies behind it may be given up.
    const own = (rows: NumberColumns) => (rows.data.byteLength === rows.data.buffer.byteLength ? rows : copied(rows));
    const codes = data.classes.codes.map((code) => places.get(data.classes.labels[code]) ?? -1);
    const trained = { x: own(data.x), categories: known, y: columnOf(data.y, 0).slice(), codes };
    read.push({ train: trained, test: { ...test, x: own(test.x) } });
    return [];
  };
  await crossValidate(frame, folds, task, context, who, readFold, "reading folds", new RandomState(seed));
  return { ...learnable, all, folds: read };
}

/** What is told of all rows need not be told of each fold. */
function silent({ tables }: BlockContext): ReadingContext {
  return { tables, notice: () => undefined };
}

/** The training rows of a frame, as a search reads them. */
export async function readRows(
  frame: Frame,
  task: Task,
  context: ReadingContext,
  who: string,
): Promise<{
  readonly rows: Rows;
  readonly learnable: Pick<Problem, "task" | "target" | "features" | "truths" | "labels">;
}> {
  const { features, target } = modelColumns(frame, who);
  const { x, y, classes, categories = {} } = await trainingData(frame, task, context, who, true);
  const truths = new Set(features.filter((name) => column(frame, name).type === "boolean"));
  const rows = { x, categories, y: columnOf(y, 0), codes: classes.codes };
  return { rows, learnable: { task, target, features, truths, labels: classes.labels } };
}

/** As many folds as the largest class allows. */
function foldsFor(codes: Int32Array, classes: number): number {
  if (classes === 0) return usualFolds;
  const rows = new Int32Array(classes);
  for (const code of codes) rows[code]++;
  return Math.max(
    2,
    Math.min(
      usualFolds,
      rows.reduce((most, n) => Math.max(most, n), 0),
    ),
  );
}

async function testRows(
  frame: Frame,
  task: Task,
  categories: Categories,
  places: ReadonlyMap<string | number | boolean, number>,
  context: BlockContext,
  who: string,
): Promise<Rows> {
  const { features, target } = modelColumns(frame, who);
  const selection = { subset: "test", split: frame.split } as const;
  const { x } = await rawFeatures(frame, frame.relation, selection, features, silent(context), who, categories);
  if (task === "regression") {
    const y = await context.tables.numbers(frame.relation, { ...selection, columns: [target] });
    return { x, categories, y: columnOf(y, 0).slice(), codes: new Int32Array(0) };
  }
  const { codes, labels } = await context.tables.classes(frame.relation, target, selection);
  const own = codes.map((code) => (code < 0 ? -1 : (places.get(labels[code]) ?? -1)));
  return { x, categories, y: new Float64Array(0), codes: own };
}

function copied(rows: NumberColumns): NumberColumns {
  const { data } = gatherRows(
    rows,
    Int32Array.from({ length: rows.n }, (_, i) => i),
    true,
  );
  return { ...rows, data };
}

/** The rows of these numbers. */
export function rowsAt(rows: Rows, at: Int32Array): Rows {
  const { data } = gatherRows(rows.x, at, true);
  return {
    ...rows,
    x: { ...rows.x, n: at.length, data },
    y: rows.y.length > 0 ? Float64Array.from(at, (i) => rows.y[i]) : rows.y,
    codes: rows.codes.length > 0 ? Int32Array.from(at, (i) => rows.codes[i]) : rows.codes,
  };
}

/** So many of the rows, drawn by the seed; of classes as large a share of each, and one row at least. */
export function drawnRows({ x, codes }: Rows, size: number, seed: number): Int32Array {
  const order = new RandomState(seed).permutation(x.n);
  if (codes.length === 0) return order.slice(0, size).sort();
  const all = new Map<number, number>();
  for (const code of codes) all.set(code, (all.get(code) ?? 0) + 1);
  const seen = new Map<number, number>();
  const key = new Float64Array(x.n);
  for (const i of order) {
    const place = seen.get(codes[i]) ?? 0;
    seen.set(codes[i], place + 1);
    key[i] = place / (all.get(codes[i]) ?? 1);
  }
  return Int32Array.from([...order].sort((a, b) => key[a] - key[b]).slice(0, Math.max(size, all.size))).sort();
}

/** The categories of each feature, as a recipe asks for them. */
export function categoryCounts(
  { features, truths }: Pick<Problem, "features" | "truths">,
  known: Categories,
): Int32Array {
  return Int32Array.from(features, (name) =>
    Object.hasOwn(known, name) ? Math.max(1, known[name].length) : truths.has(name) ? -1 : 0,
  );
}

/** Features of which a column a category would be too many. */
export const mostCategories = 20;

/** What is left out of the features that are made, in words. */
export function leftOut(names: readonly string[]): string {
  return `${listed(names)} ${names.length === 1 ? "has" : "have"} more than ${mostCategories} categories or no value at all, so only boost learns from ${names.length === 1 ? "it" : "them"}. encode (DP_3) with type "target" before would serve all models.`;
}
