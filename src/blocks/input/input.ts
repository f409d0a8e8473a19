import { z } from "zod";
import { defineBlock, type IngestOptions, slice } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { assignRoles } from "../../core/roles.ts";
import { stack, text } from "../../core/view.ts";

/**
 * DP_1. Reads a table from a file, a URL, or a sample that ships with blocklab.
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
    /** The kind of file; found from the name's ending when absent. */
    file_type: z.literal(["csv", "json", "parquet"]).optional(),
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
  positional: ["dburl"],
  example: 'session.input("sample:penguins")',
  async run(_frame, args, context) {
    const source = await context.open(args.dburl);
    try {
      const options: IngestOptions = {
        format: args.file_type ?? formatOf(source.name),
        delimiter: args.delimiter,
        header: args.header,
        naValues: args.na_values,
        types: args.types,
      };
      const read = await context.tables.ingest(source, options);
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
      return { frame: await assignRoles(frame, args, context), report: { source: source.name } };
    } finally {
      await source.release();
    }
  },
  async view({ after, report }, read) {
    const source = (report as { source: string } | undefined)?.source ?? "the input";
    return stack(
      text(`${source}: ${count(after.rows, "row")}, ${count(after.columns.length, "column")}.`),
      await read.head(after),
    );
  },
});

function formatOf(name: string): IngestOptions["format"] {
  const ending = /\.([a-z0-9]+)$/i.exec(name.replace(/[?#].*$/, ""))?.[1].toLowerCase() ?? "";
  if (["csv", "tsv", "txt", "tab"].includes(ending)) return "csv";
  if (["json", "ndjson", "jsonl"].includes(ending)) return "json";
  if (["parquet", "pq"].includes(ending)) return "parquet";
  throw new ArgsError(
    `input (DP_1): can't tell from ${quoted(name)} what kind of file it is; give file_type: "csv", "json" or "parquet".`,
    { path: "file_type", got: name, expected: ["csv", "json", "parquet"] },
  );
}
