import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { ClusterSource } from "../../core/cluster.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { count, quoted } from "../../core/names.ts";
import type { Ingested, IngestOptions } from "../../core/tables.ts";
import type { Relation } from "../../plan/node.ts";

/** As many rows as are collected unless more are asked for. */
export const mostRows = 10_000_000;

/** Arguments of what a cluster reads. */
export const clusterArgs = {
  /** Who reads files: "spark", the cluster that the service knows; this process when absent. */
  engine: z.literal(["spark"]).optional(),
  /** Of Spark: whether the rows stay there, and blocks run there until collect() (default: where there are more than most_rows). */
  keep: z.boolean().optional(),
  /** Of Spark: as many rows are brought here at most (default 10000000). */
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

/** What a cluster's table or files are read as: a file here, or a plan over rows that stay there. */
export type OfCluster = Ingested & { readonly source: string; readonly relation?: Relation };

/** Brings the rows of a cluster's table or files here, unless they stay there; answers what to call it. */
export async function readCluster(args: ClusterArgs, context: BlockContext): Promise<OfCluster> {
  const source = sourceOf(args);
  const called = "table" in source ? `spark ${source.table}` : source.address;
  const { types, decimal, thousands, na_values: naValues, most_rows, keep } = args;
  if (keep) {
    refuseReading(args);
    return { ...(await staying(source, context)), source: called };
  }
  try {
    const read = await context.collect({ source, mostRows: most_rows, types, decimal, thousands, naValues });
    return { ...read, source: called };
  } catch (error) {
    const isTooMany = error instanceof DataError && error.detail.code === "too_many_rows";
    const isCsv = "format" in source && source.format === "csv";
    if (!isTooMany || keep === false || isCsv) throw error;
    const read = await staying(source, context);
    const sentence = `input (DP_1): ${count(read.rows, "row")} are more than most_rows, ${most_rows.toLocaleString("en-US")}, so they stay on Spark and blocks run there; collect() brings here what they come to.`;
    return { ...read, source: called, notices: [...read.notices, sentence] };
  }
}

async function staying(source: ClusterSource, context: BlockContext): Promise<Ingested & { relation: Relation }> {
  return { artifact: "", ...(await context.survey(source)) };
}

/** Cells of rows that stay have the types that they have there. */
function refuseReading(args: ClusterArgs): void {
  const given = (["types", "na_values", "decimal", "thousands"] as const).find((name) => args[name] !== undefined);
  if (given === undefined) return;
  throw new ArgsError(
    `input (DP_1): ${given} is for rows that come here, and with keep they stay on Spark; use astype (DP_ASP) behind it, or a view there.`,
    { path: given },
  );
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
