import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { ClusterSource } from "../../core/cluster.ts";
import { ArgsError } from "../../core/errors.ts";
import { quoted } from "../../core/names.ts";
import type { Ingested, IngestOptions } from "../../core/tables.ts";

/** As many rows as are collected unless more are asked for. */
export const mostRows = 10_000_000;

/** Arguments of what a cluster reads. */
export const clusterArgs = {
  /** Who reads files: "spark", the cluster that the service knows; this process when absent. */
  engine: z.literal(["spark"]).optional(),
  /** Of Spark: a table of more rows is refused (default 10000000). */
  most_rows: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .default(mostRows),
};

/** What a client says about a cluster's table or files. */
type ClusterArgs = z.output<z.ZodObject<typeof clusterArgs>> &
  Pick<IngestOptions, "types" | "decimal" | "thousands" | "delimiter" | "header" | "encoding"> & {
    readonly dburl: string;
    readonly file_type?: string | undefined;
    readonly na_values?: readonly string[] | undefined;
    readonly skip_rows: number;
  };

const tableForm = /^spark:(?!\/\/)(.*)$/is;

/** Is it a table of Spark's, or one of its files? */
export function isOfCluster({ dburl, engine }: Pick<ClusterArgs, "dburl" | "engine">): boolean {
  return engine === "spark" || tableForm.test(dburl);
}

/** Brings the rows of a cluster's table or files here, and answers what to call it. */
export async function readCluster(args: ClusterArgs, context: BlockContext): Promise<Ingested & { source: string }> {
  const source = sourceOf(args);
  const { types, decimal, thousands, na_values: naValues, most_rows } = args;
  const read = await context.collect({ source, mostRows: most_rows, types, decimal, thousands, naValues });
  return { ...read, source: "table" in source ? `spark ${source.table}` : source.address };
}

function sourceOf(args: ClusterArgs): ClusterSource {
  const name = tableForm.exec(args.dburl)?.[1];
  if (name !== undefined) return { table: name };
  const { dburl: address, delimiter, encoding, header: hasHeader = true } = args;
  const format = formatOf(args);
  if (args.skip_rows > 0) {
    throw new ArgsError("input (DP_1): skip_rows is not for files that Spark reads; they begin with their names.", {
      path: "skip_rows",
      got: args.skip_rows,
    });
  }
  return { address, format, delimiter, encoding, hasHeader };
}

/** Parquet unless something says otherwise: a folder's name tells nothing. */
function formatOf({ dburl, file_type: said }: ClusterArgs): "parquet" | "csv" {
  const ending = /\.([a-z]+)(?:\.(?:gz|bz2|zst))?$/i.exec(dburl.split(/[?#]/, 1)[0])?.[1].toLowerCase();
  const wanted = said ?? (["csv", "tsv", "txt", "json", "arrow", "xlsx"].includes(ending ?? "") ? ending : "parquet");
  if (wanted === "parquet") return "parquet";
  if (wanted === "csv" || (said === undefined && (wanted === "tsv" || wanted === "txt"))) return "csv";
  throw new ArgsError(
    `input (DP_1): file_type must be "parquet" or "csv" where Spark reads, got ${quoted(String(wanted))}; leave engine out to read one file here.`,
    { path: "file_type", got: wanted, expected: ["parquet", "csv"] },
  );
}
