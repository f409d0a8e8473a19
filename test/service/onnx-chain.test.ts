import { readFileSync } from "node:fs";
import { InferenceSession, Tensor } from "onnxruntime-web";
import { describe, expect, it } from "vitest";
import type { Cell } from "../../src/core/view.ts";
import { Lab, type Link, output, someone } from "../support/lab.ts";

const lab = new Lab();

/** Rows with gaps, words for missing ones, texts to be quoted, and names as operators and their edges have them. */
function odd(cities: readonly string[]): string {
  const lines = Array.from({ length: 120 }, (_, k) => {
    const [age, fare] = [k % 7 === 0 ? "" : (k * 37) % 60, k % 11 === 0 ? "" : ((k * 53) % 97) / 8 - 4];
    const city = `"${cities[k % cities.length].replaceAll('"', '""')}"`;
    const y = ["yes", "no", "perhaps"][((k * 37) % 60 > 30 ? 1 : 0) + (k % 9 === 0 ? 1 : 0)];
    return [age, fare, city, k % 5 === 0 ? "" : k % 2 === 0, (k * k) % 4, k % 13, k / 4, y].join();
  });
  return `add_0,chain:x,a b,is open,input:0,constant_0,x,y\n${lines.join("\n")}\n`;
}

const known = odd(["Lagos", "Åbo, by the sea", '"Rome"', "", "NA", "y_proba"]);
const others = odd(["Lagos", "Oslo", '"Rome"', "", "rome", "y_proba"]);

/** Rows with gaps whose targets hang on numbers and texts, and on chance. */
function noisy(cities: readonly string[]): string {
  const lines = Array.from({ length: 240 }, (_, k) => {
    const [a, b, city] = [((k * 37) % 101) + Math.sin(k) / 3, (k * 53) % 29, (k * 7) % cities.length];
    const z = a / 10 + (b > 15 ? 4 : 0) + (city % 3) * 2 + (((k * 17) % 13) - 6) / 4;
    const cell = (value: unknown, gap: number) => (k % gap === 4 ? "" : value);
    const text = `"${cities[city].replaceAll('"', '""')}"`;
    const is = (k * 11) % 3 === 0;
    return [cell(a, 17), cell(b, 23), cell(text, 19), cell(is, 29), z > 9 ? "high" : z > 6 ? "mid" : "low", z].join();
  });
  return `a,b b,city,is,kind,z\n${lines.join("\n")}\n`;
}

/** So many columns that the weights of their components are too many for a plan. */
const broad = [
  [...Array.from({ length: 140 }, (_, j) => `c${j}`), "y"],
  ...Array.from({ length: 160 }, (_, i) => [
    ...Array.from({ length: 140 }, (_, j) => ((i * (j + 3) * (j + i)) % 101) - j / 7),
    ["odd", "even", "none"][(i * i) % 3],
  ]),
]
  .map((row) => row.join())
  .join("\n");

const inputs = (y: string): Link => ["xy", { x: ["a", "b b", "city", "is"], y }];

interface Trained {
  readonly model_url: string;
  readonly function_code: string;
}

async function trainedBy(csv: string, links: readonly Link[]) {
  const record = (await lab.chain(csv, ...links)).at(-1)!;
  const [[name, { model_url, function_code }]] = Object.entries(output<Record<string, Trained>>(record));
  const onnx = async () => {
    const service = await lab.service;
    return readFileSync((await service.file(someone, someone.artifactIn(model_url)!, "onnx-chain")).path);
  };
  return { record, name, code: function_code, onnx };
}

/** A column as a tensor: what is missing as "" or NaN. */
function tensorOf(cells: readonly Cell[], isText: boolean): Tensor {
  const dims = [cells.length, 1];
  if (isText)
    return new Tensor(
      "string",
      cells.map((cell) => String(cell ?? "")),
      dims,
    );
  return new Tensor(
    "float64",
    Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : Number(cell))),
    dims,
  );
}

/** What blocklab and onnxruntime answer to the same raw rows. */
async function both(csv: string, links: readonly Link[], rows = csv) {
  const { record, name, code, onnx } = await trainedBy(csv, links);
  const test_data = rows.startsWith("sample:") ? rows : lab.file(rows);
  const asked: Link = [`${code}_P`, { model_name: name, test_data }];
  const { y_pred_url, y_proba_url } = output<Record<string, string>>(
    await lab.block(record.project, 99, record.block_id, asked),
  );
  const session = await InferenceSession.create(await onnx(), { logSeverityLevel: 3 });
  const names = [...session.inputNames];
  const raw = await lab.table((await lab.last(rows, ["select", { columns: names }])).dataset_url);
  const feeds = names.map((input, j) => {
    const facts = session.inputMetadata[j];
    const isText = "type" in facts && facts.type === "string";
    return [
      input,
      tensorOf(
        raw.rows.map((row) => row[j]),
        isText,
      ),
    ] as const;
  });
  const answer = await session.run(Object.fromEntries(feeds));
  const whole = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  const { members = [] } = Object.values(output<Record<string, { members?: unknown[] }>>(record))[0];
  return {
    names,
    members: members.length,
    theirs: Array.from(answer.y_pred.data as ArrayLike<unknown>, whole),
    theirShares: answer.y_proba ? Array.from(answer.y_proba.data as ArrayLike<number>) : [],
    ours: (await lab.table(y_pred_url)).rows.map(([value]) => value),
    ourShares: y_proba_url ? ((await lab.table(y_proba_url)).rows.flat() as number[]) : [],
  };
}

/** The largest difference of two lists of numbers, as a share of their size. */
function apart(a: readonly unknown[], b: readonly unknown[]): number {
  expect(a.length).toBe(b.length);
  return Math.max(0, ...a.map((x, k) => Math.abs(Number(x) - Number(b[k])) / Math.max(1, Math.abs(Number(b[k])))));
}

const filled: readonly Link[] = [
  ["missing", { strategy: "mode", columns: ["is open"] }],
  ["missing", { strategy: "median" }],
  ["missing", { strategy: "constant", fill_value: "none" }],
];

const encoded: readonly Link[] = [
  ["encode", { columns: ["a b"], type: "target" }],
  ["encode", { columns: ["is open"], type: "label" }],
  ["encode", { columns: ["input:0"], type: "onehot" }],
  ["encode", { columns: ["constant_0"], type: "binary" }],
];

const missing = ["d['add_0']", "d['chain:x']", "d['a b']", "d['is open']"];

/** Formulas that answer numbers, and what stands for a missing one. */
const formulas = Object.entries({
  ratio: "(d.x + 1) / (d['add_0'] % 7 + 0.5)",
  size: "round(abs(d['chain:x'])) + sign(d['chain:x']) * floor(d['chain:x']) ** 2 - ceil(sqrt(d.x))",
  logs: "(ln(d.x) ?? log10(d.x + 2)) + log2(d.x + 1) + exp(-d.x)",
  root: "sqrt(d['chain:x']) ** 0 + d['add_0'] ** 0",
  bounded: "clip(d.x, 3, 20) + least(d.x, d['constant_0']) - greatest(d.x, 7) + bin(d.x, 2.5) + trunc(d['chain:x'])",
  kind: "d.x > 10 && !(d['a b'] == 'Lagos') || d['add_0'] <= 20 ? 1 : d['a b'] != 'y_proba' ? 2 : 3",
  centred: "d.x - mean(d.x)",
  among: "[1, 2, 12].includes(d['constant_0']) || ['Lagos', 'Oslo'].includes(d['a b']) ? 1 : 0",
  unlike: "!['Lagos', 'Oslo'].includes(d['a b']) ? 1 : 0",
  gaps: missing.map((each, k) => `(isMissing(${each}) ? ${2 ** k} : 0)`).join(" + "),
  both: "((d['is open'] || d.x > 20) ?? d.x > 3) ? 5 : d['is open'] == true ? 6 : 7",
  whole: "integer(d['chain:x']) + number(d['is open'])",
}).map(([name, formula]) => [name, `(${formula}) ?? -7`] as const);

describe("a chain as ONNX", () => {
  it.each<[string, string, readonly Link[], number]>([
    ["scaled", "sample:iris", [["xy", { y: "species" }], ["split"], ["scale"], ["logistic"]], 1e-9],
    [
      "filled, encoded and scaled",
      "sample:penguins",
      [
        ["missing", { strategy: "mean" }],
        ["missing", { strategy: "mode" }],
        ["xy", { y: "species" }],
        ["encode"],
        ["split"],
        ["scale", { scaler: "robust" }],
        ["forestClassifier", { n_estimators: 10 }],
      ],
      1e-9,
    ],
    [
      "projected",
      "sample:digits",
      [["xy", { y: "digit" }], ["split"], ["pca", { n_components: 9 }], ["logistic"]],
      1e-9,
    ],
    [
      "projected by weights in a file",
      broad,
      [["xy", { y: "y" }], ["split"], ["pca"], ["logistic", { C: 0.01 }]],
      1e-9,
    ],
    [
      "hidden units",
      "sample:digits",
      [
        ["xy", { y: "digit" }],
        ["split"],
        ["scale", { scaler: "minmax" }],
        ["rbm", { n_components: 5 }],
        ["DL_RBM_T", { n_iter: 1 }],
        ["DL_RBM_P"],
        ["logistic"],
      ],
      1e-9,
    ],
    [
      "prepared by itself, of rows that were left out",
      "sample:penguins",
      [
        ["filter", { where: "d.body_mass_g > 3000" }],
        ["auto", { y: "species" }],
        ["svm", { probability: false }],
      ],
      1e-9,
    ],
  ])("answers as predict does: %s", async (_, csv, links, most) => {
    const { theirs, ours, theirShares, ourShares } = await both(csv, links);
    expect(theirs).toEqual(ours);
    expect(apart(theirShares, ourShares)).toBeLessThan(most);
  });

  it.each([
    ["that were learnt", known],
    ["with other categories", others],
  ])("knows odd names, gaps, and every encoding: rows %s", async (_, rows) => {
    const links: Link[] = [...filled, ["xy", { y: "y" }], ["split"], ...encoded, ["scale", { scaler: "minmax" }]];
    const { names, theirs, ours, theirShares, ourShares } = await both(known, [...links, ["logistic"]], rows);
    expect(names).toEqual(["add_0", "chain:x", "a b", "is open", "input:0", "constant_0", "x"]);
    expect(theirs).toEqual(ours);
    expect(apart(theirShares, ourShares)).toBeLessThan(1e-9);
  });

  it.each([
    ["that were learnt", noisy(["Lagos", '"Rome"', "Åbo, by the sea"])],
    ["with other categories", noisy(["Lagos", "Oslo", "rome"])],
    // So many that their sets have several words.
    ["of many categories", noisy(Array.from({ length: 45 }, (_, k) => `town ${k}`))],
  ])("lets boost take texts as they are: rows %s", async (_, rows) => {
    const learnt = rows.includes("town") ? rows : noisy(["Lagos", '"Rome"', "Åbo, by the sea"]);
    const boost: Link = ["boost", { min_samples_leaf: 2, max_iter: 20 }];
    for (const y of ["kind", "z"]) {
      const { theirs, ours, theirShares, ourShares } = await both(learnt, [inputs(y), ["split"], boost], rows);
      expect(new Set(ours).size).toBeGreaterThan(2);
      if (y === "kind") expect(theirs).toEqual(ours);
      else expect(apart(theirs, ours)).toBeLessThan(1e-9);
      expect(apart(theirShares, ourShares)).toBeLessThan(1e-9);
    }
  });

  it.each([
    ["autoClassifier", ["logistic", "boost", "naiveBayes", "forestClassifier"], true],
    ["autoClassifier", ["forestClassifier"], false],
    ["autoRegressor", ["ridge", "boost", "svr", "forestRegressor"], true],
    ["autoRegressor", ["elasticNet"], false],
  ])("answers as a search does, each model behind its own preparation: %s of %j", async (helper, models, isStack) => {
    const y = helper === "autoClassifier" ? "kind" : "z";
    const scoring = y === "kind" ? "log_loss" : "rmse";
    const args = { models, scoring, max_trials: isStack ? 12 : 2, stack: isStack, random_state: 1 };
    const search: Link = [helper, args];
    for (const rows of [
      ["Lagos", '"Rome"', "Åbo, by the sea"],
      ["Lagos", "Oslo", "rome"],
    ].map(noisy)) {
      const found = await both(
        noisy(["Lagos", '"Rome"', "Åbo, by the sea"]),
        [inputs(y), ["split", { random_state: 1 }], search],
        rows,
      );
      const { theirs, ours, theirShares, ourShares, members } = found;
      expect(members > 1).toBe(isStack);
      expect(new Set(ours).size).toBeGreaterThan(2);
      if (y === "kind") expect(theirs).toEqual(ours);
      else expect(apart(theirs, ours)).toBeLessThan(1e-9);
      expect(apart(theirShares, ourShares)).toBeLessThan(1e-9);
    }
  });

  it("works formulas out as derive does", async () => {
    const x = ["add_0", "chain:x", "a b", "is open", "x", "constant_0"];
    const part = "cut(d.x, [0, 5, 10, 20], ['low', 'mid', 'high'])";
    const links: Link[] = [
      ["xy", { x, y: "input:0" }],
      ["derive", { columns: { ...Object.fromEntries(formulas), part: `${part} ?? 'none'` } }],
      ["encode", { columns: ["part"], type: "onehot" }],
      ["drop", { columns: x }],
      ["linear", {}],
    ];
    const { theirs, ours } = await both(known, links);
    expect(new Set(ours).size).toBeGreaterThan(100);
    expect(apart(theirs, ours)).toBeLessThan(1e-9);
  });

  it.each<[string, readonly Link[], RegExp]>([
    [
      "sample:weather",
      [["dates", { index: 0 }], ["xy", { x: ["date_month"], y: "wind" }], ["linear"]],
      /^Model "linear" with its chain has no ONNX form: column "date_month" of dates \(block 2\) can't be written, for month\(\): ONNX has no dates\. Work their parts out/,
    ],
    [
      known,
      [["encode", { columns: ["a b"], type: "hash" }], ["xy", { x: ["a b"], y: "x" }], ["boost"]],
      /column "a b" of encode \(block 2\) can't be written, for hash32\(\): ONNX has no md5\. Encode with type: "onehot"/,
    ],
    [
      known,
      [
        ["missing", { strategy: "constant", fill_value: "none" }],
        ["xy", { x: ["a b"], y: "x" }],
        ["vectorize", { vectorizer: "count" }],
        ["linear", {}],
      ],
      /column "a b" of vectorize \(block 4\) can't be written, for words\(\): .* Leave the text out with drop/,
    ],
    [
      known,
      [["missing", { strategy: "ffill" }], ["xy", { x: ["add_0"], y: "x" }], ["boost"]],
      /of missing \(block 2\) .* looks at the rows around, and ONNX sees each row alone\. Fill gaps with strategy "mean"/,
    ],
    [
      known,
      [["derive", { columns: { n: "length(d['a b'])" } }], ["xy", { x: ["n"], y: "x" }], ["boost"]],
      /column "n" of derive \(block 2\) can't be written, for length\(\): .* for texts\. Work it out in the table before input/,
    ],
    [
      known,
      [
        ["xy", { x: ["add_0", "x"], y: "y" }],
        ["autoClassifier", { models: ["knn"], max_trials: 1 }],
      ],
      /^Model "autoClassifier" of autoClassifier \(AUTO_CN_1\) has no ONNX form, since knn in it has none\. Search with models: \[\.\.\.\] without knn/,
    ],
    [
      known.replace("chain:x", "y_pred"),
      [["xy", { x: ["y_pred"], y: "x" }], ["boost"]],
      /the column "y_pred" has the name of an answer/,
    ],
  ])("is refused where ONNX has no such operator, and says what helps: %#", async (csv, links, message) => {
    const { onnx } = await trainedBy(csv, links);
    await expect(onnx()).rejects.toMatchObject({ status: 422, message: expect.stringMatching(message) });
  });
});
