import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { readFolds } from "../../core/folds.ts";
import { type Column, column, type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { freshNames, quoted } from "../../core/names.ts";
import { addStep, type Output, selectFrom } from "../../core/relation.ts";
import { col, file, join, type Sql, sql } from "../../core/sql.ts";
import { kFolds, stratifiedFolds } from "../../kernels/k-folds.ts";
import { RandomState } from "../../kernels/random.ts";
import { targetMeans } from "../../kernels/target-means.ts";
import { type Encoded, labelCode } from "./categories.ts";

/** What was learnt of one column's categories. */
export interface TargetFit {
  /** How any row is encoded: by the means of all rows that the fit saw. */
  readonly outputs: readonly Output[];
  /** How the rows that the fit saw are encoded: by the means of other rows. One array of all rows per output. */
  readonly crossFitted: readonly Float64Array[];
}

const folds = 5;
const seed = 0;

/**
 * The smoothed mean of the target in each category, learnt from training rows once there are folds.
 *
 * A class target of two counts its second class, one of more has a column per class. A training row is encoded by
 * the means of the four fifths of the training rows it is not in, so that it does not meet its own target; the fifths
 * are those of scikit-learn's KFold, for classes of its StratifiedKFold, shuffled with random_state 0.
 * Source: Micci-Barreca (2001), with the empirical Bayes smoothing of scikit-learn's TargetEncoder.
 */
export async function fitTarget(
  frame: Frame,
  name: string,
  learnt: Encoded["categories"],
  taken: readonly string[],
  context: BlockContext,
): Promise<TargetFit> {
  const code = labelCode(frame, name, learnt);
  const { train: seen } = await readFolds(frame, context.tables);
  const codes = await codesOf(frame, code, seen, learnt.length, context);
  const { names, values, classes } = await targetsOf(frame, name, context);
  refuseMissing(values, seen, frame);
  const fold = foldOf(seen, classes);
  const made = freshNames(names, taken);
  const outputs: Output[] = [];
  const crossFitted: Float64Array[] = [];
  for (const [k, target] of values.entries()) {
    const y = new Float64Array(seen.length);
    for (let i = 0; i < y.length; i++) y[i] = target[seen[i]];
    const whole = targetMeans({ category: codes, y, categories: learnt.length + 1 });
    outputs.push({ column: { name: made[k], type: "number" }, expr: lookUp(name, code, whole.means, whole.mean) });
    crossFitted.push(spread(codes, y, fold, learnt.length + 1, seen, frame.rows));
  }
  return { outputs, crossFitted };
}

/** The seen rows' categories; a missing cell is a category of its own, behind the others. */
async function codesOf(
  frame: Frame,
  code: Sql,
  seen: Int32Array,
  known: number,
  context: BlockContext,
): Promise<Int32Array> {
  if (frame.rows === 0) return new Int32Array(0);
  const step = { block: context.block.id, name: "codes", outputs: [{ column: codeColumn, expr: code }] };
  const found = await context.tables.numbers(addStep(frame.relation, step), { columns: [codeColumn.name] });
  const all = columnOf(found, 0);
  const codes = new Int32Array(seen.length);
  // Not by Int32Array.from: a call for each of a million rows takes ten times as long.
  for (let i = 0; i < codes.length; i++) codes[i] = Number.isNaN(all[seen[i]]) ? known : all[seen[i]];
  return codes;
}

const codeColumn: Column = { name: "code", type: "number", integer: true };

/**
 * The frame with the training rows' values in place of those that the means of all rows would give.
 *
 * They differ from row to row, so the table is written; new rows still take the step that `after` added.
 */
export async function crossFitted(
  before: Frame,
  after: Frame,
  fits: ReadonlyMap<string, TargetFit>,
  context: BlockContext,
): Promise<Frame> {
  const columns = [...fits.values()].flatMap(({ outputs, crossFitted: values }) =>
    outputs.map(({ column: made }, k) => ({ column: made, values: values[k] })),
  );
  if (columns.length === 0 || before.rows === 0) return after;
  const artifact = await context.tables.writeColumns(columns);
  const chosen = after.columns.map(({ name }) =>
    columns.some((each) => each.column.name === name)
      ? sql`coalesce(fitted.${col(name)}, plain.${col(name)}) AS ${col(name)}`
      : sql`plain.${col(name)}`,
  );
  // Both have the table's rows in its order.
  const written = await context.tables.write(
    sql`SELECT ${join(chosen)} FROM (${selectFrom(after.relation)}) AS plain POSITIONAL JOIN read_parquet(${file(artifact)}) AS fitted`,
  );
  return { ...after, relation: { artifact: written, steps: [] } };
}

/** The part in which each seen row is held out. */
function foldOf(seen: Int32Array, classes: Int32Array | null): Int32Array {
  if (seen.length === 0) return new Int32Array(0);
  if (seen.length === 1) {
    throw new DataError(
      'encode (DP_3): "target" encodes each row by the others, and there is one row alone. Use "label".',
      { got: 1, expected: "2 rows or more" },
    );
  }
  const parts = Math.min(folds, seen.length);
  const random = new RandomState(seed);
  if (!classes) return kFolds(seen.length, parts, random);
  return stratifiedFolds(
    Int32Array.from(seen, (row) => classes[row]),
    parts,
    random,
  );
}

/** The target as columns of numbers over all rows, what the encoded columns are called, and the classes if it has some. */
async function targetsOf(
  frame: Frame,
  name: string,
  context: BlockContext,
): Promise<{ names: string[]; values: Float64Array[]; classes: Int32Array | null }> {
  const target = frame.y?.[0];
  if (target === undefined) {
    throw new ArgsError('encode (DP_3): "target" needs a target; assign Y with xy (DP_FSP) first.', {
      path: "encoding_type",
      hint: "xy",
    });
  }
  if (frame.y?.includes(name)) {
    throw new ArgsError(`encode (DP_3): column ${quoted(name)} is the target itself. Use "label" for it.`, {
      got: name,
    });
  }
  if (isNumeric(column(frame, target))) {
    const found = await context.tables.numbers(frame.relation, { columns: [target] });
    const values = columnOf(found, 0);
    const isTwo = values.every((value) => value === 0 || value === 1);
    return { names: [name], values: [values], classes: isTwo ? Int32Array.from(values) : null };
  }
  const { labels, codes } = await context.tables.classes(frame.relation, target);
  const shown = labels.length === 2 ? [1] : labels.map((_, k) => k);
  const names = labels.length === 2 ? [name] : labels.map((label) => `${name}_${label}`);
  return {
    names,
    values: shown.map((k) => Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : code === k ? 1 : 0))),
    classes: codes,
  };
}

function refuseMissing(values: readonly Float64Array[], seen: Int32Array, frame: Frame): void {
  if (!values.some((target) => seen.some((row) => Number.isNaN(target[row])))) return;
  throw new DataError(
    `encode (DP_3): "target" needs a complete target, but ${quoted(frame.y?.[0] ?? "")} has missing cells. Drop those rows with missing (DP_2), strategy "drop".`,
    { got: frame.y?.[0] },
  );
}

/** Each seen row's value from the means of the other folds; NaN for rows that were not seen. */
function spread(
  category: Int32Array,
  y: Float64Array,
  fold: Int32Array,
  categories: number,
  seen: Int32Array,
  rows: number,
): Float64Array {
  const out = new Float64Array(rows).fill(Number.NaN);
  for (let part = 0; part < Math.min(folds, seen.length); part++) {
    const others = targetMeans({ category, y, categories, parts: fold, without: part });
    for (let i = 0; i < seen.length; i++) if (fold[i] === part) out[seen[i]] = others.means[category[i]];
  }
  return out;
}

function lookUp(name: string, code: Sql, means: Float64Array, mean: number): Sql {
  const missing = means[means.length - 1];
  const known = means.subarray(0, -1);
  if (known.length === 0) return sql`CASE WHEN ${col(name)} IS NULL THEN ${missing} ELSE ${mean} END`;
  const list = join(Array.from(known, (value) => sql`CAST(${value} AS DOUBLE)`));
  // Of the codes -1 alone, that of an unseen category, is no place in the list.
  return sql`CASE WHEN ${col(name)} IS NULL THEN CAST(${missing} AS DOUBLE) ELSE coalesce(list_extract([${list}], ${code} + 1), ${mean}) END`;
}
