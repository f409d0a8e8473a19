import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import { type ClusterChain, clusterChain, failureOf, type Step } from "../support/cluster-chain.ts";
import { hasSpark } from "../support/spark.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-split-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!hasSpark)("rows that are split on Spark, which need BLOCKLAB_SPARK", { timeout: 300_000 }, () => {
  let chain: ClusterChain;

  beforeAll(async () => {
    const cells = `id AS k, CASE WHEN id % 7 = 3 THEN NULL ELSE id * 13 % 31 / 4 END AS x, id * 37 % 11 AS n,
      concat('s', id * id % 3) AS s, IF(id = 5, 'alone', 'b') AS a, IF(id = 7, NULL, 'b') AS h`;
    chain = await clusterChain(join(home, "service"), cells, 120);
  }, 240_000);
  afterAll(() => chain?.end());

  const roles: Step = ["DP_FSP", { y: ["n"], x: ["k", "x", "s"] }];
  async function sidesOf(record: StateRecord) {
    const { x_train_url, y_train_url, x_test_url, y_test_url } = record;
    return await Promise.all([x_train_url, y_train_url, x_test_url, y_test_url].map((url) => chain.rows(url)));
  }

  it.each([
    [{ random_state: 3 }],
    [{ random_state: 3, stratify: "s" }],
    [{ test_size: 7, train_size: 0.3, random_state: 1 }],
    [{ test_size: 0.2, shuffle: false }],
  ])("train and test as here, on any number of partitions: %j", async (args) => {
    const near = await sidesOf((await chain.run(chain.here, roles, ["DP_4", args]))[2]);
    expect(near[2].length).toBeGreaterThan(0);
    for (const parts of [1, 2, 8]) {
      expect(await sidesOf((await chain.run(chain.there(parts), roles, ["DP_4", args]))[2])).toEqual(near);
    }
  });

  it.each<[string, readonly Step[]]>([
    ["a filter", [["BL_FILTER", { where: "n != 4" }]]],
    ["dropped rows", [["DP_2", { strategy: "drop" }]]],
    [
      "what is learnt of training rows",
      [
        ["DP_2", { strategy: "mean", boundaries: ["x"] }],
        ["DP_5", { scaler: "standard", boundaries: ["x", "k"] }],
        ["DP_3", { columns: ["s"], type: "onehot" }],
      ],
    ],
    ["a fill by medians", [["DP_2", { strategy: "median", boundaries: ["x"] }]]],
    ["a sort", [["BL_SORT", { by: ["-n", "s"] }]]],
    [
      "a part of what is sorted",
      [
        ["BL_SORT", { by: ["s"] }],
        ["BL_SLICE", { from: 5, to: 60 }],
      ],
    ],
    ["rows that are drawn", [["BL_SAMPLE", { n: 30, random_state: 2 }]]],
    ["rows of groups that are drawn", [["BL_SAMPLE", { frac: 0.3, by: ["s"], random_state: 2 }]]],
    [
      "copies, in another order",
      [
        ["BL_SAMPLE", { frac: 1.5, replace: true, random_state: 4 }],
        ["BL_SORT", { by: ["-s"] }],
        ["BL_SAMPLE", { n: 50, random_state: 4 }],
      ],
    ],
    [
      "a row for each column, in another order",
      [
        ["BL_LONGER", { columns: ["x", "k"] }],
        ["BL_SORT", { by: ["-name"] }],
      ],
    ],
    ...["left", "semi", "anti"].map((how): [string, readonly Step[]] => [
      `a ${how} join`,
      [
        ["BL_JOIN", { other: 1, on: how === "left" ? { n: "x" } : { k: "n" }, how }],
        ["BL_FILTER", { where: "k > 3" }],
        ["BL_SORT", { by: ["s"] }],
      ],
    ]),
  ])("stay on their sides behind %s", async (_, steps) => {
    const all: Step[] = [["BL_FILTER", { where: "k != 9" }], roles, ["DP_4", { random_state: 0 }], ...steps];
    const round = (sides: unknown[][][]) =>
      sides.map((side) => side.map((row) => row.map((x) => (typeof x === "number" ? Number(x.toPrecision(12)) : x))));
    const near = round(await sidesOf((await chain.run(chain.here, ...all)).at(-1) as StateRecord));
    for (const parts of [1, 8]) {
      expect(round(await sidesOf((await chain.run(chain.there(parts), ...all)).at(-1) as StateRecord))).toEqual(near);
    }
  });

  it("come here on their sides", async () => {
    const steps: Step[] = [roles, ["DP_4", { random_state: 0 }], ["BL_FILTER", { where: "n != 4" }]];
    const near = await sidesOf((await chain.run(chain.here, ...steps)).at(-1) as StateRecord);
    const collected = await chain.run(chain.there(2), ...steps, ["BL_COLLECT"]);
    expect(await sidesOf(collected.at(-1) as StateRecord)).toEqual(near);
  });

  it("are shown in their order, with how many there are", async () => {
    const [, , record] = await chain.run(chain.there(2), roles, ["DP_4", { random_state: 0 }]);
    const near = await chain.run(chain.here, roles, ["DP_4", { random_state: 0 }]);
    const { someone } = await import("../support/caller.ts");
    const [far, here] = [await chain.service.view(someone, record.id), await chain.service.view(someone, near[2].id)];
    const head = (view: unknown) =>
      (view as { views: { kind: string; rows?: unknown; total?: number }[] }).views.at(-1);
    expect(head(far)?.rows).toEqual(head(here)?.rows);
    expect(head(far)?.total).toBe(90);
    expect(await chain.service.sql(someone, record.id)).toContain("fold");
  });

  it.each<[object, RegExp]>([
    [{ stratify: "a" }, /^split \(DP_4\): "alone" of column "a" has one row alone/],
    [{ stratify: "h" }, /^split \(DP_4\): column "h" has missing cells/],
    [{ stratify: "n", test_size: 5 }, /^split \(DP_4\): column "n" has 11 different values/],
    [{ test_size: 500 }, /^split \(DP_4\): test_size must be a share/],
  ])("are refused as here: %j", async (args, sentence) => {
    const message = await failureOf(chain.run(chain.there(2), ["DP_4", args]));
    expect(message).toMatch(sentence);
    expect(message).toBe(await failureOf(chain.run(chain.here, ["DP_4", args])));
  });

  it("say what can't follow a split, as here", async () => {
    const join: Step = ["BL_JOIN", { other: 1, on: ["k"], how: "inner" }];
    const message = await failureOf(chain.run(chain.there(2), ["DP_4", { random_state: 0 }], join));
    expect(message).toMatch(/^join \(BL_JOIN\): after a split only left, semi and anti/);
    expect(message).toBe(await failureOf(chain.run(chain.here, ["DP_4", { random_state: 0 }], join)));
  });

  it("say that copies stay on their side", async () => {
    const copies: Step = ["BL_JOIN", { other: 1, on: { n: "x" }, how: "left" }];
    const records = await chain.run(chain.there(2), ["DP_4", { random_state: 0 }], copies);
    expect(records.at(-1)?.notices?.join(" ")).toContain("copies of a row stay on its side of the split");
  });
});

describe.skipIf(!hasSpark)("more rows than a list holds, which need BLOCKLAB_SPARK", { timeout: 300_000 }, () => {
  let chain: ClusterChain;

  beforeAll(async () => {
    chain = await clusterChain(
      join(home, "large"),
      "id AS k, id * id % 7 AS n, IF(id % 100 = 0, 'r', 'c') AS s",
      100_100,
    );
  }, 240_000);
  afterAll(() => chain?.end());

  it.each<[object, number, number]>([
    [{ test_size: 0.3, random_state: 5 }, 70_070, 30_030],
    [{ test_size: 1234, train_size: 4321, random_state: 5 }, 4321, 1234],
    [{ test_size: 0.2, random_state: 6, stratify: "s" }, 80_080, 20_020],
  ])("are drawn by their numbers alone: %j", async (args, train, test) => {
    const found = [];
    for (const parts of [1, 2, 8]) {
      const records = await chain.run(
        chain.there(parts),
        ["DP_FSP", { y: ["n"], x: ["k"] }],
        ["DP_4", args],
        ["DP_5", { scaler: "standard", boundaries: ["k"] }],
        ["BL_FILTER", { where: "s == 'r'" }],
      );
      const [, , split, , rare] = records;
      expect(split.notices?.join(" ")).toContain("by a hash of their numbers");
      expect(await chain.total(split.x_train_url)).toBe(train);
      expect(await chain.total(split.x_test_url)).toBe(test);
      found.push([
        await chain.rows(rare.x_train_url),
        await chain.total(rare.x_train_url),
        await chain.total(rare.x_test_url),
      ]);
    }
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
    const [rows, trains, tests] = found[0] as [number[][], number, number];
    expect(new Set(rows.map(String)).size).toBe(Math.min(1000, trains));
    // Every hundredth row is rare, so many on each side, or just so where the sides keep the shares.
    const isKept = "stratify" in args;
    expect(Math.abs(trains - train / 100)).toBeLessThanOrEqual(isKept ? 1 : 4 * Math.sqrt(train / 100));
    expect(Math.abs(tests - test / 100)).toBeLessThanOrEqual(isKept ? 1 : 4 * Math.sqrt(test / 100));
  });

  const sides: Step[] = [
    ["DP_FSP", { y: ["n"], x: ["k"] }],
    ["DP_4", { test_size: 0.3, random_state: 5 }],
  ];
  it.each<[string, readonly Step[]]>([
    ["a sort", [["BL_SORT", { by: ["-n", "k"] }]]],
    ["rows that are drawn", [["BL_SAMPLE", { n: 900, random_state: 4 }]]],
    [
      "rows of groups that are drawn, a row for each column",
      [
        ["BL_SAMPLE", { n: 60, by: ["n"], random_state: 4 }],
        ["BL_LONGER", { columns: ["k"] }],
      ],
    ],
    ["a filter", [["BL_FILTER", { where: "k % 211 == 3" }]]],
  ])("stay on their sides behind %s, however the table is parted", async (_, steps) => {
    const found = [];
    for (const parts of [1, 2, 8]) {
      const records = await chain.run(chain.there(parts), ...sides, ...steps);
      const own = records.at(-1) as StateRecord;
      found.push([await chain.rows(own.x_train_url), await chain.rows(own.x_test_url)]);
    }
    expect(found[0][0].length).toBeGreaterThan(100);
    expect(found[0][1].length).toBeGreaterThan(50);
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
  });
});
