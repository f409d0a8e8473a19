import { fitting } from "../../blocks/prepare/fills.ts";
import { type Asked, columnsToTreat } from "../../blocks/prepare/treated.ts";
import { column } from "../../core/frame.ts";
import { drop } from "./columns.ts";
import { keepSplit, listLines, literal, type PythonStep, seen } from "./script.ts";

/** DP_2: what is filled in is learnt from the rows that the block learnt from. */
export function missing(step: PythonStep): string[] {
  const { before, block, record } = step;
  // A cast because the arguments were checked by the block's own schema before they were stored.
  const args = step.args as unknown as Asked;
  const context = { block: { id: record.block_id, code: block.code, name: block.name }, notice: () => undefined };
  const columns = columnsToTreat(before, args, context);
  if (columns.length === 0) return [];
  const names = [...listLines("names = ", columns.map(literal)), ...floated(step, columns)];
  switch (args.strategy_value) {
    case "drop":
      return [...names, "df = df.dropna(subset=names)", ...keepSplit(step)];
    case "drop_columns":
      return drop(step);
    case "constant":
      return columns.flatMap((name) => {
        const value = fitting(column(before, name), args.fill_value);
        const isWhole = Number.isInteger(value) || !step.script.large.delete(name);
        const lines = isWhole ? [] : [`df[${literal(name)}] = df[${literal(name)}].astype(float)`];
        return [
          ...lines,
          `df[${literal(name)}] = df[${literal(name)}].fillna(${column(before, name).type === "datetime" ? `pd.Timestamp(${literal(value)})` : literal(value)})`,
        ];
      });
    case "mode":
      return [...names, `df[names] = df[names].fillna(${seen(before, "names")}.mode().iloc[0])`];
    case "ffill":
    case "bfill":
      return along(step, names, `df.loc[rows, name].${args.strategy_value}()`);
    case "linear":
      return along(
        step,
        names,
        'df.loc[rows, name].set_axis(df.index.get_indexer(rows)).interpolate(method="index").to_numpy()',
      );
    default:
      return [...names, `df[names] = df[names].fillna(${seen(before, "names")}.${args.strategy_value}())`];
  }
}

/** Large integers become floats where fractions may be filled in. */
function floated({ args, script }: PythonStep, columns: readonly string[]): string[] {
  if (!["mean", "median", "linear"].includes(String(args.strategy_value))) return [];
  return columns
    .filter((name) => script.large.delete(name))
    .map((name) => `df[${literal(name)}] = df[${literal(name)}].astype(float)`);
}

/** Along the table's order, each subset by itself. */
function along({ before, script }: PythonStep, names: readonly string[], filled: string): string[] {
  if (!before.split) return [...names, "rows = df.index", "for name in names:", `    df.loc[rows, name] = ${filled}`];
  script.use("import numpy as np");
  return [
    ...names,
    "for rows in (np.sort(train), np.sort(test)):",
    "    for name in names:",
    `        df.loc[rows, name] = ${filled}`,
  ];
}
