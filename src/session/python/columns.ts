import { chosen } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import { definePut, keywords, listLines, literal, NoEquivalent, type PythonStep } from "./script.ts";

const everywhere = ({ before }: PythonStep) => ({ names: before.columns.map(({ name }) => name), where: "the table" });

/** DP_6: the columns that are gone. */
export function drop({ before, after }: PythonStep): string[] {
  const left = new Set(after.columns.map(({ name }) => name));
  const gone = before.columns.map(({ name }) => name).filter((name) => !left.has(name));
  return gone.length === 0 ? [] : listLines("df = df.drop(columns=", gone.map(literal), ")");
}

/** DP_ROC: the columns in their new order. */
export function reorder({ after }: PythonStep): string[] {
  return listLines(
    "df = df[",
    after.columns.map(({ name }) => literal(name)),
    "]",
  );
}

/** DP_ASP. */
export function astype(step: PythonStep): string[] {
  const { args, before, after, script } = step;
  return chosen(before, args.columns as Slice, everywhere(step)).flatMap((name) => {
    const from = before.columns.find((each) => each.name === name);
    const to = after.columns.find((each) => each.name === name);
    const cell = `df[${literal(name)}]`;
    const isText = from?.type === "string" || from?.type === "category";
    switch (to?.type) {
      case "number": {
        if (from?.type === "datetime") throw new NoEquivalent("it makes numbers of dates");
        const number = isText ? `pd.to_numeric(${cell}.str.strip())` : `${cell}.astype(float)`;
        if (to.integer) script.use("import numpy as np");
        return [`${cell} = ${to.integer ? `np.trunc(${number})` : number}`];
      }
      case "boolean": {
        const words = {
          true: true,
          false: false,
          yes: true,
          no: false,
          t: true,
          f: false,
          y: true,
          n: false,
          1: true,
          0: false,
        };
        return [
          `${cell} = ${isText ? `${cell}.str.strip().str.lower().map(${literal(words)})` : `${cell}.where(${cell}.isna(), ${cell} != 0)`}`,
        ];
      }
      case "datetime":
        return from?.type === "datetime" ? [] : [`${cell} = pd.to_datetime(${cell}, format="mixed")`];
      default: {
        if (isText) return [];
        const words = from?.integer ? `${cell}.astype("Int64")` : cell;
        return [`${cell} = ${words}.astype(str).where(${cell}.notna())`];
      }
    }
  });
}

/** DP_PDT: the parts that the block added. */
export function dates(step: PythonStep): string[] {
  const { args, before, after, script } = step;
  const [name] = chosen(before, [args.index as string], everywhere(step));
  const from = before.columns.find((each) => each.name === name);
  const had = new Set(before.columns.map((each) => each.name));
  const made = after.columns.map((each) => each.name).filter((each) => !had.has(each));
  const given = keywords(args, ["dayfirst"]);
  const read = `pd.to_datetime(df[${literal(name)}], format="mixed", errors="coerce"${given ? `, ${given}` : ""})`;
  const parts = made.map((each) => {
    const part = /_([a-z]+)(?:_\d+)?$/.exec(each)?.[1] ?? "";
    return `    ${literal(each)}: date.dt.${part},`;
  });
  const put = definePut(script);
  return [
    `date = ${from?.type === "datetime" ? `df[${literal(name)}]` : read}`,
    "parts = pd.DataFrame({",
    ...(args.drop ? [] : [`    ${literal(name)}: date,`]),
    ...parts,
    "})",
    `df = ${put}(df, ${literal(name)}, parts)`,
  ];
}
