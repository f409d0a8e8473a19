import { type Column, column } from "../../core/frame.ts";
import { chosen } from "../../core/scope.ts";
import { dateFormats } from "../../plan/forms.ts";
import { asTexts, definePut, literal, type PythonStep } from "./script.ts";

/** DP_PDT: the parts that the block added. */
export async function dates(step: PythonStep): Promise<string[]> {
  const { args, before, after, script, found } = step;
  const where = { names: before.columns.map((each) => each.name), where: "the table" };
  const [name] = chosen(before, [args.index as string], where);
  const had = new Set(before.columns.map((each) => each.name));
  const made = after.columns.map((each) => each.name).filter((each) => !had.has(each));
  const parts = made.map((each) => {
    const part = /_([a-z]+)(?:_\d+)?$/.exec(each)?.[1] ?? "";
    return `    ${literal(each)}: date.dt.${part},`;
  });
  const { dayfirst = false } = found as { dayfirst?: boolean };
  const put = definePut(script);
  return [
    `date = ${await asDates(step, column(before, name), dayfirst)}`,
    "parts = pd.DataFrame({",
    ...(args.drop ? [] : [`    ${literal(name)}: date,`]),
    ...parts,
    "})",
    `df = ${put}(df, ${literal(name)}, parts)`,
  ];
}

/** A column of the table before as dates. */
export async function asDates(step: PythonStep, from: Column, dayFirst: boolean): Promise<string> {
  if (from.type === "datetime") return `df[${literal(from.name)}]`;
  const words = new Set<string>();
  for await (const cells of step.everyCell(from.name))
    for (const cell of cells) if (cell !== null) words.add(String(cell).trim());
  const read = step.script.define("read_dates", reader);
  return `${read}(${asTexts(from)}, ${literal(formatsIn([...words], dayFirst))})`;
}

const reader = `def read_dates(words, formats):
    """Dates by the first of the formats that fits; what none fits is missing, and what has a zone becomes UTC."""
    dates = pd.Series(pd.NaT, index=words.index, dtype="datetime64[us]")
    for each in formats:
        read = pd.to_datetime(words.str.strip(), format=each, errors="coerce", utc=True)
        dates = dates.fillna(read.dt.tz_localize(None))
    return dates`;

const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|[+-]\d\d(?::?\d\d)?))?)?$/;

/** Which formats the words are written in, in the order in which they are tried. */
function formatsIn(words: readonly string[], dayFirst: boolean): string[] {
  const { yearFirst, others } = dateFormats(dayFirst);
  const rest = words.filter((text) => !iso.test(text));
  const used = new Set<string>();
  const forms = [...yearFirst, ...others].map((format) => ({ format, like: likeness(format) }));
  for (const text of rest) for (const { format, like } of forms) if (like.test(text)) used.add(format);
  return [
    ...(rest.length < words.length ? ["ISO8601"] : []),
    ...forms.map(({ format }) => format).filter((format) => used.has(format)),
  ];
}

const letters: Readonly<Record<string, string>> = {
  Y: "\\d{4}",
  y: "\\d{2}",
  b: "[A-Za-z]{3}",
  B: "[A-Za-z]+",
  a: "[A-Za-z]{3}",
  A: "[A-Za-z]+",
  p: "[APap][Mm]",
  f: "\\d{1,9}",
};

/** What a text in a format looks like. */
function likeness(format: string): RegExp {
  const pattern = format.replaceAll(".", "\\.").replace(/%([A-Za-z])/g, (_, letter) => letters[letter] ?? "\\d{1,2}");
  return new RegExp(`^${pattern}$`);
}
