import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { SparkClient } from "../../src/spark/index.ts";
import { someone } from "../support/caller.ts";
import { hasSpark, sparkAddress } from "../support/spark.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-measures-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!hasSpark)("what is known of tables on Spark, which needs BLOCKLAB_SPARK", { timeout: 600_000 }, () => {
  const prefix = `m${Math.random().toString(36).slice(2)}`;
  let spark: SparkClient;
  let service: Service;

  beforeAll(async () => {
    const address = await sparkAddress();
    spark = new SparkClient(address, { patienceMs: 60_000 });
    service = await createService({ home: join(home, "service"), threads: 0, spark: address });
    // Some numbers repeat, some lie far off, some are missing, and one column is large beside its breadth.
    const cells = `id AS k, CASE WHEN id % 7 = 3 THEN NULL ELSE exp(sin(id) * 9) END AS skew,
      CAST(id * 37 % 11 AS INT) AS few, CAST(pow(2, id % 40) AS BIGINT) AS wide, 1e9 + cos(id) AS high,
      CASE WHEN id % 1000 = 5 THEN sin(id) ELSE 4D END AS most, concat('s', id % 3) AS s`;
    for (const [parts, rows] of [
      [1, 150_000],
      [3, 150_000],
    ]) {
      await spark.command(
        `CREATE TABLE ${prefix}_${parts} USING parquet AS SELECT /*+ REPARTITION_BY_RANGE(${parts}, k) */ ${cells} FROM range(${rows})`,
      );
    }
  }, 240_000);

  afterAll(async () => {
    for (const parts of [1, 3]) await spark?.command(`DROP TABLE IF EXISTS ${prefix}_${parts}`);
    await spark?.close();
    await service?.close();
  });

  async function ran(keep: boolean, parts: number, ...steps: readonly (readonly [string, object])[]) {
    const { id } = await service.createProject(someone, `p${Math.random()}`);
    const input = { dburl: `spark:${prefix}_${parts}`, keep };
    let record: StateRecord | undefined;
    for (const [k, [function_code, args]] of ([["DP_1", input], ...steps] as const).entries()) {
      record = await service.run(someone, { project_id: id, block_id: k + 1, parent_id: k, function_code, args });
    }
    return record as StateRecord;
  }

  const prepared = [
    ["DP_2", { strategy_value: "mean" }],
    ["DP_5", { columns: ["skew", "high", "few"] }],
    ["DP_DSC", {}],
  ] as const;

  it("has quartiles, means and deviations as they are here, however the table is parted", async () => {
    const [one, three, here] = [
      await ran(true, 1, ...prepared),
      await ran(true, 3, ...prepared),
      await ran(false, 1, ...prepared),
    ];
    expect(three.output).toBe(one.output);
    const [there, own] = [one, here].map(({ output }) => JSON.parse(output ?? "").columns);
    for (const name of Object.keys(own)) {
      for (const [measure, value] of Object.entries(own[name])) {
        const found = there[name][measure];
        if (typeof value === "number")
          expect(Math.abs(found - value), `${measure} of ${name}`).toBeLessThanOrEqual(
            1e-9 * Math.max(1, Math.abs(value)),
          );
        else expect(found).toBe(value);
      }
    }
  });

  it("finds quantiles far from its guesses, where rows are left out", async () => {
    const steps = [
      ["BL_FILTER", { where: "skew < 0.001 || few == 10" }],
      ["DP_DSC", {}],
    ] as const;
    const [there, here] = [await ran(true, 3, ...steps), await ran(false, 3, ...steps)];
    const quartiles = ({ output }: StateRecord) =>
      Object.entries(JSON.parse(output ?? "").columns as Record<string, Record<string, number>>).map(([name, of]) => [
        name,
        of["25%"],
        of["50%"],
        of["75%"],
      ]);
    expect(quartiles(there)).toEqual(quartiles(here));
  });

  it("counts missing cells anew where a chain begins anew", async () => {
    const gapsOf = async () => {
      const { id } = await ran(true, 1);
      return JSON.stringify(await service.view(someone, id));
    };
    const before = await gapsOf();
    await spark.command(
      `INSERT OVERWRITE ${prefix}_1 SELECT /*+ REPARTITION(1) */ k, CAST(NULL AS DOUBLE), few, wide, high, most, s FROM ${prefix}_3`,
    );
    const after = await gapsOf();
    expect(before).toContain("21429");
    expect(after).toContain("150000");
    expect(after).not.toContain("21429");
  });
});
