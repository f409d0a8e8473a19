import { describe, expect, it } from "vitest";
import { byName } from "../../../src/registry/index.ts";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const regressions = [
  "simpleLinear",
  "linear",
  "ridge",
  "lasso",
  "elasticNet",
  "poisson",
  "quantileRegressor",
  "knnRegressor",
  "polynomial",
  "treeRegressor",
  "forestRegressor",
];
const classifiers = ["logistic", "knn", "naiveBayes", "treeClassifier", "forestClassifier"];
const codeOf = (name: string) => byName(name)?.code as string;
const small = (name: string) =>
  name.startsWith("knn") ? { n_neighbors: 1 } : name.startsWith("forest") ? { n_estimators: 3 } : {};

describe.each([...regressions, ...classifiers])("%s, whatever comes in", (name) => {
  const code = codeOf(name);
  const who = `${name} (${code})`;
  const train = [name, small(name)] as const;
  const classes = classifiers.includes(name);
  const [low, high] = classes ? ["p", "q"] : ["1", "2"];

  it("names the features that are text, dates, missing or infinite, and the block that mends them", async () => {
    const failure = async (csv: string) => {
      const { status, message } = await lab.failure(csv, roles, train);
      expect(status).toBe(422);
      return message;
    };
    expect(await failure(`a,b,c,y\nu,1,v,${low}\nw,2,x,${high}\n`)).toBe(
      `${who}: features must be numbers, but a, c are not. Encode with encode (DP_3) or drop with drop (DP_6).`,
    );
    expect(await failure(`a,b,c,y\nu,1,2020-01-01,${low}\nw,2,2020-01-02,${high}\n`)).toBe(
      `${who}: features must be numbers, but a, c are not. Encode a with encode (DP_3), take the parts of c with dates (DP_PDT), or drop with drop (DP_6).`,
    );
    expect(await failure(`a,b,y\n2020-01-01,1,${low}\n2020-01-02,2,${high}\n`)).toBe(
      `${who}: features must be numbers, but a is not. Take their parts with dates (DP_PDT) or drop with drop (DP_6).`,
    );
    expect(await failure(`a,b,c,y\n1,,1,${low}\n2,3,NaN,${high}\n`)).toBe(
      `${who}: features must be complete, but b, c have missing cells. Fill them with missing (DP_2).`,
    );
    expect(await failure(`a,b,y\n1,inf,${low}\n2,3,${high}\n`)).toMatch(/but b holds infinity\. Drop the column/);
    expect(await failure(`a,y\n1,\n2,${high}\n`)).toMatch(
      /the target "y" is missing in 1 row\. Drop them with missing/,
    );
  });

  it("says what is wrong with a target that can't be learnt", async () => {
    const wrong = classes ? "a,y\n1,0.5\n2,1.5\n" : "a,y\n1,p\n2,q\n";
    const { status, message } = await lab.failure(wrong, roles, train);
    expect([status, message]).toEqual([422, expect.stringMatching(classes ? /not classes/ : /must be a number/)]);
    if (classes) {
      expect((await lab.failure("a,y\n1,p\n2,p\n3,p\n", roles, train)).message).toBe(
        `${who}: the target "y" needs at least 2 classes, but all 3 rows are "p".`,
      );
    } else {
      const records = await lab.chain("a,y\n1,7\n2,7\n4,7\n", roles, train, [`${code}_M`, { model_name: name }]);
      expect(records[2].notices?.[0]).toBe(
        `${who}: the target "y" is 7 in all 3 rows, so the model answers nothing else.`,
      );
      expect(output(records[3])).toMatchObject({ mae: expect.closeTo(0, 9) });
    }
  });

  it("learns from more features than rows, one row too where it can", async () => {
    const names = Array.from({ length: 9 }, (_, k) => `f${k}`);
    const csv = `${names},y\n${[low, high, low, high].map((y, i) => `${names.map((_, k) => (i * 7 + k * k * i) % 5)},${y}`).join("\n")}\n`;
    const record = await lab.last(csv, roles, train, [`${code}_P`, { model_name: name }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
    expect(rows).toHaveLength(4);
    for (const [value] of rows)
      expect(classes ? ["p", "q"].includes(value as string) : Number.isFinite(value)).toBe(true);
    if (!classes) {
      const one = await lab.last("a,y\n1,7\n", roles, train, [`${code}_P`, { model_name: name }]);
      expect((await lab.table(output<{ y_pred_url: string }>(one).y_pred_url)).rows).toEqual([[7]]);
    }
  });

  it("says which model is meant when none, an unknown or another one is named", async () => {
    const csv = `a,y\n1,${low}\n2,${high}\n3,${low}\n`;
    for (const suffix of ["P", "M"]) {
      const word = suffix === "P" ? "predict" : "metrics";
      const fail = (args: object) => lab.failure(csv, roles, train, [`${code}_${suffix}`, { ...args }]);
      const none = await fail({});
      expect([none.status, none.message]).toEqual([
        400,
        `${name}.${word} (${code}_${suffix}) needs model_name: a text.`,
      ]);
      const unknown = await fail({ model_name: `${name}s` });
      expect([unknown.status, unknown.message]).toEqual([
        404,
        `${name}.${word} (${code}_${suffix}): model "${name}s" is not in the project. Did you mean "${name}"? Models: ${name}.`,
      ]);
      const other = name === "linear" ? "ML_R_1" : "ML_R_2";
      const kind = await lab.failure(csv, roles, train, [`${other}_${suffix}`, { model_name: name }]);
      expect([kind.status, kind.message]).toEqual([
        400,
        expect.stringContaining(`model "${name}" was made by ${name} (${code}); use ${code}_${suffix}.`),
      ]);
    }
  });

  it("is judged on the target it learnt alone, and only where its features are", async () => {
    const csv = `a,b,y\n1,5,${low}\n2,7,${high}\n3,9,${low}\n`;
    const judge = [`${code}_M`, { model_name: name }] as const;
    const other = await lab.failure(csv, roles, train, ["xy", { x: ["a"], y: "b" }], judge);
    expect([other.status, other.message]).toEqual([
      422,
      expect.stringContaining(`model "${name}" predicts "y", but Y is "b" here.`),
    ]);
    const lacking = await lab.failure(csv, roles, train, ["drop", { d_columns: ["b"] }], judge);
    expect([lacking.status, lacking.message]).toEqual([
      422,
      expect.stringContaining(`the table lacks features of model "${name}": b.`),
    ]);
  });
});

describe.each(classifiers)("%s, and a class it has not seen", (name) => {
  it("counts it as mistakes, and says so", async () => {
    const csv = "a,y\n1,p\n2,q\n1,p\n2,q\n3,r\n9,p\n";
    const split = ["split", { test_size: 2, shuffle: false }] as const;
    const judge = [`${codeOf(name)}_M`, { model_name: name }] as const;
    const record = await lab.last(csv, roles, split, [name, small(name)], judge);
    const { confusion, ...metrics } = output<Record<string, number> & { confusion: { matrix: number[][] } }>(record);
    expect(metrics.accuracy).toBeLessThanOrEqual(0.5);
    expect(confusion).toMatchObject({ labels: ["p", "q", "r"] });
    expect(confusion.matrix[2].reduce((a, b) => a + b)).toBe(1);
    for (const metric of ["accuracy", "f1", "log_loss"]) expect(Number.isFinite(metrics[metric]), metric).toBe(true);
    expect(record.notices).toEqual([
      `metrics (${codeOf(name)}_M): model "${name}" has never seen r of "y", so it is wrong on those rows.`,
    ]);
  });
});

it("names classes that differ by case alone apart, in the probabilities too", async () => {
  const record = await lab.last("a,y\n1,A\n2,a\n", roles, ["naiveBayes"], ["ML_CN_5_P", { model_name: "naiveBayes" }]);
  const { header } = await lab.table(output<{ y_proba_url: string }>(record).y_proba_url);
  expect(header).toEqual(["p_A", "p_a_1"]);
});
