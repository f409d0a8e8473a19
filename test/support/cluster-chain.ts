import type { StateRecord } from "../../src/core/record.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { SparkClient } from "../../src/spark/index.ts";
import { someone } from "./caller.ts";
import { sparkAddress } from "./spark.ts";

/** A block of a chain, and its arguments. */
export type Step = readonly [code: string, args?: object];

/** A service beside a Spark server that holds a table once on each of some numbers of partitions. */
export interface ClusterChain {
  readonly service: Service;
  readonly spark: SparkClient;
  /** Input arguments of a chain that stays there, over a table of so many partitions. */
  there(parts: number): object;
  /** Those of the same rows, collected. */
  readonly here: object;
  /** Runs blocks one behind the other; answers all records. */
  run(input: object, ...steps: readonly Step[]): Promise<StateRecord[]>;
  /** The rows behind a record's URL. */
  rows(url: string | null | undefined): Promise<unknown[][]>;
  /** How many rows are behind it. */
  total(url: string | null | undefined): Promise<number>;
  end(): Promise<void>;
}

/** Makes the tables of `rows` rows, of which no model brings any, from `cells`, expressions over `id`, on 1, 2 and 8 partitions. */
export async function clusterChain(home: string, cells: string, rows: number): Promise<ClusterChain> {
  const address = await sparkAddress();
  const prefix = `f${Math.random().toString(36).slice(2)}`;
  const spark = new SparkClient(address, { patienceMs: 60_000 });
  const service = await createService({ home, threads: 0, spark: address, broughtCells: 0 });
  const parts = [1, 2, 8];
  for (const n of parts) {
    await spark.command(
      `CREATE TABLE ${prefix}_${n} USING parquet AS SELECT /*+ REPARTITION_BY_RANGE(${n}, id) */ ${cells} FROM range(${rows})`,
    );
  }
  return {
    service,
    spark,
    there: (n) => ({ dburl: `spark:${prefix}_${n}`, keep: true }),
    here: { dburl: `spark:${prefix}_1` },
    run: (input, ...steps) => runChain(service, input, ...steps),
    async rows(url) {
      const id = someone.artifactIn(url as string) as string;
      return (await service.table(someone, id, { limit: 1000 })).rows.map((row) => [...row]);
    },
    async total(url) {
      const id = someone.artifactIn(url as string) as string;
      return (await service.table(someone, id, { limit: 1 })).total;
    },
    async end() {
      for (const n of parts) await spark.command(`DROP TABLE IF EXISTS ${prefix}_${n}`);
      await Promise.all([spark.close(), service.close()]);
    },
  };
}

/** Runs blocks on a service, one behind the other; answers all records. */
export async function runChain(service: Service, input: object, ...steps: readonly Step[]): Promise<StateRecord[]> {
  const { id } = await service.createProject(someone, `p${Math.random()}`);
  const found: StateRecord[] = [];
  for (const [function_code, args = {}] of [["DP_1", input] as const, ...steps]) {
    const block = found.length;
    const request = { project_id: id, block_id: block + 1, parent_id: block, function_code, args };
    found.push(await service.run(someone, request));
  }
  return found;
}

/** The message by which work failed. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: Error) => error.message,
  );
}
