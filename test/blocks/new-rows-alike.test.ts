import { utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import type { Cell } from "../../src/core/view.ts";
import { Lab, type Link, output, someone } from "../support/lab.ts";

const lab = new Lab();

const answers = async (record: StateRecord): Promise<Cell[]> =>
  (await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows.map(([value]) => value);

/** A chain in a project of its own; answers what predicts a file's rows with its model. */
async function trained(file: string, args: Record<string, unknown>, ...links: readonly Link[]) {
  const { id } = await lab.project();
  const chain: Link[] = [["input", { dburl: file, ...args }], ...links];
  for (const [k, link] of chain.entries()) await lab.block(id, k + 1, k, link);
  const end = chain.length;
  const run = async (code: string, test_data?: string) =>
    await lab.block(id, end + 1, end, [code, { model_name: "m", ...(test_data === undefined ? {} : { test_data }) }]);
  return { run, project: id, end };
}

describe("new rows are read as the training columns were", () => {
  const flags = ["True", "False", "unknown", "True", "False", "unknown"];
  const csv = `flag,rate,code,y\n${flags.map((flag, k) => `${flag},${["1.10", "n/k", "2.0"][k % 3]},00${k % 2},${["a", "b", "c"][k % 3]}`).join("\n")}\n`;
  const links: readonly Link[] = [
    ["xy", { y: "y" }],
    ["encode", { columns: ["flag", "rate", "code"] }],
    ["treeClassifier", { model_name: "m" }],
  ];

  it("whatever a file's own cells would make of themselves", async () => {
    const { run } = await trained(lab.file(csv), {}, ...links);
    const few = await run("ML_CN_6_P", lab.file("flag,rate,code\nTrue,1.10,000\nFalse,n/k,001\nunknown,2.0,000\n"));
    expect([await answers(few), few.notices]).toEqual([["a", "b", "c"], undefined]);
    const alone = await run("ML_CN_6_P", lab.file("flag,rate,code\nTrue,1.10,000\nTrue,1.10,000\n"));
    expect([await answers(alone), alone.notices]).toEqual([["a", "a"], undefined]);
    const json = await run("ML_CN_6_P", lab.file('[{"flag": "True", "rate": "1.10", "code": "000"}]', "one.json"));
    expect([await answers(json), json.notices]).toEqual([["a"], undefined]);
  });

  it("with the decimal commas that the training rows had", async () => {
    const rows = Array.from({ length: 12 }, (_, k) => `${k},5;${2 * k + 2}`).join("\n");
    const { run } = await trained(
      lab.file(`size;price\n${rows}\n`),
      {},
      ["xy", { y: "price" }],
      ["linear", { model_name: "m" }],
    );
    const [price] = await answers(await run("ML_R_2_P", lab.file("size;x\n5,0;a\n")));
    expect(price).toBeCloseTo(11, 9);
    await expect(run("ML_R_2_P", lab.file("size;x\n5.0;a\n"))).rejects.toThrow(
      'column "size" was a number when the model learnt, but 1 cell can\'t be read as one, such as "5.0".',
    );
  });

  it("with na_values, a header that is not there, and the delimiter that was given", async () => {
    const rows = [1, 2, 3, 4, 5, 6, 7, 8];
    const text = rows.map((k) => `${k === 3 ? "?" : k};${2 * k}`).join("\n");
    const { run } = await trained(
      lab.file(text),
      { delimiter: ";", header: false, na_values: ["?"] },
      ["xy", { y: "column_2" }],
      ["missing", { strategy: "mean", columns: ["column_1"] }],
      ["treeRegressor", { model_name: "m" }],
    );
    const file = lab.file("2\n?\n7\n");
    expect(await answers(await run("ML_R_5_P", file))).toEqual([4, expect.any(Number), 14]);
  });

  it("and unseen categories are told in a prediction and in production", async () => {
    const { run } = await trained(lab.file(csv), {}, ...links);
    const record = await run("ML_CN_6_P", lab.file("flag,rate,code\nmaybe,1.10,000\nTrue,9,000\n"));
    const told = ["flag", "rate"].map((name) =>
      expect.stringMatching(
        new RegExp(
          `^predict \\(ML_CN_6_P\\): \\S+ of column "${name}" is not among what encode \\(block 3\\) learnt and became all zeros\\.$`,
        ),
      ),
    );
    expect(record.notices).toEqual(told);
    const made = await (await lab.service).produce(someone, record.id, [{ flag: "maybe", rate: "9", code: "000" }]);
    expect(made.notices).toEqual(told);
  });

  it("where an integer column has a fraction now, its other cells stay what they were", async () => {
    const table = `n,y\n${[1, 2, 3, 4].map((n) => `${n},${n * 10}`).join("\n")}\n`;
    const encoding: Link = ["encode", { columns: ["n"], type: "hash" }];
    const { run } = await trained(lab.file(table), {}, ["xy", { y: "y" }], encoding, [
      "treeRegressor",
      { model_name: "m" },
    ]);
    expect((await answers(await run("ML_R_5_P", lab.file("n\n2\n3\n2.5\n")))).slice(0, 2)).toEqual([20, 30]);
  });
});

/** Numbers 0…1 from a seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Columns that a reader may take for something else when it sees a few of their cells. */
const kinds = {
  switch: ["True", "False", "unknown", "true", ""],
  rate: ["1.10", "1.1", "2", "n/k", "02", ""],
  code: ["007", "7", "1e5", "x1", "100000"],
  answer: ["yes", "no", "NA", "None", "null"],
  day: ["2026-01-02", "2026-01-02 03:04:05", "soon", ""],
  count: ["1", "2", "30", "-4", ""],
  share: ["0.5", "2", "1e3", "-0.25", "NaN"],
  flag: ["true", "false", "True", ""],
} as const;

describe.each([1, 2, 3, 4])("a random odd table (seed %i)", (seed) => {
  const random = dice(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const names = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((name) => random() < 0.6 || name === "count");
  const rows = Array.from({ length: 40 }, () => names.map((name) => pick(kinds[name])));
  const textual = names.filter((name) => !["count", "share", "flag"].includes(name));
  const numeric = names.filter((name) => ["count", "share"].includes(name));
  const links: readonly Link[] = [
    ["xy", { y: "y" }],
    ["missing", { strategy: "mean", columns: numeric }],
    ["missing", { strategy: "mode" }],
    ...textual.map((name): Link => ["encode", { columns: [name], type: pick(["onehot", "label", "hash", "binary"]) }]),
    ["scale", { boundaries: numeric }],
    ["treeRegressor", { model_name: "m" }],
  ];
  const csvOf = (some: readonly (readonly string[])[]) =>
    `${names.join()}\n${some.map((row) => row.join()).join("\n")}\n`;

  it("gives a row the same answer alone, among others, in production, and as a training row", async () => {
    const table = `${names.join()},y\n${rows.map((row, k) => `${row.join()},${k}`).join("\n")}\n`;
    const { run } = await trained(lab.file(table), {}, ...links);
    const asLearnt = await answers(await run("ML_R_5_P"));
    expect(await answers(await run("ML_R_5_P", lab.file(csvOf(rows))))).toEqual(asLearnt);
    for (const k of [0, 13, 39]) {
      const alone = await run("ML_R_5_P", lab.file(csvOf([rows[k]])));
      expect(await answers(alone)).toEqual([asLearnt[k]]);
      const data = [Object.fromEntries(names.map((name, j) => [name, rows[k][j]]))];
      expect((await (await lab.service).produce(someone, alone.id, data)).y_pred).toEqual([asLearnt[k]]);
    }
  }, 30_000);
});

describe("a file that has changed", () => {
  it("is read again by a prediction and by reshape, even of the same length", async () => {
    const file = lab.file("a\n1\n2\n");
    const { run, project, end } = await trained(
      lab.file("a,y\n1,1\n2,2\n3,3\n4,4\n"),
      {},
      ["xy", { y: "y" }],
      ["treeRegressor", { model_name: "m" }],
    );
    const reshaped = async () =>
      await lab.table(
        (await lab.block(project, end + 2, end, ["reshape", { data: file, dimensions: [1, 2] }])).dataset_url,
      );
    expect([await answers(await run("ML_R_5_P", file)), (await reshaped()).rows]).toEqual([[1, 2], [[1, 2]]]);
    const same = await run("ML_R_5_P", file);
    expect((await run("ML_R_5_P", file)).id).toBe(same.id);
    writeFileSync(file, "a\n3\n4\n");
    utimesSync(file, new Date(2026, 0, 1), new Date(2026, 0, 1));
    expect([await answers(await run("ML_R_5_P", file)), (await reshaped()).rows]).toEqual([[3, 4], [[3, 4]]]);
  });
});
