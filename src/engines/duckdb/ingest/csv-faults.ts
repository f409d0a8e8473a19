import { DataError } from "../../../core/errors.ts";
import { count, quoted } from "../../../core/names.ts";
import { isShortage, SqlFailure } from "../duck.ts";
import { type Field, unfitCell } from "./csv-columns.ts";
import { type Dialect, usualWidth } from "./dialect.ts";

/** A sentence for a CSV file that can't be read; `fields` are those of the SELECT that failed. */
export function explainCsv(error: unknown, name: string, dialect: Dialect, fields: readonly Field[]): unknown {
  if (!(error instanceof SqlFailure) || isShortage(error)) return error;
  const line = /CSV Error on Line: (\d+)/.exec(error.message)?.[1];
  const ragged = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(error.message);
  if (ragged) {
    return new DataError(
      `input: ${quoted(name)} is ragged: line ${line} has ${count(Number(ragged[2]), "cell")} where the header has ${ragged[1]}. ${raggedCure(dialect)}`,
      { code: "ragged", got: Number(ragged[2]), expected: Number(ragged[1]) },
      { cause: error },
    );
  }
  return new DataError(
    `input: ${quoted(name)} can't be read as CSV: ${reason(error, line, fields)}.`,
    { code: "bad_csv" },
    { cause: error },
  );
}

function raggedCure({ records, delimiter }: Dialect): string {
  const usual = usualWidth(records);
  const whole = records.find(({ cells }) => cells.length === usual);
  if (whole && records[0].cells.length < usual)
    return `If a title comes first, skip_rows: ${whole.at - 1} begins at line ${whole.at}, which has ${count(usual, "cell")}.`;
  return `Mend the line, or give the right delimiter (read with ${quoted(delimiter)}).`;
}

function reason(error: SqlFailure, line: string | undefined, fields: readonly Field[]): string {
  const unfit = unfitCell(error);
  if (unfit) {
    const field = unfit.at === undefined ? null : fields[unfit.at];
    if (field === null) return `it has ${quoted(unfit.cell)}, which is not a number`;
    return `column ${quoted(field.name)} has ${quoted(unfit.cell)}, which is not ${field.type.toLowerCase()}`;
  }
  if (error.message.includes("unterminated quote")) return `line ${line} opens a quote that is never closed`;
  const long = /Maximum line size of (\d+) bytes exceeded/.exec(error.message);
  if (long) return `line ${line} is longer than ${Number(long[1]) / 1e6} MB`;
  return error.message
    .split("\n", 1)[0]
    .replace(/^.*?Error: /, "")
    .replace(/(?<![.\s])[.\s]+$/, "")
    .slice(0, 200);
}
