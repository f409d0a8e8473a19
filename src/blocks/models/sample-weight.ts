import { ArgsError, DataError } from "../../core/errors.ts";
import { column, type Frame, fitSubset, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, didYouMean, listed, quoted } from "../../core/names.ts";
import type { ReadingContext } from "../../core/training.ts";

/**
 * What each training row counts, as a column says it: numbers from 0 on.
 *
 * ArgsError where the column is none or holds no numbers; DataError for a row without a weight, below 0, or without end,
 * and where no row has any.
 */
export async function sampleWeight(
  frame: Frame,
  name: string,
  { tables }: Pick<ReadingContext, "tables">,
  who: string,
): Promise<Float64Array> {
  const names = frame.columns.map((each) => each.name);
  const said = { path: "sample_weight", got: name, expected: names.slice(0, 50) };
  if (!names.includes(name)) {
    throw new ArgsError(
      `${who}: sample_weight names ${quoted(name)}, which is not a column.${didYouMean(name, names)} Columns: ${listed(names)}.`,
      said,
    );
  }
  const own = column(frame, name);
  if (!isNumeric(own) || frame.y?.includes(name)) {
    const why = isNumeric(own) ? "is the target" : `holds ${own.type}`;
    throw new ArgsError(
      `${who}: sample_weight names ${quoted(name)}, which ${why}; it takes a column of numbers.`,
      said,
    );
  }
  const selection = { subset: fitSubset(frame), split: frame.split, columns: [name] };
  const weights = columnOf(await tables.numbers(frame.relation, selection), 0).slice();
  const bad = weights.filter((weight) => !(weight >= 0 && weight < Infinity));
  if (bad.length > 0) {
    throw new DataError(
      `${who}: ${count(bad.length, "training row")} of ${quoted(name)} ${bad.length === 1 ? "is" : "are"} missing, below 0 or infinite, and sample_weight takes numbers from 0 on. Mend them with missing (DP_2) or filter (BL_FILTER).`,
      { ...said, code: "bad_weight" },
    );
  }
  if (weights.every((weight) => weight === 0)) {
    throw new DataError(`${who}: all training rows of ${quoted(name)} are 0, so none counts.`, said);
  }
  return weights;
}
