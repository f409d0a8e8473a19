import type { Column, Frame } from "../../core/frame.ts";
import { missingTokens } from "../../core/missing-tokens.ts";
import type { SheetForm } from "../../core/tables.ts";
import { hugeAmong } from "./columns.ts";
import { listLines, literal, NoEquivalent, type PythonStep, type Script } from "./script.ts";

/** JSON, in any of its three forms. */
export async function jsonLines(step: PythonStep, place: string): Promise<string[]> {
  const { script } = step;
  const read = script.define("read_records", records);
  script.use("import json");
  return [...openedLines(place, script, `df = ${read}(file.read())`), ...(await typedLines(step, numberWords(step)))];
}

const records = `def read_records(content):
    """The records of a JSON file: a list of them, one a line, or an object of columns."""
    text = content.decode(json.detect_encoding(content))
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = [json.loads(line) for line in text.split("\\n") if line.strip()]
    if isinstance(found, dict):
        columns = [list(each.values()) if isinstance(each, dict) else each for each in found.values()]
        if all(isinstance(each, list) and len(each) == len(columns[0]) for each in columns):
            return pd.DataFrame(dict(zip(found, columns)), dtype=object)
        found = [found]
    return pd.DataFrame(found, dtype=object)`;

/** Words among numbers, and among true and false, are missing; in a column of texts only those that the caller names. */
function numberWords({ args }: PythonStep): Gaps {
  const named = naValues(args);
  return { texts: named, others: [...missingTokens, ...named] };
}

/** Modules of pyarrow, and their calls that read a table, by the kind of file. */
const arrowReaders = {
  parquet: ["pyarrow.parquet as pq", "pq.read_table"],
  arrow: ["pyarrow.feather as feather", "feather.read_table"],
  stream: ["pyarrow as pa", "pa.ipc.open_stream"],
} as const;

/** Parquet and Arrow; an index that pandas put into them is a column like any other. */
export async function arrowLines(
  step: PythonStep,
  place: string,
  isUrl: boolean,
  kind: keyof typeof arrowReaders,
): Promise<string[]> {
  const { script, after, args } = step;
  const [module, call] = arrowReaders[kind];
  script.use(`import ${module}`);
  if (isUrl) script.use("import io");
  const tensors = after.columns.filter(({ type }) => type === "tensor");
  if (tensors.length > 0) throw new NoEquivalent("it holds arrays, for which a table of pandas has no columns");
  const texts = after.columns.flatMap((each, k) => (isText(each) ? [{ k, name: each.name }] : []));
  const cells =
    texts.length === 0
      ? []
      : await step.cells(
          "after",
          texts.map(({ name }) => name),
        );
  const nested = texts.filter((_, i) => cells[i].some((cell) => typeof cell === "string" && /^[[{]/.test(cell)));
  const all = kind === "stream" ? ".read_all()" : "";
  const read = isUrl
    ? openedLines(place, script, `table = ${call}(io.BytesIO(file.read()))${all}`)
    : [`table = ${call}(${place})${all}`];
  const named = naValues(args);
  return [
    ...read,
    "df = table.to_pandas(ignore_metadata=True, integer_object_nulls=True)",
    ...(await typedLines(
      step,
      { texts: named, others: named },
      nested.map(({ k }) => `df.isetitem(${k}, pd.Series(table.column(${k}).to_pylist(), dtype=object))`),
    )),
  ];
}

/** A sheet of a workbook. */
export async function sheetLines(step: PythonStep, place: string): Promise<string[]> {
  const { args, after, found, script } = step;
  const { header = true } = (found ?? {}) as Partial<SheetForm>;
  const gaps = [...missingTokens, ...naValues(args)];
  script.use("import io");
  script.use("import openpyxl");
  const read = script.define("read_sheet", sheetReader);
  const skipped = Number(args.skip_rows ?? 0);
  const sheet = args.sheet === undefined ? "0" : literal(args.sheet);
  return [
    ...openedLines(place, script, `df = ${read}(io.BytesIO(file.read()), ${sheet})`),
    ...listLines("missing = ", gaps.map(literal)),
    `df = df.iloc[${skipped}:, :${after.columns.length}]`,
    `df = df[(df.notna() & ~df.isin(missing)).any(axis=1)].iloc[${header ? 1 : 0}:].reset_index(drop=True)`,
    ...(await typedLines(step, { texts: gaps, others: gaps })),
  ];
}

const sheetReader = `def read_sheet(file, sheet):
    """All rows of a sheet; cells that hold an error are missing."""
    book = openpyxl.load_workbook(file, data_only=True, read_only=True)
    found = book[sheet] if isinstance(sheet, str) else book.worksheets[sheet]
    found.reset_dimensions()

    def value(cell):
        if cell.data_type == "e":
            return None
        return int(cell.value) if isinstance(cell.value, float) and cell.value.is_integer() else cell.value

    return pd.DataFrame([[value(cell) for cell in row] for row in found.iter_rows()], dtype=object)`;

/** The rows of a query on a SQLite file, which needs no password. */
export async function sqliteLines(step: PythonStep, place: string): Promise<string[]> {
  const { args, script } = step;
  script.use("import sqlite3");
  return [
    `with sqlite3.connect(${place}) as database:`,
    `    rows = database.execute(${literal(args.query)})`,
    "    df = pd.DataFrame(rows.fetchall(), columns=range(len(rows.description)), dtype=object)",
    ...(await typedLines(step, { texts: [], others: [] })),
  ];
}

/** Lines that open a file or an address for reading. */
function openedLines(place: string, script: Script, line: string): string[] {
  const isUrl = /^["'](?:https?|data):/i.test(place);
  if (isUrl) script.from("urllib.request", "urlopen");
  return [`with ${isUrl ? `urlopen(${place})` : `open(${place}, "rb")`} as file:`, `    ${line}`];
}

/** Which values count as missing, in columns of texts and in others. */
interface Gaps {
  readonly texts: readonly string[];
  readonly others: readonly string[];
}

/** Names the columns of `df` and makes each one of the type that it has here, whatever its cells came as. */
async function typedLines(step: PythonStep, gaps: Gaps, before: readonly string[] = []): Promise<string[]> {
  const { after, script } = step;
  const kinds = await kindsOf(step, after);
  const read = script.define("as_type", asType);
  script.use("import json");
  script.use("import datetime");
  return [
    ...before,
    ...listLines("df.columns = ", [...kinds.keys()].map(literal)),
    ...listLines(
      "types = ",
      [...kinds].map(([name, kind]) => `${literal(name)}: ${literal(kind)}`),
      "",
      "{}",
    ),
    ...(gaps.texts.join("\0") === gaps.others.join("\0")
      ? [`df = pd.DataFrame({name: ${read}(df[name], kind, ${literal(gaps.texts)}) for name, kind in types.items()})`]
      : [
          `words = {"text": ${literal(gaps.texts)}}`,
          ...listLines("missing = ", gaps.others.map(literal)),
          `df = pd.DataFrame({name: ${read}(df[name], kind, words.get(kind, missing)) for name, kind in types.items()})`,
        ]),
  ];
}

async function kindsOf(step: PythonStep, after: Frame): Promise<Map<string, string>> {
  const whole = after.columns.filter(({ integer }) => integer).map(({ name }) => name);
  const huge = new Set(await hugeAmong(step, whole));
  for (const name of huge) step.script.large.add(name);
  return new Map(after.columns.map((each) => [each.name, huge.has(each.name) ? "large" : kindOf(each)]));
}

function kindOf({ type, integer }: Column): string {
  if (type === "number") return integer ? "int" : "float";
  return type === "boolean" ? "bool" : type === "datetime" ? "time" : "text";
}

const isText = ({ type }: Column) => type === "string" || type === "category";

function naValues(args: PythonStep["args"]): readonly string[] {
  return (args.na_values as readonly string[] | undefined) ?? [];
}

const asType = `def as_type(cells, kind, missing):
    """A column in one type, whatever its cells came as; words in \`missing\` are missing."""
    if kind == "time":
        words = cells.map(lambda cell: None if isinstance(cell, str) and cell in missing else cell)
        return pd.to_datetime(words, format="ISO8601", utc=True).dt.tz_localize(None).astype("datetime64[us]")
    if cells.dtype.kind in "fiu" and kind in ("int", "float") and not missing:
        return cells if kind == "int" else cells.astype(float)
    if cells.dtype.kind == "m":
        cells = cells.astype("int64")
    numbers = {float(word) for word in missing if word.strip("+-.").replace(".", "").isdigit()}

    def is_missing(cell):
        if isinstance(cell, (list, dict)):
            return False
        return cell is None or cell != cell or (cell in missing if isinstance(cell, str) else cell in numbers)

    present = [None if is_missing(cell) else cell for cell in cells.astype(object)]

    def each(read, dtype):
        made = [None if cell is None else read(cell) for cell in present]
        return pd.Series(made, index=cells.index, dtype=dtype)

    if kind == "text":
        return each(as_text, "str")
    if kind == "bool":
        return each(lambda cell: as_text(cell).lower() in ("true", "1"), None if None not in present else object)
    if kind == "float":
        return each(as_number, float)
    whole = each(int, "Int64")
    return whole if kind == "large" else whole.astype(float if None in present else "int64")


def as_number(cell):
    """A cell as a float, a duration as days."""
    return cell.total_seconds() / 86400 if isinstance(cell, datetime.timedelta) else float(cell)


def as_text(cell):
    """A cell as text, as it stands in a column of texts."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (list, dict)):
        return json.dumps(cell, separators=(",", ":"), ensure_ascii=False)
    if isinstance(cell, bytes):
        return cell.decode("ascii", "backslashreplace")
    if isinstance(cell, datetime.datetime):
        return str(cell).removesuffix(" 00:00:00")
    return str(cell)`;
