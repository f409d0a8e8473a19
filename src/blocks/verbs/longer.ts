import { z } from "zod";
import { columnList, defineBlock } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { columnsNamed, type Frame } from "../../core/frame.ts";
import { refuseRows } from "../../core/most-rows.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { splitBehind } from "../../core/split.ts";
import { stack, text } from "../../core/view.ts";
import { columnFor, valueType } from "../../plan/column.ts";
import { common, typeWords, type ValueType } from "../../plan/types.ts";
import { explainLonger } from "./explain.ts";
import { checkedName, columnsOf } from "./keys.ts";
import { begun } from "./other.ts";

/**
 * BL_LONGER. Makes a row of each of some columns' cells: their name in one column, the cell in another.
 *
 * Row by row, in the order in which the columns are named; the other columns repeat, and missing cells stay. The rows
 * of one row stay on its side of a split. Other columns keep their roles; the new ones are features where all were.
 */
export const longer = defineBlock({
  code: "BL_LONGER",
  name: "longer",
  args: {
    /** The columns that become rows, all of one type. */
    columns: columnList(),
    /** The new column with their names (default "name"). */
    names_to: z.string().min(1).default("name"),
    /** The new column with their cells (default "value"). */
    values_to: z.string().min(1).default("value"),
  },
  positional: ["columns"],
  example:
    'session.input("sample:iris").longer({ columns: ["sepal_length", "petal_length"], names_to: "part", values_to: "length" })',
  explain: explainLonger,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const columns = columnsOf(frame, args.columns);
    if (columns.length === 0) throw new ArgsError(`${who}: columns names none.`, { path: "columns" });
    const type = typeOfAll(frame, columns, who);
    const kept = frame.columns.filter(({ name }) => !columns.includes(name));
    const names = checkedName(args.names_to, { ...frame, columns: kept }, who);
    const values = {
      ...columnFor(args.values_to, type),
      name: checkedName(args.values_to, { ...frame, columns: kept }, who),
    };
    const taken = [names, values.name].find((each) => kept.some(({ name }) => name === each));
    if (taken !== undefined || names.toLowerCase() === values.name.toLowerCase()) {
      throw new ArgsError(
        `${who}: the table has a column ${quoted(taken ?? names)}; give names_to and values_to names of their own.`,
        {
          path: taken === values.name ? "values_to" : "names_to",
          got: taken ?? names,
        },
      );
    }
    const cure = "Name fewer columns, or filter() the table first.";
    refuseRows(frame.rows * columns.length, `${who}: the longer table`, cure, "columns");
    const { relation, rows } = await context.tables.settle({
      ...{ made: "longer", of: frame.relation, kept: kept.map(({ name }) => name) },
      ...{ columns, names, values },
    });
    const copies = () => Int32Array.from({ length: rows }, (_, k) => Math.floor(k / columns.length));
    const split = await splitBehind(frame, relation, copies, context.tables);
    const made = begun(relation, [...kept, { name: names, type: "string" }, values], rows);
    return {
      frame: { ...made, ...rolesOf(frame, columns, [names, values.name]), split, fits: frame.fits },
      report: { columns },
    };
  },
  async view({ after, report }, read) {
    const { columns } = report as { columns: string[] };
    return stack(text(`${listed(columns)} became rows: ${count(after.rows, "row")} now.`), await read.head(after));
  },
});

function typeOfAll(frame: Frame, names: readonly string[], who: string): ValueType {
  const [first, ...others] = columnsNamed(frame.columns, names);
  return others.reduce<ValueType>((type, each) => {
    const both = common(type, valueType(each));
    if (both !== null && both !== "tensor") return both;
    throw new DataError(
      `${who}: cells of one column are of one type, and ${quoted(first.name)} is ${typeWords[type]}, ${quoted(each.name)} ${typeWords[valueType(each)]}; bring them to one type with astype (DP_ASP) first.`,
      { path: "columns", got: each.name },
    );
  }, valueType(first));
}

/** Other columns keep their roles; the new ones are features where all that they are made of were. */
function rolesOf({ x, y }: Frame, columns: readonly string[], made: readonly string[]): Pick<Frame, "x" | "y"> {
  if (!x) return { x: null, y: null };
  const left = (names: readonly string[]) => names.filter((each) => !columns.includes(each));
  const features = columns.every((each) => x.includes(each)) ? [...left(x), ...made] : left(x);
  return features.length === 0 ? { x: null, y: null } : { x: features, y: y && left(y) };
}
