import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import type { Ingested, IngestOptions } from "../../core/tables.ts";
import { isOfCluster, type OfCluster, readCluster } from "./cluster.ts";
import { isDatabaseUrl, readQuery } from "./database.ts";
import { readPictures } from "./pictures.ts";

/** The kinds of sources. */
export const fileTypes = ["csv", "json", "parquet", "arrow", "feather", "xlsx", "db", "zip"] as const;

/** Endings of names, and what kind of source they tell. */
const endings: Readonly<Record<string, (typeof fileTypes)[number]>> = {
  csv: "csv",
  tsv: "csv",
  txt: "csv",
  tab: "csv",
  json: "json",
  ndjson: "json",
  jsonl: "json",
  parquet: "parquet",
  pq: "parquet",
  arrow: "arrow",
  arrows: "arrow",
  ipc: "arrow",
  feather: "feather",
  xlsx: "xlsx",
  xlsm: "xlsx",
  db: "db",
  sqlite: "db",
  sqlite3: "db",
  zip: "zip",
};

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
    readonly file_type?: (typeof fileTypes)[number] | undefined;
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
    if (format === "zip") return { ...(await readPictures(source, args, context)), source: source.name };
    const { delimiter, header, types, sheet, encoding, decimal, thousands, na_values: naValues } = args;
    const how = { delimiter, header, types, sheet, encoding, decimal, thousands, naValues, skipRows: args.skip_rows };
    // Feather's second version is the file of Arrow by another name.
    const read = await context.tables.ingest(source, { format: format === "feather" ? "arrow" : format, ...how });
    return { ...read, source: source.name };
  } finally {
    await source.release();
  }
}

function formatOf(name: string): (typeof fileTypes)[number] {
  const ending = /\.([a-z0-9]+)$/i.exec(name.split(/[?#]/, 1)[0])?.[1].toLowerCase() ?? "";
  if (Object.hasOwn(endings, ending)) return endings[ending];
  throw new ArgsError(
    `input (DP_1): can't tell from ${quoted(name)} what kind of file it is; give file_type: ${fileTypes
      .map(quoted)
      .join(", ")
      .replace(/, ("\w+")$/, " or $1")}.`,
    { path: "file_type", got: name, expected: fileTypes },
  );
}
