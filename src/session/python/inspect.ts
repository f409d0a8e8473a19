import { chosen } from "../../core/scope.ts";
import { literal, type PythonStep } from "./script.ts";

/** DP_INF. */
export const info = () => ["df.info()"];

/** DP_DSC. */
export const describe = () => ['print(df.describe(include="all").to_string())'];

/** DP_DTY. */
export const dtypes = () => ["print(df.dtypes)"];

/** DP_CRR. */
export const correlations = () => ["print(df.corr(numeric_only=True).to_string())"];

/** DP_UNQ. */
export const uniques = () => ["print(df.nunique())"];

/** DP_STC. */
export function counts({ args, before }: PythonStep): string[] {
  const names = before.columns.map(({ name }) => name);
  const [name] = chosen(before, [args.index as string], { names, where: "the table" });
  return [`print(df[${literal(name)}].value_counts())`];
}
