import type { BlockContext } from "../../core/block.ts";
import { type Column, type Frame, isNumeric } from "../../core/frame.ts";
import { newTable } from "../../core/scope.ts";
import { readSplit, writeSplit } from "../../core/split.ts";
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
  const { train, test, others } = await readSplit(frame, context.tables);
  const { kept, classes } = resampled;
  const sampled = kept.length + classes.length;
  const rows = sampled + test.length + others.length;
  // Where each new row comes from: a row of the old table, or a made one.
  const source = new Int32Array(rows).fill(-1);
  for (const [at, k] of kept.entries()) source[at] = train[k];
  source.set(test, sampled);
  source.set(others, sampled + test.length);
  const filled = classes.length > 0 ? madeColumns(frame, resampled, labels) : [];
  const columns = frame.columns.map(
    (column) => filled.find((each) => each.column.name === column.name)?.column ?? column,
  );
  const artifact = await context.tables.writeTaken(frame.relation, {
    columns: columns.map(({ name }) => name),
    rows: source,
    made: filled,
  });
  const places = (from: number, length: number) => Int32Array.from({ length }, (_, k) => from + k);
  const split = frame.split && {
    artifact: await writeSplit(rows, places(0, sampled), places(sampled, test.length), context.tables),
    train: sampled,
    test: test.length,
  };
  return newTable(frame, artifact, { rows, columns, split });
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
