import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const half = ["split", { test_size: 0.5, shuffle: false }] as const;

describe("metrics of a regression", () => {
  it("show predicted against true, and what is left over", async () => {
    const csv = `a,y\n${Array.from({ length: 20 }, (_, k) => `${k % 10},${(k % 10) ** 2}`).join("\n")}\n`;
    const record = await lab.last(csv, roles, half, ["linear"], ["ML_R_2_M", { model_name: "linear" }]);
    expect(await lab.view(record)).toMatchSnapshot();
  });

  it("say that mape means nothing where targets are 0, and keep scikit-learn's number", async () => {
    const csv = `a,y\n${Array.from({ length: 40 }, (_, k) => `${k},${k % 4 === 0 ? 0 : k + (k % 3)}`).join("\n")}\n`;
    const judge = (args: object) => ["ML_R_2_M", { model_name: "linear", ...args }] as const;
    const words = (who: string, rows: string) =>
      `${who}: mape means nothing here, since it divides by the target, which is 0 in ${rows}. Look at mae or rmse.`;
    const all = await lab.last(csv, roles, half, ["linear"], judge({}));
    expect(all.notices).toEqual([words("metrics (ML_R_2_M)", "5 of 20 rows")]);
    expect(output(all).mape).toBeGreaterThan(1e15);
    const alone = await lab.last(csv, roles, ["linear"], judge({ metric: "mape" }));
    expect(alone.notices).toEqual([words("metrics (ML_R_2_M)", "10 of 40 rows")]);
    expect((await lab.last(csv, roles, ["linear"], judge({ metric: "mae" }))).notices ?? []).toEqual([]);
    const folds = await lab.last(csv, roles, half, ["linear", { cv: 3 }]);
    expect(folds.notices).toEqual([words("linear (ML_R_2)", "5 of 20 rows")]);
    const away = csv.replace(/,0$/gm, ",1");
    expect((await lab.last(away, roles, ["linear", { cv: 3 }], judge({}))).notices ?? []).toEqual([]);
  });

  it("are null, and draw nothing, where no row has a true value", async () => {
    const csv = "a,y\n1,2\n2,4\n3,\n4,\n";
    const record = await lab.last(csv, roles, half, ["linear"], ["ML_R_2_M", { model_name: "linear" }]);
    expect(output(record)).toMatchObject({ r2: null, mae: null, rmse: null });
    expect(await lab.view(record)).toMatch(/nothing to draw/);
  });
});

describe("metrics of numbers that have no end", () => {
  it("are refused in a sentence", async () => {
    const csv = "a,y\n1,2\n2,4\n3,6\n4,inf\n";
    const failure = await lab.failure(csv, roles, half, ["linear"], ["ML_R_2_M", { model_name: "linear" }]);
    expect(failure).toMatchObject({
      status: 422,
      message: 'metrics (ML_R_2_M): the target must be finite, but "y" holds infinity. Mend its source.',
    });
  });
});

describe("metrics of a classification", () => {
  const csv = `a,y\n${Array.from({ length: 40 }, (_, k) => `${k % 20},${(k * 7) % 20 > (k % 20 > 9 ? 5 : 14) ? "yes" : "no"}`).join("\n")}\n`;
  const judge = ["ML_CN_1_M", { model_name: "logistic" }] as const;

  it("show the confusion, and the curves of the second of two classes", async () => {
    expect(await lab.view(await lab.last(csv, roles, half, ["logistic"], judge))).toMatchSnapshot();
  });

  it("draw each of several classes against the others, the six with most rows at most", async () => {
    const many = `a,y\n${Array.from({ length: 80 }, (_, k) => `${k},c${k % 8}`).join("\n")}\n`;
    const view = await lab.view(await lab.last(many, roles, ["logistic"], judge));
    expect(view).toMatch(/ROC and the area under it, each class against the others; 6 of 8 classes/);
    expect(new Set(view.match(/0\.\d{3} c\d/g)?.map((name) => name.slice(-2)))).toHaveProperty("size", 6);
  });

  it("draw no curve where the rows hold one class alone", async () => {
    const one = "a,y\n1,p\n2,q\n1,p\n2,p\n";
    const record = await lab.last(one, roles, half, ["logistic"], judge);
    expect(output(record)).toMatchObject({ roc_auc: null });
    expect(await lab.view(record)).not.toMatch(/ROC/);
  });
});

describe("metrics of other rows than the test rows", () => {
  const csv = "city,a,y\nOslo,1,2\nOslo,2,4\nRome,3,6\nRome,4,9\n";
  const chain = [roles, ["encode", { columns: ["city"] }], ["linear"]] as const;
  const judge = (rows: string, more: object = {}) =>
    ["ML_R_2_M", { model_name: "linear", test_data: lab.file(rows), ...more }] as const;

  it("send them through the chain first", async () => {
    const record = await lab.last(csv, ...chain, judge("y,a,city\n3,1,Oslo\n8,4,Rome\n"));
    expect(output(record)).toMatchObject({ mae: expect.closeTo(1, 9), n: 2, on: "the new rows" });
    expect(await lab.view(record)).toMatch(/^Model linear, judged on 2 new rows\.$/m);
  });

  it("are refused where the rows have no target, or importance is asked for", async () => {
    const failure = async (...link: Parameters<typeof judge>) =>
      (await lab.failure(csv, ...chain, judge(...link))).message;
    expect(await failure("a,city\n1,Oslo\n")).toBe(
      'metrics (ML_R_2_M): the given rows lack "y", by which they would be judged.',
    );
    expect(await failure(csv, { importance: 5 })).toBe(
      "metrics (ML_R_2_M): importance is worked out on the model's own rows, so it can't stand beside test_data. Leave one out.",
    );
  });
});
