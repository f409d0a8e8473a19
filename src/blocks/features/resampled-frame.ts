import type { BlockContext } from "../../core/block.ts";
import { readFolds, writeFolds } from "../../core/folds.ts";
import { type Column, type Frame, isNumeric } from "../../core/frame.ts";
import { rowColumn, selectFrom } from "../../core/relation.ts";
import { newTable } from "../../core/scope.ts";
import { col, file, join, sql } from "../../core/sql.ts";
import type { WriteColumn } from "../../core/tables.ts";
import type { Resampled } from "../../numerics/sampling/resample.ts";

/**
 * The frame with the resampled rows in the place of those that were sampled.
 *
 * Test rows follow unchanged, in their order. Columns that made rows have values in become plain numbers.
 */
export async function resampledFrame(
  frame: Frame,
  resampled: Resampled,
  labels: readonly (string | number | boolean)[],
  context: BlockContext,
): Promise<Frame> {
  const { train, test, others } = await readFolds(frame, context.tables);
  const { kept, classes } = resampled;
  const sampled = kept.length + classes.length;
  const rows = sampled + test.length + others.length;
  // Where each new row comes from: a row of the old table, or a made one.
  const source = new Float64Array(rows).fill(Number.NaN);
  const made = new Float64Array(rows).fill(Number.NaN);
  for (const [at, k] of kept.entries()) source[at] = train[k];
  for (let k = 0; k < classes.length; k++) made[kept.length + k] = k;
  source.set(test, sampled);
  source.set(others, sampled + test.length);
  const filled = classes.length > 0 ? madeColumns(frame, resampled, labels) : [];
  const columns = frame.columns.map(
    (column) => filled.find((each) => each.column.name === column.name)?.column ?? column,
  );
  const index = await context.tables.writeColumns([
    { column: { name: "source", type: "number" }, values: source },
    { column: { name: "made", type: "number" }, values: made },
  ]);
  const values = filled.length > 0 ? await context.tables.writeColumns(filled) : null;
  const chosen = columns.map(({ name, type }) => {
    const isFilled = filled.some((each) => each.column.name === name);
    const own = type === "number" && isFilled ? sql`CAST(old.${col(name)} AS DOUBLE)` : sql`old.${col(name)}`;
    return isFilled
      ? sql`CASE WHEN i."made" IS NULL THEN ${own} ELSE new.${col(name)} END AS ${col(name)}`
      : sql`old.${col(name)}`;
  });
  const numbered = (artifact: string) =>
    sql`(SELECT *, file_row_number AS "at" FROM read_parquet(${file(artifact)}, file_row_number = true))`;
  const joined = values ? sql` LEFT JOIN ${numbered(values)} AS new ON new."at" = i."made"` : sql``;
  const artifact = await context.tables.write(
    sql`SELECT ${join(chosen)} FROM ${numbered(index)} AS i LEFT JOIN (${selectFrom(frame.relation, { row: true })}) AS old ON old.${col(rowColumn)} = i."source"${joined} ORDER BY i."at"`,
  );
  for (const used of [index, values]) if (used !== null) await context.tables.discard(used);
  const places = (from: number, length: number) => Int32Array.from({ length }, (_, k) => from + k);
  const folds = frame.folds && {
    artifact: await writeFolds(rows, places(0, sampled), places(sampled, test.length), context.tables),
    train: sampled,
    test: test.length,
  };
  return newTable(frame, artifact, { rows, columns, folds });
}

/** The made rows' features and target as columns. */
function madeColumns(
  frame: Frame,
  { made, classes }: Resampled,
  labels: readonly (string | number | boolean)[],
): WriteColumn[] {
  const features = frame.x ?? [];
  const n = classes.length;
  const columns = features.map((name, j): WriteColumn => {
    const column: Column = { name, type: "number" };
    return { column, values: Float64Array.from({ length: n }, (_, i) => made[i * features.length + j]) };
  });
  const target = frame.columns.find((column) => column.name === frame.y?.[0]);
  if (!target) return columns;
  const values = Array.from(classes, (code) => labels[code]);
  const isNumber = isNumeric(target) && target.type === "number";
  const column: Column = isNumber ? { ...target, integer: target.integer ?? false } : target;
  return [...columns, { column, values: isNumber ? Float64Array.from(values, Number) : values }];
}
