import { z } from "zod";
import { defineBlock, slice } from "../../core/block.ts";
import { type Frame, sourceFrame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { assignRoles } from "../../core/roles.ts";
import { stack, text } from "../../core/view.ts";
import { clusterArgs, isOfCluster } from "./cluster.ts";
import { databaseArgs } from "./database.ts";
import { explainInput } from "./explain.ts";
import { pictureArgs } from "./pictures.ts";
import { fileTypes, readSource } from "./source.ts";

/**
 * DP_1. Reads a table from a file, a URL, a database, or a sample of blocklab.
 *
 * CSV, JSON (records, columns, or newline-delimited), Parquet, Arrow (files, streams, Feather) and Excel, also packed by
 * gzip or Zstandard, or in a zip; a SELECT on Postgres, MySQL, MariaDB or SQLite; a table of Spark, or Parquet and CSV
 * files that it reads; a zip of pictures. Delimiter, header, encoding and types are detected, and hold for every row. Empty cells, NA, N/A, NaN, null, NULL, None and #N/A count as missing; in JSON, Parquet and Arrow, which
 * have a missing cell of their own, such words are text unless they stand among numbers. NaN is missing, infinity a
 * number. Columns with leading zeros, as in 007, or with whole numbers beyond 64 bits are kept as text; +1 is 1. Times
 * with a zone become UTC. Of merged cells the first has the value, as in pandas.
 */
export const input = defineBlock({
  code: "DP_1",
  name: "input",
  source: true,
  args: {
    /** A path, an http(s) or data URL, `sample:NAME`, an artifact's URL, a database's host, host:port or URL, or `spark:schema.table`. */
    dburl: z.string().max(10_000),
    /** The kind of source; found from the name's ending when absent. */
    file_type: z.literal(fileTypes).optional(),
    /** The character between cells of a CSV file; detected when absent. */
    delimiter: z.string().length(1).optional(),
    /** Whether the first line of a CSV file or sheet names the columns; detected when absent. */
    header: z.boolean().optional(),
    /** More texts that count as a missing cell; of JSON, Parquet and Arrow, all that do in a column of text. */
    na_values: z.array(z.string()).max(1000).optional(),
    /** Column types that override detection, such as { zip: "string" }. */
    types: z.record(z.string(), z.string()).optional(),
    /** Of a CSV or JSON file: its encoding, such as "windows-1252", "utf-16" or "shift_jis"; detected when absent. */
    encoding: z.string().optional(),
    /** Of a CSV file: what stands before decimals, "." or ","; found column by column when absent. */
    decimal: z.literal([".", ","]).optional(),
    /** Of a CSV file: what stands between thousands, ",", ".", " " or "'"; found column by column when absent. */
    thousands: z.literal([",", ".", " ", "'"]).optional(),
    /** Lines of a CSV file, or rows of a sheet, that come before the columns' names (default 0). */
    skip_rows: z.int().min(0).max(100_000).default(0),
    /** Of an Excel workbook: the sheet's name (default: the first). */
    sheet: z.string().optional(),
    ...clusterArgs,
    ...databaseArgs,
    ...pictureArgs,
    /** Feature columns, as a slice over the table (default: none yet; of pictures, the pictures). */
    x_boundaries: slice().optional(),
    /** Target columns, as a slice over the table (default: none yet; of pictures, their labels). */
    y_boundaries: slice().optional(),
  },
  aliases: { x: "x_boundaries", y: "y_boundaries" },
  tolerates: { dbname: "database_name", targe_size: "target_size" },
  secrets: ["dbpassword"],
  positional: ["dburl"],
  tables: ["dburl"],
  files: ["dburl"],
  example: 'session.input("sample:penguins")',
  explain: explainInput,
  async run(_frame, args, context) {
    const read = await readSource(args, context);
    for (const notice of read.notices) context.notice(notice);
    const source = sourceFrame(read.artifact, read.columns, read.rows, read.reading);
    const { relation = source.relation } = read;
    const frame: Frame = { ...source, relation, x: read.x ?? null, y: read.y ?? null };
    return {
      frame: await assignRoles(frame, args, context),
      report: {
        source: read.source,
        ...(isOfCluster(args) ? { engine: "spark" } : {}),
        ...(read.form ? { form: read.form } : {}),
      },
    };
  },
  async view({ after, report }, read) {
    const source = (report as { source: string } | undefined)?.source ?? "the input";
    const tensor = after.columns.find(({ type }) => type === "tensor");
    const targets = (after.y ?? []).filter((name) => name !== tensor?.name);
    const labels =
      targets.length > 0 && targets.length <= 3 ? targets : after.columns.slice(0, 1).map(({ name }) => name);
    return stack(
      text(`${source}: ${count(after.rows, "row")}, ${count(after.columns.length, "column")}.`),
      await read.head(after),
      tensor && (await read.pictures(after, tensor.name, labels)),
    );
  },
});
