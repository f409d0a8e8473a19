import { rm } from "node:fs/promises";
import type { ClusterSource, Collecting } from "../../core/cluster.ts";
import { CancelledError, DataError } from "../../core/errors.ts";
import { count, listed } from "../../core/names.ts";
import type { Ingested, IngestOptions } from "../../core/tables.ts";
import type { EngineTables } from "../../engines/duckdb/index.ts";
import { sessionSettings } from "../../engines/spark/words.ts";
import { files, quotedName, type Relation, SparkClient, type SparkField, sql, table } from "../../spark/index.ts";
import type { SourceRules } from "../sources.ts";
import { clusterAddress } from "./address.ts";
import { ofInput } from "./failures.ts";
import { inOrder } from "./order.ts";
import { quotedTable } from "./table-name.ts";
import { writeArrow, writeCsv } from "./transfer.ts";

/** What collecting needs of its surroundings. */
export interface CollectSurroundings {
  readonly rules: SourceRules;
  readonly tables: EngineTables;
  readonly signal: AbortSignal;
  /** A path for the rows on their way. */
  readonly temporary: string;
  progress(phase: string, done: number, total: number): void;
}

/** Kinds of Spark's columns that no column here can hold. */
const unheld = ["variant", "calendar_interval", "year_month_interval", "unparsed", "udt"];

/**
 * Settings of the sessions that read for callers: without SQL on files, so that no name of a table names a file.
 */
const settings = { ...sessionSettings, "spark.sql.runSQLOnFiles": "false" };

/**
 * Brings the rows of a cluster's table or files into a Parquet artifact.
 *
 * They are counted there first. They come as batches of Arrow and wait in one file, so that memory does not grow with them.
 * CSV is parted into cells there and read here, so that its types are those of any CSV file.
 */
export async function collect(
  address: string,
  { source, mostRows, ...reading }: Collecting,
  around: CollectSurroundings,
): Promise<Ingested> {
  const { signal, temporary, tables } = around;
  const client = new SparkClient(address, { settings });
  try {
    const relation = await relationOf(source, around.rules);
    const columns = await client.schema(relation, signal);
    refuseUnheld(source, columns);
    const { view, orderBy, isSorted } = await inOrder(client, relation, columns, signal);
    const total = await countOf(client, view, signal);
    refuseTooMany(source, total, mostRows);
    const phase = `rows of ${total.toLocaleString("en-US")} collected`;
    around.progress(phase, 0, total);
    const cells = columns.map(({ name }) => quotedName(name)).join(", ");
    const rows = client.rows(sql(`SELECT ${cells} FROM ${view} ORDER BY ${orderBy}`), { signal });
    const onRows = (n: number) => around.progress(phase, n, Math.max(n, total));
    const form = formOf(source);
    if (form.format === "csv") await writeCsv(rows, temporary, form.header === true, onRows);
    else await writeArrow(rows, temporary, onRows);
    const file = { path: temporary, name: nameOf(source), release: async () => undefined };
    const read = await tables.ingest(file, { ...form, ...reading });
    const notices = isSorted
      ? [
          ...read.notices,
          `input (DP_1): ${nameOf(source)} has no order of its own in Spark, so its rows were sorted by all columns; each time they come in the same order.`,
        ]
      : read.notices;
    return { ...read, notices };
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    throw ofInput(error, source);
  } finally {
    // Closing alone would leave it at work until it misses us.
    if (signal.aborted) await client.interrupt().catch(() => 0);
    await Promise.all([client.close(), rm(temporary, { force: true })]);
  }
}

async function relationOf(source: ClusterSource, rules: SourceRules): Promise<Relation> {
  if ("table" in source) return table(quotedTable(source.table));
  const place = await clusterAddress(source.address, rules);
  if (source.format === "parquet") return files("parquet", [place]);
  return files("csv", [place], {
    header: String(source.hasHeader),
    // A line break within quotes belongs to its cell, and a doubled quote is one, as everywhere but in Spark.
    multiLine: "true",
    escape: '"',
    // Files whose columns stand in another order, and lines of too many cells, are refused rather than mixed up.
    enforceSchema: "false",
    mode: "FAILFAST",
    ...(source.delimiter === undefined ? {} : { sep: source.delimiter }),
    ...(source.encoding === undefined ? {} : { encoding: source.encoding }),
  });
}

/** How what came is read here. */
function formOf(source: ClusterSource): Pick<IngestOptions, "format" | "header" | "delimiter" | "encoding"> {
  if ("table" in source || source.format === "parquet") return { format: "arrow" };
  return { format: "csv", header: source.hasHeader, delimiter: ",", encoding: "utf-8" };
}

/** What to call a source in sentences. */
export function nameOf(source: ClusterSource): string {
  return "table" in source ? `spark:${source.table}` : source.address;
}

async function countOf(client: SparkClient, view: string, signal: AbortSignal): Promise<number> {
  let total = 0n;
  for await (const batch of client.rows(sql(`SELECT count(*) AS n FROM ${view}`), { signal })) {
    total += BigInt(batch.getChildAt(0)?.get(0) ?? 0);
  }
  return Number(total);
}

function refuseUnheld(source: ClusterSource, columns: readonly SparkField[]): void {
  const found = columns.filter(({ type }) => unheld.includes(type.kind));
  if (found.length === 0) return;
  throw new DataError(
    `input (DP_1): ${listed(found.map(({ name }) => name))} of ${nameOf(source)} ${found.length === 1 ? "is" : "are"} of type ${found[0].type.text}, which no column here can hold; make a view in Spark that casts or leaves out such columns, and read that.`,
    { code: "unheld_column" },
  );
}

function refuseTooMany(source: ClusterSource, total: number, mostRows: number): void {
  if (total <= mostRows) return;
  throw new DataError(
    `input (DP_1): ${nameOf(source)} has ${count(total, "row")}, and most_rows is ${mostRows.toLocaleString("en-US")}; raise most_rows, or make a view in Spark with fewer rows, and read that.`,
    { code: "too_many_rows", expected: mostRows, got: total },
  );
}
