import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BlocklabError } from "../../src/core/errors.ts";
import type { StateRecord } from "../../src/core/record.ts";
import { allBlocks } from "../../src/registry/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { someone } from "../support/caller.ts";
import { hasSparkPackage, sparkAddress } from "../support/spark.ts";
import { agrees, cases, checkTable, folder, type GoldenCase, type Lines } from "./cases.ts";

/** Why a case says nothing of Spark; null where it came out as it must. */
type Apart = string | null;

describe.skipIf(!hasSparkPackage)("the golden cases with their tables on Spark, which need BLOCKLAB_SPARK", () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-golden-spark-"));
  const apart = new Map<string, Apart>();
  let service: Service;

  beforeAll(async () => {
    service = await createService({ home: join(home, "service"), threads: 0, spark: await sparkAddress() });
  }, 200_000);

  afterAll(async () => {
    await service?.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** A case's file as Parquet of the types that it has here. */
  async function asParquet(project: number, { dburl, ...args }: { readonly dburl: string }): Promise<string> {
    const path = join(home, "data", `t${JSON.stringify([dburl, args]).replace(/\W+/g, "_")}.parquet`);
    const request = { project_id: project, function_code: "DP_1", args: { dburl: join(folder, dburl), ...args } };
    const { dataset_url } = await service.run(someone, { ...request, parent_id: 0 });
    const file = await service.file(someone, someone.artifactIn(dataset_url as string) as string, "parquet");
    mkdirSync(join(home, "data"), { recursive: true });
    copyFileSync(file.path, path);
    return path;
  }

  const who = (code: string) => {
    const block = allBlocks.find((each) => each.code === code);
    return `${block?.name} (${code})`;
  };

  /** Runs a case's requests as one chain over tables that stay on Spark, up to one that is refused by name. */
  async function runCase(golden: GoldenCase): Promise<StateRecord[] | string> {
    const { id } = await service.createProject(someone, `${golden.name} ${Math.random()}`);
    const scratch = (await service.createProject(someone, `data ${Math.random()}`)).id;
    const records: StateRecord[] = [];
    for (const [k, { function_code, args, parent = k }] of golden.requests.entries()) {
      const asked =
        function_code === "DP_1"
          ? { dburl: await asParquet(scratch, args as { dburl: string }), engine: "spark", keep: true }
          : args;
      const place = { project_id: id, block_id: k + 1, parent_id: parent };
      try {
        records.push(await service.run(someone, { ...place, function_code, args: asked }));
      } catch (error) {
        if (!(error instanceof BlocklabError) || (error.detail as { code?: string }).code !== "on_cluster") throw error;
        expect(error.message).toMatch(new RegExp(`^${who(function_code).replace(/[()]/g, "\\$&")}: .*collect\\(\\)`));
        return `\`${who(function_code)}\` is refused`;
      }
    }
    return records;
  }

  async function table(record: StateRecord, variable: string): Promise<Lines> {
    const names: Record<string, string> = { dataset: "dataset_url", x: "x_value_url", y: "y_value_url" };
    const url =
      variable === "y_pred"
        ? JSON.parse(String(record.output)).y_pred_url
        : record[(names[variable] ?? `${variable}_url`) as "dataset_url"];
    const { columns, rows } = await service.table(someone, someone.artifactIn(url) as string, { limit: 10_000 });
    return [columns.map(({ name }) => name), ...rows] as Lines;
  }

  async function check(golden: GoldenCase, records: readonly StateRecord[]): Promise<void> {
    for (const wanted of golden.expect) {
      const record = records[wanted.after - 1];
      if (wanted.variable) {
        checkTable(await table(record, wanted.variable), wanted);
        continue;
      }
      const output = JSON.parse(String(record.output)) as Record<string, number>;
      if (wanted.metric) expect(output[wanted.metric]).toBeGreaterThanOrEqual(wanted.at_least as number);
      else expect(agrees(output, wanted.output, wanted.tol), String(record.output)).toBe(true);
    }
  }

  it.each(cases.map((each) => [each.name, each] as const))("%s", { timeout: 300_000 }, async (name, golden) => {
    const records = await runCase(golden);
    if (typeof records === "string") {
      apart.set(name, records);
      return;
    }
    await check(golden, records);
    apart.set(name, null);
  });

  it("come out as they must, or stand in the docs by name", async () => {
    expect(apart.size).toBe(cases.length);
    const lines = [...apart].filter(([, why]) => why !== null).map(([name, why]) => `| ${name} | ${why} |`);
    const text = `# Golden cases on Spark

What pandas and scikit-learn say must come out comes out of tables that stay on [Spark](../spark.md) too, in ${
      cases.length - lines.length
    } of ${cases.length} cases. These say
nothing of Spark: \`collect()\` first, and they come out as well. The slow test of the golden cases writes this list.

| Case | |
|---|---|
${lines.join("\n")}
`;
    await expect(text).toMatchFileSnapshot("../../docs/notes/spark-cases.md");
  });
});
