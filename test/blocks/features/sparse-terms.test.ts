import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { createService } from "../../../src/service/index.ts";
import { Lab, output, someone } from "../../support/lab.ts";

const lab = new Lab();

const texts = [
  "The cat sat on the mat, the CAT!",
  "",
  "İstanbul İZMİR ΛΟΓΟΣ ΑΣΣ ΣΑΣ, ΟΔΟΣ",
  "naïve Ünïcode 数据 数据 über_all x1 1x 22",
  "it's O'Neill's cat; don't sit",
  "a b c . , !",
  "mat mat mat mat sat",
  "DROP TABLE t; -- cat \\ back",
];
const quotedRows = texts.map((text, k) => `${k},"${text.replaceAll('"', '""')}"`);
const csv = `id,t\n${quotedRows.join("\n")}\n8,\n`;

/** Texts of words as frequent as in a language; most hold a word that tells their class. */
function corpus(rows: number, words: number): string {
  const random = new RandomState(3);
  const line = (k: number) => {
    const own = Array.from({ length: 10 }, () => `w${Math.floor(words ** random.uniform())}`);
    if (random.uniform() < 0.8) own.push(k % 2 ? "meeting" : "money");
    return `${k % 2 ? "ham" : "spam"},${own.join(" ")}`;
  };
  return `y,t\n${Array.from({ length: rows }, (_, k) => line(k)).join("\n")}\n`;
}

/** Numbers to six digits; sums in another order end in others. */
const rounded = (_: string, value: unknown) => (typeof value === "number" ? Number(value.toPrecision(6)) + 0 : value);

describe("texts as sparse rows", () => {
  it.each([
    { vectorizer: "count" },
    { vectorizer: "count", lowercase: false, ngram_range: [1, 3] },
    { vectorizer: "count", stop_words: ["cat", "o'neill"], binary: true, ngram_range: [2, 2] },
    {},
    { norm: "l1" },
    { norm: "none", smooth_idf: false },
    { use_idf: false, stop_words: "english" },
    { ngram_range: [1, 2], binary: true },
    { sublinear_tf: true },
    { max_features: 3, norm: "l1", sublinear_tf: true },
  ])("count new rows as those at hand: %j", async (args) => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const fitted = await lab.block(id, 2, 1, ["vectorize", { ...args, save_name: "v" }]);
    const again = await lab.block(id, 3, 1, ["vectorize", { load_name: "v" }]);
    const [one, two] = [await lab.table(fitted.dataset_url), await lab.table(again.dataset_url)];
    expect(two.header).toEqual(one.header);
    for (const [i, row] of one.rows.entries()) {
      for (const [k, cell] of row.entries()) expect(two.rows[i][k]).toBeCloseTo(cell as number, 14);
    }
    expect(one.rows.flat().some((cell) => Number(cell) > 0)).toBe(true);
  });

  it("show nothing of how they are kept, and stay readable as SQL", async () => {
    const records = await lab.chain(csv, ["vectorize", { vectorizer: "count" }], ["drop", { columns: ["id"] }]);
    for (const record of records.slice(1)) {
      const { header } = await lab.table(record.dataset_url);
      expect(header.filter((name) => name.startsWith("__"))).toEqual([]);
    }
    const statement = await (await lab.service).sql(someone, records[2].id);
    expect(statement).toContain('coalesce(list_extract("__weights_t", list_position("__terms_t", 0)), 0.0::DOUBLE)');
  });

  it("are counted by info and uniques as the columns that they look like", async () => {
    const rows = 't,k\n"aa bb bb",1\n"aa cc",1\n"aa",\n"aa aa bb",2\n';
    const records = await lab.chain(rows, ["vectorize", { vectorizer: "count" }], ["info"], ["uniques"]);
    const { columns } = output<{ columns: { name: string; missing: number; unique: number }[] }>(records[2]);
    expect(columns.map(({ name, missing, unique }) => [name, missing, unique])).toEqual([
      ["t_aa", 0, 2],
      ["t_bb", 0, 3],
      ["t_cc", 0, 2],
      ["k", 1, 2],
    ]);
    expect(output(records[3])).toEqual({ columns: { t_aa: 2, t_bb: 3, t_cc: 2, k: 2 } });
  });

  it("are counted by uniques where rows are nearly empty", async () => {
    const texts = Array.from({ length: 40 }, (_, k) => `all${k % 3 === 0 ? " all" : ""} w${k}${k === 7 ? " w7" : ""}`);
    const records = await lab.chain(`t\n${texts.join("\n")}\n`, ["vectorize", { vectorizer: "count" }], ["uniques"]);
    const words = Array.from({ length: 40 }, (_, k) => [`t_w${k}`, 2]);
    expect(output(records[2])).toEqual({ columns: { t_all: 2, ...Object.fromEntries(words) } });
  });

  it("serve two text columns at once, saved and beside columns of such names", async () => {
    const two = 'a,__terms_a,b\n"red red blue",1,"red"\n"blue",2,"green green"\n';
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(two) }]);
    const fitted = await lab.block(id, 2, 1, ["vectorize", { vectorizer: "count", save_name: "v" }]);
    const expected = {
      header: ["a_blue", "a_red", "__terms_a", "b_green", "b_red"],
      rows: [
        [1, 2, 1, 0, 1],
        [1, 0, 2, 2, 0],
      ],
    };
    expect(await lab.table(fitted.dataset_url)).toMatchObject(expected);
    const again = await lab.block(id, 3, 1, ["vectorize", { load_name: "v" }]);
    expect(await lab.table(again.dataset_url)).toMatchObject(expected);
  });

  it("carry thousands of terms to a model and to its new rows", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(corpus(1200, 9000)) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    await lab.block(id, 3, 2, ["split", { test_size: 200, random_state: 1 }]);
    const vectors = await lab.block(id, 4, 3, ["vectorize", {}]);
    const [{ terms }] = output<{ columns: { terms: number }[] }>(vectors).columns;
    expect(terms).toBeGreaterThan(2000);
    await lab.block(id, 5, 4, ["logistic", { model_name: "m" }]);
    const judged = await lab.block(id, 6, 5, ["ML_CN_1_M", { model_name: "m" }]);
    expect(output<{ accuracy: number }>(judged).accuracy).toBeGreaterThan(0.85);
    const fresh = lab.file("t\nmoney w1 w2\nunheard of\nmeeting MEETING w3\n");
    const predicted = await lab.block(id, 7, 5, ["ML_CN_1_P", { model_name: "m", test_data: fresh }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(predicted).y_pred_url);
    expect([rows[0], rows[2]]).toEqual([["spam"], ["ham"]]);
  });

  it("make the same model as the table that they look like, beside plain columns and across split", async () => {
    const service = await lab.service;
    const lines = corpus(900, 3000).split("\n").slice(1, -1);
    const table = `y,t,k,b\n${lines.map((line, i) => `${line},${(i * 7) % 5},${i % 3 === 0}`).join("\n")}\n`;
    const links = [["xy", { y: "y" }] as const, ["split", { test_size: 300, random_state: 2 }] as const];
    const chain = await lab.chain(table, ["vectorize", { max_features: 800, boundaries: ["t"] }]);
    const id = someone.artifactIn(chain[1].dataset_url as string) as string;
    const { path } = await service.file(someone, id, "parquet");
    const found = [];
    for (const [name, from] of [
      ["sparse", 2],
      ["dense", 1],
    ] as const) {
      const project = from === 2 ? chain[1].project : (await lab.project()).id;
      if (from === 1) await lab.block(project, 1, 0, ["input", { dburl: path, file_type: "parquet" }]);
      await lab.block(project, from + 1, from, links[0]);
      await lab.block(project, from + 2, from + 1, links[1]);
      const trained = await lab.block(project, from + 3, from + 2, ["logistic", { model_name: name, cv: 3 }]);
      const model = output<Record<string, { model_url: string; cv: object }>>(trained)[name];
      const file = await service.file(someone, someone.artifactIn(model.model_url) as string, "json");
      const metrics = output(await lab.block(project, from + 4, from + 3, ["ML_CN_1_M", { model_name: name }]));
      found.push({ parameters: JSON.parse(readFileSync(file.path, "utf8")).parameters, cv: model.cv, metrics });
    }
    const [sparse, dense] = found;
    expect(JSON.parse(JSON.stringify(sparse.metrics), rounded)).toEqual(
      JSON.parse(JSON.stringify(dense.metrics), rounded),
    );
    expect(JSON.parse(JSON.stringify(sparse.cv), rounded)).toEqual(JSON.parse(JSON.stringify(dense.cv), rounded));
    const [one, two] = found.map(({ parameters }) => JSON.stringify(parameters, null, 0));
    expect(one.length).toBeGreaterThan(5000);
    expect(JSON.parse(one, rounded)).toEqual(JSON.parse(two, rounded));
  });

  it("with missing cells beside them are refused as any", async () => {
    const table = corpus(200, 500)
      .split("\n")
      .slice(1, -1)
      .map((line, i) => `${line},${i === 5 ? "" : i}`);
    const failure = await lab.failure(
      `y,t,k\n${table.join("\n")}\n`,
      ["vectorize", { boundaries: ["t"] }],
      ["xy", { y: "y" }],
      ["logistic"],
    );
    expect(failure.message).toBe(
      "logistic (ML_CN_1): features must be complete, but k has missing cells. Fill them with missing (DP_2).",
    );
  });

  it("are refused to a model that needs a table beyond the memory, in one sentence", async () => {
    const service = await createService({ home: `${lab.home}/small`, threads: 0, memoryLimit: 64 * 2 ** 20 });
    try {
      const { id } = await service.createProject(someone, "small");
      const run = (block: number, code: string, args: object) =>
        service.run(someone, { project_id: id, block_id: block, parent_id: block - 1, function_code: code, args });
      await run(1, "DP_1", { dburl: lab.file(corpus(3000, 9000)), file_type: "csv" });
      await run(2, "DP_FSP", { y: "y" });
      await run(3, "DP_VEC", {});
      await expect(run(4, "ML_CN_2", {})).rejects.toMatchObject({
        status: 422,
        message: expect.stringMatching(
          /^knn \(ML_CN_2\): 3,000 rows × [\d,]+ columns of terms would fill .* Lower max_features or raise min_df/,
        ),
      });
    } finally {
      await service.close();
    }
  });
});
