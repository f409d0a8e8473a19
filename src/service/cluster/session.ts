import { CancelledError, DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import { subsetColumn } from "../../core/split.ts";
import type { Cell } from "../../core/view.ts";
import { type Query, queryText, type View } from "../../engines/spark/query.ts";
import { hiddenNames } from "../../engines/spark/source.ts";
import { sessionSettings } from "../../engines/spark/words.ts";
import { type ClusterTable, type Relation, withHeld } from "../../plan/node.ts";
import {
  files,
  localRows,
  quotedName,
  type Relation as Rows,
  type RunOptions,
  SparkClient,
  type SparkProgress,
  type SparkRows,
  select,
  sql,
  table,
} from "../../spark/index.ts";
import type { SourceRules } from "../sources.ts";
import { clusterAddress } from "./address.ts";
import { rowsOf } from "./cells.ts";
import { ofCluster } from "./failures.ts";
import { quotedTable } from "./table-name.ts";

/**
 * Settings of the sessions that read for callers: without SQL on files, so that no name of a table names a file.
 */
export const settings = { ...sessionSettings, "spark.sql.runSQLOnFiles": "false" };

/** What a session with the cluster needs of its surroundings. */
export interface ClusterSurroundings {
  /** Its address, sc://HOST:15002. */
  readonly address: string;
  readonly rules: SourceRules;
  readonly signal?: AbortSignal;
  /** Who asks, for sentences, such as "filter (BL_FILTER)". */
  readonly who: string;
  /** The columns of numbers of a file of ours by their names, such as the rows that were drawn. */
  list(artifact: string, columns: readonly string[]): Promise<readonly Int32Array[]>;
  progress(phase: string, done: number, total: number): void;
}

/**
 * What one block, or one look at a table, asks of the cluster: a session there with the tables that its plans read.
 *
 * It connects when it first asks. Failures are one sentence of who asks; cancelling interrupts what runs there.
 */
export class ClusterSession {
  readonly #around: ClusterSurroundings;
  readonly #views = new Map<string, View>();
  #client: SparkClient | null = null;

  constructor(around: ClusterSurroundings) {
    this.#around = around;
  }

  get place(): string {
    return this.#opened().place;
  }

  /** The rows of a query over plans, as cells; they must find room in memory. */
  async cells(plans: readonly Relation[], query: Query): Promise<Cell[][]> {
    const found: Cell[][] = [];
    await this.read(plans, query, async (rows) => {
      for await (const batch of rows) for (const each of rowsOf(batch)) found.push(each);
    });
    return found;
  }

  /** The whole numbers that a query over plans answers in its only column. */
  async numbers(plans: readonly Relation[], query: Query, size: number): Promise<Int32Array> {
    const found = new Int32Array(size);
    let at = 0;
    await this.read(plans, query, async (rows) => {
      for await (const batch of rows) {
        const values = batch.getChildAt(0)?.toArray() as Int32Array;
        found.set(values, at);
        at += values.length;
      }
    });
    return found;
  }

  /** Hands over the columns of a query over plans, which are doubles without missing cells, batch by batch. */
  async doubles(
    plans: readonly Relation[],
    query: Query,
    take: (columns: readonly Float64Array[]) => void,
  ): Promise<void> {
    await this.read(plans, query, async (rows) => {
      for await (const batch of rows) take(batch.schema.fields.map((_, k) => batch.getChildAt(k)?.toArray()));
    });
  }

  /** Works a query over plans out, and hands its rows to `take`. */
  async read<T>(
    plans: readonly Relation[],
    query: Query,
    take: (rows: SparkRows) => Promise<T>,
    onProgress: (progress: SparkProgress) => void = this.#told,
  ): Promise<T> {
    return await this.during(async (client, signal) => {
      for (const relation of plans) await this.#prepare(client, relation, signal);
      const text = queryText(query, this.#viewOf);
      return await take(client.rows(sql(text), { signal, onProgress }));
    });
  }

  /** Hands the rows of a query over plans to work with the client, not worked out yet. */
  async learn<T>(
    plans: readonly Relation[],
    query: Query,
    work: (client: SparkClient, rows: Rows, options: RunOptions) => Promise<T>,
  ): Promise<T> {
    return await this.during(async (client, signal) => {
      for (const relation of plans) await this.#prepare(client, relation, signal);
      const text = queryText(query, this.#viewOf);
      return await work(client, sql(text), { signal, onProgress: this.#told });
    });
  }

  /** Work with the client, whose failures are told in a sentence. */
  async during<T>(work: (client: SparkClient, signal?: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, who } = this.#around;
    const client = this.#opened();
    try {
      return await work(client, signal);
    } catch (error) {
      if (signal?.aborted) {
        // Closing alone would leave it at work until it misses us.
        await client.interrupt().catch(() => 0);
        throw new CancelledError();
      }
      throw ofCluster(error, who);
    }
  }

  progress(phase: string, done: number, total: number): void {
    this.#around.progress(phase, done, total);
  }

  async end(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.close();
  }

  #opened(): SparkClient {
    this.#client ??= new SparkClient(this.#around.address, { settings });
    return this.#client;
  }

  readonly #told = ({ tasks, tasksDone, stages, stagesDone }: SparkProgress): void => {
    if (tasks > 0)
      this.#around.progress(`Spark: stage ${Math.min(stagesDone + 1, stages)} of ${stages}`, tasksDone, tasks);
  };

  /** Sees to it that the tables and lists that a plan reads have names in the session. */
  async #prepare(client: SparkClient, relation: Relation, signal?: AbortSignal): Promise<void> {
    for (const { cluster, holds, steps } of withHeld(relation)) {
      if (cluster) await this.#once(keyOf(cluster), (name) => this.#scan(client, cluster, name, signal));
      if (holds?.made === "take") {
        const { artifact } = holds.rows;
        await this.#once(artifact, async (name) => {
          const [rows] = await this.#around.list(artifact, ["row"]);
          await client.createView(name, localRows(await listBytes({ row: rows, place: rows.map((_, k) => k) })), {
            signal,
          });
          return { name };
        });
      }
      for (const { split } of steps) {
        if (split?.kind !== "list") continue;
        await this.#once(split.artifact, async (name) => {
          const [fold, place] = await this.#around.list(split.artifact, [subsetColumn, "pos"]);
          await client.createView(name, localRows(await listBytes({ row: fold.map((_, k) => k), fold, place })), {
            signal,
          });
          return { name };
        });
      }
    }
  }

  async #once(key: string, make: (name: string) => Promise<View>): Promise<void> {
    if (this.#views.has(key)) return;
    const name = `blocklab_${this.#views.size}`;
    this.#views.set(key, await make(name));
  }

  readonly #viewOf = (of: ClusterTable | string): View => {
    const view = this.#views.get(keyOf(of));
    if (!view) throw new TypeError("a plan reads a table that was not prepared");
    return view;
  };

  async #scan(client: SparkClient, cluster: ClusterTable, name: string, signal?: AbortSignal): Promise<View> {
    const rows = await this.rowsOf(cluster.source);
    let isWhole = false;
    if (cluster.files) {
      const found = new Set((await client.files(rows, signal)).map(plainPath));
      const gone = cluster.files.filter(({ path }) => !found.has(plainPath(path))).length;
      isWhole = gone === 0 && found.size === cluster.files.length;
      if (gone > 0) {
        throw new DataError(
          `${this.#around.who}: ${nameOfSource(cluster.source)} was changed since the chain began, ${count(gone, "file")} of it ${gone === 1 ? "is" : "are"} gone; run input() again.`,
          { code: "table_changed" },
        );
      }
    }
    const { file, place } = hiddenNames(cluster);
    const placed = cluster.order === "files" ? withPlaces(rows, file, place) : rows;
    await client.createView(name, placed, { signal });
    return { name, isWhole };
  }

  /** A table or files of the cluster as it reads them. */
  async rowsOf(source: ClusterTable["source"]): Promise<Rows> {
    if ("table" in source) return table(quotedTable(source.table));
    return files("parquet", [await clusterAddress(source.address, this.#around.rules)]);
  }
}

/** By what a session knows the view of a table, or of a list. */
function keyOf(of: ClusterTable | string): string {
  return typeof of === "string" ? of : JSON.stringify(of);
}

/** A file's address in one form: Spark writes file:/a%20b or file:///a b for the same. */
function plainPath(path: string): string {
  const short = path.replace(/^file:\/+/, "file:/");
  try {
    return decodeURIComponent(short);
  } catch {
    return short;
  }
}

/** What to call a source in sentences. */
export function nameOfSource(source: ClusterTable["source"]): string {
  return "table" in source ? `spark:${source.table}` : source.address;
}

/** Rows of Parquet files with the file and the place of each. */
export function withPlaces(rows: Rows, file: string, place: string): Rows {
  return select(rows, [
    "*",
    `_metadata.file_path AS ${quotedName(file)}`,
    `_metadata.row_index AS ${quotedName(place)}`,
  ]);
}

/** Whole numbers as the columns of a table. */
async function listBytes(columns: Readonly<Record<string, Int32Array>>): Promise<Uint8Array> {
  const { tableFromArrays, tableToIPC } = await import("apache-arrow");
  return tableToIPC(tableFromArrays(columns), "stream");
}
