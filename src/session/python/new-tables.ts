import { columnsOf } from "../../blocks/verbs/keys.ts";
import type { Column } from "../../core/frame.ts";
import { valueType } from "../../plan/column.ts";
import { call, column, type Expr, value } from "../../plan/expr.ts";
import type { FunctionName } from "../../plan/functions.ts";
import { define, written } from "./formulas.ts";
import { keywords, listLines, literal, NoEquivalent, type PythonStep } from "./script.ts";
import { type Columns, read, renumbered } from "./verbs.ts";

/** A table as an argument names it: a block's id. */
async function otherTable(step: PythonStep, wanted: unknown) {
  if (typeof wanted !== "number" && !/^\d+$/.test(String(wanted))) {
    throw new NoEquivalent("it reads a file of its own; read that by input, and name its block");
  }
  return await step.tableOf(Number(wanted));
}

/** A dictionary of formulas, one for each name. */
function formulas(step: PythonStep, exprs: readonly (readonly [name: string, expr: Expr])[]): string[] {
  const items = exprs.map(([name, expr]) => `${literal(name)}: lambda df: ${written(step.script, expr)}`);
  return listLines("formulas = ", items, "", "{}");
}

/** BL_SUMMARIZE. */
export function summarize(step: PythonStep): string[] {
  const { args, before, script } = step;
  const by = columnsOf(before, args.by as Columns);
  const exprs = Object.entries(args.columns as Readonly<Record<string, unknown>>).map(
    ([name, text]) => [name, read(step, before.columns, text).expr] as const,
  );
  define(script, "summarized");
  return [...formulas(step, exprs), `df = summarized(df, ${literal(by)}, formulas)`];
}

/** BL_WIDER: what each new column holds is an aggregate over the rows with its name. */
export function wider(step: PythonStep): string[] {
  const { args, before, after, script } = step;
  const [naming, valued] = [args.names_from, args.values_from].map(
    (each) => before.columns.find(({ name }) => name === columnsOf(before, each as Columns)[0]) as Column,
  );
  const type = valueType(naming);
  if (type !== "string" && type !== "integer")
    throw new NoEquivalent("it makes names of what is neither text nor whole");
  const keys = before.columns.map(({ name }) => name).filter((name) => name !== naming.name && name !== valued.name);
  const cell = column(naming.name, type);
  const exprs = after.columns.slice(keys.length).map(({ name }) => {
    const isIt =
      name === "missing"
        ? call("isMissing", cell)
        : call("equal", cell, type === "string" ? value(name) : value(name, type));
    const wanted = call("choose", isIt, column(valued.name, valueType(valued)), value(null));
    return [name, call((args.aggregate as FunctionName | undefined) ?? "first", wanted)] as const;
  });
  define(script, "summarized");
  return [...formulas(step, exprs), `df = summarized(df, ${literal(keys)}, formulas, is_sorted=False)`];
}

/** BL_LONGER: row by row, and within a row in the order of the columns. */
export function longer(step: PythonStep): string[] {
  const { args, before } = step;
  const columns = columnsOf(before, args.columns as Columns);
  const kept = before.columns.map(({ name }) => name).filter((name) => !columns.includes(name));
  const given = [
    `id_vars=${literal(kept)}`,
    `value_vars=${literal(columns)}`,
    `var_name=${literal(args.names_to)}`,
    `value_name=${literal(args.values_to)}`,
    "ignore_index=False",
  ];
  return [
    ...renumbered(before),
    ...listLines("df = df.melt", given, '.sort_index(kind="stable")', "()"),
    ...placed(step, "df.index"),
  ];
}

/** BL_APPEND. */
export async function append(step: PythonStep): Promise<string[]> {
  const others = await Promise.all(([step.args.others].flat() as unknown[]).map((each) => otherTable(step, each)));
  return [
    `df = pd.concat([df, ${others.map(({ text }) => text).join(", ")}], ignore_index=True)`,
    ...listLines(
      "df = df[",
      step.after.columns.map(({ name }) => literal(name)),
      "]",
    ),
  ];
}

/** BL_SAMPLE: the rows that pandas draws. */
export function sample(step: PythonStep): string[] {
  const { args, before } = step;
  const by = columnsOf(before, args.by as Columns);
  const grouped = by.length > 0 ? `.groupby(${literal(by)}, dropna=False)` : "";
  const drawn = keywords(args, ["n", "frac", "random_state"]);
  const replace = args.replace === true ? ", replace=True" : "";
  return [...renumbered(before), `df = df${grouped}.sample(${drawn}${replace})`, ...placed(step, "df.index")];
}

/** BL_JOIN: in the left table's order, then the other's, and a missing key is like no other. */
export async function join(step: PythonStep): Promise<string[]> {
  const { args, before, after } = step;
  const how = args.how as string;
  if (how === "right" || how === "full")
    throw new NoEquivalent(`it is a ${how} join, whose keys pandas puts in another order`);
  const other = await otherTable(step, args.other);
  const pairs = pairsOf(args.on);
  const [mine, theirs] = [pairs.map(([left]) => left), pairs.map(([, right]) => right)];
  if (how === "semi" || how === "anti") {
    const found = `pd.MultiIndex.from_frame(df[${literal(mine)}]).isin(pd.MultiIndex.from_frame(other.dropna()))`;
    return [
      `other = ${other.text}[${literal(theirs)}]`,
      ...renumbered(before),
      `df = df[${how === "semi" ? "" : "~"}${found}]`,
      ...placed(step, "df.index"),
    ];
  }
  const wanted = args.columns === undefined ? undefined : ([args.columns].flat() as string[]);
  const names = wanted ?? other.columns.map(({ name }) => name).filter((name) => !theirs.includes(name));
  const called = after.columns.slice(before.columns.length).map(({ name }) => name);
  const cells = [
    ...names.map((name, k) => `${literal(called[k])}: other[${literal(name)}]`),
    // Two columns may be called alike but for the table that they are of.
    ...pairs.map(([, right], k) => `"key ${k}": other[${literal(right)}]`),
  ];
  const keys = pairs.map((_, k) => `key ${k}`);
  const own = `df = df.assign(**{${mine.map((name, k) => `"key ${k}": df[${literal(name)}]`).join(", ")}})`;
  const dropped = keys.length > 0 ? `.dropna(subset=${literal(keys)})` : "";
  return [
    `other = ${other.text}`,
    ...listLines("other = pd.DataFrame(", cells, `)${dropped}`, "{}"),
    ...renumbered(before),
    ...(keys.length > 0 ? [own] : []),
    `df = df.assign(row=df.index).merge(other, how=${literal(how)}${keys.length > 0 ? `, on=${literal(keys)}` : ""})`,
    'rows = df.pop("row")',
    ...(keys.length > 0 ? [`df = df.drop(columns=${literal(keys)})`] : []),
    ...placed(step, "rows"),
  ];
}

function pairsOf(on: unknown): (readonly [string, string])[] {
  if (typeof on === "string") return [[on, on]];
  if (Array.isArray(on)) return on.map((name) => [String(name), String(name)] as const);
  return Object.entries((on ?? {}) as Readonly<Record<string, string>>);
}

/** Rows are numbered anew, and the split follows them; `rows` are the old numbers of the new ones. */
function placed({ before, script }: PythonStep, rows: string): string[] {
  if (!before.split) return ["df = df.reset_index(drop=True)"];
  define(script, "moved");
  return [`train, test = moved(train, ${rows}), moved(test, ${rows})`, "df = df.reset_index(drop=True)"];
}
