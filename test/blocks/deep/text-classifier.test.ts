import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../../src/core/record.ts";
import { createService, type Service } from "../../../src/service/index.ts";
import { Lab, type Link, output, someone } from "../../support/lab.ts";
import { corpusCsv } from "./corpus.ts";

const lab = new Lab();
const roles: Link = ["xy", { x: ["text"], y: "topic" }];
const split: Link = ["split", { test_size: 0.25, random_state: 0, stratify: "topic" }];
const build: Link = ["textClassifier", { max_trials: 3, random_state: 7 }];
const train: Link = ["A_DL_TXC_T"];
const csv = corpusCsv(240);

interface Board {
  readonly trial: number;
  readonly candidate: string;
  readonly accuracy: number | null;
  readonly log_loss: number | null;
  readonly seconds: number;
  readonly error?: string;
}

interface Trained {
  readonly function_code: string;
  readonly best: Board;
  readonly trials: readonly Board[];
}

const trainedIn = (record: StateRecord, name = "textClassifier") => output<Record<string, Trained>>(record)[name];

/** Trials without the time they took. */
const timeless = (trials: readonly Board[]) => trials.map(({ seconds: _, ...rest }) => rest);

async function parametersIn(service: Service, record: StateRecord): Promise<unknown> {
  const [{ model_url }] = Object.values(output<Record<string, { model_url: string }>>(record));
  const { path } = await service.file(someone, model_url.slice(5), "json");
  return JSON.parse(readFileSync(path, "utf8")).parameters;
}

describe("textClassifier (A_DL_TXC_I)", () => {
  it("tries different models, keeps the best, predicts and is judged as every classifier", async () => {
    const chain = await lab.chain(
      csv,
      roles,
      split,
      build,
      ["A_DL_TXC_T", { epochs: 4 }],
      ["A_DL_TXC_P", { test_data: "x_test_url" }],
      ["A_DL_TXC_E", {}],
    );
    const trained = trainedIn(chain[4]);
    expect(trained.function_code).toBe("A_DL_TXC_T");
    expect(trained.trials.map(({ trial }) => trial)).toEqual([1, 2, 3]);
    expect(new Set(trained.trials.map(({ candidate }) => candidate)).size).toBe(3);
    const most = Math.max(...trained.trials.map(({ accuracy }) => accuracy ?? 0));
    expect(trained.best.accuracy).toBe(most);
    expect(most).toBeGreaterThan(0.85);
    for (const { seconds, log_loss } of trained.trials) {
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(log_loss).toBeLessThan(0.7);
    }
    const { y_pred_url, y_proba_url } = output<Record<string, string>>(chain[5]);
    const predicted = await lab.table(y_pred_url);
    const truth = await lab.table(chain[5].y_test_url);
    const right = predicted.rows.filter(([label], i) => label === truth.rows[i][0]).length;
    expect((await lab.table(y_proba_url)).header).toEqual(["p_farming", "p_music", "p_ships"]);
    const metrics = output<Record<string, unknown>>(chain[6]);
    expect(metrics.accuracy).toBeCloseTo(right / 60, 12);
    expect(metrics.accuracy).toBeGreaterThan(0.85);
    expect(Object.keys(metrics)).toEqual([
      ...["accuracy", "precision", "recall", "f1", "roc_auc", "log_loss", "confusion", "report", "n", "on"],
    ]);
    expect(metrics).toMatchObject({ n: 60, on: "test", confusion: { labels: ["farming", "music", "ships"] } });
    const view = await lab.view(chain[4]);
    expect(view.replaceAll("\n", " ")).toMatch(
      /Model textClassifier: topic \(3 classes\) from text, trained on 180 training rows\. The best of 3 trials was .+ \(.+\)\. On/,
    );
    expect(view).toMatch(/trials, the best first/);
    expect(view).toMatch(/naive Bayes/);
    expect(await lab.view(chain[3])).toMatch(/topic from text, up to 3 models to try/);
    expect(await lab.view(chain[6])).toMatch(/judged on 60 test rows/);
  });

  it("takes the general codes, hyp_params, and arguments beside args", async () => {
    const { id } = await lab.project();
    const service = await lab.service;
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    await lab.block(id, 2, 1, roles);
    await lab.block(id, 3, 2, ["A_DL_TXC_I", { hyp_params: { max_trials: "2", random_state: 1 } }]);
    const request = { project_id: id, block_id: 4, parent_id: 3, function_code: "A_DL_TXC_T" };
    const record = await service.run(someone, { ...request, model_name: "mine", epochs: 2, args: {} });
    expect(trainedIn(record, "mine").trials).toHaveLength(2);
    const predicted = await lab.block(id, 5, 4, ["A_DL_ALL_P", { model_name: "mine" }]);
    expect((await lab.table(output<Record<string, string>>(predicted).y_pred_url)).rows).toHaveLength(240);
    const judged = await lab.block(id, 6, 4, ["A_DL_ALL_E", { metric: "f1" }]);
    expect(Object.keys(output(judged))).toEqual(["f1", "n", "on"]);
    expect(output(judged).on).toBe("all");
    // What the training is given wins over what the building was.
    const again = await service.run(someone, { ...request, model_name: "mine", hyp_params: { max_trials: 1 } });
    expect(trainedIn(again, "mine").trials).toHaveLength(1);
  });

  it("gives the same model for the same seed, on any number of workers", async () => {
    const searched: Link = ["textClassifier", { max_trials: 8, random_state: 3 }];
    const inline = await lab.last(csv, roles, split, searched, ["A_DL_TXC_T", { epochs: 3 }]);
    const wide = await createService({ home: `${lab.home}/wide`, threads: 2 });
    try {
      const { id } = await wide.createProject(someone, "p");
      const run = (block: number, function_code: string, args: object) =>
        wide.run(someone, { project_id: id, block_id: block, parent_id: block - 1, function_code, args });
      await run(1, "DP_1", { dburl: lab.file(csv) });
      await run(2, "DP_FSP", { x: ["text"], y: "topic" });
      await run(3, "DP_4", split[1] as object);
      await run(4, "A_DL_TXC_I", { max_trials: 8, random_state: 3 });
      const record = await run(5, "A_DL_TXC_T", { epochs: 3 });
      expect(timeless(trainedIn(record).trials)).toEqual(timeless(trainedIn(inline).trials));
      expect(await parametersIn(wide, record)).toEqual(await parametersIn(await lab.service, inline));
    } finally {
      await wide.close();
    }
    expect(trainedIn(inline).trials).toHaveLength(8);
  });

  it("is judged by other rows that have labels", async () => {
    const chain = await lab.chain(csv, roles, split, build, train);
    const judge = (test_data: string, block: number) =>
      lab.block(chain[4].project, block, 5, ["A_DL_TXC_E", { test_data }]);
    const learnt = await judge("x_train_url", 6);
    expect(output(learnt)).toMatchObject({ n: 180, on: "x_train" });
    expect(await lab.view(learnt)).toMatch(/judged on 180 rows of x_train\./);
    const file = lab.file("topic,text\nships,shi1 shi2 shi3\nmusic,mus1 mus2 mus3\nmusic,far1 far2 far3 far4\n");
    expect(output(await judge(file, 7))).toMatchObject({ n: 3, accuracy: 2 / 3, on: "the given rows" });
    const bare = lab.file("text\nshi1 shi2\n");
    await expect(judge(bare, 8)).rejects.toThrow(/the given rows lack "topic", by which they would be judged\./);
  });

  it("keeps a failed trial as a row with its reason", async () => {
    // Words of one letter: nothing for candidates of words, letters for the others.
    const rows = Array.from({ length: 40 }, (_, i) => (i % 2 ? '"a + b",plus' : '"c - d",minus'));
    const letters = `text,topic\n${rows.join("\n")}\n`;
    const record = await lab.last(letters, roles, ["textClassifier", { max_trials: 6, random_state: 0 }], train);
    const { trials, best } = trainedIn(record);
    expect(trials[0]).toMatchObject({ accuracy: null, log_loss: null });
    expect(trials[0].error).toBe("no word of two letters stands in any text.");
    expect(best).toMatchObject({ trial: 5, accuracy: 1 });
    expect(await lab.view(record)).toMatch(/Trial 2, linear SVM, failed: no word of two letters stands in any text\./);
    const none = await lab.failure(letters, roles, ["textClassifier", { max_trials: 2 }], train);
    expect(none.status).toBe(422);
    expect(none.message).toBe(
      "textClassifier.train (A_DL_TXC_T): 2 trials failed, all there were; the first said: no word of two letters stands in any text.",
    );
  });

  it("gives a second training's model a name of its own, by which the chain then predicts", async () => {
    const chain = await lab.chain(csv, roles, build, train, ["A_DL_TXC_T", { epochs: 2 }], ["A_DL_TXC_P"]);
    expect(chain[3].notices).toBeUndefined();
    expect(chain[4].notices).toEqual([
      'textClassifier.train (A_DL_TXC_T): block 4 has a model "textClassifier" already, so this one is "textClassifier-2". Give model_name to call it otherwise, or to replace that one.',
    ]);
    expect(await lab.view(chain[5])).toMatch(/with textClassifier-2\./);
  });

  it("predicts for new raw rows, and for rows of a file", async () => {
    const chain = await lab.chain(csv, roles, split, build, train, ["A_DL_TXC_P"]);
    const service = await lab.service;
    const rows = [{ text: "shi1 shi2 shi3 shi9 shi8" }, { text: "mus1 mus7 mus3 any0 mus4" }, { text: null }];
    const { y_pred, y_proba } = await service.produce(someone, chain[5].id, rows);
    expect(y_pred?.slice(0, 2)).toEqual(["ships", "music"]);
    expect(Object.keys((y_proba as object[])[0])).toEqual(["p_farming", "p_music", "p_ships"]);
    const path = lab.file("text\nfar1 far2 far3 far4\n");
    const record = await lab.block(chain[4].project, 7, 5, ["A_DL_TXC_P", { test_data: path }]);
    expect((await lab.table(output<Record<string, string>>(record).y_pred_url)).rows).toEqual([["farming"]]);
    await expect(service.produce(someone, chain[5].id, [{ txt: "shi1" }])).rejects.toThrow(
      /lack what the model needs: text/,
    );
  });
});

describe("bad input to a text classifier", () => {
  const message = async (text: string, ...links: Link[]) => {
    const { status, message: words } = await lab.failure(text, ...links);
    return `${status} ${words}`;
  };

  it("is refused in one sentence", async () => {
    expect(await message("text,topic\nred fish,a\nblue fish,a\n", roles, build, train)).toBe(
      '422 textClassifier.train (A_DL_TXC_T): the target "topic" needs at least 2 classes, but all 2 rows are "a".',
    );
    expect(await message("text,topic\nred fish,a\nblue fish,b\none,\n", roles, build, train)).toMatch(
      /^422 .*the target "topic" is missing in 1 row\. Drop them with missing/,
    );
    expect(await message("text,topic\nred fish,a\nblue fish,b\n", roles, build, train)).toBe(
      "422 textClassifier.train (A_DL_TXC_T): a class needs at least 2 texts for one of them to be held out, but all 2 classes have one.",
    );
    expect(await message("text,topic\n1,a\n2,b\n", roles, build)).toBe(
      '422 textClassifier (A_DL_TXC_I): X must be texts, but column "text" is number. Choose another with xy (DP_FSP), cast it with astype (DP_ASP) to "str" if its cells are texts, or use a classifier of numbers such as logistic (ML_CN_1).',
    );
    expect(await message("text,more,topic\nred,fish,a\n", ["xy", { x: ["text", "more"], y: "topic" }], build)).toMatch(
      /^422 .*X must be one column of texts, got 2 \(text, more\)/,
    );
    expect(await message(csv, build)).toMatch(/^400 .*assign X and Y first with xy \(DP_FSP\)/);
    expect(await message(csv, roles, ["textClassifier", { max_trials: 0 }])).toBe(
      "400 textClassifier (A_DL_TXC_I): max_trials must be at least 1, got 0.",
    );
    expect(await message(csv, roles, ["textClassifier", { hyp_params: { max_trial: 2 } }])).toMatch(
      /hyp_params has no field max_trial\. Did you mean "max_trials"\?/,
    );
    expect(await message(csv, roles, build, ["A_DL_TXC_T", { epochs: 0 }])).toMatch(
      /^400 .*epochs must be at least 1, got 0/,
    );
    expect(await message(csv, roles, train)).toBe(
      "400 textClassifier.train (A_DL_TXC_T): this chain has built no network yet; build it first with textClassifier (A_DL_TXC_I).",
    );
    const names = Array.from({ length: 2100 }, (_, i) => `text ${i},name${i}`).join("\n");
    expect(await message(`text,topic\n${names}\n`, roles, build, train)).toMatch(
      /^422 .*"topic" has 2,100 different values in 2,100 rows, and 2,000 classes are the most/,
    );
    expect(await message("text,topic\n", roles, build, train)).toMatch(/^422 /);
  });

  it("is refused by prediction and evaluation alike", async () => {
    expect(await message(csv, roles, build, ["A_DL_TXC_P"])).toMatch(
      /^404 .*A_DL_TXC_P\): model "textClassifier" is not trained yet/,
    );
    expect(await message(csv, roles, build, ["A_DL_TXC_E"])).toMatch(
      /^404 .*A_DL_TXC_E\): model "textClassifier" is not trained yet/,
    );
    expect(await message(csv, roles, ["A_DL_ALL_P", { model_name: "x" }])).toMatch(
      /^404 .*model "x" is not in the project/,
    );
    expect(await message(csv, roles, build, train, ["A_DL_TXC_E", { metric: "r2" }])).toMatch(/^400 .*no metric "r2"/);
    expect(await message(csv, roles, build, train, ["ML_CN_1_P", { model_name: "textClassifier" }])).toBe(
      '400 predict (ML_CN_1_P): model "textClassifier" was made by textClassifier (A_DL_TXC_T); use A_DL_TXC_P.',
    );
  });

  it("that can be lived with is named in a notice: empty texts", async () => {
    const [head, ...lines] = csv.trim().split("\n");
    const holes = ['"",farming', ",music", '"  ",ships', ...lines.slice(3)];
    const record = await lab.last(`${head}\n${holes.join("\n")}\n`, roles, build, train);
    expect(record.notices).toEqual([
      'textClassifier.train (A_DL_TXC_T): 3 texts of "text" are empty and can only be guessed.',
    ]);
    expect(trainedIn(record).best.accuracy).toBeGreaterThan(0.8);
  });
});
