import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const rows = Array.from({ length: 60 }, (_, k) => [(k * 37) % 41, (k * 53) % 29, (k * 11) % 13]);
const csv = (target: (a: number, b: number, k: number) => string | number) =>
  `a,b,c,y\n${rows.map((row, k) => `${row},${target(row[0], row[1], k)}`).join("\n")}\n`;
const numbers = csv((a, b, k) => 2 * a - b + ((k * 13) % 7));
const classes = csv((a, b) => (a + b / 2 > 30 ? (b > 18 ? "r" : "q") : "p"));
const steps = [
  ["xy", { y: "y" }],
  ["split", { test_size: 20, shuffle: false }],
] as const;

type Importances = { importance: { feature: string; mean: number; std: number }[] };
const judged = async (table: string, model: string, code: string, args: object) => {
  const record = await lab.last(table, ...steps, [model], [`${code}_M`, { model_name: model, ...args }]);
  return { record, found: output<Importances & Record<string, unknown>>(record) };
};

// permutation_importance(model, X_test, y_test, n_repeats=4, random_state=…) of scikit-learn 1.9.1.
describe("importance: 4 is scikit-learn's permutation_importance", () => {
  it("for numbers, by the fall of r2", async () => {
    const { record, found } = await judged(numbers, "linear", "ML_R_2", { importance: 4, random_state: 3 });
    expect(found.importance).toEqual([
      { feature: "a", mean: expect.closeTo(1.8068972811915953, 9), std: expect.closeTo(0.25355152159136024, 9) },
      { feature: "b", mean: expect.closeTo(0.29792499180467547, 9), std: expect.closeTo(0.07794627055036076, 9) },
      { feature: "c", mean: expect.closeTo(-4.500697379963836e-5, 9), std: expect.closeTo(5.9499207377172045e-6, 9) },
    ]);
    const view = await lab.view(record);
    expect(view.slice(view.indexOf("permutation importance"))).toMatchSnapshot();
  });

  it("for classes, by the fall of accuracy", async () => {
    const { found } = await judged(classes, "treeClassifier", "ML_CN_6", { importance: 4 });
    expect(found.importance.map(({ mean }) => mean)).toEqual([0.425, 0.15, 0.0125].map((v) => expect.closeTo(v, 9)));
    expect(found.importance[0].std).toBeCloseTo(0.025, 9);
  });
});

describe("importance goes by the columns that a user knows", () => {
  const towns = ["Lagos", "Accra", "Kano", "Tema"];
  const table = `size,town,y\n${rows.map(([a], k) => `${a},${towns[k % 4]},${a + 20 * (k % 4)}`).join("\n")}\n`;
  const chain = [
    ["encode", { columns: ["town"], type: "onehot" }],
    ["derive", { columns: { big: "size > 20", both: "size * town_Kano" } }],
    ["scale", { columns: ["size"] }],
    ...steps,
    ["linear"],
    ["ML_R_2_M", { model_name: "linear", importance: 3 }],
  ] as const;

  it("shuffles the dummies of a category together, and what is made of several columns alone", async () => {
    const { importance } = output<Importances>(await lab.last(table, ...chain));
    expect(importance.map(({ feature }) => feature)).toEqual(["size", "town", "both"]);
    const { mean } = importance[1];
    expect(mean).toBeGreaterThan(0.5);
  });

  it("is that of shuffling whole rows of dummies, worked out by hand", async () => {
    // y is 20 for b and 0 for a. Two dummies that are shuffled apart would say a town that is both or none.
    const two = `town,y\n${Array.from({ length: 40 }, (_, k) => (k % 2 === 0 ? "a,0" : "b,20")).join("\n")}\n`;
    const found = output<Importances>(
      await lab.last(
        two,
        ["encode", { columns: ["town"], type: "onehot" }],
        ["xy", { y: "y" }],
        ["linear"],
        ["ML_R_2_M", { model_name: "linear", importance: 1 }],
      ),
    ).importance;
    // Each row that gets the other town is off by 20, so r2 falls by 4 times the share of such rows: a multiple of 0.1.
    expect(found).toHaveLength(1);
    expect(found[0].feature).toBe("town");
    expect(found[0].mean * 10).toBeCloseTo(Math.round(found[0].mean * 10), 9);
    expect(found[0].mean).toBeGreaterThan(1);
  });
});

it("comes beside one metric alone, and only when asked for", async () => {
  const one = await judged(numbers, "linear", "ML_R_2", { metric: "r2", importance: 1 });
  expect(Object.keys(one.found)).toEqual(["r2", "n", "on", "importance"]);
  expect(Object.keys((await judged(numbers, "linear", "ML_R_2", {})).found)).not.toContain("importance");
});

it("leaves out rows whose target is missing, and refuses when all are", async () => {
  const holes = numbers.replace(/,[^,\n]*\n$/, ",\n");
  expect((await judged(holes, "linear", "ML_R_2", { importance: 2 })).found.importance).toHaveLength(3);
  const none = "a,y\n1,1\n2,2\n3,\n4,\n";
  const links = [
    ["xy", { y: "y" }],
    ["split", { test_size: 2, shuffle: false }],
    ["linear"],
    ["ML_R_2_M", { model_name: "linear", importance: 2 }],
  ] as const;
  const error = await lab.failure(none, ...links);
  expect([error.status, error.message]).toEqual([
    400,
    'metrics (ML_R_2_M): importance needs rows whose "y" is known, and there are none.',
  ]);
  expect(
    (await lab.failure(numbers, ...steps, ["linear"], ["ML_R_2_M", { model_name: "linear", importance: 0 }])).status,
  ).toBe(400);
});
