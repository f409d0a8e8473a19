import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { Lab } from "../../support/lab.ts";
import { askPython, pythonWith, whyNoPython } from "../../support/python.ts";

const lab = new Lab();
const modules = ["imblearn"];
const python = pythonWith(...modules);

/** Rows of each class around a place of its own, near enough to overlap; the classes come mixed, the last one first. */
function cloud(seed: number, columns: number, sizes: Readonly<Record<string, number>>) {
  const random = new RandomState(seed);
  const rows = Object.entries(sizes).flatMap(([label, n], k) =>
    Array.from({ length: n }, () => ({ x: Array.from({ length: columns }, () => k + random.normal()), y: label })),
  );
  const mixed = Array.from(random.permutation(rows.length), (at) => rows[at]);
  return { x: mixed.map((row) => row.x), y: mixed.map((row) => row.y) };
}

const sets = {
  "two classes": cloud(1, 3, { a: 120, b: 24 }),
  "four classes, two of them equally rare": cloud(2, 2, { c: 30, d: 90, a: 30, b: 55 }),
  "three classes, two of them equally frequent": cloud(3, 20, { a: 60, b: 25, c: 60 }),
  "a thousand rows": cloud(4, 5, { no: 820, yes: 180 }),
};

type Strategy = Readonly<Record<string, unknown>>;
const ways: readonly (readonly [string, Strategy?])[] = [
  ["RandomOverSampler"],
  ["RandomOverSampler", { sampling_strategy: "all" }],
  ["RandomUnderSampler"],
  ["RandomUnderSampler", { sampling_strategy: "all" }],
  ["RandomUnderSampler", { sampling_strategy: "all", replacement: true }],
  ["RandomUnderSampler", { sampling_strategy: "majority", replacement: true }],
  ["SMOTE"],
  ["SMOTE", { k_neighbors: 2, sampling_strategy: "minority" }],
  ["BorderlineSMOTE"],
  ["BorderlineSMOTE", { k_neighbors: 3, m_neighbors: 7 }],
  ["ADASYN"],
  ["ADASYN", { n_neighbors: 9 }],
  ["NearMiss"],
  ["NearMiss", { n_neighbors: 11 }],
  ["NearMiss", { version: 2 }],
  ["NearMiss", { version: 3, n_neighbors_ver3: 4 }],
  ["NearMiss", { sampling_strategy: "all" }],
  ["TomekLinks"],
  ["TomekLinks", { sampling_strategy: "all" }],
  ["SMOTETomek"],
];

/** Classes in an order that is not theirs: that of the labels counts. */
const byClass: readonly (readonly [string, Strategy])[] = [
  ["RandomOverSampler", { sampling_strategy: { c: 50, a: 41, d: 90 } }],
  ["SMOTE", { sampling_strategy: { c: 50, a: 41 } }],
  ["ADASYN", { sampling_strategy: { b: 88, a: 60 } }],
  ["RandomUnderSampler", { sampling_strategy: { d: 40, b: 50 } }],
  ["NearMiss", { sampling_strategy: { d: 40, b: 50 } }],
];

interface Case {
  readonly set: keyof typeof sets;
  readonly resampler: string;
  readonly details: Strategy;
  readonly seed: number;
}

/** These draw nothing. */
const isFixed = (resampler: string) => resampler === "NearMiss" || resampler === "TomekLinks";

const names = Object.keys(sets) as (keyof typeof sets)[];
const four = "four classes, two of them equally rare";
const cases: readonly Case[] = [0, 4294967295].flatMap((seed) => [
  ...names.flatMap((set) =>
    ways
      .filter(([resampler]) => seed === 0 || !isFixed(resampler))
      .map(([resampler, details = {}]) => ({ set, resampler, details, seed })),
  ),
  ...byClass.map(([resampler, details]) => ({ set: four, resampler, details, seed }) as const),
  { set: "two classes", resampler: "SMOTE", details: { sampling_strategy: 0.7 }, seed },
  { set: "two classes", resampler: "RandomUnderSampler", details: { sampling_strategy: 0.7 }, seed },
]);

const script = `
import inspect, json, sys, warnings
import numpy as np
from imblearn import combine, over_sampling, under_sampling

warnings.simplefilter("ignore")
asked = json.load(sys.stdin)
answers = []
for case in asked["cases"]:
    kind = next(getattr(m, case["resampler"]) for m in (combine, over_sampling, under_sampling) if hasattr(m, case["resampler"]))
    details = dict(case["details"])
    if "random_state" in inspect.signature(kind).parameters:
        details["random_state"] = case["seed"]
    rows = asked["sets"][case["set"]]
    x, y = kind(**details).fit_resample(np.array(rows["x"]), np.array(rows["y"]))
    answers.append({"x": x.tolist(), "y": y.tolist()})
json.dump(answers, sys.stdout)
`;

type Rows = { readonly x: number[][]; readonly y: string[] };

describe.skipIf(!python)(`resample (DP_RES) beside imbalanced-learn${whyNoPython(python, ...modules)}`, () => {
  it("answers the same rows in the same order, and makes the same ones, bit for bit", {
    timeout: 120_000,
  }, async () => {
    const theirs = askPython<Rows[]>(python as string, script, { sets, cases });
    const { id } = await lab.project();
    const parents = new Map<string, number>();
    let block = 0;
    for (const set of names) {
      const columns = sets[set].x[0].map((_, j) => `x${j}`);
      const lines = sets[set].x.map((row, i) => `${row.join()},${sets[set].y[i]}`);
      const path = lab.file(`${columns.join()},y\n${lines.join("\n")}\n`);
      await lab.block(id, ++block, 0, ["input", { dburl: path }]);
      await lab.block(id, ++block, block - 1, ["xy", { y: "y" }]);
      parents.set(set, block);
    }
    for (const [k, { set, resampler, details, seed }] of cases.entries()) {
      const args = { resampler, details, random_state: seed };
      const record = await lab.block(id, ++block, parents.get(set) as number, ["resample", args]);
      const rows = (await lab.table(record.dataset_url)).rows;
      const ours = { x: rows.map((row) => row.slice(0, -1).map(Number)), y: rows.map((row) => String(row.at(-1))) };
      expect.soft(ours, `${resampler} ${JSON.stringify(details)} of ${set}, seed ${seed}`).toEqual(theirs[k]);
    }
  });
});
