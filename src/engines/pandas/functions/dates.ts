import type { FunctionName } from "../../../plan/functions.ts";
import {
  type Argument,
  atom,
  binding,
  chained,
  cutOff,
  forEach,
  method,
  textOf,
  type Write,
  within,
} from "./writing.ts";

const asDate: Write = ([x], _, type, writer) => {
  if (x.type === "datetime") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("date"), [x]);
  return chained(x, (column) => `pd.Series(pd.NaT, index=${column}.index, dtype="datetime64[us]")`);
};

const datePart = (part: string): Write => method((column) => `${column}.dt.${part}.astype("Int64")`);

const offsets: Readonly<Record<string, string>> = { second: "s", minute: "min", hour: "h", day: "D" };

const truncated: Write = method((column, [, unit], writer) => {
  const offset = offsets[textOf(unit)];
  return offset ? `${column}.dt.floor("${offset}")` : `${writer.helper("begin")}(${column}, ${unit.piece.text})`;
});

const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

const dateDifference: Write = ([from, to, unit], _, __, writer) => {
  const each = textOf(unit);
  const n = monthsOf[each];
  const whole: Argument = { expr: from.expr, type: "number", isColumn: from.isColumn || to.isColumn, piece: atom("") };
  if (n) {
    const months = forEach(writer, "integer", writer.helper("months"), [from, to]);
    if (n === 1) return months;
    return chained({ ...whole, type: "integer", piece: months }, (column) => cutOff(`(${column} / ${n})`));
  }
  const share = `(${within(to.piece, binding.sum)} - ${within(from.piece, binding.sum + 1)}) / pd.Timedelta(${each}s=1)`;
  return chained({ ...whole, piece: { text: share, binds: binding.product } }, (column) =>
    whole.isColumn ? `np.trunc(${share}).astype("Int64")` : cutOff(column),
  );
};

/** Dates and their parts. */
export const dates = {
  year: datePart("year"),
  quarter: datePart("quarter"),
  month: datePart("month"),
  day: datePart("day"),
  hour: datePart("hour"),
  minute: datePart("minute"),
  second: datePart("second"),
  weekday: datePart("dayofweek"),
  date: asDate,
  dateTrunc: truncated,
  dateDiff: dateDifference,
} satisfies Partial<Record<FunctionName, Write>>;
