import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlocklabError } from "../../src/core/errors.ts";
import type { StateRecord } from "../../src/core/record.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { SparkClient } from "../../src/spark/index.ts";
import { someone } from "../support/caller.ts";
import { hasSpark, sparkAddress } from "../support/spark.ts";

type Step = readonly [code: string, args?: object];

const home = mkdtempSync(join(tmpdir(), "blocklab-chains-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!hasSpark)("chains on Spark, which need BLOCKLAB_SPARK", { timeout: 300_000 }, () => {
  const prefix = `c${Math.random().toString(36).slice(2)}`;
  let spark: SparkClient;
  let service: Service;

  beforeAll(async () => {
    const address = await sparkAddress();
    spark = new SparkClient(address, { patienceMs: 60_000 });
    service = await createService({ home: join(home, "service"), threads: 0, spark: address });
    const cells = `id AS k, CASE WHEN id % 7 = 3 THEN NULL ELSE sin(id) * 1000 / (id % 5 + 1) END AS x,
      CAST(id * 37 % 11 AS INT) AS n, CASE id % 4 WHEN 0 THEN NULL ELSE concat('s ', id % 3, ' "\\'') END AS s,
      id % 2 = 0 AS yes, CAST(date_add(DATE'2026-01-01', CAST(id AS INT)) AS TIMESTAMP_NTZ) AS day`;
    for (const parts of [1, 2, 8]) {
      await spark.command(
        `CREATE TABLE ${prefix}_${parts} USING parquet AS SELECT /*+ REPARTITION_BY_RANGE(${parts}, k) */ ${cells} FROM range(60)`,
      );
    }
    await spark.command(`CREATE VIEW ${prefix}_view AS SELECT * FROM ${prefix}_2`);
  }, 240_000);

  afterAll(async () => {
    for (const parts of [1, 2, 8]) await spark?.command(`DROP TABLE IF EXISTS ${prefix}_${parts}`);
    await spark?.command(`DROP VIEW IF EXISTS ${prefix}_view`);
    await spark?.close();
    await service?.close();
  });

  async function ran(input: object, ...steps: readonly Step[]): Promise<StateRecord> {
    const { id } = await service.createProject(someone, `p${Math.random()}`);
    let block = 0;
    let record: StateRecord | undefined;
    for (const [function_code, args = {}] of [["DP_1", input] as const, ...steps]) {
      const request = { project_id: id, block_id: block + 1, parent_id: block, function_code, args };
      record = await service.run(someone, request);
      block += 1;
    }
    return record as StateRecord;
  }

  const there = (table: string | number) => ({ dburl: `spark:${prefix}_${table}`, keep: true });
  const here = {
    get dburl() {
      return `spark:${prefix}_1`;
    },
  };

  async function tableOf({ dataset_url }: StateRecord) {
    const { columns, rows, total } = await service.table(someone, someone.artifactIn(dataset_url as string) as string, {
      limit: 500,
    });
    return { columns: columns.map(({ name, type }) => [name, type]), rows: rows.map((row) => [...row]), total };
  }

  async function failureOf(work: Promise<unknown>): Promise<BlocklabError> {
    return await work.then(
      () => Promise.reject(new Error("it did not fail")),
      (error: BlocklabError) => error,
    );
  }

  /** Doubles that an engine rounds in its own way, to 12 digits. */
  const rounded = (cell: unknown): unknown =>
    typeof cell === "number" ? Number(cell.toPrecision(12)) : Array.isArray(cell) ? cell.map(rounded) : cell;

  const windows: Step = [
    "BL_DERIVE",
    { columns: { before: "lag(x)", place: "rowNumber()", sum: "cumsum(n)" }, order: ["n"] },
  ];
  const chains: Readonly<Record<string, readonly Step[]>> = {
    "the table": [],
    "rows and columns": [
      ["BL_FILTER", { where: "x > 0 && s != null" }],
      ["BL_DERIVE", { columns: { y: "x * 2 + n", word: "upper(s)" } }],
      ["BL_RENAME", { names: { k: "key" } }],
      ["BL_SELECT", { columns: ["key", "y", "word", "day"] }],
    ],
    "windows behind a filter": [["BL_FILTER", { where: "n != 4" }], windows],
    "order and place": [
      ["BL_SORT", { by: ["-n", "s"] }],
      ["BL_SLICE", { from: 3, to: 20 }],
      ["BL_FILTER", { where: "yes" }],
      ["BL_SLICE", { from: 1, to: -1 }],
    ],
    "parts of rows and of dates": [
      ["DP_PDT", { index: "day" }],
      ["DP_FSP", { x_boundaries: "3:20, 0:6", y_boundaries: "3:20, 6" }],
    ],
    groups: [
      [
        "BL_SUMMARIZE",
        {
          by: ["s"],
          columns: {
            rows: "count()",
            sum: "sum(x)",
            mean: "mean(x)",
            std: "std(x)",
            mid: "median(x)",
            first: "first(k)",
          },
        },
      ],
    ],
    joined: [
      ["BL_SUMMARIZE", { by: ["n"], columns: { most: "max(x)" } }],
      ["BL_JOIN", { other: 1, on: { n: "n" }, columns: ["k", "s"] }],
    ],
    "looked up": [["BL_JOIN", { other: 1, on: ["k"], how: "left", columns: ["yes"] }]],
    below: [
      ["BL_APPEND", { others: [1] }],
      ["BL_SLICE", { from: 50, to: 70 }],
    ],
    "longer and wider": [
      ["BL_SELECT", { columns: ["k", "x", "n"] }],
      ["BL_SLICE", { from: 0, to: 9 }],
      ["BL_LONGER", { columns: ["x", "n"] }],
      ["BL_WIDER", { names_from: "name", values_from: "value" }],
    ],
    "aggregates of each group": [
      ["BL_FILTER", { where: "k > 1" }],
      [
        "BL_DERIVE",
        {
          by: ["s"],
          columns: {
            rest: "x - mean(x)",
            share: "n / sum(n)",
            spread: "std(x * 2)",
            rows: "count()",
            mid: "median(x)",
            kinds: "countDistinct(n)",
            first: "first(k)",
            big: "x > mean(x) ? 'big' : 'small'",
          },
        },
      ],
      ["BL_FILTER", { where: "big == 'big'" }],
    ],
    drawn: [["BL_SAMPLE", { n: 9, random_state: 3 }]],
    prepared: [
      ["DP_2", { strategy: "mean", boundaries: ["x"] }],
      ["DP_2", { strategy: "mode", boundaries: ["s"] }],
      ["DP_3", { columns: ["s"], type: "onehot" }],
      ["DP_5", { scaler: "standard", boundaries: ["x"] }],
      ["DP_5", { scaler: "robust", boundaries: ["n"] }],
    ],
    "filled along their order": [
      ["DP_2", { strategy: "linear", boundaries: ["x"] }],
      ["DP_2", { strategy: "ffill", boundaries: ["n", "s"] }],
      ["DP_2", { strategy: "bfill" }],
      ["BL_DERIVE", { columns: { half: "x / 2" } }],
    ],
    "without gaps": [
      ["DP_2", { strategy: "drop" }],
      ["DP_6", { columns: ["day"] }],
    ],
  };

  it.each(Object.keys(chains))("answer what they answer here: %s", async (name) => {
    const [far, near] = [await ran(there(8), ...chains[name]), await ran(here, ...chains[name])];
    const [found, expected] = [await tableOf(far), await tableOf(near)];
    expect({ ...found, rows: rounded(found.rows) }).toEqual({ ...expected, rows: rounded(expected.rows) });
  });

  it.each([{}, { columns: ["s"], keep: "last" }, { columns: ["n", "yes"], keep: "none" }])(
    "find rows that repeat others, and drop them, as here: %j",
    async (args) => {
      for (const code of ["DP_SDC", "DP_DRD"]) {
        const steps: Step[] = [
          ["BL_SELECT", { columns: ["n", "s", "yes"] }],
          ["BL_FILTER", { where: "n < 9" }],
          [code, args],
        ];
        const [far, near] = [await ran(there(8), ...steps), await ran(here, ...steps)];
        expect(far.output).toEqual(near.output);
        expect(await tableOf(far)).toEqual(await tableOf(near));
      }
    },
  );

  it("drop rows that repeat others on both sides of a split as here", async () => {
    const steps: Step[] = [
      ["BL_SELECT", { columns: ["n", "s", "yes"] }],
      ["DP_FSP", { y: ["n"], x: ["s", "yes"] }],
      ["DP_4", { test_size: 0.25, random_state: 0 }],
      ["DP_DRD", {}],
    ];
    const partsOf = async (input: object) => {
      const record = await ran(input, ...steps);
      const urls = [record.x_train_url, record.x_test_url];
      return await Promise.all(urls.map((dataset_url) => tableOf({ ...record, dataset_url } as StateRecord)));
    };
    const parts = await partsOf(there(8));
    expect(parts.flatMap(({ rows }) => rows).length).toBeLessThan(60);
    expect(parts).toEqual(await partsOf(here));
  });

  it("answer the same bytes however many parts a table has", async () => {
    const steps: Step[] = [
      ["BL_SAMPLE", { n: 40, random_state: 1 }],
      ["BL_SUMMARIZE", { by: ["n"], columns: { sum: "sum(x)", std: "std(x)", first: "first(k)" } }],
    ];
    const found = [];
    for (const parts of [1, 2, 8]) found.push(JSON.stringify(await tableOf(await ran(there(parts), ...steps))));
    expect(new Set(found).size).toBe(1);
  });

  it.each([
    ["DP_INF", {}],
    ["DP_DSC", {}],
    ["DP_STC", { index: "s" }],
    ["DP_UNQ", {}],
    ["BL_GAPS", {}],
    ["BL_HISTOGRAM", { x: "x" }],
    ["BL_BAR", { x: "s" }],
    ["BL_BOX", { y: "x", x: "s" }],
    ["DP_SCP", { x: "k", y: "x" }],
  ] as const)("say of a table what is said here: %s", async (code, args) => {
    const told = async (input: object) => {
      const record = await ran(input, [code, args]);
      return [JSON.parse(String(record.output)), await service.view(someone, record.id)];
    };
    const plain = (value: unknown) => JSON.stringify(value, (_, each) => rounded(each));
    expect(plain(await told(there(2)))).toBe(plain(await told(here)));
  });

  it("collect their rows, with which any block works", async () => {
    const record = await ran(
      there(8),
      ["BL_FILTER", { where: "x != null" }],
      ["BL_COLLECT"],
      ["DP_FSP", { y: ["n"], x: ["k", "x"] }],
      ["DP_4", { random_state: 0 }],
    );
    expect(record.x_train_url).toBeTruthy();
    const collected = await ran(there(8), ["BL_COLLECT"]);
    expect(await tableOf(collected)).toEqual(await tableOf(await ran(there(8))));
  });

  it("stay there where there are more rows than most_rows, and say so", async () => {
    const record = await ran({ dburl: `spark:${prefix}_2`, most_rows: 50 });
    expect(record.notices?.join(" ")).toContain(
      "60 rows are more than most_rows, 50, so they stay on Spark and blocks run there",
    );
    expect((await tableOf(record)).total).toBe(60);
  });

  it("begin with views, in the order of their columns", async () => {
    const record = await ran(there("view"), ["BL_FILTER", { where: "n == 0" }]);
    expect((await tableOf(record)).rows.map(([k]) => k)).toEqual([0, 11, 22, 33, 44, 55]);
  });

  it("show Spark's SQL, and where they run", async () => {
    const record = await ran(
      there(2),
      ["BL_FILTER", { where: "n > 3" }],
      ["BL_SUMMARIZE", { columns: { m: "mean(x)" } }],
    );
    const text = await service.sql(someone, record.id);
    expect(text).toContain(`FROM ${prefix}_2`);
    expect(text).toContain("WHERE (`n` > 3L)");
    expect(text).toContain("avg(`x`)");
    expect((await service.explain(someone, record.id)).reading).toContain("Spark");
  });

  it.each([
    [
      [
        ["DP_FSP", { y: ["n"], x: ["k", "x"] }],
        ["ML_CN_2", {}],
      ],
      /^knn \(ML_CN_2\): its rows lie on Spark, .*collect\(\)/,
    ],
    [
      [
        ["DP_4", { test_size: 0.5 }],
        ["DP_2", { strategy: "ffill" }],
      ],
      /^missing \(DP_2\): .*fill before the split.*collect\(\)/,
    ],
    [
      [["BL_JOIN", { other: "sample:penguins", on: { s: "species" } }]],
      /^join \(BL_JOIN\): one of the tables lies on Spark and another one here/,
    ],
    [
      [["BL_COLLECT", { most_rows: 59 }]],
      /^collect \(BL_COLLECT\): the table has 60 rows, and most_rows is 59; filter\(\), sample\(\) or summarize\(\) first/,
    ],
  ] as const)("refuse by name what Spark can't do: %j", async (steps, sentence) => {
    expect((await failureOf(ran(there(2), ...(steps as unknown as Step[])))).message).toMatch(sentence);
  });

  it("refuse rows whose table has changed since", async () => {
    const name = `${prefix}_changing`;
    await spark.command(`CREATE TABLE ${name} USING parquet AS SELECT id FROM range(5)`);
    const { id } = await service.createProject(someone, `p${Math.random()}`);
    const first = {
      project_id: id,
      block_id: 1,
      parent_id: 0,
      function_code: "DP_1",
      args: { dburl: `spark:${name}`, keep: true },
    };
    await service.run(someone, first);
    const next = { project_id: id, block_id: 2, parent_id: 1, function_code: "BL_FILTER", args: { where: "id > 1" } };
    await spark.command(`INSERT OVERWRITE ${name} SELECT id FROM range(7)`);
    expect((await failureOf(service.run(someone, next))).message).toMatch(
      /^filter \(BL_FILTER\): spark:\w+ was changed since the chain began, .* gone; run input\(\) again\.$/,
    );
    await spark.command(`DROP TABLE ${name}`);
    expect((await failureOf(service.run(someone, next))).message).toMatch(
      /^filter \(BL_FILTER\): Spark at .* has no table or view/,
    );
  });
});
