import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { readFolds } from "../../core/folds.ts";
import { column, type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { freshNames, quoted } from "../../core/names.ts";
import { type Output, rowColumn, selectFrom } from "../../core/relation.ts";
import { col, file, join, literal, raw, type Sql, sql } from "../../core/sql.ts";
import { RandomState } from "../../kernels/random.ts";
import { targetMeans } from "../../kernels/target-means.ts";

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
 * the means of the four fifths of the training rows it is not in, so that it does not meet its own target.
 * Source: Micci-Barreca (2001), with the empirical Bayes smoothing of scikit-learn's TargetEncoder.
 */
export async function fitTarget(frame: Frame, name: string, context: BlockContext): Promise<TargetFit> {
  const { labels, codes } = await context.tables.classes(frame.relation, name);
  const { train: seen } = await readFolds(frame, context.tables);
  const fold = foldOf(seen.length);
  const { names, values } = await targetsOf(frame, name, context);
  const known = labels.length;
  // A missing cell is a category of its own, behind the others.
  const category = Int32Array.from(seen, (row) => (codes[row] < 0 ? known : codes[row]));
  const made = freshNames(
    names,
    frame.columns.filter((each) => each.name !== name).map((each) => each.name),
  );
  const outputs: Output[] = [];
  const crossFitted: Float64Array[] = [];
  for (const [k, target] of values.entries()) {
    const y = Float64Array.from(seen, (row) => target[row]);
    refuseMissing(y, frame);
    const whole = targetMeans({ category, y, categories: known + 1 });
    outputs.push({ column: { name: made[k], type: "number" }, expr: lookUp(name, labels, whole.means, whole.mean) });
    crossFitted.push(spread(category, y, fold, known + 1, seen, frame.rows));
  }
  return { outputs, crossFitted };
}

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
  const row = col(rowColumn);
  const own = sql`SELECT *, file_row_number FROM read_parquet(${file(artifact)}, file_row_number = true)`;
  const chosen = after.columns.map(({ name }) =>
    columns.some((each) => each.column.name === name)
      ? sql`coalesce(fitted.${col(name)}, plain.${col(name)}) AS ${col(name)}`
      : sql`plain.${col(name)}`,
  );
  const plain = selectFrom(after.relation, { row: true });
  const written = await context.tables.write(
    sql`SELECT ${join(chosen)} FROM (${plain}) AS plain JOIN (${own}) AS fitted ON fitted.file_row_number = plain.${row} ORDER BY plain.${row}`,
  );
  return { ...after, relation: { artifact: written, steps: [] } };
}

/** Five parts of about equal size, drawn as scikit-learn's shuffled KFold draws them. */
function foldOf(rows: number): Int32Array {
  const order = new RandomState(seed).permutation(rows);
  const out = new Int32Array(rows);
  const parts = Math.min(folds, rows);
  let at = 0;
  for (let part = 0; part < parts; part++) {
    const size = Math.floor(rows / parts) + (part < rows % parts ? 1 : 0);
    for (let k = 0; k < size; k++) out[order[at++]] = part;
  }
  return out;
}

/** The target as columns of numbers over all rows, and what the encoded columns are called. */
async function targetsOf(
  frame: Frame,
  name: string,
  context: BlockContext,
): Promise<{ names: string[]; values: Float64Array[] }> {
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
    return { names: [name], values: [columnOf(found, 0)] };
  }
  const { labels, codes } = await context.tables.classes(frame.relation, target);
  const shown = labels.length === 2 ? [1] : labels.map((_, k) => k);
  const names = labels.length === 2 ? [name] : labels.map((label) => `${name}_${label}`);
  return {
    names,
    values: shown.map((k) => Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : code === k ? 1 : 0))),
  };
}

function refuseMissing(y: Float64Array, frame: Frame): void {
  if (!y.some(Number.isNaN)) return;
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
    const kept = Array.from(fold.keys()).filter((i) => fold[i] !== part);
    const others = targetMeans({
      category: Int32Array.from(kept, (i) => category[i]),
      y: Float64Array.from(kept, (i) => y[i]),
      categories,
    });
    for (let i = 0; i < seen.length; i++) if (fold[i] === part) out[seen[i]] = others.means[category[i]];
  }
  return out;
}

function lookUp(name: string, labels: readonly (string | number | boolean)[], means: Float64Array, mean: number): Sql {
  const known = raw(labels.map((label) => literal(String(label))).join(", "));
  const missing = means[labels.length];
  if (labels.length === 0) return sql`CASE WHEN ${col(name)} IS NULL THEN ${missing} ELSE ${mean} END`;
  const list = join(labels.map((_, k) => sql`CAST(${means[k]} AS DOUBLE)`));
  const place = sql`enum_code(TRY_CAST(CAST(${col(name)} AS VARCHAR) AS ENUM(${known})))`;
  return sql`CASE WHEN ${col(name)} IS NULL THEN CAST(${missing} AS DOUBLE) ELSE coalesce(list_extract([${list}], ${place} + 1), ${mean}) END`;
}
