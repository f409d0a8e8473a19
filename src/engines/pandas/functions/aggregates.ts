import type { FunctionName } from "../../../plan/functions.ts";
import { groupedBy, ones } from "./windows.ts";
import { type Argument, asColumn, asDouble, atom, dtypeOf, type Write } from "./writing.ts";

/** An aggregate: a word of pandas for a column, and for the groups of a window. */
const aggregate =
  (word: string, options = "", prepare: (arg: Argument) => Argument = (arg) => arg): Write =>
  ([x], call) => {
    const column = asColumn(prepare(x));
    if (!call.over || call.over.by.length === 0) return atom(`${column}.${word}(${options})`);
    const more = options ? `, ${options}` : "";
    return atom(`${column}${groupedBy(call.over.by)}.transform("${word}"${more})`);
  };

/** An aggregate that groups know no word for. */
const aggregateOfEach =
  (
    make: (cells: string, args: readonly Argument[]) => string,
    prepare: (arg: Argument) => Argument = (arg) => arg,
  ): Write =>
  (args, call, type) => {
    const column = asColumn(prepare(args[0]));
    if (!call.over || call.over.by.length === 0) return atom(make(column, args));
    const grouped = `${column}${groupedBy(call.over.by, true)}`;
    return atom(`${grouped}.transform(lambda cells: ${make("cells", args)}).astype("${dtypeOf(type)}")`);
  };

/** Aggregates of rows. */
export const aggregates = {
  count: (args, call, type, writer) => {
    if (args.length > 0) return aggregate("count")(args, call, type, writer);
    return call.over && call.over.by.length > 0
      ? atom(`${ones}${groupedBy(call.over.by)}.transform("sum")`)
      : atom("len(df)");
  },
  countDistinct: aggregate("nunique"),
  sum: aggregate("sum", "min_count=1"),
  mean: aggregate("mean", "", asDouble),
  median: aggregate("median", "", asDouble),
  quantile: aggregateOfEach((cells, [, q]) => `${cells}.quantile(${q.piece.text})`, asDouble),
  min: aggregate("min"),
  max: aggregate("max"),
  std: aggregate("std", "", asDouble),
  variance: aggregate("var", "", asDouble),
  first: aggregateOfEach((cells) => `next(iter(${cells}.dropna()), pd.NA)`),
  last: aggregateOfEach((cells) => `next(iter(${cells}.dropna()[::-1]), pd.NA)`),
  mode: aggregateOfEach((cells) => `next(iter(${cells}.mode()), pd.NA)`),
  // any() and all() of no cell that is there would be an answer.
  any: aggregate("max"),
  all: aggregate("min"),
  corr: aggregateOfEach((cells, [, y]) => `${cells}.corr(${asColumn(asDouble(y))})`, asDouble),
  sortedSum: aggregateOfEach((cells) => `${cells}.sort_values().sum(min_count=1)`, asDouble),
} satisfies Partial<Record<FunctionName, Write>>;
