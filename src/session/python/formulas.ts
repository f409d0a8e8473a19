import { aggregatesIn, replaced } from "../../blocks/verbs/fitted.ts";
import { freshNames, listed } from "../../core/names.ts";
import { can, writeExpression } from "../../engines/pandas/expressions.ts";
import { helperSources } from "../../engines/pandas/helpers.ts";
import { typeOf } from "../../plan/check.ts";
import type { Column } from "../../plan/column.ts";
import { column, type Expr, mapCalls, type SortKey } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import { literal, NoEquivalent, type PythonStep, type Script, seen } from "./script.ts";

/** What a formula looks along, besides its own row. */
export interface Around {
  readonly by: readonly string[];
  readonly order: readonly SortKey[];
}

/** A formula over the table, and the lines before it that find what it is fitted with. */
export interface Formula {
  readonly lines: readonly string[];
  /** The table that it is asked with: with its cells typed, and with what `lines` found. */
  readonly cells: string;
  /** A function of the table with its cells typed: `lambda df: df["units"] * df["price"]`. */
  readonly text: string;
  /** Does it look along rows, those of each part of a split apart? */
  readonly isAlong: boolean;
}

/** An expression as a function of Python, whose aggregates are columns that `fits` adds to the table at hand. */
export function formulaOf(
  { before, script }: PythonStep,
  columns: readonly Column[],
  expr: Expr,
  around: Around,
): Formula {
  const calls = aggregatesIn([expr]);
  const names = freshNames(
    calls.map(({ call }) => call),
    columns.map(({ name }) => name),
  );
  const found = new Map(calls.map((call, k) => [JSON.stringify(call), column(names[k], typeOf(call)) as Expr]));
  let isAlong = false;
  const cell = mapCalls(replaced(expr, found), (call) => {
    if (functions[call.call].kind !== "window") return call;
    isAlong = true;
    return { ...call, over: around };
  });
  const text = `lambda df: ${written(script, cell)}`;
  define(script, "typed");
  if (calls.length === 0) return { lines: [], cells: "typed(df)", text, isAlong };
  define(script, "fitted");
  const fits = calls.map((call, k) => `${literal(names[k])}: lambda df: ${written(script, call)}`);
  const lines = [`fits = fitted(df, ${seen(before)}, ${literal(around.by)}, {${fits.join(", ")}})`];
  return { lines, cells: "typed(df).assign(**fits)", text, isAlong };
}

/** An expression of Python, whose helpers the script then holds. */
export function written(script: Script, expr: Expr): string {
  const refused = can(expr);
  if (refused.length > 0) throw new NoEquivalent(listed(refused.map(({ message }) => message)));
  const { text, helpers } = writeExpression(expr);
  const { sources, modules } = helperSources(helpers);
  for (const [name, source] of sources) script.define(name, source);
  for (const name of modules) script.use(`import ${name}`);
  script.use("import numpy as np");
  return text;
}

/** Functions of Python that verbs are written with. */
const functionsOfVerbs = {
  typed: `def typed(table):
    """The table with a missing cell of its own in each column, and rows that are counted from 0."""
    kinds = {"i": "Int64", "u": "Int64", "f": "Float64", "b": "boolean", "M": "datetime64[us]"}

    def cells(column):
        if isinstance(column.dtype, pd.api.extensions.ExtensionDtype) and column.dtype.name in kinds.values():
            return column
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in kinds:
            return column.astype(kinds[column.dtype.kind])
        is_truth = pd.api.types.infer_dtype(column.astype(object), skipna=True) == "boolean"
        return column.astype(object).astype("boolean" if is_truth else "string[python]")

    return table.reset_index(drop=True).apply(cells) if len(table.columns) > 0 else table.reset_index(drop=True)`,
  plain: `def plain(made, index):
    """What was made, a cell for each row, in the types in which files are read."""
    made = made if isinstance(made, pd.Series) else pd.Series([made] * len(index))
    made = made.set_axis(index)
    if made.dtype.name == "Int64":
        is_large = (made.abs() > 2**53).any()
        return made if is_large else made.astype("float64" if made.isna().any() else "int64")
    if made.dtype.name == "Float64":
        return made.astype("float64")
    if made.dtype.name == "boolean":
        return made.astype(object).where(made.notna(), None) if made.isna().any() else made.astype(bool)
    return made.astype("str").where(made.notna()) if made.dtype.name == "string" else made`,
  parted: `def parted(table, by):
    """The rows of each group of a table whose cells are typed, by the keys, in order of first appearance."""
    groups = {}
    for at, key in enumerate(keys(table, by)):
        groups.setdefault(key, []).append(at)
    return {key: table.iloc[at].reset_index(drop=True) for key, at in groups.items()}`,
  keys: `def keys(table, by):
    """What tells each row's group, None for a missing cell."""
    return [tuple(None if pd.isna(key) else key for key in row) for row in zip(*(table[name] for name in by))]`,
  fitted: `def fitted(table, rows, by, formulas):
    """What formulas come to over some rows, or over each group of them, for each row of the table."""
    rows = typed(rows)
    if not by:
        return {name: formula(rows) for name, formula in formulas.items()}
    parts = parted(rows, by)
    made = {}
    for name, formula in formulas.items():
        found = {key: formula(part) for key, part in parts.items()}
        made[name] = pd.Series([found.get(key, pd.NA) for key in keys(typed(table), by)], dtype=object).convert_dtypes()
    return made`,
  summarized: `def summarized(table, by, formulas, is_sorted=True):
    """A row for each group, by its keys, missing ones last: the keys, and what formulas come to."""
    rows = typed(table)
    if not by:
        return pd.DataFrame({name: plain(formula(rows), [0]) for name, formula in formulas.items()})
    firsts = rows[by].drop_duplicates()
    firsts = firsts.sort_values(by, kind="stable") if is_sorted else firsts
    parts, index = parted(rows, by), range(len(firsts))
    made = {name: plain(firsts[name].reset_index(drop=True), index) for name in by}
    for name, formula in formulas.items():
        cells = pd.Series([formula(parts[key]) for key in keys(firsts, by)], dtype=object)
        made[name] = plain(cells.convert_dtypes(), index)
    return pd.DataFrame(made, index=index)`,
  moved: `def moved(part, rows):
    """Where the rows of a part of a split are now, copies one behind the other; rows are the old numbers of the new ones."""
    places = pd.Series(range(len(rows))).groupby(np.asarray(rows)).indices
    return np.concatenate([np.empty(0, int), *(places[row] for row in part if row in places)]).astype(int)`,
} as const;

/** What these functions call in turn. */
const called: Partial<Readonly<Record<FunctionOfVerbs, readonly FunctionOfVerbs[]>>> = {
  parted: ["keys"],
  fitted: ["typed", "parted"],
  summarized: ["typed", "plain", "parted"],
};

type FunctionOfVerbs = keyof typeof functionsOfVerbs;

/** Defines functions that verbs are written with. */
export function define(script: Script, ...names: readonly FunctionOfVerbs[]): void {
  script.use("import numpy as np");
  for (const name of names) {
    define(script, ...(called[name] ?? []));
    script.define(name, functionsOfVerbs[name]);
  }
}
