import type { Relation } from "../plan/node.ts";
import { allDone } from "./all-done.ts";
import type { BlockContext } from "./block.ts";
import { ArgsError, DataError } from "./errors.ts";
import {
  type Column,
  type ColumnType,
  column,
  columnsNamed,
  type Frame,
  fitFold,
  foldRows,
  isNumeric,
} from "./frame.ts";
import { type ClassColumn, columnOf, type NumberColumns, type SparseColumns, withPlain } from "./matrix.ts";
import { count, listed, quoted } from "./names.ts";
import { type Selection, takesAll } from "./selection.ts";

/** Features and target of the rows that a model learns from. */
export interface TrainingData {
  readonly x: NumberColumns;
  /** The target as one column of numbers; empty for classification. */
  readonly y: NumberColumns;
  /** The target as classes; no labels for regression. */
  readonly classes: ClassColumn;
}

/** The features and target columns that a model of this frame has, checked. */
export function modelColumns(frame: Frame, who: string): { features: readonly string[]; target: string } {
  if (!frame.x || frame.x.length === 0 || !frame.y || frame.y.length === 0) {
    throw new ArgsError(
      `${who}: it is not said what to learn from what; assign X and Y first with xy (DP_FSP), as in xy({ y: "species" }).`,
      {
        code: "no_roles",
        hint: "xy",
      },
    );
  }
  if (frame.y.length > 1) {
    throw new DataError(
      `${who}: it learns one target, got ${frame.y.length} (${listed(frame.y)}). Choose one with xy (DP_FSP).`,
      {
        got: frame.y.length,
        expected: 1,
      },
    );
  }
  return { features: frame.x, target: frame.y[0] };
}

/** Reads the training rows (all rows without folds): numeric, complete features and a complete target. */
export async function trainingData(
  frame: Frame,
  task: "regression" | "classification",
  context: BlockContext,
  who: string,
): Promise<TrainingData> {
  const { features, target } = modelColumns(frame, who);
  const selection = { fold: fitFold(frame), folds: frame.folds };
  // All have ended before one is complained of, and what is wrong with the features comes first.
  const [x, y, classes] = await allDone<[NumberColumns, NumberColumns, ClassColumn]>([
    featureMatrix(frame, frame.relation, selection, features, context, who),
    task === "regression" ? numericTarget(frame, target, selection, context, who) : noNumbers(target),
    task === "classification" ? classTarget(frame, target, selection, context, who) : noClasses(target),
  ]);
  return { x, y, classes };
}

/** The target of a regression as classes: none. */
function noClasses(target: string): ClassColumn {
  return { name: target, labels: [], codes: new Int32Array(0) };
}

/** The target of a classification as numbers: none. */
function noNumbers(target: string): NumberColumns {
  return { names: [target], n: 0, d: 0, data: new Float64Array(0) };
}

/** What a model that takes sparse rows learns from. */
export interface SparseTraining extends Omit<TrainingData, "x"> {
  readonly x: SparseColumns;
}

/** As `trainingData`, with sparse rows; null where a matrix serves as well. */
export async function sparseTraining(
  frame: Frame,
  task: "regression" | "classification",
  context: BlockContext,
  who: string,
): Promise<SparseTraining | null> {
  const { features, target } = modelColumns(frame, who);
  const selection = { fold: fitFold(frame), folds: frame.folds };
  const x = await sparseFeatures(frame, frame.relation, selection, features, context, who);
  if (!x) return null;
  if (task === "regression") {
    return { x, y: await numericTarget(frame, target, selection, context, who), classes: noClasses(target) };
  }
  return { x, y: noNumbers(target), classes: await classTarget(frame, target, selection, context, who) };
}

/** The features as sparse rows, checked as those of a matrix; null where a matrix serves as well. */
export async function sparseFeatures(
  frame: Pick<Frame, "columns">,
  relation: Relation,
  selection: Selection,
  features: readonly string[],
  context: BlockContext,
  who: string,
  learnt = false,
): Promise<SparseColumns | null> {
  refuseOtherTypes(frame.columns, features, who);
  const found = await context.tables.sparse(relation, { ...selection, columns: features });
  // The reader of a matrix says what is wrong with no rows.
  if (!found || found.x.n === 0) return null;
  const { x, plain } = found;
  if (plain.length === 0) return x;
  const names = plain.map((k) => features[k]);
  return withPlain(x, plain, await featureMatrix(frame, relation, selection, names, context, who, learnt));
}

/** The features as a matrix; text or missing cells are refused with the block that mends them. A model that `learnt` can't do without a column. */
export async function featureMatrix(
  frame: Pick<Frame, "columns">,
  relation: Relation,
  selection: Selection,
  features: readonly string[],
  context: BlockContext,
  who: string,
  learnt = false,
): Promise<NumberColumns> {
  refuseOtherTypes(frame.columns, features, who);
  const wanted = { ...selection, columns: features };
  // Model after model learns from the same rows; slices and single rows are read once.
  const reading: Promise<NumberColumns & { readonly isKept?: boolean }> = takesAll(selection)
    ? context.tables.look(relation, wanted)
    : context.tables.numbers(relation, wanted);
  const x = await reading.catch((error) => {
    if (error instanceof DataError) throw new DataError(`${who}: ${error.message}`, error.detail, { cause: error });
    throw error;
  });
  if (x.n === 0) throw new DataError(`${who}: there are no rows to work on.`, { got: 0, expected: "at least 1 row" });
  if (sound.has(x.data.buffer)) return x;
  const { missing, empty, infinite } = faults(x);
  // Nothing can fill a column without any value, so that one comes first.
  if (empty.length > 0 && !learnt) {
    throw new DataError(
      `${who}: features must be complete, but ${listed(empty)} ${empty.length === 1 ? "has" : "have"} no value at all. Drop ${empty.length === 1 ? "it" : "them"} with drop (DP_6).`,
      { code: "missing_features", got: empty, hint: "drop" },
    );
  }
  if (missing.length > 0) {
    throw new DataError(
      `${who}: features must be complete, but ${listed(missing)} ${missing.length === 1 ? "has" : "have"} missing cells. Fill them with missing (DP_2).`,
      { code: "missing_features", got: missing, hint: "missing" },
    );
  }
  if (infinite.length > 0) {
    throw new DataError(
      `${who}: features must be finite, but ${listed(infinite)} ${infinite.length === 1 ? "holds" : "hold"} infinity. Drop the column with drop (DP_6), or mend its source.`,
      {
        code: "infinite_features",
        got: infinite,
      },
    );
  }
  if (x.isKept && x.data.byteLength === x.data.buffer.byteLength) sound.add(x.data.buffer);
  return x;
}

/** Where numbers are kept that were found complete and finite: looking at them anew takes as long as some models do. */
const sound = new WeakSet<ArrayBufferLike>();

/** What makes numbers of each type that is none. */
const cures: Partial<Record<ColumnType, string>> = {
  string: "Encode with encode (DP_3) or drop with drop (DP_6)",
  category: "Encode with encode (DP_3) or drop with drop (DP_6)",
  datetime: "Take their parts with dates (DP_PDT) or drop with drop (DP_6)",
  tensor: "Make columns of them with reshape (DP_RSH) or drop with drop (DP_6)",
};

function refuseOtherTypes(columns: readonly Column[], features: readonly string[], who: string): void {
  const others = columnsNamed(columns, features).filter((each) => !isNumeric(each));
  if (others.length === 0) return;
  const types = [...new Set(others.map((each) => each.type))];
  const said = [...new Set(types.map((type) => cures[type]))].join("; ");
  const names = others.map((each) => each.name);
  throw new DataError(
    `${who}: features must be numbers, but ${listed(names)} ${names.length === 1 ? "is" : "are"} not. ${said}.`,
    { code: "text_features", got: names, hint: types.includes("datetime") ? "dates" : "encode" },
  );
}

function faults(x: NumberColumns): { missing: string[]; empty: string[]; infinite: string[] } {
  const missing: string[] = [];
  const empty: string[] = [];
  const infinite: string[] = [];
  x.names.forEach((name, k) => {
    const values = columnOf(x, k);
    // One pass: a sum is finite only when all of its parts are, but may overflow, hence the second look.
    if (Number.isFinite(sumOf(values))) return;
    if (values.every(Number.isNaN)) empty.push(name);
    if (values.some(Number.isNaN)) missing.push(name);
    else if (values.some((value) => !Number.isFinite(value))) infinite.push(name);
  });
  return { missing, empty, infinite };
}

/** Two sums at a time: each addition waits for the one before. */
function sumOf(values: Float64Array): number {
  const length = values.length;
  let even = 0;
  let odd = length % 2 === 1 ? values[length - 1] : 0;
  for (let i = 0; i + 1 < length; i += 2) {
    even += values[i];
    odd += values[i + 1];
  }
  return even + odd;
}

async function numericTarget(
  frame: Frame,
  target: string,
  selection: Selection,
  context: BlockContext,
  who: string,
): Promise<NumberColumns> {
  const found = column(frame, target);
  if (!isNumeric(found)) {
    throw new DataError(
      `${who}: the target ${quoted(target)} must be a number, but it is ${found.type}. For classes use a classifier such as logistic (ML_CN_1).`,
      {
        code: "text_target",
        got: found.type,
        expected: "number",
      },
    );
  }
  const y = await context.tables.numbers(frame.relation, { ...selection, columns: [target] });
  refuseMissing(columnOf(y, 0).filter(Number.isNaN).length, target, who);
  if (faults(y).infinite.length > 0) {
    throw new DataError(`${who}: the target must be finite, but ${quoted(target)} holds infinity. Mend its source.`, {
      code: "infinite_target",
      got: target,
    });
  }
  return y;
}

/** The target's classes of the selected rows: complete, two of them or more. */
export async function classTarget(
  frame: Frame,
  target: string,
  selection: Selection,
  context: BlockContext,
  who: string,
): Promise<ClassColumn> {
  const classes = await context.tables.classes(frame.relation, target, selection);
  refuseMissing(classes.codes.filter((code) => code < 0).length, target, who);
  const continuous = classes.labels.find((label) => typeof label === "number" && !Number.isInteger(label));
  if (continuous !== undefined) {
    throw new DataError(
      `${who}: the target ${quoted(target)} holds numbers such as ${continuous}, not classes. For numbers use a regression such as linear (ML_R_2).`,
      {
        code: "continuous_target",
        got: continuous,
      },
    );
  }
  if (classes.labels.length < 2) {
    const rows = foldRows(frame, fitFold(frame));
    const all = rows === 1 ? "the one row is" : `all ${count(rows, "row")} are`;
    throw new DataError(
      `${who}: the target ${quoted(target)} needs at least 2 classes, but ${all} ${JSON.stringify(classes.labels[0] ?? null)}.`,
      {
        code: "one_class",
        got: classes.labels.length,
        expected: "at least 2",
      },
    );
  }
  return classes;
}

function refuseMissing(n: number, target: string, who: string): void {
  if (n === 0) return;
  throw new DataError(
    `${who}: the target ${quoted(target)} is missing in ${count(n, "row")}. Drop them with missing({ strategy: "drop", columns: [${quoted(target)}] }).`,
    {
      code: "missing_target",
      got: n,
    },
  );
}
