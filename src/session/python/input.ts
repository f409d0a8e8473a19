import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { listLines, literal, NoEquivalent, type PythonStep, type Script } from "./script.ts";

/** Both from src/session/python and from dist/session/python, the samples lie three folders up. */
const samplesFolder = fileURLToPath(new URL("../../../samples/", import.meta.url));

/** Texts that stand for a missing cell. */
const missingTokens = ["", "NA", "N/A", "NaN", "null", "NULL", "None", "#N/A"];

/** DP_1: files are read with the types that the table has; the script reads the same file, so it must stay there. */
export function input({ args, after, script }: PythonStep): string[] {
  script.use("import pandas as pd");
  const dburl = String(args.dburl);
  for (const slice of [args.x_boundaries, args.y_boundaries]) {
    if (typeof slice === "string" && slice.includes(",") && /\d/.test(slice.split(",", 1)[0]))
      throw new NoEquivalent("it keeps a part of a file's rows while it reads");
  }
  const { lines, place } = placeOf(dburl, script);
  const name = dburl.split(/[?#]/, 1)[0];
  const type = args.file_type ?? (dburl.startsWith("sample:") ? "csv" : /\.(\w+)$/.exec(name)?.[1]?.toLowerCase());
  const reading = readingOf(String(type), args, place, dburl, after, script);
  const dates = after.columns.filter(({ type: kind }) => kind === "datetime").map(({ name: each }) => each);
  return [
    ...lines,
    ...reading,
    ...dates.map((each) => `df[${literal(each)}] = pd.to_datetime(df[${literal(each)}], format="mixed")`),
  ];
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

function readingOf(
  type: string,
  args: Readonly<Record<string, unknown>>,
  place: string,
  dburl: string,
  after: PythonStep["after"],
  script: Script,
): string[] {
  const texts = after.columns.filter(({ type: kind }) => kind === "string" || kind === "category");
  switch (type) {
    case "csv":
    case "tsv":
    case "tab":
    case "txt": {
      const tokens = [...missingTokens, ...((args.na_values as string[] | undefined) ?? [])];
      const names = after.columns.map(({ name }) => literal(name));
      const header =
        args.header === false || after.columns.every(({ name }) => /^column_\d+$/.test(name)) ? "None" : "0";
      const first = isNear(dburl, script) ? peek(localPath(dburl)) : "";
      const sep = String(args.delimiter ?? delimiterOf(first, names.length));
      return [
        ...listLines("names = ", names),
        ...listLines(
          "texts = ",
          texts.map(({ name }) => literal(name)),
        ),
        "df = pd.read_csv(",
        `    ${place}, sep=${literal(sep)}, header=${header}, names=names,`,
        '    dtype={name: str for name in texts}, keep_default_na=False, float_precision="round_trip",',
        `    na_values=${literal(tokens)},`,
        ")",
      ];
    }
    case "json":
    case "ndjson":
    case "jsonl":
      if (type !== "json" || (isNear(dburl, script) && isNewlineDelimited(dburl)))
        return [`df = pd.read_json(${place}, lines=True, convert_dates=False)`];
      if (dburl.startsWith("http")) return [`df = pd.read_json(${place}, convert_dates=False)`];
      script.use("import json");
      return [`with open(${place}, encoding="utf-8") as file:`, "    df = pd.DataFrame(json.load(file))"];
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

/** Is the file on this machine? The samples always are. */
function isNear(dburl: string, script: Script): boolean {
  return dburl.startsWith("sample:") || (script.isLocal && !/^https?:/i.test(dburl));
}

function localPath(dburl: string): string {
  return dburl.startsWith("sample:") ? join(samplesFolder, `${dburl.slice("sample:".length)}.csv`) : pathOf(dburl);
}

/** The beginning of a local file; nothing when it can't be read here, as a service's own file. */
function peek(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, 100_000);
  } catch {
    return "";
  }
}

/** The letter that divides the first line into as many cells as there are columns. */
function delimiterOf(beginning: string, columns: number): string {
  const line = beginning.split(/\r?\n/, 1)[0].replace(/"(?:[^"]|"")*"/g, "");
  return [",", ";", "\t", "|"].find((letter) => line.split(letter).length === columns) ?? ",";
}

function isNewlineDelimited(dburl: string): boolean {
  const [first, second = ""] = peek(localPath(dburl)).trim().split("\n");
  return first.startsWith("{") && first.trimEnd().endsWith("}") && second.startsWith("{");
}
