import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelFile, readModel } from "../../src/core/model.ts";
import type { StateRecord } from "../../src/core/record.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { assembled, select, sql, transformed } from "../../src/spark/index.ts";
import { someone } from "../support/caller.ts";
import { type ClusterChain, clusterChain, failureOf, runChain, type Step } from "../support/cluster-chain.ts";
import { hasSpark, sparkAddress } from "../support/spark.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-fits-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!hasSpark)("models that learn on Spark, which need BLOCKLAB_SPARK", { timeout: 300_000 }, () => {
  let chain: ClusterChain;

  beforeAll(async () => {
    // The target follows a, b and c with some noise; d repeats what a and b say, h has holes.
    const cells = `id AS k, sin(id) * 3 + 1000 AS a, id * 37 % 11 / 4 - 1 AS b, id % 3 = 0 AS c,
      CASE id % 3 WHEN 0 THEN 'red' WHEN 1 THEN 'green' ELSE 'blue' END AS colour,
      2 * (sin(id) * 3 + 1000) - (id * 37 % 11 / 4 - 1) AS d, IF(id % 5 = 0, NULL, cos(id)) AS h, 7 AS one,
      sin(id) * 2 + (id * 37 % 11) - IF(id % 3 = 0, 5, 0) + cos(id * 7) / 3 AS y`;
    chain = await clusterChain(join(home, "service"), cells, 200);
  }, 240_000);
  afterAll(() => chain?.end());

  const output = (record: StateRecord) => JSON.parse(String(record.output)) as Record<string, unknown>;
  const split: Step = ["DP_4", { test_size: 0.3, random_state: 1 }];
  const xy = (...x: string[]): Step => ["DP_FSP", { y: ["y"], x }];

  async function modelOf(record: StateRecord, { service }: { service: Service } = chain): Promise<ModelFile> {
    const [{ model_url }] = Object.values(output(record)) as { model_url: string }[];
    const { path } = await service.file(someone, someone.artifactIn(model_url) as string, "json");
    return readModel(readFileSync(path));
  }

  /** Equal but for numbers, which may differ by so small a share of the larger one, or of 1. */
  function near(found: unknown, expected: unknown, share = 1e-9): void {
    const numbers: [number, number][] = [];
    const shape = (value: unknown): unknown => {
      if (typeof value === "number") return "a number";
      if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, shape);
      if (Array.isArray(value)) return value.map(shape);
      if (value && typeof value === "object")
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each)]));
      return value;
    };
    const walk = (a: unknown, b: unknown): void => {
      if (typeof a === "number") numbers.push([a, b as number]);
      else if (a && typeof a === "object")
        for (const [name, each] of Object.entries(a)) walk(each, (b as Record<string, unknown>)[name]);
    };
    expect(shape(found)).toEqual(shape(expected));
    walk(found, expected);
    for (const [a, b] of numbers)
      expect(Math.abs(a - b)).toBeLessThanOrEqual(share * Math.max(1, Math.abs(a), Math.abs(b)));
  }

  async function everywhere(steps: readonly Step[], look: (records: StateRecord[]) => Promise<unknown>, on = chain) {
    const here = await look(await on.run(on.here, ...steps));
    const there = [];
    for (const parts of [1, 2, 8]) there.push(await look(await on.run(on.there(parts), ...steps)));
    near(there[0], here);
    // The same to the last digit however the table is parted.
    expect(there[1]).toEqual(there[0]);
    expect(there[2]).toEqual(there[0]);
  }

  it("multiply columns of 0 and 1 by their patterns, of which there are few or too many", async () => {
    // Each is 1 in one row of 40, so that they could be those of one text, but most rows that have two of them are alone.
    const rare = Array.from({ length: 30 }, (_, k) => `r${k}`);
    const flags = rare.map((name, k) => `CAST(abs(hash(id, ${k})) % 40 = 0 AS INT) AS ${name}`);
    const y = `sin(id) + id * 37 % 11 + ${rare.map((_, k) => `IF(abs(hash(id, ${k})) % 40 = 0, ${k % 7}, 0)`).join(" + ")} AS y`;
    const cells = ["id AS k, sin(id) * 3 + 1000 AS a, id * 37 % 11 AS b, id % 3 = 0 AS c", ...flags, y].join(", ");
    const many = await clusterChain(join(home, "flags"), cells, 40_000);
    try {
      for (const x of [["a", "c", "r1", "b", "r2", "r3"], rare]) {
        const steps: Step[] = [xy(...x), split, ["ML_R_2"]];
        await everywhere(steps, async (records) => (await modelOf(records[3], many)).parameters, many);
      }
    } finally {
      await many.end();
    }
  });

  it("correlate columns, some with missing cells and one that never changes", async () => {
    await everywhere([["DP_CRR"]], async (records) => output(records[1]));
  });

  it.each([[{ n_components: 2 }], [{ n_components: 0.9 }], [{ n_components: "mle" }], [{}]])(
    "find principal components of training rows: %j",
    async (args) => {
      const steps: Step[] = [xy("a", "b", "k"), split, ["DP_PCA", args]];
      await everywhere(steps, async (records) => [
        output(records[3]),
        await chain.rows(records[3].x_train_url),
        await chain.rows(records[3].x_test_url),
      ]);
    },
  );

  const lines: [string, object, string[]][] = [
    ["ML_R_1", {}, ["b"]],
    ["ML_R_1", { fit_intercept: false }, ["c"]],
    ["ML_R_1", {}, ["a", "b"]],
    ["ML_R_2", {}, ["a", "b", "c"]],
    ["ML_R_2", { fit_intercept: false }, ["a", "b", "c"]],
    ["ML_R_2", {}, ["a", "b", "d", "one", "k"]],
    ["ML_R_3", {}, ["b", "c"]],
    ["ML_R_3", { degree: 3, interaction_only: true }, ["b", "c", "k"]],
    ["BL_RIDGE", { alpha: 2 }, ["a", "b", "c"]],
    ["BL_RIDGE", { alpha: 0 }, ["a", "b", "c"]],
    ["BL_RIDGE", { alpha: 0.5, positive: true }, ["a", "b", "c"]],
    ["BL_RIDGE", { alpha: "auto" }, ["a", "b", "c"]],
    ["BL_RIDGE", { alphas: [10, 0.1], fit_intercept: false }, ["b", "c"]],
    ["BL_LASSO", { alpha: 0.05 }, ["a", "b", "c"]],
    ["BL_ELASTICNET", { alpha: 0.05, l1_ratio: 0.5 }, ["b", "c", "k"]],
  ];
  it.each(lines)("fit %s %j to training rows, predict and judge test rows", async (code, args, x) => {
    const asked = { model_name: "m", test_data: "x_test_url", row_id: true, columns: ["k", "b"] };
    const steps: Step[] = [
      xy(...x),
      split,
      [code, { ...args, model_name: "m" }],
      [`${code}_P`, asked],
      [`${code}_M`, { model_name: "m" }],
    ];
    await everywhere(steps, async (records) => {
      const { parameters, trained, features, targets } = await modelOf(records[3]);
      const { y_pred_url } = output(records[4]) as { y_pred_url: string };
      const view = await chain.service.view(someone, records[4].id);
      return [{ parameters, trained, features, targets }, await chain.rows(y_pred_url), view, output(records[5])];
    });
  });

  it.each([
    ["BL_LASSO", { alpha: "auto" }],
    ["BL_ELASTICNET", { alphas: [0.1, 0.01], l1_ratio: 0.5 }],
  ])("choose a strength by folds: %s %j", async (code, args) => {
    await everywhere([xy("a", "b", "c"), [code, { ...args, model_name: "m" }]], async (records) => [
      (await modelOf(records[2])).parameters,
      await chain.service.view(someone, records[2].id),
    ]);
    // Behind a split a hash of the rows' numbers deals the folds.
    const found = [];
    for (const parts of [1, 8]) {
      const records = await chain.run(chain.there(parts), xy("a", "b", "c"), split, [
        code,
        { ...args, model_name: "m" },
      ]);
      found.push((await modelOf(records[3])).parameters);
    }
    expect(found[1]).toEqual(found[0]);
  });

  it("fit one column for each of some words, which depend on each other", async () => {
    const steps: Step[] = [
      xy("b", "colour"),
      split,
      ["DP_3", { columns: ["colour"], type: "onehot" }],
      ["DP_5", { scaler: "standard", boundaries: ["b"] }],
      ["ML_R_2", { model_name: "m" }],
      ["ML_R_2_M", { model_name: "m" }],
    ];
    await everywhere(steps, async (records) => [(await modelOf(records[5])).parameters, output(records[6])]);
  });

  const classes: [string, string, string, object, string[]][] = [
    ["two classes", "c", "ML_CN_5", {}, ["a", "b", "y"]],
    ["words", "colour", "ML_CN_5", { priors: [0.2, 0.5, 0.3], var_smoothing: 1e-3 }, ["b", "y"]],
    ["two classes", "c", "ML_CN_1", { max_iter: 6 }, ["b", "y"]],
    ["words", "colour", "ML_CN_1", { max_iter: 4, class_weight: { red: 2 }, fit_intercept: false }, ["b", "y"]],
    ["words", "colour", "ML_CN_1", { max_iter: 4, class_weight: "balanced" }, ["b", "y"]],
  ];
  it.each(classes)("tell %s apart: %s, %s %j", async (_, y, code, args, x) => {
    const steps: Step[] = [
      ["DP_FSP", { y: [y], x }],
      split,
      ["DP_5", { scaler: "standard", x: true }],
      [code, { ...args, model_name: "m" }],
      [`${code}_P`, { model_name: "m", test_data: "x_test_url" }],
      [`${code}_M`, { model_name: "m" }],
    ];
    await everywhere(steps, async (records) => {
      const { parameters, trained, classes: labels } = await modelOf(records[4]);
      const { y_pred_url, y_proba_url } = output(records[5]) as Record<string, string>;
      const answers = [await chain.rows(y_pred_url), await chain.rows(y_proba_url)];
      const view = await chain.service.view(someone, records[6].id);
      return [{ parameters, trained, labels }, answers, output(records[6]), records[4].notices, view];
    });
  });

  it.each([[{ n_clusters: 3 }], [{ n_clusters: 4, init: "random", n_init: 3, random_state: 7 }], [{ n_clusters: 1 }]])(
    "group training rows around centres, and judge test rows: kmeans %j",
    async (args) => {
      const steps: Step[] = [
        ["DP_FSP", { y: ["colour"], x: ["a", "b", "c", "y"] }],
        split,
        ["DP_5", { scaler: "standard", x: true }],
        ["ML_CG_2", { ...args, model_name: "m" }],
        ["ML_CG_2_P", { model_name: "m", test_data: "x_test_url", columns: ["k"] }],
        ["ML_CG_2_M", { model_name: "m" }],
        ["BL_SUMMARIZE", { by: ["cluster"], columns: { n: "count()", k: "sum(k)" } }],
      ];
      await everywhere(steps, async (records) => {
        const { y_pred_url } = output(records[5]) as { y_pred_url: string };
        return [
          (await modelOf(records[4])).parameters,
          [await chain.service.view(someone, records[4].id), records[4].notices],
          [await chain.rows(y_pred_url), await chain.service.view(someone, records[5].id)],
          [output(records[6]), await chain.service.view(someone, records[6].id)],
          await chain.rows(records[7].dataset_url),
        ];
      });
    },
  );

  it("give clusters without rows those that are farthest from their centres", async () => {
    const steps: Step[] = [
      ["BL_DERIVE", { columns: { e: "k > 196 ? k : k % 3" } }],
      ["DP_FSP", { x: ["e"] }],
      ["ML_CG_2", { n_clusters: 6, init: "random", n_init: 1, model_name: "m" }],
    ];
    await everywhere(steps, async (records) => [
      (await modelOf(records[3])).parameters,
      await chain.rows(records[3].dataset_url),
    ]);
  });

  it("begin with centres of some rows of a large table, and deal its rows to trees, the same on any number of partitions", async () => {
    const large = await clusterChain(join(home, "large"), "id AS k, id % 3 * 10 + sin(id) AS a, cos(id) AS b", 110_000);
    try {
      const steps: Step[] = [
        ["DP_FSP", { x: ["a", "b"] }],
        ["ML_CG_2", { n_clusters: 3, model_name: "m" }],
        ["ML_CG_2_M", { model_name: "m" }],
        ["DP_FSP", { y: ["b"], x: ["a", "k"] }],
        ["ML_R_6", { n_estimators: 2, max_depth: 3, model_name: "trees" }],
      ];
      const found = [];
      for (const parts of [1, 8]) {
        const records = await large.run(large.there(parts), ...steps);
        const [centres, trees] = await Promise.all(
          [2, 5].map(async (k) => {
            const [{ model_url }] = Object.values(output(records[k])) as { model_url: string }[];
            const { path } = await large.service.file(someone, someone.artifactIn(model_url) as string, "json");
            return readModel(readFileSync(path)).parameters as object;
          }),
        );
        found.push([centres, output(records[3]), records[2].notices, records[3].notices, trees]);
      }
      expect(found[1]).toEqual(found[0]);
      const [{ centres }, metrics, notices, judged] = found[0] as [
        { centres: Float64Array },
        object,
        string[],
        string[],
      ];
      expect([0, 2, 4].map((at) => Math.abs(Math.round(centres[at]))).sort((a, b) => a - b)).toEqual([0, 10, 20]);
      expect(metrics).toMatchObject({ n_clusters: 3, n: 110_000 });
      expect(String(notices)).toMatch(/first centres are drawn of (89|90),\d{3} rows of 110,000/);
      expect(String(judged)).toMatch(/silhouette is that of (17|18),\d{3} rows drawn of 110,000/);
    } finally {
      await large.end();
    }
  });

  it("draw curves through some exact points of many different probabilities", async () => {
    const many = await clusterChain(
      join(home, "many"),
      "id AS k, sin(id) AS a, sin(id) + cos(id * 7) > 0.4 AS t",
      6000,
    );
    try {
      const steps: Step[] = [
        ["DP_FSP", { y: ["t"], x: ["a"] }],
        ["ML_CN_5", { model_name: "m" }],
        ["ML_CN_5_M", { model_name: "m" }],
      ];
      const found = [];
      for (const input of [many.here, many.there(1), many.there(8)]) {
        const records = await many.run(input, ...steps);
        found.push([output(records[3]), await many.service.view(someone, records[3].id)]);
      }
      expect(found[2]).toEqual(found[1]);
      near(found[1][0], found[0][0]);
      type Lines = { name: string; x: number[]; y: number[] };
      const lines = (view: unknown) => {
        const series: Lines[] = [];
        JSON.stringify(view, (key, each) => (key === "series" ? series.push(...each) : each));
        return series;
      };
      const [here, there] = [lines(found[0][1]), lines(found[1][1])];
      // The area and the average precision stand in the names.
      expect(here).toHaveLength(2);
      expect(there.map(({ name }) => name)).toEqual(here.map(({ name }) => name));
      for (const [k, { x, y }] of there.entries()) {
        expect([x[0], x.at(-1), y.at(-1)]).toEqual([here[k].x[0], here[k].x.at(-1), here[k].y.at(-1)]);
        expect(x.length).toBeGreaterThan(100);
        // Each point lies on a piece of the curve here, or nearly so.
        const [xs, ys] = [here[k].x, here[k].y];
        const isBetween = (at: number, one: number, other: number) =>
          at > Math.min(one, other) - 0.01 && at < Math.max(one, other) + 0.01;
        for (const [i, at] of x.entries())
          expect(ys.some((_, m) => m > 0 && isBetween(at, xs[m - 1], xs[m]) && isBetween(y[i], ys[m - 1], ys[m]))).toBe(
            true,
          );
      }
    } finally {
      await many.end();
    }
  });

  it("refuse more clusters than an expression holds", async () => {
    const steps: Step[] = [xy("a"), ["ML_CG_2", { n_clusters: 65 }]];
    expect(await failureOf(chain.run(chain.there(2), ...steps))).toBe(
      "kmeans (ML_CG_2): of 1 feature at most 64 clusters are found on Spark, got 65; take fewer, or bring the rows here by collect().",
    );
  });

  const forests: [string, string, object, object][] = [
    ["ML_CN_7", "colour", { n_estimators: 5, max_depth: 4, random_state: 5 }, { numTrees: 5, strategy: "1" }],
    ["ML_R_6", "y", { n_estimators: 4, max_depth: 5, min_samples_leaf: 3 }, { numTrees: 4, strategy: "all", least: 3 }],
    ["ML_CN_6", "c", { max_depth: 3, criterion: "entropy" }, { numTrees: 1, strategy: "all", impurity: "entropy" }],
    ["ML_R_5", "y", { max_depth: 3 }, { numTrees: 1, strategy: "all" }],
    [
      "MS_XGBOOST",
      "y",
      { max_iter: 6, max_depth: 3, learning_rate: 0.3, min_samples_leaf: 2 },
      { rounds: 6, least: 2 },
    ],
    ["MS_XGBOOST", "c", { max_iter: 4, min_samples_leaf: 5, max_bins: 20 }, { rounds: 4, least: 5, bins: 20 }],
  ];
  it.each(forests)(
    "grow trees by Spark's ML library that answer as it does: %s of %s %j",
    async (code, y, args, asked) => {
      const { numTrees, strategy, least = 1, impurity = "gini", rounds, bins = 255 } = asked as Record<string, never>;
      const steps: Step[] = [
        ["DP_FSP", { y: [y], x: ["a", "b"] }],
        [code, { ...args, model_name: "m" }],
        [`${code}_P`, { model_name: "m" }],
        [`${code}_M`, { model_name: "m" }],
        ["BL_COLLECT"],
        [`${code}_P`, { model_name: "m" }],
        [`${code}_M`, { model_name: "m" }],
      ];
      const found = [];
      for (const parts of [1, 2, 8]) {
        const records = await chain.run(chain.there(parts), ...steps);
        const urls = [3, 6].map((k) => Object.values(output(records[k])) as string[]);
        const [there, here] = await Promise.all(urls.map((all) => Promise.all(all.map((url) => chain.rows(url)))));
        near(there, here, 1e-12);
        const { on: _, ...judged } = output(records[7]);
        near(output(records[4]), { ...judged, on: "all" }, 1e-9);
        found.push([(await modelOf(records[2])).parameters, there, output(records[4])]);
      }
      expect(found[1]).toEqual(found[0]);
      expect(found[2]).toEqual(found[0]);
      const isClasses = code.startsWith("ML_CN") || y === "c";
      const label =
        y === "y"
          ? "y"
          : y === "c"
            ? "CAST(c AS DOUBLE)"
            : "CAST(array_position(array('blue', 'green', 'red'), colour) - 1 AS DOUBLE)";
      const { dburl } = chain.there(1) as { dburl: string };
      const rows = sql(
        `SELECT /*+ REPARTITION(1) */ k, CAST(a AS DOUBLE) AS a, CAST(b AS DOUBLE) AS b, CAST(${label} AS DOUBLE) AS label FROM ${dburl.slice(6)} SORT BY k`,
      );
      const data = assembled(rows, ["a", "b"], "features");
      const library = rounds ? "GBT" : "RandomForest";
      const kind = isClasses ? `classification.${library}Classifier` : `regression.${library}Regressor`;
      const forest = {
        numTrees: { integer: numTrees },
        featureSubsetStrategy: { string: strategy },
        bootstrap: { boolean: numTrees > 1 },
        ...(isClasses ? { impurity: { string: impurity } } : {}),
      };
      const {
        max_depth: depth = 5,
        random_state: seed = 0,
        learning_rate: rate = 0.1,
      } = args as Record<string, number>;
      const parameters = {
        maxDepth: { integer: depth },
        minInstancesPerNode: { integer: least },
        seed: { long: BigInt(seed) },
        ...(rounds ? { maxIter: { integer: rounds }, stepSize: { double: rate }, maxBins: { integer: bins } } : forest),
      };
      const model = await chain.spark.fit({ name: `org.apache.spark.ml.${kind}`, parameters }, data);
      const answer = isClasses ? "probability" : "prediction";
      const theirs: unknown[][] = [];
      for await (const batch of chain.spark.rows(select(transformed(data, model), ["k", answer])))
        for (const row of batch) theirs[Number(row.k)] = isClasses ? [...row.probability.values] : [row.prediction];
      await chain.spark.forget([model]);
      const [, [pred, proba]] = found[0] as [unknown, unknown[][][]];
      near(isClasses ? proba : pred, theirs, 1e-12);
    },
  );

  it("come to the same logistic regression in the end", async () => {
    const steps: Step[] = [
      ["DP_FSP", { y: ["c"], x: ["b", "y"] }],
      ["ML_CN_1", { model_name: "m" }],
    ];
    const [here, there] = [await chain.run(chain.here, ...steps), await chain.run(chain.there(2), ...steps)];
    near((await modelOf(there[2])).parameters, (await modelOf(here[2])).parameters, 1e-8);
  });

  it("bring few rows here, where a logistic regression takes its steps at once", async () => {
    const steps: Step[] = [["DP_FSP", { y: ["c"], x: ["b", "y"] }], split, ["ML_CN_1", { model_name: "m" }]];
    const service = await createService({ home: join(home, "bringing"), threads: 0, spark: await sparkAddress() });
    try {
      const collected = await runChain(service, chain.there(8), ["BL_COLLECT"], ...steps);
      const [here, there] = [collected, await runChain(service, chain.there(8), ...steps)].map(
        (all) => all.slice(-1)[0],
      );
      expect((await modelOf(there, { service })).parameters).toEqual((await modelOf(here, { service })).parameters);
      // A collected table, two splits and two models: what came to be learnt from is gone.
      expect(readdirSync(join(home, "bringing", "artifacts"))).toHaveLength(5);
    } finally {
      await service.close();
    }
  });

  it("are written as ONNX", async () => {
    const records = await chain.run(chain.there(2), xy("a", "b"), split, ["ML_R_2", { model_name: "m" }]);
    const [{ model_url }] = Object.values(output(records[3])) as { model_url: string }[];
    const file = await chain.service.file(someone, someone.artifactIn(model_url) as string, "onnx");
    expect(readFileSync(file.path).length).toBeGreaterThan(100);
  });

  it.each([["y"], ["colour"]])("encode by a target that is %s, training rows by the others", async (y) => {
    const roles: Step = ["DP_FSP", { y: [y], x: ["a", "b", "word"] }];
    const word: Step = ["BL_DERIVE", { columns: { word: "text(k % 5)" } }];
    const encode: Step = ["DP_3", { columns: ["word"], type: "target" }];
    const tables = async (input: object, ...more: Step[]) => {
      const found = (await chain.run(input, word, roles, ...more)).at(-1) as StateRecord;
      return [await chain.rows(found.x_train_url), await chain.rows(found.x_test_url)] as const;
    };
    const [here, there, parted, plain] = [
      await tables(chain.here, split, encode),
      await tables(chain.there(2), split, encode),
      await tables(chain.there(8), split, encode),
      await tables(chain.there(2), encode, split),
    ];
    // Who was not seen has the means of all training rows, wherever they lie.
    near(there[1], here[1]);
    expect(parted).toEqual(there);
    const all = new Map(there[1].map((row, k) => [row.slice(2).join(), k]));
    expect(there[0].filter((row) => !all.has(row.slice(2).join())).length).toBeGreaterThan(there[0].length / 2);
    // A training row has the mean of its category over other parts: near that of all, which its own target is in.
    for (const [k, row] of there[0].entries())
      for (const [j, own] of row.entries()) expect(Math.abs(Number(own) - Number(here[0][k][j]))).toBeLessThan(2);
    expect(plain[1].length).toBe(here[1].length);
  });

  const learning: Step[] = [
    ["ML_R_2", { model_name: "m" }],
    ["ML_R_2_P", { model_name: "m" }],
  ];
  it.each<[string, readonly Step[], number]>([
    [
      "prepared features",
      [xy("b", "colour"), split, ["DP_3", { columns: ["colour"] }], ["DP_5", { boundaries: ["b"] }]],
      1e-9,
    ],
    ["means of the target", [xy("b", "colour"), split, ["DP_3", { columns: ["colour"], type: "target" }]], 0.05],
    ["means of groups", [["BL_DERIVE", { columns: { own: "mean(a)" }, by: ["colour"] }], xy("own", "b")], 1e-9],
  ])("answer new rows in production as those that learnt here: %s", async (_, steps, share) => {
    const rows = [
      { a: 990, b: 0.5, colour: "red" },
      { a: 1200, b: -1, colour: "blue" },
    ];
    const answers = [];
    for (const input of [chain.here, chain.there(2)]) {
      const records = await chain.run(input, ...steps, ...learning);
      answers.push((await chain.service.produce(someone, (records.at(-1) as StateRecord).id, rows)).y_pred);
    }
    near(answers[1], answers[0], share);
  });

  it.each<[string, readonly Step[], RegExp]>([
    [
      "missing cells",
      [xy("a", "h"), ["ML_R_2"]],
      /^linear \(ML_R_2\): features must be complete, but h has missing cells/,
    ],
    ["text", [xy("a", "colour"), ["BL_RIDGE"]], /^ridge \(BL_RIDGE\): features must be numbers, but colour is not/],
    [
      "a target of text",
      [["DP_FSP", { y: ["colour"], x: ["a"] }], ["ML_R_2"]],
      /^linear \(ML_R_2\): the target "colour" must be a number/,
    ],
    [
      "a target with holes",
      [["DP_FSP", { y: ["h"], x: ["a"] }], ["ML_R_2"]],
      /^linear \(ML_R_2\): the target "h" is missing in 40 rows/,
    ],
    [
      "numbers as classes",
      [["DP_FSP", { y: ["y"], x: ["a"] }], ["ML_CN_1"]],
      /^logistic \(ML_CN_1\): the target "y" holds numbers such as/,
    ],
    [
      "one class",
      [["DP_FSP", { y: ["one"], x: ["a"] }], ["ML_CN_5"]],
      /^naiveBayes \(ML_CN_5\): the target "one" needs at least 2 classes/,
    ],
    [
      "missing cells among components",
      [xy("a", "h"), ["DP_PCA"]],
      /^pca \(DP_PCA\): features must be complete, but h has missing cells/,
    ],
  ])("refuse %s as here", async (_, steps, sentence) => {
    const message = await failureOf(chain.run(chain.there(2), ...steps));
    expect(message).toMatch(sentence);
    expect(message).toBe(await failureOf(chain.run(chain.here, ...steps)));
  });

  it.each<[string, readonly Step[], RegExp]>([
    [
      "folds",
      [["ML_R_2", { cv: 3 }]],
      /^linear \(ML_R_2\): its rows lie on Spark, and cv trains it again and again .*sample\(\), and then collect\(\)/,
    ],
    [
      "a grid",
      [["BL_LASSO", { grid: { alpha: [1, 2] } }]],
      /^lasso \(BL_LASSO\): its rows lie on Spark, and grid trains/,
    ],
    [
      "trees without an end",
      [["ML_R_6"]],
      /^forestRegressor \(ML_R_6\): its rows lie on Spark, whose ML library grows the trees, and max_depth must be said, from 1 to 30/,
    ],
    [
      "leaves counted",
      [["ML_R_5", { max_depth: 3, max_leaf_nodes: 4 }]],
      /^treeRegressor \(ML_R_5\): .* it knows no max_leaf_nodes; leave it out/,
    ],
    [
      "boosting with an end of its own",
      [["MS_XGBOOST", { early_stopping: true }]],
      /^boost \(MS_XGBOOST\): its rows lie on Spark, whose ML library grows the trees, and it holds no rows out; leave early_stopping out; or .*collect\(\)/,
    ],
    [
      "boosting of counts",
      [["MS_XGBOOST", { loss: "poisson" }]],
      /^boost \(MS_XGBOOST\): .* it makes no poisson small; leave loss out/,
    ],
    ["another model", [["ML_R_4"]], /ML_R_4\): .*collect\(\)/],
    [
      "too many terms",
      [["ML_R_3", { degree: 20 }]],
      /^polynomial \(ML_R_3\): degree 20 of 2 features makes 230 terms, more than 200 of rows that lie on Spark/,
    ],
    [
      "importance",
      [
        ["ML_R_2", { model_name: "m" }],
        ["ML_R_2_M", { model_name: "m", importance: 2 }],
      ],
      /^metrics \(ML_R_2_M\): its rows lie on Spark, and importance/,
    ],
    [
      "new rows",
      [
        ["ML_R_2", { model_name: "m" }],
        ["ML_R_2_P", { model_name: "m", test_data: "sample:iris" }],
      ],
      /^predict \(ML_R_2_P\): its rows lie on Spark, and it judges rows of this chain alone/,
    ],
    [
      "columns that lose their digits",
      [["BL_DERIVE", { columns: { near: "a + b / 100000" } }], xy("a", "near"), ["ML_R_2", { tol: 1e-9 }]],
      /^linear \(ML_R_2\): the features nearly depend on each other, .*collect\(\)/,
    ],
  ])("say what they can't do there: %s", async (_, steps, sentence) => {
    const roles = steps[0][0] === "BL_DERIVE" ? [] : [xy("a", "b")];
    expect(await failureOf(chain.run(chain.there(2), ...roles, ...steps))).toMatch(sentence);
  });
});
