import { columnsOf, sortKeys } from "../../blocks/verbs/keys.ts";
import { readExpression } from "../../core/expressions.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { columnFor } from "../../plan/column.ts";
import type { SortKey } from "../../plan/expr.ts";
import { define, formulaOf } from "./formulas.ts";
import { keepSplit, listLines, literal, type PythonStep } from "./script.ts";

const everything = { kinds: ["row", "aggregate", "window"], where: "a script" } as const;

/** What an argument says as an expression. */
export function read(step: PythonStep, columns: readonly Column[], text: unknown) {
  const params = step.args.params as Parameters<typeof readExpression>[1]["params"];
  return readExpression(columns, { text: String(text), who: "code", path: "as", place: everything, params });
}

/** BL_FILTER. */
export function filter(step: PythonStep): string[] {
  const { args, before, script } = step;
  const { expr } = read(step, before.columns, args.where);
  const { lines, cells, text } = formulaOf(step, before.columns, expr, { by: [], order: [] });
  define(script, "plain");
  return [
    ...lines,
    `kept = plain((${text})(${cells}), df.index)`,
    "df = df[kept.fillna(False).astype(bool)]",
    ...keepSplit(step),
  ];
}

/** BL_DERIVE: column by column, since a later one may read those before it. */
export function derive(step: PythonStep): string[] {
  const { args, before, script } = step;
  const around = {
    by: columnsOf(before, args.by as Columns),
    order: sortKeys(before, args.order as Columns, "code"),
  };
  define(script, "plain");
  let columns = before.columns;
  return Object.entries(args.columns as Readonly<Record<string, unknown>>).flatMap(([name, text]) => {
    const { expr, type } = read(step, columns, text);
    const formula = formulaOf(step, columns, expr, around);
    columns = [...columns.filter((each) => each.name !== name), columnFor(name, type)];
    const made = (cells: string, index: string) => `plain((${formula.text})(${cells}), ${index})`;
    if (!formula.isAlong || !before.split)
      return [...formula.lines, `df[${literal(name)}] = ${made(formula.cells, "df.index")}`];
    const part = made(`${formula.cells}[df.index.isin(rows)].reset_index(drop=True)`, "df.index[df.index.isin(rows)]");
    return [...formula.lines, `parts = [${part} for rows in (train, test)]`, `df[${literal(name)}] = pd.concat(parts)`];
  });
}

/** Columns as arguments name them. */
export type Columns = Parameters<typeof columnsOf>[1];

/** BL_SELECT. */
export function select({ args, before }: PythonStep): string[] {
  return listLines("df = df[", columnsOf(before, args.columns as Columns).map(literal), "]");
}

/** BL_RENAME. */
export function rename({ args, script }: PythonStep): string[] {
  const names = Object.entries(args.names as Readonly<Record<string, string>>);
  const large = names.filter(([from]) => script.large.delete(from));
  for (const [, to] of large) script.large.add(to);
  return [`df = df.rename(columns=${literal(args.names)})`];
}

/** BL_SORT: rows with equal keys keep their order, and missing cells come last. */
export function sort(step: PythonStep): string[] {
  const keys = sortKeys(step.before, step.args.by as Columns, "code");
  return [`df = df.sort_values(${sortArgs(keys)})`, ...renumbered(step.before)];
}

function sortArgs(keys: readonly SortKey[]): string {
  const up = keys.map(({ descending }) => !descending);
  const ascending = up.every(Boolean) ? "" : `, ascending=${literal(up)}`;
  return `${literal(keys.map(({ column }) => column))}${ascending}, kind="stable"`;
}

/** Rows are numbered in their order again, and a split names them by these numbers. */
export function renumbered({ split }: Frame): string[] {
  if (!split) return ["df = df.reset_index(drop=True)"];
  return ["train, test = df.index.get_indexer(train), df.index.get_indexer(test)", "df = df.reset_index(drop=True)"];
}

/** BL_SLICE. */
export function slice(step: PythonStep): string[] {
  const { from, to } = step.args;
  return [`df = df.iloc[${from ? literal(from) : ""}:${to === undefined ? "" : literal(to)}]`, ...keepSplit(step)];
}
