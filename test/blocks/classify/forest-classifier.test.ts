import { describe, expect, it } from "vitest";
import { createService } from "../../../src/service/index.ts";
import { Lab, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const iris = [
  ["xy", { y: "species" }],
  ["split", { test_size: 0.3, random_state: 0 }],
] as const;

describe("forestClassifier (ML_CN_7)", () => {
  it("classifies irises, and predicts with probabilities that add up to one", async () => {
    const records = await lab.chain(
      "sample:iris",
      ...iris,
      ["forestClassifier", { n_estimators: 20 }],
      ["ML_CN_7_P", { model_name: "forestClassifier", test_data: "x_test_url" }],
      ["ML_CN_7_M", { model_name: "forestClassifier", metric: "accuracy" }],
    );
    expect(output<{ accuracy: number }>(records[5]).accuracy).toBeGreaterThan(0.9);
    const { y_proba_url } = output<{ y_proba_url: string }>(records[4]);
    const { header, rows } = await lab.table(y_proba_url);
    expect(header).toEqual(["p_setosa", "p_versicolor", "p_virginica"]);
    for (const row of rows) expect(row.map(Number).reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    expect(await lab.view(records[3])).toMatchSnapshot();
  });

  it("grows the same forest for the same seed, on any number of threads", async () => {
    const answers = await Promise.all(
      [0, 2].map(async (threads) => {
        const service = await createService({ home: `${lab.home}/threads-${threads}`, threads });
        const { id } = await service.createProject(someone, "p");
        const run = (block_id: number, function_code: string, args: object) =>
          service.run(someone, { project_id: id, block_id, parent_id: block_id - 1, function_code, args });
        await run(1, "DP_1", { dburl: "sample:iris", y_boundaries: "species" });
        await run(2, "ML_CN_7", { n_estimators: 9, random_state: 7 });
        const { output: text } = await run(3, "ML_CN_7_P", {
          model_name: "forestClassifier",
          test_data: "x_value_url",
        });
        const { rows } = await service.table(someone, JSON.parse(text as string).y_proba_url.slice(5));
        await service.close();
        return rows;
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it("refuses an empty table, a wholly missing column and no trees", async () => {
    expect((await lab.failure("a,y\n", ["xy", { y: "y" }], ["forestClassifier"])).status).toBe(422);
    expect((await lab.failure("a,y\n,p\n,q\n", ["xy", { y: "y" }], ["forestClassifier"])).message).toMatch(
      /a has no value at all/,
    );
    expect((await lab.failure("sample:iris", ...iris, ["forestClassifier", { n_estimators: 0 }])).message).toBe(
      "forestClassifier (ML_CN_7): n_estimators must be at least 1, got 0.",
    );
  });
});
