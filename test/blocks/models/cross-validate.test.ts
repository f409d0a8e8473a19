import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const rows = Array.from({ length: 60 }, (_, k) => {
  const a = k % 7 === 3 ? null : (k * 37) % 41;
  const b = (k * 53) % 29;
  const label = (a ?? 20) + b / 2 + ((k * 17) % 11) > 30 ? (b > 18 ? "r" : "q") : "p";
  return { a, b, label, number: (a ?? 5) * 2 - b + ((k * 13) % 7) };
});
const classes = `a,b,y\n${rows.map(({ a, b, label }) => `${a ?? ""},${b},${label}`).join("\n")}\n`;
const numbers = `a,b,y\n${rows.map(({ a, b, number }) => `${a ?? ""},${b},${number}`).join("\n")}\n`;
const roles: Link = ["xy", { y: "y" }];
const split: Link = ["split", { test_size: 0.25, random_state: 0 }];
const fill: Link = ["missing", { strategy_value: "mean" }];

type Cv = { folds: number } & Record<string, { mean: number; std: number; folds: number[] }>;

async function validated(csv: string, ...links: Link[]) {
  const record = await lab.last(csv, ...links);
  const [model] = Object.values(output<Record<string, { cv: Cv; model_url: string }>>(record));
  return { record, cv: model.cv };
}

const close = (values: number[]) => values.map((value) => expect.closeTo(value, 9));

// cross_validate(make_pipeline(SimpleImputer(), StandardScaler(), model), X, y, cv=5) of scikit-learn 1.9.1, on the training rows.
describe("cv: 5 is scikit-learn's cross_validate of the whole pipeline", () => {
  it.each([
    ["before the split", [roles, fill, ["scale"], split]],
    ["after the split", [roles, split, fill, ["scale"]]],
  ] as [string, Link[]][])("for classes, steps %s", async (_, steps) => {
    const { cv, record } = await validated(classes, ...steps, ["knn", { n_neighbors: 3, cv: 5 }]);
    expect(cv.folds).toBe(5);
    expect(cv.accuracy.folds).toEqual(close([7 / 9, 6 / 9, 8 / 9, 1, 1]));
    expect(cv.f1.folds).toEqual(close([0.7592592593, 0.6888888889, 0.8765432099, 1, 1]));
    expect(cv.accuracy.mean).toBeCloseTo(39 / 45, 9);
    expect(await lab.view(record)).toMatchSnapshot();
    const tree = await validated(classes, ...steps, ["treeClassifier", { max_depth: 3, cv: 5 }]);
    expect(tree.cv.accuracy.folds).toEqual(close([8 / 9, 5 / 9, 8 / 9, 7 / 9, 8 / 9]));
  });

  it("for numbers, on the training rows or on all", async () => {
    const all = await validated(numbers, roles, fill, ["scale"], ["linear", { cv: 5 }]);
    expect(all.cv.r2.folds).toEqual(close([0.8274774693, 0.916216973, 0.7776033166, 0.7789038825, 0.6324952426]));
    expect(all.cv.mae.folds).toEqual(close([7.6824856512, 5.85389379, 7.5153919827, 8.0841264966, 7.9230016838]));
    const train = await validated(numbers, roles, split, fill, ["scale"], ["linear", { cv: 5 }]);
    expect(train.cv.r2.folds).toEqual(close([0.9351927034, 0.6925526379, -0.7186649383, 0.824868665, 0.7956142028]));
  });

  it("with an encoding by the target, which knows of no held-out row", async () => {
    const lines = Array.from({ length: 40 }, (_, i) => {
      const [c, z] = ["abc"[((i * i) % 7) % 3], (i * 7) % 11];
      return `${c},${z},${((i * 13) % 17) * 0.25 + z + (c === "a" ? 9 : 0)}`;
    });
    const encoding: Link = ["encode", { columns: ["c"], type: "target" }];
    const { cv } = await validated(`c,z,y\n${lines.join("\n")}\n`, roles, encoding, ["linear", { cv: 5 }]);
    // make_pipeline(make_column_transformer((TargetEncoder(), ["c"]), remainder="passthrough"), LinearRegression())
    expect(cv.r2.folds).toEqual(close([0.80411385036, 0.920830359827, 0.808565362042, 0.89382433512, 0.838530062813]));
  });
});

describe("cross-validation", () => {
  it("leaves nothing behind, and the model as it is without", async () => {
    const { id } = await lab.project();
    for (const [k, link] of [["input", { dburl: lab.file(numbers) }], roles, split, fill].entries()) {
      await lab.block(id, k + 1, k, link as Link);
    }
    await lab.block(id, 5, 4, ["linear"]);
    const before = lab.files();
    const record = await lab.block(id, 6, 4, ["linear", { cv: 4, model_name: "other" }]);
    expect(lab.files()).toBe(before + 1);
    const [plain, other] = await Promise.all(
      ["linear", "other"].map(async (model_name, k) => {
        const predicted = await lab.block(id, 7 + k, 5 + k, ["ML_R_2_P", { model_name }]);
        return (await lab.table(output<{ y_pred_url: string }>(predicted).y_pred_url)).rows;
      }),
    );
    expect(other).toEqual(plain);
    expect(record.notices).toEqual([expect.stringContaining("mape means nothing here")]);
  });

  it("encodes anew in each fold, where a category may be held out", async () => {
    const csv = `city,y\n${Array.from({ length: 12 }, (_, k) => `${k === 0 ? "Lima" : k % 2 ? "Oslo" : "Rome"},${k % 2 ? 1 : 5}`).join("\n")}\n`;
    const { cv } = await validated(
      csv,
      ["encode", { xvalue: { encode: true, encoding_type: "onehot", remainder: "passthrough", index: "city" } }],
      roles,
      ["treeRegressor", { cv: 3 }],
    );
    // Lima, held out in the first fold, is then neither Oslo nor Rome; of those the tree asks for Oslo first or for Rome.
    expect(cv.mae.folds.slice(1)).toEqual(close([0, 0]));
    expect([0, 1]).toContain(Math.round(cv.mae.folds[0]));
  });

  it("works a group's mean out anew in each fold, which a split after it could only tell", async () => {
    // Each group is a row, so its mean is the row's own answer; held out, it is missing.
    const csv = `g,h,y\n${Array.from({ length: 30 }, (_, k) => `g${k},${(k * 11) % 2},${(k * 11) % 2 ? "p" : "q"}`).join("\n")}\n`;
    const habit: Link = ["derive", { columns: { habit: "mean(h)" }, by: "g" }];
    const chosen: Link = ["xy", { x: ["habit"], y: "y" }];
    const links = [habit, chosen, ["missing", { strategy_value: "mean", columns: ["habit"] }]] as Link[];
    const { cv, record } = await validated(csv, ...links, ["logistic", { cv: 5 }]);
    expect(cv.roc_auc.folds).toEqual(close([0.5, 0.5, 0.5, 0.5, 0.5]));
    expect(record.notices).toBeUndefined();
    expect((await lab.failure(csv, habit, chosen, ["logistic", { cv: 5 }])).message).toMatch(
      /^logistic \(ML_CN_1\): .*habit has missing cells.* That is so in fold 1 of 5 of the cross-validation, where /,
    );
  });

  it("says which fits it can't repeat, because rows were dropped after them", async () => {
    const { record, cv } = await validated(
      numbers,
      roles,
      ["scale"],
      ["missing", { strategy_value: "drop" }],
      ["linear", { cv: 3 }],
    );
    expect(cv.r2.folds).toHaveLength(3);
    expect(record.notices).toEqual([
      expect.stringMatching(
        /^linear \(ML_R_2\): cross-validation leaves scale \(DP_5, block 3\) as fitted on all training rows/,
      ),
      expect.stringContaining("mape means nothing here"),
    ]);
  });

  it("says which class is too rare for a row in each fold", async () => {
    const csv = "a,y\n1,p\n2,p\n3,p\n4,p\n5,q\n6,q\n7,q\n8,q\n9,r\n";
    const { record, cv } = await validated(csv, roles, ["naiveBayes", { cv: 3 }]);
    expect(record.notices).toEqual([
      'naiveBayes (ML_CN_5): r of "y" has fewer than 3 rows, so some folds are judged without.',
    ]);
    expect(cv.accuracy.folds).toHaveLength(3);
  });

  it("refuses more folds than rows, or than any class has rows, and fewer than two", async () => {
    const failure = async (csv: string, ...links: Link[]) => {
      const { status, message } = await lab.failure(csv, roles, ...links);
      return [status, message];
    };
    expect(await failure("a,y\n1,2\n2,3\n3,5\n", ["linear", { cv: 4 }])).toEqual([
      400,
      "linear (ML_R_2): cv must be between 2 and 3 (training rows), got 4.",
    ]);
    expect(await failure("a,y\n1,p\n2,q\n3,p\n4,q\n", ["naiveBayes", { cv: 3 }])).toEqual([
      400,
      'naiveBayes (ML_CN_5): cv must be at most 2, the rows of the largest class of "y", got 3.',
    ]);
    expect(await failure("a,y\n1,2\n", ["linear", { cv: 2 }])).toEqual([
      422,
      "linear (ML_R_2): cross-validation needs at least 2 training rows, and there is 1.",
    ]);
    expect(await failure("a,y\n1,p\n2,q\n", ["naiveBayes", { cv: 2 }])).toEqual([
      422,
      'naiveBayes (ML_CN_5): cross-validation needs a class of at least 2 rows, and no class of "y" has more than one.',
    ]);
    for (const cv of [0, 1, 2.5, "many"]) {
      expect((await failure("a,y\n1,2\n2,3\n", ["linear", { cv }]))[0]).toBe(400);
    }
  });
});
