import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { pictureEnding } from "../../core/images.ts";
import { didYouMean, listed, quoted } from "../../core/names.ts";
import type { Ingested, IngestOptions, SourceFile } from "../../core/tables.ts";
import { isOfCluster, type OfCluster, readCluster } from "./cluster.ts";
import { isDatabaseUrl, readQuery } from "./database.ts";
import { readPictures } from "./pictures.ts";

/** The kinds of sources. */
export const fileTypes = ["csv", "json", "parquet", "arrow", "feather", "xlsx", "db", "zip"] as const;

type FileType = (typeof fileTypes)[number];

/** A file that is a table by itself. */
type TableType = Exclude<FileType, "db" | "zip">;

/** Endings of names, and what kind of source they tell. */
const endings: ReadonlyMap<string, FileType> = new Map([
  ["csv", "csv"],
  ["tsv", "csv"],
  ["txt", "csv"],
  ["tab", "csv"],
  ["json", "json"],
  ["ndjson", "json"],
  ["jsonl", "json"],
  ["parquet", "parquet"],
  ["pq", "parquet"],
  ["arrow", "arrow"],
  ["arrows", "arrow"],
  ["ipc", "arrow"],
  ["feather", "feather"],
  ["xlsx", "xlsx"],
  ["xlsm", "xlsx"],
  ["db", "db"],
  ["sqlite", "db"],
  ["sqlite3", "db"],
  ["zip", "zip"],
]);

function isTable(type: FileType | undefined): type is TableType {
  return type !== undefined && type !== "db" && type !== "zip";
}

function endingOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name.split(/[?#]/, 1)[0])?.[1].toLowerCase() ?? "";
}

/** What any kind of source answers. */
interface Source extends Ingested {
  readonly source: string;
  readonly x?: readonly string[];
  readonly y?: readonly string[];
  /** The plan over rows that stay on a cluster, in place of a file. */
  readonly relation?: OfCluster["relation"];
}

/** How a source is read. */
type Args = Parameters<typeof readQuery>[0] &
  Pick<Parameters<typeof readCluster>[0], "engine" | "most_rows" | "keep"> &
  Parameters<typeof readPictures>[1] &
  Omit<IngestOptions, "format" | "naValues" | "skipRows"> & {
    readonly file_type?: FileType | undefined;
    readonly na_values?: readonly string[] | undefined;
    readonly skip_rows: number;
  };

/** Reads a table from whatever a `dburl` names. */
export async function readSource(args: Args, context: BlockContext): Promise<Source> {
  if (isOfCluster(args)) return await readCluster(args, context);
  if ((args.file_type ?? "db") === "db" && isDatabaseUrl(args.dburl)) return await readQuery(args, context);
  // A database's host has nothing to open; its SQLite file is opened like any other, further down.
  if (args.file_type === "db") return await readQuery(args, context);
  const source = await context.open(args.dburl);
  try {
    const format = source.format ?? args.file_type ?? formatOf(source.name);
    if (format === "db") return await readQuery(args, context);
    if (format !== "zip") return await readFile(source, format, args, context);
    const table = args.method === undefined ? await tableIn(source, args, context) : null;
    if (!table) return { ...(await readPictures(source, args, context)), source: source.name };
    try {
      return await readFile(table, table.format ?? (formatOf(table.name) as TableType), args, context);
    } finally {
      await table.release();
    }
  } finally {
    await source.release();
  }
}

/** Reads a file that holds a table. */
async function readFile(source: SourceFile, format: TableType, args: Args, context: BlockContext): Promise<Source> {
  const { delimiter, header, types, sheet, encoding, decimal, thousands, na_values: naValues } = args;
  const how = { delimiter, header, types, sheet, encoding, decimal, thousands, naValues, skipRows: args.skip_rows };
  // Feather's second version is the file of Arrow by another name.
  const read = await context.tables.ingest(source, { format: format === "feather" ? "arrow" : format, ...how });
  return { ...read, source: source.name };
}

/** The table in a zip archive: the one that `csv_path` names, else the only one where there are no pictures. */
async function tableIn(source: SourceFile, args: Args, context: BlockContext): Promise<SourceFile | null> {
  return await context.entry(source, (paths) => {
    const { csv_path: wanted } = args;
    const tables = paths.filter((path) => isTable(endings.get(endingOf(path))));
    if (wanted !== undefined && !tables.includes(wanted)) {
      throw new ArgsError(
        `input (DP_1): ${quoted(source.name)} holds no table ${quoted(wanted)}.${didYouMean(wanted, tables)} Tables in it: ${listed(tables)}.`,
        { path: "csv_path", got: wanted.slice(0, 200), expected: tables },
      );
    }
    if (wanted !== undefined) return wanted;
    if (paths.some((path) => pictureEnding.test(path))) return null;
    if (tables.length < 2) return tables[0] ?? null;
    throw new ArgsError(
      `input (DP_1): ${quoted(source.name)} holds ${tables.length} tables, ${listed(tables)}; csv_path says which, such as csv_path: ${JSON.stringify(tables[0])}.`,
      { path: "csv_path", expected: tables },
    );
  });
}

function formatOf(name: string): FileType {
  const found = endings.get(endingOf(name));
  if (found) return found;
  throw new ArgsError(
    `input (DP_1): can't tell from ${quoted(name)} what kind of file it is; give file_type: ${fileTypes
      .map(quoted)
      .join(", ")
      .replace(/, ("\w+")$/, " or $1")}.`,
    { path: "file_type", got: name, expected: fileTypes },
  );
}
