import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type FittedMixture, type MixtureArgs, mixtureFitter } from "../../../src/blocks/cluster/mixture-runs.ts";
import type { BlockContext } from "../../../src/core/block.ts";
import { mixtureShares } from "../../../src/numerics/cluster/mixture.ts";
import type { Matrix } from "../../../src/numerics/types.ts";
import { oddTables } from "../../numerics/cluster/odd-tables.ts";
import { Lab, type Link, output } from "../../support/lab.ts";

/** What scikit-learn answers on the same tables; written by cluster-reference.py. */
const { mixtures } = JSON.parse(
  readFileSync(new URL("../../numerics/cluster-reference.json", import.meta.url), "utf8"),
) as {
  mixtures: {
    table: string;
    k: number;
    args: Partial<MixtureArgs>;
    labels: number[];
    score: number;
    aic: number;
    bic: number;
    steps: number;
    converged: boolean;
    weights: number[];
    means: number[];
    covariances: number[];
    shares: number[];
  }[];
};

const here = {
  threads: 1,
  progress() {},
  compute: async <I, O>(kernel: (input: I) => O, input: I) => kernel(input),
} as unknown as BlockContext;

const usual: MixtureArgs = {
  covariance_type: "full",
  tol: 1e-3,
  reg_covar: 1e-6,
  max_iter: 100,
  n_init: 1,
  random_state: 0,
};

async function fitted(x: Matrix, k: number, args: Partial<MixtureArgs> = {}) {
  const names = Array.from({ length: x.d }, (_, j) => `x${j}`);
  return await (await mixtureFitter({ ...x, names }, { ...usual, ...args }, here))(k);
}

/** The largest difference, as a share of the largest number. */
function apart(ours: ArrayLike<number>, theirs: readonly number[]): number {
  expect(ours.length).toBe(theirs.length);
  const most = Math.max(1, ...theirs.map(Math.abs));
  return Math.max(...theirs.map((value, at) => Math.abs(value - ours[at]!))) / most;
}

describe.each(mixtures)("the mixture of scikit-learn's GaussianMixture: $table, $k by $args", (theirs) => {
  const x = oddTables()[theirs.table]!;

  it("has the same parameters, likelihood and criteria after the same steps, and gives rows the same shares", async () => {
    const ours = (await fitted(x, theirs.k, theirs.args)) as FittedMixture;
    expect([ours.steps, ours.converged]).toEqual([theirs.steps, theirs.converged]);
    expect(ours.logLikelihood / x.n).toBeCloseTo(theirs.score, 7);
    expect(ours.aic / theirs.aic).toBeCloseTo(1, 7);
    expect(ours.bic / theirs.bic).toBeCloseTo(1, 7);
    const { mixture } = ours;
    for (const name of ["weights", "means", "covariances"] as const) {
      expect(apart(mixture[name], theirs[name]), name).toBeLessThan(1e-6);
    }
    const { data } = mixtureShares({ x, mixture });
    const share = (i: number, c: number) => data[c * x.n + i]!;
    const components = Array.from({ length: theirs.k }, (_, c) => c);
    const labels = Array.from({ length: x.n }, (_, i) =>
      components.reduce((best, c) => (share(i, c) > share(i, best) ? c : best), 0),
    );
    expect(labels).toEqual(theirs.labels);
    const some = Array.from({ length: Math.ceil(x.n / 17) }, (_, i) => components.map((c) => share(17 * i, c))).flat();
    expect(apart(some, theirs.shares)).toBeLessThan(1e-6);
  });
});

it("says which component is singular where nothing is added to variances, and that numbers are too large", async () => {
  const { same, wide } = oddTables();
  for (const covariance_type of ["full", "tied", "diag"] as const) {
    expect(await fitted(same!, 2, { covariance_type, reg_covar: 0 })).toEqual({ singular: 0 });
  }
  const huge = { ...wide!, data: wide!.data.map((value) => value * 1e160) };
  expect(await fitted(huge, 2, { covariance_type: "diag" })).toHaveProperty("singular");
});

const lab = new Lab();

/** Two heaps, a narrow one and a wide one. */
const csv = `a,b,kind\n${Array.from({ length: 60 }, (_, k) => {
  const wide = k % 3 === 0;
  const [p, q] = [((k * 7) % 11) - 5, ((k * 5) % 13) - 6];
  return wide ? `${20 + p},${q * 2 + p},y` : `${p / 10},${q / 10},x`;
}).join("\n")}\n`;
const roles: Link = ["xy", { y: "kind" }];
const two: Link = ["gaussianMixture", { n_components: 2 }];
const judge: Link = ["BL_GAUSSIAN_MIXTURE_M", { model_name: "gaussianMixture" }];
const predict: Link = ["BL_GAUSSIAN_MIXTURE_P", { model_name: "gaussianMixture", test_data: "dataset_url" }];

describe("gaussianMixture (BL_GAUSSIAN_MIXTURE)", () => {
  it("finds heaps, tells how well, how likely rows are of each, and shows them", async () => {
    const records = await lab.chain(csv, roles, two, judge, predict);
    expect(output(records[3])).toMatchObject({ ari: 1, n_clusters: 2, n: 60, on: "all" });
    expect(Object.keys(output<object>(records[3]))).toEqual(
      expect.arrayContaining(["silhouette", "log_likelihood", "aic", "bic"]),
    );
    const answer = output<{ y_pred_url: string; y_proba_url: string }>(records[4]);
    const clusters = await lab.column(records[2], "cluster");
    expect((await lab.table(answer.y_pred_url)).rows.map(([label]) => label)).toEqual(clusters);
    const { header, rows } = await lab.table(answer.y_proba_url);
    expect(header).toEqual(["p_0", "p_1"]);
    expect(
      rows.every(([p, q], i) => Number(p) > 0.5 === (clusters[i] === 0) && Math.abs(Number(p) + Number(q) - 1) < 1e-12),
    ).toBe(true);
    for (const record of records.slice(2)) expect(await lab.view(record)).toMatchSnapshot();
  });

  it("takes the number of components of least BIC, and shows all of them", async () => {
    const record = await lab.last(csv, roles, ["gaussianMixture", { n_components: [1, 4], covariance_type: "diag" }]);
    expect(output<Record<string, object>>(record).gaussianMixture).toMatchObject({
      n_components: 2,
      bic: expect.any(Number),
    });
    expect(await lab.view(record)).toMatch(/Of 1 to 4 components, 2 have the least BIC[\s\S]*components/);
    const auto = await lab.last("a\n1\n2\n9\n", ["gaussianMixture", { n_components: "auto" }]);
    expect(await lab.view(auto)).toMatch(/Of 1 to 3 components/);
    const one = await lab.last(csv, roles, ["gaussianMixture", {}]);
    expect(one.notices?.at(-1)).toMatch(/n_components "auto" finds how many fit best/);
  });

  it.each(["full", "diag"])("gives rows that come later their cluster, as prediction does: %s", async (type) => {
    const three: Link = ["gaussianMixture", { n_components: 3, covariance_type: type }];
    const named: Link = ["derive", { columns: { name: "`c${cluster}`" } }];
    const again: Link = ["ML_CN_6_P", { model_name: "treeClassifier", test_data: lab.file(csv) }];
    const learn: Link[] = [["xy", { x: ["cluster"], y: "name" }], ["treeClassifier"], again];
    const records = await lab.chain(csv, roles, three, predict, named, ...learn);
    const all = await lab.column(records[2], "cluster");
    expect(new Set(all).size).toBe(3);
    const told = await Promise.all(
      [records[3], records.at(-1)!].map(async (record) => {
        return (await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows.map(([label]) => label);
      }),
    );
    expect(told).toEqual([all, all.map((label) => `c${label}`)]);
  });

  it("refuses what does not fit the rows, in a sentence", async () => {
    const refused = async (args: object, table = csv) => {
      const { status, message } = await lab.failure(table, roles, ["gaussianMixture", { ...args }]);
      return [status, message];
    };
    const who = "gaussianMixture (BL_GAUSSIAN_MIXTURE)";
    expect(await refused({ n_components: 61 })).toEqual([
      422,
      `${who}: n_components must be between 1 and 60 (rows), got 61.`,
    ]);
    expect((await refused({ n_components: [1, 2, 3] }))[1]).toBe(
      `${who}: n_components must be a number, or a list of exactly 2, or "auto", got [1,2,3].`,
    );
    expect(await refused({ n_components: [4, 2] })).toEqual([
      422,
      `${who}: n_components must go from the least to the most, got [4, 2].`,
    ]);
    expect(await refused({ n_components: 2, reg_covar: 0 }, "a,b,kind\n1,1,x\n2,1,x\n7,1,y\n9,1,y\n")).toEqual([
      422,
      `${who}: the rows of component 0 lie in fewer dimensions than there are features, so its covariance has no inverse. Raise reg_covar (now 0), scale the features with scale (DP_5), or take fewer components.`,
    ]);
    const huge = "a,b,kind\n1e200,1,x\n2e200,5,x\n-7e200,1,y\n9e200,2,y\n";
    expect(await refused({ n_components: 1 }, huge)).toEqual([422, expect.stringMatching(/the numbers are too large/)]);
    const unknown = await lab.failure(csv, roles, two, [
      "BL_GAUSSIAN_MIXTURE_M",
      { model_name: "gaussianMixture", metric: "bick" },
    ]);
    expect(unknown.message).toMatch(/there is no metric "bick"\. Did you mean "bic"\?/);
  });
});
