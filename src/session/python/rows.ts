import { columnsCompared } from "../../blocks/shared/repeats.ts";
import { chosen } from "../../core/scope.ts";
import { resolveSlice, type Slice } from "../../core/slices.ts";
import type { Keep } from "../../core/tables.ts";
import { keepSplit, keywords, literal, type PythonStep, withoutGaps } from "./script.ts";

/** DP_FSP: the roles follow as lists; here are the rows that a slice keeps. */
export function xy({ args, before, after }: PythonStep): string[] {
  if (after.rows === before.rows) return [];
  const slice = (args.y_boundaries ?? args.x_boundaries) as Slice;
  const names = before.columns.map(({ name }) => name);
  const [start, end] = resolveSlice(slice, names, before.rows).rows ?? [0, before.rows];
  return [`df = df.iloc[${start}:${end}]`];
}

/** DP_4: the same draws as train_test_split's, so the same rows in the same order. */
export function split(step: PythonStep): string[] {
  const { args, script } = step;
  script.from("sklearn.model_selection", "train_test_split");
  script.use("import numpy as np");
  const sizes = keywords(args, ["test_size", "train_size"]);
  const shuffle = args.shuffle === false ? "shuffle=False" : keywords(args, ["random_state"]);
  const stratify = args.stratify === undefined ? "" : `stratify=${strata(step)}`;
  const given = [sizes, shuffle, stratify].filter((each) => each !== "").join(", ");
  return [`train, test = train_test_split(df.index.to_numpy()${given ? `, ${given}` : ""})`];
}

function strata(step: PythonStep): string {
  const { args, before } = step;
  const all = { names: before.columns.map(({ name }) => name), where: "the table" };
  const [name] = chosen(before, [args.stratify as string], all);
  return withoutGaps(`df[${literal(name)}]`, name, step);
}

/** DP_DRD. */
export function dropDuplicates(step: PythonStep): string[] {
  const { names, keep } = compared(step);
  return [`df = df.drop_duplicates(subset=${names}, keep=${keep})`, ...keepSplit(step)];
}

/** DP_SDC. */
export function duplicates(step: PythonStep): string[] {
  const { names, keep } = compared(step);
  return [`print(df[df.duplicated(subset=${names}, keep=${keep})])`];
}

function compared({ args, before }: PythonStep): { names: string; keep: string } {
  const keep = args.keep as Keep;
  const names = columnsCompared(before, args.columns as Slice);
  return {
    names: names.length === before.columns.length ? "None" : literal(names),
    keep: keep === "none" ? "False" : literal(keep),
  };
}
