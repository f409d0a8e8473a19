import { z } from "zod";
import { type BlockContext, defineBlock, type Ingested, type IngestOptions, slice } from "../../core/block.ts";
import { tlsModes } from "../../core/database.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { assignRoles } from "../../core/roles.ts";
import { stack, text } from "../../core/view.ts";
import { type DatabaseArgs, isDatabaseUrl, readQuery } from "./database.ts";

/**
 * DP_1. Reads a table from a file, a URL, a database, or a sample of blocklab.
 *
 * CSV, JSON (records, columns, or newline-delimited) and Parquet. Delimiter, header, encoding and types are
 * detected. Empty cells, NA, N/A, NaN, null, NULL, None and #N/A count as missing.
 */
export const input = defineBlock({
  code: "DP_1",
  name: "input",
  source: true,
  args: {
    /** A path, an http(s) URL, `sample:NAME`, or the URL of an artifact. */
    dburl: z.string(),
    /** The kind of source; found from the name's ending when absent. */
    file_type: z.literal(["csv", "json", "parquet", "db"]).optional(),
    /** Of a database: "postgres", "mysql", "mariadb" or "sqlite"; found from a URL's beginning when absent. */
    dbservertype: z.string().optional(),
    /** Of a database: its name on the server. */
    database_name: z.string().optional(),
    /** Of a database: the user, best one with restricted permissions. */
    dbuser: z.string().optional(),
    /** Of a database: the user's password. It is used and forgotten; no record keeps it. */
    dbpassword: z.string().optional(),
    /** Of a database: one SELECT, run in a read-only transaction. */
    query: z.string().optional(),
    /** Of a database: "prefer" encrypts where the server can, "require" always, "verify" checks its certificate too (default "prefer"). */
    tls: z.literal(tlsModes).default("prefer"),
    /** Of a database: certificates in PEM that "verify" trusts in place of the well-known ones. */
    tls_ca: z.string().optional(),
    /** Of a database: seconds to wait for the server each time it is asked, 1 to 3600 (default 60). */
    timeout: z.number().min(1).max(3600).default(60),
    /** The character between cells of a CSV file; detected when absent. */
    delimiter: z.string().length(1).optional(),
    /** Whether a CSV file's first line names the columns; detected when absent. */
    header: z.boolean().optional(),
    /** More texts that count as a missing cell. */
    na_values: z.array(z.string()).optional(),
    /** Column types that override detection, such as { zip: "string" }. */
    types: z.record(z.string(), z.string()).optional(),
    /** Feature columns, as a slice over the table (default: none yet). */
    x_boundaries: slice().optional(),
    /** Target columns, as a slice over the table (default: none yet). */
    y_boundaries: slice().optional(),
  },
  aliases: { x: "x_boundaries", y: "y_boundaries" },
  tolerates: { dbname: "database_name" },
  secrets: ["dbpassword"],
  positional: ["dburl"],
  example: 'session.input("sample:penguins")',
  async run(_frame, args, context) {
    const type = args.file_type ?? (isDatabaseUrl(args.dburl) ? "db" : undefined);
    const read = await (type === "db" ? readQuery(args, context) : readFile(args, context));
    for (const notice of read.notices) context.notice(notice);
    const frame: Frame = {
      relation: { artifact: read.artifact, steps: [] },
      rows: read.rows,
      columns: read.columns,
      x: null,
      y: null,
      folds: null,
      fits: [],
      lineage: [],
      raw: read.columns,
    };
    return { frame: await assignRoles(frame, args, context), report: { source: read.source } };
  },
  async view({ after, report }, read) {
    const source = (report as { source: string } | undefined)?.source ?? "the input";
    return stack(
      text(`${source}: ${count(after.rows, "row")}, ${count(after.columns.length, "column")}.`),
      await read.head(after),
    );
  },
});

interface FileArgs extends DatabaseArgs, Omit<IngestOptions, "format" | "naValues"> {
  readonly file_type?: IngestOptions["format"] | "db" | undefined;
  readonly na_values?: readonly string[] | undefined;
}

async function readFile(args: FileArgs, context: BlockContext): Promise<Ingested & { source: string }> {
  const { delimiter, header, types, na_values: naValues } = args;
  const source = await context.open(args.dburl);
  try {
    const format = args.file_type ?? formatOf(source.name);
    if (format === "db") return await readQuery(args, context);
    const read = await context.tables.ingest(source, { format, delimiter, header, naValues, types });
    return { ...read, source: source.name };
  } finally {
    await source.release();
  }
}

function formatOf(name: string): IngestOptions["format"] | "db" {
  const ending = /\.([a-z0-9]+)$/i.exec(name.replace(/[?#].*$/, ""))?.[1].toLowerCase() ?? "";
  if (["csv", "tsv", "txt", "tab"].includes(ending)) return "csv";
  if (["json", "ndjson", "jsonl"].includes(ending)) return "json";
  if (["parquet", "pq"].includes(ending)) return "parquet";
  if (["db", "sqlite", "sqlite3"].includes(ending)) return "db";
  throw new ArgsError(
    `input (DP_1): can't tell from ${quoted(name)} what kind of file it is; give file_type: "csv", "json" or "parquet".`,
    { path: "file_type", got: name, expected: ["csv", "json", "parquet"] },
  );
}
