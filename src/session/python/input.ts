import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Column } from "../../core/frame.ts";
import { markLetters } from "../../core/number-marks.ts";
import type { CsvForm } from "../../core/tables.ts";
import { hugeAmong } from "./columns.ts";
import { callLines, listLines, literal, NoEquivalent, type PythonStep, type Script } from "./script.ts";

/** Both from src/session/python and from dist/session/python, the samples lie three folders up. */
const samplesFolder = fileURLToPath(new URL("../../../samples/", import.meta.url));

/** Texts that stand for a missing cell. */
const missingTokens = ["", "NA", "N/A", "NaN", "null", "NULL", "None", "#N/A"];

/** Words that are no number, which count as missing where a column has numbers. */
const noNumbers = ["nan", "NAN", "-nan", "-NaN"];

/** DP_1: files are read with the types that the table has; the script reads the same file, so it must stay there. */
export async function input(step: PythonStep): Promise<string[]> {
  const { args, after, script } = step;
  script.use("import pandas as pd");
  const dburl = String(args.dburl);
  for (const slice of [args.x_boundaries, args.y_boundaries]) {
    if (typeof slice === "string" && slice.includes(",") && /\d/.test(slice.split(",", 1)[0]))
      throw new NoEquivalent("it keeps a part of a file's rows while it reads");
  }
  const { lines, place } = placeOf(dburl, script);
  const name = dburl.split(/[?#]/, 1)[0];
  const type = args.file_type ?? (dburl.startsWith("sample:") ? "csv" : /\.(\w+)$/.exec(name)?.[1]?.toLowerCase());
  return [
    ...lines,
    ...(await readingOf(String(type), step, place, dburl)),
    ...after.columns.filter((each) => each.type === "datetime").map(instants),
  ];
}

/** Times without a zone count as UTC, as they do here. */
function instants({ name }: Column): string {
  const cell = `df[${literal(name)}]`;
  return `${cell} = pd.to_datetime(${cell}, format="ISO8601", utc=True).dt.tz_localize(None)`;
}

/** Where the file is, as an expression of Python. */
function placeOf(dburl: string, script: Script): { lines: string[]; place: string } {
  if (dburl.startsWith("sample:")) {
    script.remarks.push("SAMPLES is the folder of the data sets that ship with blocklab.");
    const name = dburl.slice("sample:".length);
    if (!/^\w+$/.test(name) || peek(join(samplesFolder, `${name}.csv`)) === "")
      throw new NoEquivalent("its sample is not a table that pandas reads");
    return { lines: [`SAMPLES = ${literal(samplesFolder)}`], place: `SAMPLES + ${literal(`${name}.csv`)}` };
  }
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

async function readingOf(type: string, step: PythonStep, place: string, dburl: string): Promise<string[]> {
  const { args, after, script } = step;
  const url = /^https?:/i.test(dburl);
  switch (type) {
    case "csv":
    case "tsv":
    case "tab":
    case "txt":
      return await csvLines(step, place, mayHoldNan(dburl, script));
    case "json":
    case "ndjson":
    case "jsonl": {
      const isLines = type !== "json" || (isNear(dburl, script) && isNewlineDelimited(dburl));
      const texts = after.columns.filter(isText).map(({ name }) => name);
      const rest = [...(await nestedLines(step, texts)), ...(await wholeLines(step))];
      if (url)
        return [`df = pd.read_json(${place}, lines=${literal(isLines)}, dtype=False, convert_dates=False)`, ...rest];
      script.use("import json");
      const read = isLines ? "[json.loads(line) for line in file if line.strip()]" : "json.load(file)";
      // json finds out by itself which UTF the bytes of a whole text are.
      const isWide = !isLines && isNear(dburl, script) && peek(localPath(dburl), 64).includes("\0");
      const mode = isWide ? '"rb"' : 'encoding="utf-8-sig"';
      return [`with open(${place}, ${mode}) as file:`, `    df = pd.DataFrame(${read})`, ...rest];
    }
    case "parquet":
    case "pq":
      return [`df = pd.read_parquet(${place})`];
    case "xlsx":
    case "xlsm":
      return [`df = pd.read_excel(${place}, sheet_name=${args.sheet === undefined ? "0" : literal(args.sheet)})`];
    default:
      throw new NoEquivalent(
        type === "zip"
          ? "pandas reads no zip of pictures"
          : "it reads a database, whose password a script should not hold",
      );
  }
}

const isText = ({ type }: Column) => type === "string" || type === "category";

/** A CSV file, cell by cell as it was read here: what counts as missing and what type a column has is said, not guessed. */
async function csvLines(step: PythonStep, place: string, holdsNan: boolean): Promise<string[]> {
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
  const isMixed = holdsNan && numbers.length > 0;
  const given = [
    place,
    `sep=${literal(delimiter)}`,
    ...(encoding === "utf-8" ? [] : [`encoding=${literal(encoding)}`]),
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
    ...truths.map(({ name }) => {
      const cell = `df[${literal(name)}]`;
      return `${cell} = ${cell}.str.lower().map({"true": True, "false": False})`;
    }),
  ];
}

/** Lists and objects inside records are kept as JSON. */
async function nestedLines(step: PythonStep, texts: readonly string[]): Promise<string[]> {
  const cells = texts.length === 0 ? [] : await step.cells("after", texts);
  const nested = texts.filter((_, k) => cells[k].some((cell) => typeof cell === "string" && /^[[{]/.test(cell)));
  if (nested.length === 0) return [];
  const write = step.script.define(
    "as_json",
    `def as_json(value):
    """A list or an object as JSON; what is a text already stays so."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)`,
  );
  return nested.map((name) => `df[${literal(name)}] = df[${literal(name)}].map(${write}, na_action="ignore")`);
}

/** Whole numbers with gaps that floats can't hold. */
async function wholeLines(step: PythonStep): Promise<string[]> {
  const whole = step.after.columns.filter(({ integer }) => integer).map(({ name }) => name);
  return (await hugeAmong(step, whole)).map((name) => {
    step.script.large.add(name);
    return `df[${literal(name)}] = df[${literal(name)}].astype("Int64")`;
  });
}

/** Is the file on this machine? The samples always are. */
function isNear(dburl: string, script: Script): boolean {
  return dburl.startsWith("sample:") || (script.isLocal && !/^https?:/i.test(dburl));
}

function localPath(dburl: string): string {
  return dburl.startsWith("sample:") ? join(samplesFolder, `${dburl.slice("sample:".length)}.csv`) : pathOf(dburl);
}

/** The beginning of a local file; nothing when it can't be read here, as a service's own file. */
function peek(path: string, bytes = 2 ** 17): string {
  try {
    const file = openSync(path, "r");
    try {
      const beginning = Buffer.alloc(Math.min(bytes, fstatSync(file).size));
      return beginning.toString("utf8", 0, readSync(file, beginning, 0, beginning.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/** May some cell be "nan"? A file that lies elsewhere may. */
function mayHoldNan(dburl: string, script: Script): boolean {
  const text = isNear(dburl, script) ? peek(localPath(dburl), 2 ** 26) : "";
  return text === "" || /\bnan\b/i.test(text.replaceAll("NaN", ""));
}

function isNewlineDelimited(dburl: string): boolean {
  const [first, second = ""] = peek(localPath(dburl)).trim().split("\n");
  return first.startsWith("{") && first.trimEnd().endsWith("}") && second.startsWith("{");
}
