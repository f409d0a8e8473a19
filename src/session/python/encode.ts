import type { Encoding } from "../../blocks/prepare/categories.ts";
import { planOf } from "../../blocks/prepare/encode-plan.ts";
import { folds } from "../../blocks/prepare/target-fits.ts";
import { type Column, column } from "../../core/frame.ts";
import { wordsOf } from "./columns.ts";
import { rowsByTarget } from "./few-rows.ts";
import { definePut, listLines, literal, NoEquivalent, type PythonStep, seen, target } from "./script.ts";

/** DP_3: each encoding on the rows that the block learnt from, under the names that the block gave. */
export async function encode(step: PythonStep): Promise<string[]> {
  const { args, before } = step;
  const { encode: wanted, drop } = planOf(before, args as Parameters<typeof planOf>[1]);
  const gone = drop.size === 0 ? [] : listLines("df = df.drop(columns=", [...drop].map(literal), ")");
  // Columns of names stay as they are where none were chosen.
  const isLeft = (name: string) => step.after.columns.some((each) => each.name === name && each.type === "string");
  const encoded = [...wanted].filter(([name, type]) => (type !== "onehot" && type !== "categorical") || !isLeft(name));
  const lines: string[] = [];
  for (const [name, type] of encoded) lines.push(...(await encodeOne(step, name, type)));
  return [...lines, ...gone];
}

async function encodeOne(step: PythonStep, name: string, type: Encoding): Promise<string[]> {
  const { before, script } = step;
  const cell = `df[${literal(name)}]`;
  const outputs = outputsOf(step, name);
  const values = `values = sorted(${seen(before, literal(name))}.dropna().unique())`;
  // Int64 would look itself up as floats.
  const isLarge = script.large.delete(name);
  const exact = isLarge ? `${cell}.astype(object)` : cell;
  switch (type) {
    case "extract_numbers":
      script.define("first_numbers", firstNumbers);
      return [`${cell} = first_numbers(${await wordsOf(step, column(before, name))})`];
    case "hash":
      script.use("import hashlib");
      script.define("md5", hashed);
      return [`${cell} = ${await wordsOf(step, column(before, name))}.map(md5, na_action="ignore")`];
    case "label":
      return [values, `${cell} = ${codes(exact)}`];
    case "binary": {
      const put = definePut(script);
      const bits = outputs.map((each, k) => `    ${literal(each)}: bits // ${2 ** (outputs.length - 1 - k)} % 2,`);
      return [
        values,
        `bits = ${codes(exact)}.clip(lower=0)`,
        "made = pd.DataFrame({",
        ...bits,
        "})",
        `df = ${put}(df, ${literal(name)}, made)`,
      ];
    }
    case "target":
      // scikit-learn would round large integers, take a missing date for an unknown one, and refuse infinity.
      return [
        ...(isLarge || column(before, name).type === "datetime" || (await isInfinite(step, column(before, name)))
          ? [`${cell} = ${cell}.astype(str)`]
          : []),
        ...(await targetLines(step, name, outputs)),
      ];
    default: {
      const put = definePut(script);
      return [
        values,
        `made = pd.DataFrame({value: (${cell} == value)${isLarge ? ".fillna(False)" : ""}.astype(int) for value in values})`,
        ...listLines("made.columns = ", outputs.map(literal)),
        `df = ${put}(df, ${literal(name)}, made)`,
      ];
    }
  }
}

/** As `readNumber` of the language, by `decimalOf` of number-text.ts. */
const firstNumbers = String.raw`
def first_numbers(text):
    """The first number in each text; decimals after a comma where the whole column tells it."""
    gap = "'’\u00a0\u202f"
    parts = text.str.extract(
        rf"(?:(?:^|[^\w])([-−–]\s*[$€£¥₹]?\s*))?([0-9][0-9.,{gap}]*[0-9]|\.?[0-9]+)([eE][-+]?[0-9]{{1,3}}\b)?"
    )
    digits = parts[1].fillna("")
    tells = digits.str.fullmatch(
        r"[0-9]+,[0-9]{1,2}|[0-9]+,[0-9]{4,}|[0-9]{4,},[0-9]+|0,[0-9]+"
        rf"|[0-9]{{1,3}}(?:[.{gap}][0-9]{{3}})+,[0-9]+|[0-9]{{1,3}}(?:\.[0-9]{{3}}){{2,}}"
    )
    mark, thousand = (",", ".") if tells.any() else (".", ",")
    grouped = digits.str.fullmatch(rf"[0-9]{{1,3}}(?:[{thousand}{gap}][0-9]{{3}})+(?:[{mark}][0-9]+)?")
    plain = digits.str.extract(rf"^([0-9]+(?:[{mark}][0-9]+)?|\.[0-9]+)")[0]
    whole = digits.str.replace(rf"[{thousand}{gap}]", "", regex=True).where(grouped, plain)
    value = (whole.str.replace(",", ".", regex=False) + parts[2].fillna("")).astype(float)
    negative = parts[0].notna() | text.str.fullmatch(r"\s*\([^()a-zA-Z]*\)\s*", na=False)
    return value.where(~negative, -value)
`;

/** Does a column hold infinite numbers? */
async function isInfinite({ cells }: PythonStep, { name, type, integer }: Column): Promise<boolean> {
  if (type !== "number" || integer) return false;
  const [numbers] = await cells("before", [name]);
  return numbers.some((cell) => cell !== null && !Number.isFinite(cell));
}

/** The place of each value among those seen: -1 for one that was not, missing where the cell is. */
function codes(cell: string): string {
  return `${cell}.map({value: k for k, value in enumerate(values)}).fillna(-1).where(${cell}.notna())`;
}

const hashed = `def md5(value):
    """A text as a stable 32-bit number."""
    return int.from_bytes(hashlib.md5(value.encode()).digest()[8:12], "little")`;

/** Training rows are encoded by the means of other training rows, as fit_transform does it; the rest by all of them. */
async function targetLines(step: PythonStep, name: string, outputs: readonly string[]): Promise<string[]> {
  const { before, script } = step;
  await refuseFewRows(step);
  script.from("sklearn.preprocessing", "TargetEncoder");
  const put = definePut(script);
  const truth = target({ before, script });
  const isNumber = before.y?.[0] !== undefined && column(before, before.y[0]).type === "number";
  const cells = seen(before, literal([name]));
  return [
    isNumber
      ? `encoder = TargetEncoder(random_state=0, target_type="binary" if ${truth}.isin([0, 1]).all() else "continuous")`
      : "encoder = TargetEncoder(random_state=0)",
    `fitted = encoder.fit_transform(${cells}, ${truth})`,
    `made = pd.DataFrame(encoder.transform(df[${literal([name])}]), index=df.index)`,
    before.split ? "made.loc[train] = fitted" : "made[:] = fitted",
    ...listLines("made.columns = ", outputs.map(literal)),
    `df = ${put}(df, ${literal(name)}, made)`,
  ];
}

/** scikit-learn deals rows to five parts, where there are so many, of classes in one at least. */
async function refuseFewRows(step: PythonStep): Promise<void> {
  const { before } = step;
  const counts = await rowsByTarget(step);
  const isNumber = before.y?.[0] !== undefined && column(before, before.y[0]).type === "number";
  const isClasses = !isNumber || [...counts.keys()].every((value) => value === "0" || value === "1");
  const rows = [...counts.values()].reduce((all, each) => (isClasses ? Math.max(all, each) : all + each), 0);
  if (rows >= folds) return;
  throw new NoEquivalent(
    `scikit-learn encodes by five parts of the rows, and ${isClasses ? "no class has" : "there are not"} so many`,
  );
}

/** What the block calls the columns that took the place of one. */
function outputsOf({ found }: PythonStep, name: string): readonly string[] {
  const { outputs } = found as { outputs: Readonly<Record<string, readonly string[]>> };
  return outputs[name];
}
