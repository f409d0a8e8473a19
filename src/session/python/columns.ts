import { type Column, column } from "../../core/frame.ts";
import { chosen } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import { asDates } from "./dates.ts";
import { asTexts, listLines, literal, NoEquivalent, type PythonStep } from "./script.ts";

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
export async function astype(step: PythonStep): Promise<string[]> {
  const { args, before, after } = step;
  const names = chosen(before, args.columns as Slice, everywhere(step));
  const lines = names.map(
    async (name) => `df[${literal(name)}] = ${await recast(step, column(before, name), column(after, name))}`,
  );
  return await Promise.all(lines);
}

/** The words that are true or false. */
const truths = {
  true: true,
  t: true,
  yes: true,
  y: true,
  1: true,
  false: false,
  f: false,
  no: false,
  n: false,
  0: false,
};

async function recast(step: PythonStep, from: Column, to: Column): Promise<string> {
  const { found, script } = step;
  const cell = `df[${literal(from.name)}]`;
  const isText = from.type === "string" || from.type === "category";
  if (to.type === "number") {
    if (from.type === "datetime") throw new NoEquivalent("it makes numbers of dates");
    if (isText && to.integer && (await hugeAmong(step, [to.name])).length > 0) {
      script.large.add(to.name);
      return `${cell}.str.strip().astype("Int64")`;
    }
    const number = isText ? `pd.to_numeric(${cell}.str.strip())` : from.integer ? cell : `${cell}.astype(float)`;
    if (!to.integer || from.integer) return number;
    script.use("import numpy as np");
    return `np.trunc(${number})`;
  }
  if (to.type === "boolean") {
    if (from.type === "boolean") return cell;
    return isText ? `${cell}.str.strip().str.lower().map(${literal(truths)})` : `(${cell} != 0).where(${cell}.notna())`;
  }
  if (to.type === "datetime") {
    const { dayfirst = [] } = found as { dayfirst?: readonly string[] };
    return await asDates(step, from, dayfirst.includes(from.name));
  }
  return await wordsOf(step, from);
}

/** A column of the table before as the texts that its cells are here; dates as long as the column's need them. */
export async function wordsOf(step: PythonStep, from: Column): Promise<string> {
  if (from.type !== "datetime") return asTexts(from);
  const cell = `df[${literal(from.name)}]`;
  const [hasFractions, hasTimes] = await someHold(step, from.name, /\./, /:/);
  if (hasFractions) return `${cell}.dt.strftime("%Y-%m-%d %H:%M:%S.%f").str.replace(r"\\.?0+$", "", regex=True)`;
  return `${cell}.dt.strftime(${literal(hasTimes ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d")})`;
}

/** Is there a cell in which each of the patterns is found? */
async function someHold(step: PythonStep, name: string, ...patterns: readonly RegExp[]) {
  const found = patterns.map(() => false);
  for await (const cells of step.everyCell(name))
    for (const [k, pattern] of patterns.entries())
      found[k] ||= cells.some((cell) => cell !== null && pattern.test(String(cell)));
  return found;
}

/** Beyond so many rows the ends of each column are asked for in place of its cells. */
const shortTable = 10_000;

/** Those of the columns made that hold integers beyond what a float can hold; they come as texts. */
export async function hugeAmong({ after, cells, ends }: PythonStep, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const found = after.rows <= shortTable ? await cells("after", names) : await Promise.all(names.map(ends));
  return names.filter((_, k) => found[k].some((cell) => typeof cell === "string"));
}
