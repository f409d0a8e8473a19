import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serverOf } from "../../blocks/input/database.ts";
import type { Column } from "../../core/frame.ts";
import { missingTokens } from "../../core/missing-tokens.ts";
import { markLetters } from "../../core/number-marks.ts";
import { samplesFolder } from "../../core/samples.ts";
import type { CsvForm } from "../../core/tables.ts";
import { hugeAmong } from "./columns.ts";
import { callLines, listLines, literal, NoEquivalent, type PythonStep, type Script } from "./script.ts";
import { arrowLines, jsonLines, sheetLines, sqliteLines } from "./typed-files.ts";

const passwords = "it reads a database, whose password a script should not hold";

/** DP_1: files are read with the types that the table has; the script reads the same file, so it must stay there. */
export async function input(step: PythonStep): Promise<string[]> {
  const { args, script } = step;
  script.use("import pandas as pd");
  const dburl = String(args.dburl);
  if (args.engine === "spark" || /^spark:/i.test(dburl)) throw new NoEquivalent("it reads what a Spark cluster holds");
  const { lines, place } = placeOf(dburl, script);
  const name = dburl.split(/[?#]/, 1)[0];
  // pandas unpacks a CSV file by its name's ending.
  const isPacked = /\.gz$/i.test(name);
  const ending = /\.(\w+)$/.exec(isPacked ? name.slice(0, -3) : name)?.[1]?.toLowerCase();
  const type = args.file_type ?? (dburl.startsWith("sample:") ? "csv" : (mediaTypeOf(dburl) ?? ending));
  return [...lines, ...(await readingOf(String(type), step, place, dburl, isPacked)), ...keptRows(args)];
}

/** The kind of file that a data URL encloses. */
function mediaTypeOf(dburl: string): string | undefined {
  return /^data:(?:text|application)\/(json|csv)\b/i.exec(dburl)?.[1].toLowerCase();
}

/** The rows that a slice keeps; those of features and targets are the same ones. */
function keptRows({ x_boundaries: x, y_boundaries: y }: PythonStep["args"]): string[] {
  for (const slice of [y, x]) {
    if (typeof slice !== "string") continue;
    const [rows] = slice.split(",", 1);
    const bounds = rows.split(":").map((each) => each.trim());
    if (bounds.length > 2 || !bounds.every((each) => /^-?\d*$/.test(each))) continue;
    const [start, end] = bounds;
    if (end !== undefined && (start !== "" || end !== "")) return [`df = df.iloc[${start}:${end}]`];
    if (end === undefined && start !== "" && slice.includes(","))
      throw new NoEquivalent("it keeps a single row of a file while it reads");
  }
  return [];
}

/** Where the file is, as an expression of Python. */
function placeOf(dburl: string, script: Script): { lines: string[]; place: string } {
  if (dburl.startsWith("sample:")) {
    script.remarks.push("SAMPLES is the folder of the data sets that ship with blocklab.");
    const name = dburl.slice("sample:".length);
    if (!/^\w+$/.test(name) || peek(join(samplesFolder, `${name}.csv`), 1).length === 0)
      throw new NoEquivalent("its sample is not a table that pandas reads");
    return { lines: [`SAMPLES = ${literal(samplesFolder)}`], place: `SAMPLES + ${literal(`${name}.csv`)}` };
  }
  if (dburl.includes("/api/v1/engine/upload/"))
    throw new NoEquivalent("it reads rows that were handed over, or uploaded, to the service alone");
  if (/^data:/i.test(dburl)) return { lines: [], place: literal(dburl) };
  if (/^https?:/i.test(dburl)) {
    if (dburl.includes("/api/v1/artifacts/")) throw new NoEquivalent("it reads what another block made");
    return { lines: [], place: literal(dburl) };
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(dburl) && !dburl.startsWith("file://"))
    throw new NoEquivalent("it reads neither a file nor a web address");
  if (script.isLocal) return { lines: [], place: literal(pathOf(dburl)) };
  script.remarks.push("The file lies on the service's machine; put its path here.");
  return { lines: [], place: literal(dburl) };
}

function pathOf(dburl: string): string {
  if (dburl.startsWith("file://")) return fileURLToPath(dburl);
  return resolve(dburl.replace(/^~(?=\/|$)/, homedir()));
}

async function readingOf(
  type: string,
  step: PythonStep,
  place: string,
  dburl: string,
  isPacked: boolean,
): Promise<string[]> {
  const { args, script } = step;
  if (isPacked && !csvEndings.includes(type)) throw new NoEquivalent(`pandas reads no packed ${type} file`);
  switch (type) {
    case "csv":
    case "tsv":
    case "tab":
    case "txt":
      return await csvLines(step, place, (encoding) => (isPacked ? anyNan : nanWords(dburl, encoding, script)));
    case "json":
    case "ndjson":
    case "jsonl":
      return await jsonLines(step, place);
    case "parquet":
    case "pq":
      return await arrowLines(step, place, /^https?:/i.test(dburl), "parquet");
    case "arrow":
    case "feather":
    case "ipc":
      return await arrowLines(step, place, /^https?:/i.test(dburl), "arrow");
    case "arrows":
      return await arrowLines(step, place, /^https?:/i.test(dburl), "stream");
    case "xlsx":
    case "xlsm":
      return await sheetLines(step, place);
    case "db":
    case "sqlite":
    case "sqlite3":
      if (serverOf({ dburl, dbservertype: args.dbservertype as string | undefined }) === "sqlite")
        return await sqliteLines(step, place);
      throw new NoEquivalent(passwords);
    case "zip":
      if (args.method !== undefined) throw new NoEquivalent("pandas reads no zip of pictures");
      if ((step.found as Partial<CsvForm> | null)?.delimiter === undefined)
        throw new NoEquivalent("pandas reads CSV files alone out of a zip");
      return await csvLines(step, inZip(step, place, dburl), () => anyNan);
    default:
      throw new NoEquivalent(passwords);
  }
}

/** Times without a zone count as UTC, as they do here. */
function instants({ name }: Column): string {
  const cell = `df[${literal(name)}]`;
  return `${cell} = pd.to_datetime(${cell}, format="ISO8601", utc=True).dt.tz_localize(None).astype("datetime64[us]")`;
}

/** A CSV file, cell by cell as it was read here: what counts as missing and what type a column has is said, not guessed. */
async function csvLines(step: PythonStep, place: string, wordsIn: (encoding: string) => string[]): Promise<string[]> {
  const { args, after, found } = step;
  const {
    delimiter = ",",
    encoding = "utf-8",
    header = true,
    skip = 0,
    marks = {},
  } = (found ?? {}) as Partial<CsvForm>;
  const tokens = [...missingTokens, ...((args.na_values as string[] | undefined) ?? [])];
  const truths = after.columns.filter(({ type }) => type === "boolean");
  const numbers = after.columns.filter(({ type, integer }) => type === "number" && !integer);
  const whole = after.columns.filter(({ integer }) => integer).map(({ name }) => name);
  const types = new Map<string, string>();
  for (const { name, type } of after.columns) if (type !== "number") types.set(name, "str");
  for (const { name } of numbers) types.set(name, "float");
  // Gaps would make floats of them, which have no room for so many digits.
  for (const name of await hugeAmong(step, whole)) {
    types.set(name, '"Int64"');
    step.script.large.add(name);
  }
  const marked = Object.entries(marks);
  for (const [name] of marked) types.set(name, "str");
  const pairs = [...types].map(([name, type]) => `${literal(name)}: ${type}`);
  const noNumbers = numbers.length > 0 ? wordsIn(encoding) : [];
  const isMixed = noNumbers.length > 0;
  const given = [
    place,
    `sep=${literal(delimiter)}`,
    ...(encoding === "utf-8" ? [] : [`encoding=${literal(codecs[encoding] ?? encoding)}`]),
    ...(skip > 0 ? [`skiprows=${skip}`] : []),
    `header=${header ? "0" : "None"}`,
    "names=names",
    ...(pairs.length > 0 ? ["dtype=types"] : []),
    "keep_default_na=False",
    `na_values=${isMixed ? "gaps" : "missing"}`,
    'float_precision="round_trip"',
    // A line without a cell is a row where there is but one column.
    ...(after.columns.length === 1 ? ["skip_blank_lines=False"] : []),
  ];
  const names = after.columns.map(({ name }) => literal(name));
  return [
    ...listLines("names = ", names),
    ...(pairs.length > 0 ? listLines("types = ", pairs, "", "{}") : []),
    ...listLines("missing = ", tokens.map(literal)),
    ...(isMixed
      ? [
          `no_numbers = ${literal(noNumbers)}`,
          "gaps = {name: missing + (no_numbers if types.get(name) is float else []) for name in names}",
        ]
      : []),
    ...callLines("df = pd.read_csv", given),
    ...marked.map(([name, { decimal, thousands }]) => {
      const letters = markLetters({ decimal, thousands });
      const table = `{${[...letters].map((letter, k) => `${literal(letter)}: ${k === 0 ? '"."' : '""'}`).join(", ")}}`;
      const cell = `df[${literal(name)}]`;
      return `${cell} = pd.to_numeric(${cell}.str.translate(str.maketrans(${table})))`;
    }),
    ...after.columns.filter(({ type }) => type === "datetime").map(instants),
    ...truths.map(({ name }) => {
      const cell = `df[${literal(name)}]`;
      return `${cell} = ${cell}.str.lower().map({"true": True, "false": False})`;
    }),
  ];
}

/** Is the file on this machine? The samples always are. */
function isNear(dburl: string, script: Script): boolean {
  return dburl.startsWith("sample:") || (script.isLocal && !/^(?:https?|data):/i.test(dburl));
}

function localPath(dburl: string): string {
  return dburl.startsWith("sample:") ? join(samplesFolder, `${dburl.slice("sample:".length)}.csv`) : pathOf(dburl);
}

/** The beginning of a local file; nothing when it can't be read here, as a service's own file. */
function peek(path: string, bytes: number): Buffer {
  try {
    const file = openSync(path, "r");
    try {
      const beginning = Buffer.alloc(Math.min(bytes, fstatSync(file).size));
      return beginning.subarray(0, readSync(file, beginning, 0, beginning.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

const csvEndings = ["csv", "tsv", "tab", "txt"];

/** What a file that lies elsewhere, or is packed, may hold. */
const anyNan = ["nan", "NAN", "-nan", "-NaN"];

/** A table in a zip archive, as an expression of Python; pandas finds the only file by itself. */
function inZip({ args, script }: PythonStep, place: string, dburl: string): string {
  if (args.csv_path === undefined) return place;
  if (!isNear(dburl, script)) throw new NoEquivalent("it reads one of several files of a zip that lies elsewhere");
  script.use("import zipfile");
  return `zipfile.ZipFile(${place}).open(${literal(String(args.csv_path))})`;
}

/** Words for "not a number", as they stand in the file, which count as missing where a column has numbers. */
function nanWords(dburl: string, encoding: string, script: Script): string[] {
  const bytes = isNear(dburl, script) ? peek(localPath(dburl), 2 ** 26) : Buffer.alloc(0);
  if (bytes.length === 0) return anyNan;
  const text = new TextDecoder(encoding).decode(bytes);
  const found = new Set<string>();
  for (const { index } of text.matchAll(/\bnan\b/gi)) {
    let [from, to] = [index, index + "nan".length];
    if ("+-".includes(text[from - 1])) from--;
    while (" \t".includes(text[from - 1])) from--;
    while (" \t".includes(text[to])) to++;
    found.add(text.slice(from, to));
  }
  return [...found].filter((word) => word !== "NaN");
}

/** Python's names of encodings that the standard of the web calls otherwise, or takes for a wider one. */
const codecs: Readonly<Record<string, string>> = {
  shift_jis: "cp932",
  "euc-kr": "cp949",
  gbk: "gb18030",
  big5: "big5hkscs",
  macintosh: "mac_roman",
  "x-mac-cyrillic": "mac_cyrillic",
  "windows-874": "cp874",
  "iso-8859-8-i": "iso-8859-8",
};
