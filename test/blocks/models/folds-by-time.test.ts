import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { x: ["precipitation", "temp_min", "wind"], y: "temp_max" }];
const split: Link = ["split", { test_size: 0.2, shuffle: false }];

interface Found {
  readonly cv: Record<string, { readonly folds: readonly number[] }>;
  readonly grid: { readonly best: unknown; readonly ranking: readonly { readonly mean: number }[] };
}

async function trained(...links: Link[]) {
  const record = await lab.last("sample:weather", ...links);
  return { record, ...Object.values(output<Record<string, Found>>(record))[0] };
}

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 9));

// cross_validate(make_pipeline(StandardScaler(), model), …, cv=TimeSeriesSplit(…)) of scikit-learn 1.9.1.
describe("folds by time", () => {
  it("are TimeSeriesSplit's, every step fitted anew", async () => {
    const cv = { kind: "time", n_splits: 4, gap: 7 };
    const behind = await trained(roles, split, ["scale"], ["linear", { cv }]);
    expect(behind.cv.r2.folds).toEqual(
      close([0.6658886884065338, 0.68670453463784, 0.8165205268990878, 0.7640259747610477]),
    );
    expect(await lab.view(behind.record)).toContain("Cross-validation in 4 folds by time on the training rows");
    expect(behind.record.notices).toEqual([expect.stringContaining("0 in 2 of 1,168 rows")]);
    const latest = { kind: "time", n_splits: 3, test_size: 100, max_train_size: 400 };
    expect((await trained(roles, ["scale"], ["linear", { cv: latest }])).cv.r2.folds).toEqual(
      close([0.5242646700534155, 0.4808147790732594, 0.6360870338054634]),
    );
    const classes: Link = ["xy", { x: ["precipitation", "temp_min", "wind"], y: "weather" }];
    const told = await trained(classes, split, ["scale"], ["naiveBayes", { cv: { kind: "time", n_splits: 3 } }]);
    expect(told.cv.accuracy.folds).toEqual(close([0.8116438356164384, 0.928082191780822, 0.8424657534246576]));
  });

  it("judge the combinations of a grid", async () => {
    const grid = { alpha: [0.1, 10, 1000] };
    const asked = { model: "ridge", grid, cv: { kind: "time", n_splits: 4, gap: 7 } };
    const found = await trained(roles, split, ["scale"], ["gridSearch", asked]);
    expect(found.grid.best).toEqual({ alpha: 0.1 });
    const means = found.grid.ranking.map(({ mean }) => mean.toFixed(8));
    expect(means).toEqual(["0.73326213", "0.73061248", "0.29838563"]);
  });

  it("say that shuffled test rows lie between them, and what is too little", async () => {
    const shuffled = await trained(roles, ["split", { random_state: 0 }], ["linear", { cv: { kind: "time" } }]);
    expect(shuffled.record.notices).toEqual([
      expect.stringMatching(/^linear \(ML_R_2\): the folds go by time, but split \(DP_4\) shuffled/),
      expect.stringContaining("mape means nothing here"),
    ]);
    const few = await lab.failure(
      "a,y\n1,2\n2,4\n3,5\n4,7\n",
      ["xy", { y: "y" }],
      ["linear", { cv: { kind: "time", n_splits: 3, gap: 1 } }],
    );
    expect(few.message).toBe(
      "linear (ML_R_2): cv: 3 folds of 1 test rows, with a gap of 1, leave none of 4 rows to learn from. Take fewer n_splits, a smaller test_size or gap.",
    );
    const odd = await lab.failure("sample:weather", roles, ["linear", { cv: { kind: "weeks" } }]);
    expect(odd).toMatchObject({ status: 400, message: 'linear (ML_R_2): cv.kind must be "time", got "weeks".' });
  });
});
