import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../../src/core/record.ts";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();

const towns = ["Lagos", "Accra", "Kano"];
const table = `age,town,size,kind,y\n${Array.from({ length: 90 }, (_, k) => {
  const [age, town, size] = [(k * 37) % 61, k % 3, ((k * 53) % 29) / 7];
  const y = 2 * age + 30 * town + size * size + (age > 30 ? 10 * size : 0);
  return [age, towns[town], size, y > 90 ? "q" : y > 60 && town === 1 ? "r" : "p", y].join(",");
}).join("\n")}\n`;

const steps = (target: "kind" | "y") =>
  [
    ["drop", { columns: [target === "y" ? "kind" : "y"] }],
    ["encode", { columns: ["town"], type: "onehot" }],
    ["scale", { columns: ["age", "size"] }],
    ["xy", { y: target }],
    ["split", { test_size: 30, random_state: 0 }],
  ] as const;

type Shap = { shap_url: string; base: number | null; rows: number; method: string; columns: { column: string }[] };

const explained = async (target: "kind" | "y", model: string, code: string, args = {}, own = {}) => {
  const records = await lab.chain(
    table,
    ...steps(target),
    [model, own],
    ["shap", args],
    [`${code}_P`, { model_name: model, test_data: "x_test_url" }],
  );
  const [record, predicted] = records.slice(-2);
  const answers = output<{ y_pred_url: string; y_proba_url?: string }>(predicted);
  return { record, found: output<Shap>(record), ...(await lab.table(output<Shap>(record).shap_url)), answers };
};

const sums = (header: readonly string[], rows: readonly (readonly unknown[])[]) =>
  rows.map((row) =>
    row
      .slice(header.indexOf("answer") + 1)
      .reduce<number>((sum, each) => sum + Number(each), Number(row[header.indexOf("base")])),
  );

describe("shares add up to the answer less the base", () => {
  it.each([
    ["linear", "ML_R_2", "linear", {}],
    ["ridge", "BL_RIDGE", "linear", {}],
    ["lasso", "BL_LASSO", "linear", {}],
    ["quantileRegressor", "BL_QUANTILE", "linear", {}],
    ["treeRegressor", "ML_R_5", "trees", {}],
    ["forestRegressor", "ML_R_6", "trees", { n_estimators: 10 }],
    ["boost", "MS_XGBOOST", "trees", { max_iter: 20, min_samples_leaf: 5 }],
    ["polynomial", "ML_R_3", "kernel", {}],
    ["svr", "ML_R_4", "kernel", {}],
  ] as const)("of %s, whose answers are numbers", async (model, code, method, own) => {
    const { found, header, rows, answers } = await explained("y", model, code, {}, own);
    expect(found.method).toBe(method);
    expect(header).toEqual(["row", "base", "answer", "age", "town", "size"]);
    const { rows: predicted } = await lab.table(answers.y_pred_url);
    expect(sums(header, rows)).toEqual(predicted.map(([value]) => expect.closeTo(Number(value), 8)));
  });

  it.each([
    ["treeClassifier", "ML_CN_6", "trees", {}],
    ["forestClassifier", "ML_CN_7", "trees", { n_estimators: 10 }],
    ["naiveBayes", "ML_CN_5", "kernel", {}],
    ["knn", "ML_CN_2", "kernel", {}],
  ] as const)("of %s, whose answers are probabilities", async (model, code, method, own) => {
    for (const label of [undefined, "r"]) {
      const { found, header, rows, answers } = await explained("kind", model, code, label ? { class: label } : {}, own);
      expect(found.method).toBe(method);
      expect(header).toEqual(["row", "class", "base", "answer", "age", "town", "size"]);
      const { rows: shares } = await lab.table(answers.y_proba_url);
      const { rows: said } = await lab.table(answers.y_pred_url);
      expect(rows.map((row) => row[1])).toEqual(said.map(([value]) => label ?? value));
      expect(sums(header, rows)).toEqual(
        shares.map((each, i) => expect.closeTo(Number(each["pqr".indexOf(label ?? String(said[i][0]))]), 8)),
      );
    }
  });

  it.each([
    ["logistic", "ML_CN_1", "linear", {}],
    ["boost", "MS_XGBOOST", "trees", { max_iter: 20, min_samples_leaf: 5 }],
  ] as const)("of %s, whose probabilities come of log odds", async (model, code, method, own) => {
    const odds: number[][] = [];
    for (const label of ["p", "q", "r"]) {
      const { found, header, rows } = await explained("kind", model, code, { class: label }, own);
      expect(found.method).toBe(method);
      odds.push(sums(header, rows));
    }
    const { answers } = await explained("kind", model, code, {}, own);
    const { rows: shares } = await lab.table(answers.y_proba_url);
    const total = odds[0].map((_, i) => odds.reduce((sum, each) => sum + Math.exp(each[i]), 0));
    expect(odds.map((each) => Math.exp(each[7]) / total[7])).toEqual(
      shares[7].map((value) => expect.closeTo(Number(value), 8)),
    );
  });
});

it.each<[string, readonly Link[]]>([
  ["components", [["pca", { n_components: 2 }]]],
  [
    "hidden activations",
    [
      ["scale", { scaler: "minmax" }],
      ["rbm", { n_components: 2, random_state: 0, n_iter: 2 }],
      ["DL_RBM_T"],
      ["DL_RBM_P", { model_name: "rbm" }],
    ],
  ],
])("tells %s apart, each of which is made of all columns", async (_, made) => {
  const chain: Link[] = [["xy", { y: "species" }], ["split", { random_state: 0 }], ...made, ["logistic"]];
  const found = output<{ columns: { column: string }[] }>(await lab.last("sample:iris", ...chain, ["shap"]));
  const features = (await lab.table((await lab.last("sample:iris", ...chain)).x_test_url)).header;
  expect(features).toHaveLength(2);
  expect(found.columns.map(({ column }) => column).sort()).toEqual(features);
  const asked: Link = ["partialDependence", { columns: features[1], grid_resolution: 3 }];
  expect(output(await lab.last("sample:iris", ...chain, asked))).toMatchObject({ columns: [{ column: features[1] }] });
});

it("explains both of two classes, what speaks for one against the other", async () => {
  const two = table.replaceAll(",r,", ",p,");
  const run = async (args: Record<string, unknown>) => {
    const record = await lab.last(two, ...steps("kind"), ["forestClassifier", { n_estimators: 5 }], ["shap", args]);
    return await lab.table(output<Shap>(record).shap_url);
  };
  const [usual, p, q] = [await run({}), await run({ class: "p" }), await run({ class: "q" })];
  expect(usual).toEqual(q);
  p.rows.forEach((row, i) => {
    expect(Number(row[3])).toBeCloseTo(1 - Number(q.rows[i][3]), 9);
    expect(Number(row[4])).toBeCloseTo(-Number(q.rows[i][4]), 9);
  });
});

describe("rows", () => {
  it("are told by their numbers in the table, and join back to it", async () => {
    const { id } = await lab.project();
    const run = async (block: number, parent: number, helper: string, args: object) =>
      await lab.block(id, block, parent, [helper, args as Record<string, unknown>]);
    await run(1, 0, "input", { dburl: lab.file(table) });
    await run(2, 1, "drop", { columns: ["kind", "town"] });
    await run(3, 2, "xy", { y: "y" });
    await run(4, 3, "split", { test_size: 30, random_state: 0 });
    await run(5, 4, "linear", {});
    const record = await run(6, 5, "shap", {});
    await run(7, 1, "derive", { columns: { row: "rowNumber() - 1" } });
    const joined = await run(8, 7, "join", { other: output<Shap>(record).shap_url, on: ["row"], suffix: "_share" });
    const { header, rows } = await lab.table(joined.dataset_url);
    const column = (name: string) => rows.map((row) => Number(row[header.indexOf(name)]));
    expect(rows).toHaveLength(30);
    // Of a line a share is the coefficient times how far the cell is from the mean, so their ratio is the same.
    const [age, share] = [column("age"), column("age_share")];
    const slope = (share[1] - share[0]) / (age[1] - age[0]);
    share.forEach((value, i) => {
      expect(value - share[0]).toBeCloseTo(slope * (age[i] - age[0]), 8);
    });
  });

  it("may be one, some, those of another file, or those that the model learnt from", async () => {
    const chain = [...steps("y"), ["forestRegressor", { n_estimators: 5 }]] as const;
    const numbers = async (args: Record<string, unknown>) => {
      const record = await lab.last(table, ...chain, ["shap", args]);
      const { rows } = await lab.table(output<Shap>(record).shap_url);
      return rows.map(([row]) => row);
    };
    expect(await numbers({ row: 17 })).toEqual([17]);
    expect(await numbers({ test_data: "x_train_url" })).toHaveLength(60);
    const some = await numbers({ rows: 4, random_state: 3 });
    expect(some).toHaveLength(4);
    expect(await numbers({ rows: 4, random_state: 3 })).toEqual(some);
    const later = lab.file("age,town,size\n5,Accra,1\n50,Tema,2\n");
    expect(await numbers({ test_data: later })).toEqual([0, 1]);
  });
});

describe("what it shows", () => {
  const shown = async (...links: readonly (readonly [string, Record<string, unknown>?])[]) => {
    const record: StateRecord = await lab.last(table, ...steps("y"), ...links);
    return await lab.view(record);
  };

  it("is where each column's shares lie, legible at 80 columns", async () => {
    const view = await shown(["forestRegressor", { n_estimators: 10 }], ["shap"]);
    expect(view).toMatchSnapshot();
    for (const line of view.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("is how one row's answer comes about, with its cells as they were read", async () => {
    expect(await shown(["forestRegressor", { n_estimators: 10 }], ["shap", { row: 17 }])).toMatchSnapshot();
  });

  it("cuts a long name in a waterfall, and leaves the cell behind it", async () => {
    const name = "Monthly household income before taxes";
    const csv = `${name},y\n1234.5,1\n2,2\n3,3\n`;
    const record = await lab.last(csv, ["xy", { y: "y" }], ["linear"], ["shap", { row: 0 }]);
    expect(await lab.view(record)).toContain("Monthly household incom… = 1234.5");
  });

  it("is one column's share against its cells", async () => {
    expect(await shown(["linear"], ["shap", { column: "age" }])).toMatchSnapshot();
  });

  it("has each share beside the cell of its own row", async () => {
    const record = await lab.last(table, ...steps("y"), ["linear"], ["shap", { column: "age" }]);
    const view = await (await lab.service).view(someone, record.id);
    const { x, y } = (view as unknown as { views: { chart: { series: { x: number[]; y: number[] }[] } }[] }).views[2]
      .chart.series[0];
    // Of a line a share is the coefficient times how far the cell is from the mean.
    const slope = (y[1] - y[0]) / (x[1] - x[0]);
    expect(y).toEqual(x.map((age) => expect.closeTo(y[0] + slope * (age - x[0]), 8)));
    expect(Math.abs(slope)).toBeGreaterThan(0.1);
  });

  it("is how far shares may be off, where the model was asked", async () => {
    const wide = Array.from({ length: 12 }, (_, j) => `c${j}`);
    const csv = `${[...wide, "y"].join(",")}\n${Array.from({ length: 40 }, (_, i) => {
      const cells = wide.map((_, j) => ((i + 1) * (j + 3) * 7) % 11);
      return [...cells, cells[0] * cells[1] + cells[2]].join(",");
    }).join("\n")}\n`;
    const record = await lab.last(csv, ["xy", { y: "y" }], ["svr", { C: 100 }], ["shap", { samples: 100, rows: 3 }]);
    const { error } = output<{ error: number }>(record);
    expect(error).toBeGreaterThan(0);
    expect(await lab.view(record)).toContain("(a standard error)");
  });
});

it("takes missing cells and text as boost does", async () => {
  const record = await lab.last(
    table.replaceAll("Kano", ""),
    ["drop", { columns: ["kind"] }],
    ["xy", { y: "y" }],
    ["boost", { max_iter: 20, min_samples_leaf: 5 }],
    ["shap", { row: 2 }],
  );
  const { row } = output<{
    row: { answer: number; base: number; shares: { column: string; cell: unknown; value: number }[] };
  }>(record);
  expect(row.shares.map(({ column }) => column)).toEqual(["age", "town", "size"]);
  expect(row.shares[1].cell).toBeNull();
  expect(row.shares.reduce((sum, { value }) => sum + value, row.base)).toBeCloseTo(row.answer, 9);
});

describe("shap refuses", () => {
  const failed = async (...links: readonly (readonly [string, Record<string, unknown>?])[]) => {
    const { status, message } = await lab.failure(table, ...steps("y"), ...links);
    return [status, message];
  };

  it.each([
    [
      [["shap"]],
      "shap (ML_SHAP): there is no model of numbers or classes in this chain yet; train one first, as in forestClassifier(), or give model_name.",
    ],
    [
      [["linear"], ["shap", { column: "agee" }]],
      'shap (ML_SHAP): the model learnt from no column "agee". Did you mean "age"? Columns: age, town, size.',
    ],
    [[["linear"], ["shap", { row: 90 }]], "shap (ML_SHAP): row must be between 0 and 89 (90 rows), got 90."],
    [
      [["linear"], ["shap", { class: "p" }]],
      'shap (ML_SHAP): class is for models of classes, and "linear" answers numbers of "y".',
    ],
    [
      [["kmeans"], ["shap", { model_name: "kmeans" }]],
      'shap (ML_SHAP): it looks into models that learn numbers or classes from columns, and "kmeans" was made by kmeans (ML_CG_2).',
    ],
  ] as const)("%j", async (links, message) => {
    expect(await failed(...links)).toEqual([400, message]);
  });

  it("a class that the model does not know", async () => {
    const error = await lab.failure(table, ...steps("kind"), ["naiveBayes"], ["shap", { class: "s" }]);
    expect(error.message).toBe(
      'shap (ML_SHAP): model "naiveBayes" knows no class "s". Did you mean "p"? Classes: p, q, r.',
    );
  });
});
