import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createService } from "../../../src/service/index.ts";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const iris: readonly Link[] = [["xy", { y: "species" }], ["split", { test_size: 0.3, random_state: 0 }], ["scale"]];

/** A model's file. */
async function modelOf(record: Parameters<typeof output>[0], name: string) {
  const { model_url } = output<Record<string, { model_url: string }>>(record)[name];
  const caller = { owner: "someone", url: String, artifactIn: () => null };
  const { path } = await (await lab.service).file(caller, model_url.slice(5), "json");
  return JSON.parse(readFileSync(path, "utf8"));
}

describe("svm (ML_CN_3)", () => {
  it("finds the widest border between two points", async () => {
    // SVC(kernel="linear").fit([[0], [2]], ["n", "p"]) of scikit-learn 1.9.1: both rows, dual ±0.5, border at 1.
    const record = await lab.last("a,y\n0,n\n2,p\n", roles, ["svm", { probability: false }]);
    const model = await modelOf(record, "svm");
    expect(model).toMatchObject({ format: "blocklab-model", task: "classification", classes: ["n", "p"] });
    expect(model.parameters).toMatchObject({
      spec: { name: "linear" },
      support: { data: [0, 1] },
      counts: { data: [1, 1] },
      coef: { data: [0.5, -0.5] },
      intercept: { data: [1] },
    });
  });

  it("judges several classes on test rows, with probabilities", async () => {
    const records = await lab.chain("sample:iris", ...iris, ["svm"], ["ML_CN_3_M", { model_name: "svm" }]);
    const metrics = output<{ accuracy: number; roc_auc: number; log_loss: number; on: string }>(records[5]);
    expect(metrics).toMatchObject({ on: "test", n: 45 });
    expect(metrics.accuracy).toBeGreaterThan(0.95);
    expect(metrics.roc_auc).toBeGreaterThan(0.95);
    expect(metrics.log_loss).toBeLessThan(0.3);
    expect(await lab.view(records[4])).toMatchSnapshot();
  });

  it("predicts by vote, and gives probabilities that add up to one", async () => {
    const predict: Link = ["ML_CN_3_P", { model_name: "svm", test_data: "x_test_url" }];
    const record = await lab.last("sample:iris", ...iris, ["svm"], predict);
    const { y_pred_url, y_proba_url } = output<Record<string, string>>(record);
    const { header, rows } = await lab.table(y_proba_url);
    expect(header).toEqual(["p_setosa", "p_versicolor", "p_virginica"]);
    for (const row of rows) expect(row.map(Number).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    expect((await lab.table(y_pred_url)).rows).toHaveLength(45);
  });

  it("goes without probabilities when told", async () => {
    const links: Link[] = [
      ["svm", { probability: false }],
      ["ML_CN_3_P", { model_name: "svm" }],
    ];
    const records = await lab.chain("sample:iris", ...iris, ...links, ["ML_CN_3_M", { model_name: "svm" }]);
    expect(output(records[5])).not.toHaveProperty("y_proba_url");
    expect(output<{ accuracy: number }>(records[6])).toMatchObject({ roc_auc: null, log_loss: null });
    expect(output<{ accuracy: number }>(records[6]).accuracy).toBeGreaterThan(0.95);
    expect(await lab.view(records[6])).toMatch(/judged on 45 test rows/);
  });

  it("learns the same machine on any number of threads", async () => {
    const answers = await Promise.all(
      [0, 2].map(async (threads) => {
        const service = await createService({ home: `${lab.home}/threads-${threads}`, threads });
        const { id } = await service.createProject(someone, "p");
        const run = (block_id: number, function_code: string, args: object) =>
          service.run(someone, { project_id: id, block_id, parent_id: block_id - 1, function_code, args });
        await run(1, "DP_1", { dburl: "sample:iris", y_boundaries: "species" });
        await run(2, "ML_CN_3", { kernel: "poly", random_state: 7 });
        const { output: text } = await run(3, "ML_CN_3_P", { model_name: "svm", test_data: "x_value_url" });
        const { rows } = await service.table(someone, JSON.parse(text as string).y_proba_url.slice(5));
        await service.close();
        return rows;
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it("weighs classes, and moves the border towards the lighter one", async () => {
    const csv = "a,y\n0,n\n1,n\n2,n\n3,n\n2.5,p\n4,p\n";
    const answers = async (class_weight: unknown) => {
      const fit: Link = ["svm", { probability: false, ...(class_weight ? { class_weight } : {}) }];
      const record = await lab.last(csv, roles, fit, ["ML_CN_3_P", { model_name: "svm", test_data: "x_value_url" }]);
      const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
      return rows.flat().join("");
    };
    // SVC(kernel="linear", class_weight=…).predict of scikit-learn 1.9.1.
    expect(await answers(null)).toBe("nnnpnp");
    expect(await answers({ p: 10 })).toBe("nnpppp");
    expect((await lab.failure(csv, roles, ["svm", { class_weight: { p: 0 } }])).message).toMatch(
      /must be more than 0 for every class, got 0 for "p"/,
    );
    expect((await lab.failure(csv, roles, ["svm", { class_weight: { q: 2 } }])).message).toMatch(/names "q"/);
  });

  it("tells while it runs that features are not scaled, and once when it is done", async () => {
    const wide = `a,b,y\n${Array.from({ length: 40 }, (_, k) => `${k * 900},${k % 3},${k < 20 ? "p" : "q"}`).join("\n")}\n`;
    const [, roles] = await lab.chain(wide, ["xy", { y: "y" }]);
    const heard = new Set<string>();
    const request = { project_id: roles.project, block_id: 3, parent_id: 2, function_code: "ML_CN_3" };
    const options = { onProgress: ({ phase }: { phase: string }) => void heard.add(phase) };
    const record = await (await lab.service).run(someone, { ...request, args: { cv: 2, max_iter: 1000 } }, options);
    expect([...heard].some((phase) => phase.startsWith("support vectors of unscaled features"))).toBe(true);
    expect(record.notices?.filter((notice) => notice.includes("not scaled"))).toEqual([
      'svm (ML_CN_3): features are not scaled (standard deviations: a 10400, b 0.821), which takes it many times as long and lets the widest decide; scale them first with scale("standard") (DP_5).',
    ]);
    const scaled = await lab.last(wide, ["xy", { y: "y" }], ["scale"], ["svm"]);
    expect(scaled.notices).toBeUndefined();
  });

  it("says how to mend features that keep it from converging", async () => {
    const record = await lab.last("sample:iris", ["xy", { y: "species" }], ["svm", { max_iter: 5 }]);
    expect(record.notices).toEqual([
      "svm (ML_CN_3): it had not converged after 5 steps; scale the features with scale (DP_5), lower C, or raise max_iter.",
    ]);
  });

  it("refuses one class, text, missing and huge features, an empty table and bad arguments", async () => {
    const message = async (csv: string, args: Record<string, unknown> = {}) =>
      (await lab.failure(csv, roles, ["svm", args])).message;
    const two = "a,y\n1,p\n2,q\n";
    expect(await message("a,y\n1,p\n2,p\n")).toMatch(/needs at least 2 classes, but all 2 rows are "p"/);
    expect(await message("a,b,y\nu,1,p\nv,2,q\n")).toMatch(/features must be numbers, but a is not/);
    expect(await message("a,b,y\n,1,p\n,2,q\n")).toMatch(/but a has no value at all/);
    expect(await message("a,b,y\ninf,1,p\n3,2,q\n")).toMatch(/features must be finite, but a holds infinity/);
    expect(await message("a,y\n1e30,p\n2e30,q\n")).toMatch(/kernel overflows.*scale them with scale \(DP_5\)/);
    expect((await lab.failure("a,y\n", roles, ["svm"])).status).toBe(422);
    expect(await message(two, { C: 0 })).toBe("svm (ML_CN_3): C must be more than 0, got 0.");
    expect(await message(two, { gamma: -1 })).toBe("svm (ML_CN_3): gamma must be more than 0, got -1.");
    expect(await message(two, { gamma: "big" })).toMatch(/gamma must be .*"scale" or "auto".*, got "big"/);
    expect(await message(two, { kernel: "liner" })).toMatch(/kernel must be .*, got "liner". Did you mean "linear"\?/);
    expect(await message(two, { C: "NaN" })).toMatch(/C must be a number/);
    expect(await message(two, { degree: 1.5 })).toMatch(/degree must be/);
    expect(await message(two, { max_iter: 0 })).toMatch(/max_iter must be/);
  });
});

describe("kernelSvm (ML_CN_4)", () => {
  it("tells an inner class from an outer one, which no straight border can", async () => {
    const rows = Array.from({ length: 40 }, (_, k) => {
      const radius = k % 2 === 0 ? 1 : 3;
      return `${radius * Math.cos(k)},${radius * Math.sin(k)},${radius === 1 ? "in" : "out"}`;
    });
    const csv = `a,b,y\n${rows.join("\n")}\n`;
    const accuracy = async (helper: string, code: string) =>
      output<{ accuracy: number }>(await lab.last(csv, roles, [helper], [code, { model_name: helper }])).accuracy;
    expect(await accuracy("kernelSvm", "ML_CN_4_M")).toBe(1);
    expect(await accuracy("svm", "ML_CN_3_M")).toBeLessThan(0.8);
  });

  it("takes the other kernels as well, and breaks ties when told", async () => {
    for (const args of [{ kernel: "poly", degree: "2" }, { kernel: "sigmoid" }, { break_ties: true }]) {
      const links: Link[] = [
        ["kernelSvm", args],
        ["ML_CN_4_M", { model_name: "kernelSvm", metric: "accuracy" }],
      ];
      const record = await lab.last("sample:iris", ...iris, ...links);
      expect(output<{ accuracy: number }>(record).accuracy, JSON.stringify(args)).toBeGreaterThan(0.75);
    }
  });
});
