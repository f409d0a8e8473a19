import { readFileSync } from "node:fs";
import { InferenceSession, Tensor } from "onnxruntime-web";
import { describe, expect, it } from "vitest";
import { Lab, type Link, output, someone } from "../support/lab.ts";

const lab = new Lab();

/** A small generator, so that the rows are the same everywhere. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** 300 rows of three features, a number that depends on them, and classes of several kinds. */
const csv = (() => {
  const draw = draws(7);
  const lines = Array.from({ length: 300 }, () => {
    const [a, b, c] = [draw() * 10, draw() * 4 - 2, draw()];
    const y = 3 * a - b * b + c + draw();
    const kind = y > 20 ? "high" : y > 10 ? "mid" : "low";
    return `${a},${b},${c},${y},${kind},${y > 15},${y > 20 ? 300 : y > 10 ? 20 : -1},${Math.round(a) * 2}`;
  });
  return `a,b,c,y,kind,big,code,many\n${lines.join("\n")}\n`;
})();

/** The same rows far from the origin and on other scales: features as they come. */
const farCsv = csv.replace(/^([-\d.e]+),([-\d.e]+),([-\d.e]+)/gm, (_, a, b, c) =>
  [a * 100 + 1e4, b / 1e3, c * 50].join(),
);

type Answer = Record<string, { data: ArrayLike<unknown>; dims: readonly number[] }>;

/** Trains, predicts the test rows, and asks onnxruntime the same. */
async function both(target: string, helper: string, args: Record<string, unknown>, table = csv) {
  const links: Link[] = [
    ["xy", { x: ["a", "b", "c"], y: target }],
    ["split", { random_state: 3 }],
    ...(helper === "ann"
      ? ([
          ["ann", args],
          ["DL_ANN_T", { model_name: "m", epochs: 5 }],
        ] as Link[])
      : ([[helper, { ...args, model_name: "m" }]] as Link[])),
  ];
  const records = await lab.chain(table, ...links);
  const trained = records.at(-1)!;
  const { function_code: code, model_url } = output<{ m: { function_code: string; model_url: string } }>(trained).m;
  const predicted = await lab.block(trained.project, 9, trained.block_id, [
    `${code.replace("ANN_T", "ANN")}_P`,
    { model_name: "m", test_data: "x_test_url" },
  ]);
  const { y_pred_url, y_proba_url } = output<{ y_pred_url: string; y_proba_url?: string }>(predicted);
  const service = await lab.service;
  const file = await service.file(someone, someone.artifactIn(model_url)!, "onnx");
  const { rows } = await lab.table(records[2].x_test_url);
  const session = await InferenceSession.create(readFileSync(file.path), { logSeverityLevel: 3 });
  const x = new Tensor("float64", Float64Array.from(rows.flat() as number[]), [rows.length, 3]);
  const answer = (await session.run({ x })) as unknown as Answer;
  return {
    theirs: Array.from(answer.y_pred.data, (value) => (typeof value === "bigint" ? Number(value) : value)),
    theirShares: answer.y_proba && Array.from(answer.y_proba.data as ArrayLike<number>),
    ours: (await lab.table(y_pred_url)).rows.map(([value]) => value),
    ourShares: y_proba_url ? ((await lab.table(y_proba_url)).rows.flat() as number[]) : undefined,
  };
}

/** The largest difference of two lists of numbers, as a share of their size. */
function apart(a: readonly unknown[], b: readonly unknown[]): number {
  expect(a.length).toBe(b.length);
  return a.reduce<number>((most, value, k) => {
    const [x, y] = [value as number, b[k] as number];
    return Math.max(most, Math.abs(x - y) / Math.max(1, Math.abs(y)));
  }, 0);
}

describe("a model as ONNX", () => {
  it.each<[string, Record<string, unknown>]>([
    ["simpleLinear", {}],
    ["linear", {}],
    ["ridge", { alpha: "auto" }],
    ["mlp", { activation: "logistic", max_iter: 40 }],
    ["ann", { layer_list: ["elu", "selu", "softplus", "leaky_relu"].map((activation) => ({ units: 5, activation })) }],
    ["ann", { layer_list: ["softsign", "tanh", "sigmoid"].map((activation) => ({ units: 5, activation })) }],
    ["lasso", { alpha: 0.3 }],
    ["elasticNet", { alpha: 0.1 }],
    ["quantileRegressor", { quantile: 0.8 }],
    ["polynomial", { degree: 3 }],
    ["polynomial", { degree: 2, interaction_only: true }],
    ["svr", { kernel: "rbf" }],
    ["svr", { kernel: "linear" }],
    ["svr", { kernel: "poly" }],
    ["svr", { kernel: "sigmoid" }],
    ["treeRegressor", {}],
    ["treeRegressor", { max_depth: 1 }],
    ["forestRegressor", { n_estimators: 30 }],
    ["boost", {}],
    ["boost", { loss: "quantile", quantile: 0.8 }],
    ["autoRegressor", { models: ["ridge", "boost", "forestRegressor", "svr"], max_trials: 6 }],
  ])("answers the same numbers: %s %j", async (helper, args) => {
    const { theirs, ours } = await both("y", helper, args);
    expect(theirs.length).toBe(75);
    expect(apart(theirs, ours)).toBeLessThan(1e-9);
  });

  it("answers the same counts of poisson", async () => {
    const { theirs, ours } = await both("y", "poisson", { alpha: 0.01 }, csv.replace(/^((?:[^,]+,){3})-/gm, "$1"));
    expect(apart(theirs, ours)).toBeLessThan(1e-9);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["kind", "logistic", {}],
    ["big", "logistic", {}],
    ["kind", "mlp", { max_iter: 30 }],
    ["big", "mlp", { max_iter: 30, activation: "tanh", hidden_layer_sizes: [8, 5] }],
    ["kind", "ann", { layer_list: [6] }],
    ["big", "ann", { layer_list: [{ units: 2, activation: "softmax" }], hyp_params: { random_state: 1 } }],
    ["kind", "naiveBayes", {}],
    ["code", "treeClassifier", {}],
    ["big", "treeClassifier", { max_depth: 2 }],
    ["kind", "forestClassifier", { n_estimators: 30 }],
    ["many", "forestClassifier", { n_estimators: 8, min_samples_leaf: 3 }],
    ["kind", "boost", {}],
    ["big", "boost", { max_iter: 30 }],
    ["kind", "autoClassifier", { models: ["boost", "logistic", "naiveBayes"], max_trials: 6, scoring: "log_loss" }],
  ])("answers the same classes and probabilities: %s by %s %j", async (target, helper, args) => {
    const { theirs, ours, theirShares, ourShares } = await both(target, helper, args);
    expect(new Set(ours).size).toBeGreaterThan(1);
    expect(theirs.map((value) => (target === "big" ? Boolean(value) : value))).toEqual(ours);
    expect(apart(theirShares!, ourShares!)).toBeLessThan(1e-9);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["kind", "svm", {}],
    ["big", "svm", { probability: false }],
    ["code", "kernelSvm", {}],
    ["kind", "kernelSvm", { kernel: "poly", break_ties: true }],
    ["kind", "kernelSvm", { kernel: "sigmoid" }],
  ])("answers the same votes, and probabilities to float32: %s by %s %j", async (target, helper, args) => {
    const { theirs, ours, theirShares, ourShares } = await both(target, helper, args);
    expect(theirs.map((value) => (target === "big" ? Boolean(value) : value))).toEqual(ours);
    if (!ourShares) return expect(theirShares).toBeUndefined();
    expect(apart(theirShares, ourShares)).toBeLessThan(1e-6);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["y", "linear", {}],
    ["y", "svr", { kernel: "rbf", gamma: 1e-3 }],
    ["y", "svr", { kernel: "poly" }],
    ["y", "svr", { kernel: "linear", C: 1e-3 }],
    ["kind", "logistic", {}],
    ["kind", "kernelSvm", {}],
    ["big", "kernelSvm", { kernel: "rbf", gamma: 1e-3 }],
    ["kind", "kernelSvm", { kernel: "poly" }],
    ["kind", "forestClassifier", { n_estimators: 5 }],
    ["y", "boost", {}],
  ])("does so of columns far from the origin: %s by %s %j", async (target, helper, args) => {
    const { theirs, ours, theirShares, ourShares } = await both(target, helper, args, farCsv);
    if (target === "y") return expect(apart(theirs, ours)).toBeLessThan(1e-9);
    expect(theirs.map((value) => (target === "big" ? Boolean(value) : value))).toEqual(ours);
    expect(apart(theirShares!, ourShares!)).toBeLessThan(helper === "kernelSvm" ? 1e-6 : 1e-9);
  });

  it.each([csv, farCsv])("gives rows the same clusters of kmeans", async (table) => {
    const { theirs, ours } = await both("y", "kmeans", { n_clusters: 7 }, table);
    expect(new Set(ours).size).toBe(7);
    expect(theirs).toEqual(ours);
  });

  it.each(["full", "tied", "diag", "spherical"])("says how likely rows are of clusters: %s", async (type) => {
    for (const table of [csv, farCsv]) {
      const args = { n_components: 3, covariance_type: type };
      const { theirs, ours, theirShares, ourShares } = await both("y", "gaussianMixture", args, table);
      expect(new Set(ours).size).toBe(3);
      expect(theirs).toEqual(ours);
      expect(apart(theirShares!, ourShares!)).toBeLessThan(1e-9);
    }
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["y", "isolationForest", { n_estimators: 30, contamination: 0.1 }],
    ["kind", "isolationForest", {}],
  ])("says of the same rows that they are outliers: %s by %s %j", async (target, helper, args) => {
    const { theirs, ours } = await both(target, helper, args);
    expect(new Set(ours)).toEqual(new Set([-1, 1]));
    expect(theirs).toEqual(ours);
  });

  it("names its features, and is refused where there is no such form", async () => {
    const links: Link[] = [["xy", { x: ["a", "b"], y: "kind" }], ["knn"]];
    const records = await lab.chain(csv, ...links);
    const { model_url } = output<{ knn: { model_url: string } }>(records.at(-1)!).knn;
    const service = await lab.service;
    const before = lab.files();
    const asked = service.file(someone, someone.artifactIn(model_url)!, "onnx");
    await expect(asked).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/^Model "knn" of knn \(ML_CN_2\) has no ONNX form; it can be had as JSON/),
    });
    expect(lab.files()).toBe(before);
    const [[, trained]] = Object.entries(
      output<Record<string, { model_url: string }>>(
        await lab.last(csv, ["xy", { x: ["a", "kind"], y: "y" }], ["boost"]),
      ),
    );
    await expect(service.file(someone, someone.artifactIn(trained.model_url)!, "onnx")).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/^Model "boost" takes kind as text, .* Take it with its preparation, as save/),
    });
    const table = service.file(someone, someone.artifactIn(records[1].dataset_url!)!, "onnx");
    await expect(table).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/is a table, and ONNX/) });
  });
});
