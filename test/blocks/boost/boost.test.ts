import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { boost } from "../../../src/blocks/boost/boost.ts";
import { fitBoost } from "../../../src/blocks/boost/boost-fit.ts";
import type { BlockContext } from "../../../src/core/block.ts";
import type { ModelFile } from "../../../src/core/model.ts";
import { createService } from "../../../src/service/index.ts";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();

/** A small generator, so that the rows are the same everywhere. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** Rows with numbers, text and missing cells, and targets that depend on all of them. */
function table(n: number, seed = 3): string {
  const draw = draws(seed);
  const cities = ["Lagos", "Oslo", "Quito", "Riga"];
  const lines = Array.from({ length: n }, () => {
    const a = draw() * 10;
    const b = draw() * 4 - 2;
    const city = Math.floor(draw() * 4);
    const isMissing = draw() < 0.2;
    const y = 3 * a + [0, 20, 5, 40][city] + (isMissing ? 15 : b * b) + draw();
    const kind = y > 45 ? "high" : y > 25 ? "mid" : "low";
    return [a, isMissing ? "" : b, draw() < 0.05 ? "" : cities[city], y, kind, y > 35, Math.floor(y / 8)].join();
  });
  return `a,b,city,y,kind,big,visits\n${lines.join("\n")}\n`;
}

const features = ["a", "b", "city"];
const roles = (y: string): Link[] => [
  ["xy", { x: features, y }],
  ["split", { test_size: 0.25, random_state: 1 }],
];

/** The model's file that a training wrote. */
async function modelOf(record: Parameters<typeof output>[0]) {
  const [{ model_url }] = Object.values(output<Record<string, { model_url: string }>>(record));
  const { path } = await (await lab.service).file(someone, model_url.slice(5), "json");
  return JSON.parse(readFileSync(path, "utf8")) as { args: object; parameters: { importances: { data: number[] } } };
}

const judge: Link = ["MS_XGBOOST_M", { model_name: "boost" }];

describe("boost (MS_XGBOOST)", () => {
  it("predicts numbers from numbers, text and missing cells as they are", async () => {
    const records = await lab.chain(table(1500), ...roles("y"), ["boost"], judge);
    expect(output<{ r2: number }>(records[4]).r2).toBeGreaterThan(0.92);
    expect(await lab.view(records[3])).toMatchSnapshot();
  });

  it("predicts classes of text, and yes or no, with probabilities", async () => {
    const predict: Link = ["MS_XGBOOST_P", { model_name: "boost", test_data: "x_test_url" }];
    const records = await lab.chain(table(1500), ...roles("kind"), ["boost"], judge, predict);
    expect(output<{ accuracy: number }>(records[4]).accuracy).toBeGreaterThan(0.9);
    const { header, rows } = await lab.table(output<{ y_proba_url: string }>(records[5]).y_proba_url);
    expect(header).toEqual(["p_high", "p_low", "p_mid"]);
    for (const row of rows) expect(row.map(Number).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    const two = await lab.chain(table(1500), ...roles("big"), ["boost"], judge);
    expect(output<{ roc_auc: number }>(two[4]).roc_auc).toBeGreaterThan(0.97);
  });

  it("takes a few whole numbers as classes and says so, unless a loss says otherwise", async () => {
    const csv = table(900).replace(/,(\d+)$/gm, (_, visits) => `,${Number(visits) % 3}`);
    const [, , , classes] = await lab.chain(csv, ...roles("visits"), ["boost"]);
    expect(classes.notices?.join()).toMatch(/"visits" holds 3 whole numbers, which are taken as classes; loss: /);
    const [, , , numbers] = await lab.chain(csv, ...roles("visits"), ["boost", { loss: "squared_error" }]);
    expect(numbers.notices ?? []).toEqual([]);
  });

  it("takes numbers beyond 2^53 as numbers, and as classes where the column is of integers", async () => {
    const rows = Array.from({ length: 60 }, (_, i) => `${i},${(i % 3) - 1}e300,${9007199254740993n + BigInt(i % 2)}`);
    const csv = `x,large,id\n${rows.join("\n")}\n`;
    const boost: Link = ["boost", { max_iter: 2 }];
    const predict: Link = ["MS_XGBOOST_P", { model_name: "boost" }];
    const large = await lab.last(csv, ["xy", { x: ["x"], y: "large" }], boost, predict);
    expect(output(large)).not.toHaveProperty("y_proba_url");
    const id = await lab.last(csv, ["xy", { x: ["x"], y: "id" }], boost, predict);
    const { rows: answers } = await lab.table(output<{ y_pred_url: string }>(id).y_pred_url);
    for (const [answer] of answers) expect(answer).toMatch(/^900719925474099[34]$/);
    const refused = await lab.failure(csv, ["xy", { x: ["x"], y: "large" }], ["treeClassifier"]);
    expect([refused.status, refused.message]).toEqual([422, expect.stringContaining("holds numbers such as")]);
  });

  it("ends early when rows held out gain no more, and shows both curves", async () => {
    const noise = `x,y\n${Array.from(
      { length: 600 },
      (
        (draw) => () =>
          `${draw()},${draw()}`
      )(draws(5)),
    ).join("\n")}\n`;
    const [, , record] = await lab.chain(noise, ["xy", { y: "y" }], ["boost", { early_stopping: true }]);
    expect(record.notices?.join()).toMatch(/it ended after \d+ of 100 rounds, since the loss fell no more for 10/);
    expect(await lab.view(record)).toContain("rows held out");
  });

  it("counts categories that it never saw as missing, and says so", async () => {
    const records = await lab.chain(table(900), ...roles("y"), ["boost"]);
    const ask = async (rows: string) => {
      const path = lab.file(rows);
      const predict: Link = ["MS_XGBOOST_P", { model_name: "boost", test_data: path }];
      const record = await lab.block(records[3].project, 9, 4, predict);
      const { y_pred_url } = output<{ y_pred_url: string }>(record);
      return { notices: record.notices, rows: (await lab.table(y_pred_url)).rows.flat() as number[] };
    };
    const unseen = await ask("a,b,city\n5,1,Atlantis\n5,1,\n5,1,Riga\n");
    expect(unseen.notices?.join()).toMatch(
      /"city" holds Atlantis, not among the categories .*; 1 cell counts as missing/,
    );
    expect(unseen.rows[0]).toBe(unseen.rows[1]);
    expect(unseen.rows[2]).toBeGreaterThan(unseen.rows[0] + 5);
    expect((await ask("city,b,a\nRiga,,5\nRiga,1,5\n")).rows[1]).toBe(unseen.rows[2]);
  });

  it("lets the answer only rise or fall where it is told to", async () => {
    const draw = draws(11);
    const rows = Array.from({ length: 800 }, () => {
      const x = draw() * 10;
      return `${x},${x + 4 * draw()}`;
    });
    const grid = Array.from({ length: 100 }, (_, k) => k / 10);
    const path = lab.file(`x\n${grid.join("\n")}\n`);
    const answers = async (way: number) => {
      const chain = await lab.chain(
        `x,y\n${rows.join("\n")}\n`,
        ["xy", { y: "y" }],
        ["boost", { monotonic_cst: { x: way } }],
        ["MS_XGBOOST_P", { model_name: "boost", test_data: path }],
      );
      return (await lab.table(output<{ y_pred_url: string }>(chain[3]).y_pred_url)).rows.flat() as number[];
    };
    const rising = await answers(1);
    expect(rising.every((value, k) => k === 0 || value >= rising[k - 1])).toBe(true);
    expect(rising[99] - rising[0]).toBeGreaterThan(8);
    expect(new Set(await answers(-1)).size).toBe(1);
  });

  it("makes other losses small: a quantile, the absolute error, counts", async () => {
    const asked = async (y: string, args: Record<string, unknown>) => {
      const path = "x_test_url";
      const records = await lab.chain(
        table(2000),
        ...roles(y),
        ["boost", args],
        ["MS_XGBOOST_P", { model_name: "boost", test_data: path }],
      );
      const truth = (await lab.table(records[3].y_test_url as string)).rows.flat() as number[];
      const rows = (await lab.table(output<{ y_pred_url: string }>(records[4]).y_pred_url)).rows.flat() as number[];
      return { truth, rows };
    };
    const high = await asked("y", { loss: "quantile", quantile: 0.9 });
    const below = high.truth.filter((value, k) => value <= high.rows[k]).length / high.truth.length;
    expect(below).toBeGreaterThan(0.78);
    expect(below).toBeLessThan(0.97);
    const middle = await asked("y", { loss: "absolute_error" });
    const error = middle.truth.reduce((sum, value, k) => sum + Math.abs(value - middle.rows[k]), 0);
    expect(error / middle.truth.length).toBeLessThan(2.5);
    const counts = await asked("visits", { loss: "poisson" });
    expect(counts.rows.every((value) => value > 0)).toBe(true);
  });

  it("weighs classes", async () => {
    const recall = async (args: object) => {
      const records = await lab.chain(table(1500), ...roles("kind"), ["boost", { max_iter: 3, ...args }], judge);
      return output<{ report: Record<string, { recall: number }> }>(records[4]).report.high.recall;
    };
    expect(await recall({ class_weight: { high: 20 } })).toBeGreaterThan(
      await recall({ class_weight: { high: 0.05 } }),
    );
  });

  it("weighs rows by a column, as if each stood there so many times, and by class as well", async () => {
    // Rows of weight 2 twice; leaves of one row, as rows are counted and not weighed.
    const lines = table(200).trim().split("\n");
    const weights = lines.slice(1).map((_, k) => k % 3);
    const weighed = [`${lines[0]},w`, ...lines.slice(1).map((line, k) => `${line},${weights[k]}`)].join("\n");
    const repeated = [`${lines[0]},w`, ...lines.slice(1).flatMap((line, k) => Array(weights[k]).fill(`${line},1`))];
    const args = { max_iter: 20, min_samples_leaf: 1, max_leaf_nodes: 6 };
    const asked = async (csv: string, own: object, y = "y") => {
      const chain: Link[] = [
        ["xy", { x: features, y }],
        ["boost", { ...args, ...own }],
      ];
      const predict: Link = ["MS_XGBOOST_P", { model_name: "boost", test_data: "x_value_url" }];
      const records = await lab.chain(csv, ...chain, predict);
      const { y_pred_url, y_proba_url = y_pred_url } = output<{ y_pred_url: string; y_proba_url?: string }>(records[3]);
      return (await lab.table(y_proba_url)).rows;
    };
    const own = await asked(weighed, { sample_weight: "w" });
    const twice = await asked(`${repeated.join("\n")}\n`, {});
    // The first row of each that was repeated.
    let at = 0;
    const first = weights.flatMap((weight) => {
      at += weight;
      return weight > 0 ? [twice[at - weight]] : [];
    });
    expect(own.filter((_, k) => weights[k] > 0).map(([value]) => value)).toEqual(
      first.map(([value]) => expect.closeTo(value as number, 6)),
    );
    expect(own).not.toEqual(await asked(weighed, {}));
    const both = await asked(weighed, { sample_weight: "w", class_weight: { high: 5 } }, "kind");
    expect(both).not.toEqual(await asked(weighed, { sample_weight: "w" }, "kind"));
  });

  it("goes on from an earlier model to what more rounds at once come to", async () => {
    const csv = table(400);
    for (const [y, own] of [
      ["y", {}],
      ["kind", { class_weight: { high: 3 } }],
      ["visits", { loss: "poisson" }],
      ["y", { loss: "absolute_error" }],
    ] as const) {
      const chain = await lab.chain(
        csv,
        ...roles(y),
        ["boost", { max_iter: 6, ...own }],
        ["boost", { max_iter: 9, warm_start: "boost", ...own }],
        ["MS_XGBOOST_P", { model_name: "boost-2", test_data: "x_test_url" }],
        ["boost", { max_iter: 15, ...own }],
        ["MS_XGBOOST_P", { model_name: "boost-3", test_data: "x_test_url" }],
      );
      const [warm, whole] = [5, 7].map((k) => output<{ y_pred_url: string; y_proba_url?: string }>(chain[k]));
      const rowsOf = async (each: typeof warm) => (await lab.table(each.y_proba_url ?? each.y_pred_url)).rows;
      expect(await rowsOf(warm)).toEqual(await rowsOf(whole));
      const files = await Promise.all([4, 6].map((k) => modelOf(chain[k])));
      const [first, second] = files.map(({ parameters, args }) => {
        return { args, trees: { ...parameters, importances: null, gain: null } };
      });
      expect(first).toEqual(second);
      const shares = files.map(({ parameters }) => parameters.importances.data);
      expect(shares[0]).toEqual(shares[1].map((share) => expect.closeTo(share, 12)));
    }
  });

  it("goes on from a model of a version that kept no gain, and says what its importances are", async () => {
    const cells = Float64Array.from({ length: 160 }, (_, k) => (k < 80 ? (k * 37) % 53 : (k * k * 31) % 41));
    const x = { names: ["a", "b"], n: 80, d: 2, data: cells };
    const y = { names: ["y"], n: 80, d: 1, data: cells.slice(0, 80).map((a, i) => a + 3 * cells[80 + i]) };
    const data = { x, y, classes: { name: "y", labels: [], codes: new Int32Array(0) } };
    const hooks = { progress: () => undefined, cancelled: () => false };
    const context = {
      ...{ threads: 1, progress: () => undefined },
      compute: async <I, O>(kernel: (input: I, hooks: never) => O, input: I) => kernel(input, hooks as never),
    } as unknown as BlockContext;

    const own = z.object(boost.args).parse({ max_iter: 5, min_samples_leaf: 3 }) as Parameters<typeof fitBoost>[1];
    const whole = await fitBoost(data, { ...own, max_iter: 9 }, context);
    const { gain, ...parameters } = (await fitBoost(data, own, context)).parameters;
    expect(gain).toBeGreaterThan(0);
    const goOn = async (before: object) => {
      const earlier = { model_name: "old", parameters: before } as unknown as ModelFile;
      return await fitBoost({ ...data, earlier }, { ...own, max_iter: 4, warm_start: "old" }, context);
    };
    const [old, fresh] = [await goOn(parameters), await goOn({ ...parameters, gain })];
    expect({ ...old.parameters, importances: 0, gain: 0 }).toEqual({ ...whole.parameters, importances: 0, gain: 0 });
    const shares = Array.from(whole.parameters.importances, (share) => expect.closeTo(share, 12));
    expect([...fresh.parameters.importances]).toEqual(shares);
    expect([...old.parameters.importances]).not.toEqual(shares);
    expect(old.parameters.importances[0] + old.parameters.importances[1]).toBeCloseTo(1, 12);
    expect(fresh.notices).toEqual([]);
    expect(old.notices).toEqual([
      'model "old" is of an earlier version, which did not keep how much its trees took away of the loss, so importances are those of the new trees alone.',
    ]);
  });

  it("refuses an earlier model that does not fit, in a sentence", async () => {
    const csv = table(120);
    const refused = async (args: object, before: readonly Link[], ...links: readonly Link[]) =>
      (await lab.failure(csv, ...before, ...links, ["boost", { max_iter: 2, ...args }])).message;
    const first: Link = ["boost", { max_iter: 2 }];
    const own: readonly Link[] = [["xy", { x: features, y: "y" }]];
    expect(await refused({ warm_start: "bost" }, own, first)).toContain('"bost"');
    expect(await refused({ warm_start: "boost", cv: 3 }, own, first)).toBe(
      "boost (MS_XGBOOST): warm_start can't stand beside cv or a search, since the earlier model has learnt from the rows of all folds. Cross-validate a training at once.",
    );
    expect(await refused({ grid: { warm_start: ["boost"] }, cv: 3 }, own, first)).toContain(
      "warm_start can't be searched",
    );
    expect(await refused({ warm_start: "boost", loss: "absolute_error" }, own, first)).toContain(
      'model "boost" makes another loss small, "squared_error"',
    );
    expect(await refused({ warm_start: "boost" }, own, first, ["xy", { x: ["a", "b"], y: "y" }])).toBe(
      'boost (MS_XGBOOST): model "boost" was trained with other features (a, b, city) than there are here (a, b), so it can\'t go on.',
    );
    expect(await refused({ warm_start: "boost" }, own, first, ["xy", { x: features, y: "kind" }])).toContain(
      "other targets (y) than there are here (kind)",
    );
    expect(
      await refused({ warm_start: "tree" }, [["xy", { x: ["a"], y: "y" }]], ["treeRegressor", { model_name: "tree" }]),
    ).toContain('warm_start names "tree", which treeRegressor (ML_R_5) made. Name a model of boost.');
  });

  it("grows the same trees for the same seed, on any number of threads", async () => {
    const path = lab.file(table(34_000));
    const answers = await Promise.all(
      [0, 3].map(async (threads) => {
        const service = await createService({ home: `${lab.home}/threads-${threads}`, threads });
        const { id } = await service.createProject(someone, "p");
        const run = (block_id: number, function_code: string, args: object) =>
          service.run(someone, { project_id: id, block_id, parent_id: block_id - 1, function_code, args });
        await run(1, "DP_1", { dburl: path, x_boundaries: features, y_boundaries: "kind" });
        const { output: text } = await run(2, "MS_XGBOOST", { max_iter: 3 });
        const file = await service.file(someone, JSON.parse(text as string).boost.model_url.slice(5), "json");
        const model = await import("node:fs/promises").then(({ readFile }) => readFile(file.path, "utf8"));
        await service.close();
        return model;
      }),
    );
    expect(answers[1]).toBe(answers[0]);
  });

  it("is cross-validated, searched and asked which columns matter", async () => {
    const [, , , searched, judged] = await lab.chain(
      table(400),
      ...roles("y"),
      ["boost", { max_iter: 20, cv: 3, grid: { max_leaf_nodes: [4, 31] } }],
      ["MS_XGBOOST_M", { model_name: "boost", importance: 2 }],
    );
    expect(output<{ boost: { grid: { ranking: unknown[] } } }>(searched).boost.grid.ranking.length).toBe(2);
    const { importance } = output<{ importance: { feature: string; mean: number }[] }>(judged);
    expect(importance.map(({ feature }) => feature)).toEqual(features);
    expect(importance[2].mean).toBeGreaterThan(0.1);
  });

  it("refuses what it can't learn from, in a sentence", async () => {
    const refused = async (y: string, args: Record<string, unknown>, csv = table(60)) =>
      (await lab.failure(csv, ["xy", { x: features, y }], ["boost", args])).message;
    expect((await lab.failure("a,y\n", ["xy", { y: "y" }], ["boost"])).status).toBe(422);
    expect(await refused("y", { loss: "log_loss" })).toMatch(/holds numbers such as .*, not classes/);
    expect(await refused("kind", { loss: "poisson" })).toMatch(/the target "kind" must be a number, but it is string/);
    expect(await refused("y", { class_weight: "balanced" })).toBe(
      'boost (MS_XGBOOST): class_weight is for classes, but "y" holds numbers.',
    );
    expect(await refused("y", { monotonic_cst: { cty: 1 } })).toMatch(
      /monotonic_cst names "cty", which is not a feature\. Did you mean "city"\?/,
    );
    expect(await refused("y", { monotonic_cst: { city: 1 } })).toMatch(/"city", which is text and has no order/);
    expect(await refused("kind", { monotonic_cst: { a: 1 } })).toMatch(/for numbers or two classes, but .* has 3/);
    expect(
      await refused(
        "y",
        { loss: "poisson" },
        table(60)
          .replace(/^[\d.]+,/gm, "-90,")
          .replace(/,[\d.]+,(low|mid)/g, ",-1,$1"),
      ),
    ).toMatch(/takes counts from 0 on, but "y" holds -1/);
    expect(await refused("y", { sample_weight: "vists" })).toMatch(
      /sample_weight names "vists", which is not a column\. Did you mean "visits"\?/,
    );
    expect(await refused("y", { sample_weight: "kind" })).toMatch(
      /"kind", which holds string; it takes a column of num/,
    );
    expect(await refused("y", { sample_weight: "y" })).toMatch(
      /"y", which is the target; it takes a column of numbers/,
    );
    expect(await refused("y", { sample_weight: "b" })).toMatch(/training rows of "b" are missing, below 0 or infinite/);
    const zero = await lab.failure(
      "a,w,y\n1,0,1.5\n2,0,2.5\n",
      ["xy", { x: ["a"], y: "y" }],
      ["boost", { sample_weight: "w" }],
    );
    expect(zero).toMatchObject({ status: 422, message: expect.stringContaining('rows of "w" are 0, so none counts') });
    expect(await refused("y", { max_bins: 256 })).toMatch(/max_bins must be at most 255, got 256/);
    const dates = await lab.failure("d,y\n2024-01-01,1.5\n2024-01-02,2.5\n", ["xy", { y: "y" }], ["boost"]);
    expect(dates.message).toMatch(/features must be numbers, but d is not\. Take their parts with dates/);
  });

  it("answers the mean when nothing can be split, a wholly missing column among the features", async () => {
    const csv = "a,b,y\n1,,1.5\n2,,2.5\n3,,5.5\n";
    const records = await lab.chain(csv, ["xy", { y: "y" }], ["boost"], ["MS_XGBOOST_P", { model_name: "boost" }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(records[3]).y_pred_url);
    expect(rows.flat().map((value) => Number(value).toFixed(6))).toEqual(["3.166667", "3.166667", "3.166667"]);
  });
});
