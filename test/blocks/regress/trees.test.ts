import { describe, expect, it } from "vitest";
import { createService } from "../../../src/service/index.ts";
import { Lab, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const steps = "a,b,y\n1,4,10\n2,3,10\n3,2,20\n4,1,26\n";
const iris = [
  ["drop", { d_columns: ["species"] }],
  ["xy", { y: "petal_width" }],
  ["split", { test_size: 0.3, random_state: 0 }],
] as const;

describe("treeRegressor (ML_R_5)", () => {
  it("answers the mean of the rows that answer alike", async () => {
    const test_data = lab.file("a,b\n0,9\n9,0\n");
    const model = { model_name: "treeRegressor" };
    const links = [
      ["treeRegressor", { max_depth: 1 }],
      ["ML_R_5_P", { ...model, test_data }],
    ] as const;
    const record = await lab.last(steps, roles, ...links);
    expect((await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows).toEqual([[10], [23]]);
  });

  it("grows scikit-learn's tree on irises, and shows what it looks at", async () => {
    // DecisionTreeRegressor(max_depth=3, random_state=0).score: 0.8930134697969632 (scikit-learn 1.9.1).
    const links = [
      ["treeRegressor", { max_depth: 3 }],
      ["ML_R_5_M", { model_name: "treeRegressor" }],
    ] as const;
    const records = await lab.chain("sample:iris", ...iris, ...links);
    expect(output<{ r2: number }>(records[5]).r2).toBeCloseTo(0.8930134697969632, 9);
    expect(await lab.view(records[4])).toMatchSnapshot();
  });

  it("learns a constant target as one leaf", async () => {
    const links = [["treeRegressor"], ["ML_R_5_M", { model_name: "treeRegressor" }]] as const;
    expect(output(await lab.last("a,y\n1,7\n2,7\n", roles, ...links))).toMatchObject({ r2: 1, mae: 0 });
  });

  it("refuses an empty table, a wholly missing feature, a text target and bad limits", async () => {
    for (const model of ["treeRegressor", "forestRegressor"]) {
      expect((await lab.failure("a,y\n", roles, [model])).status).toBe(422);
      expect((await lab.failure("a,y\n,1\n,2\n", roles, [model])).message).toMatch(/a has no value at all/);
      expect((await lab.failure("a,y\n1,p\n2,q\n", roles, [model])).message).toMatch(/must be a number/);
      expect((await lab.failure(steps, roles, [model, { min_samples_split: 1.5 }])).status).toBe(400);
    }
  });
});

describe("forestRegressor (ML_R_6)", () => {
  it("judges irises as scikit-learn's forest of the same seed", async () => {
    // RandomForestRegressor(20, random_state=0).score on these numbers, split alike: 0.9597510671053994 (scikit-learn 1.9.1).
    const rows = Array.from({ length: 90 }, (_, i) => [(i * 37) % 23, (i * 53) % 17]);
    const csv = `a,b,y\n${rows.map(([a, b]) => `${a},${b},${a * b - 3 * a}`).join("\n")}\n`;
    const split = ["split", { test_size: 0.3, random_state: 0 }] as const;
    const links = [
      ["forestRegressor", { n_estimators: 20 }],
      ["ML_R_6_M", { model_name: "forestRegressor" }],
    ] as const;
    const records = await lab.chain(csv, roles, split, ...links);
    expect(output<{ r2: number }>(records[4]).r2).toBeCloseTo(0.9597510671053994, 9);
    expect(await lab.view(records[3])).toMatchSnapshot();
  });

  it("grows the same forest on any number of threads, more than share evenly too", async () => {
    const answers = await Promise.all(
      [0, 4].map(async (threads) => {
        const service = await createService({ home: `${lab.home}/threads-${threads}`, threads });
        const { id } = await service.createProject(someone, "p");
        const run = (block_id: number, function_code: string, args: object) =>
          service.run(someone, { project_id: id, block_id, parent_id: block_id - 1, function_code, args });
        await run(1, "DP_1", { dburl: lab.file(steps), y_boundaries: "y" });
        // 5 trees on 4 threads: runs of 2 would leave the last thread without a tree.
        await run(2, "ML_R_6", { n_estimators: 5, random_state: 4294967295 });
        const { output: text } = await run(3, "ML_R_6_P", { model_name: "forestRegressor" });
        const { rows } = await service.table(someone, JSON.parse(text as string).y_pred_url.slice(5));
        await service.close();
        return rows;
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toHaveLength(4);
  });
});
