import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = `a,b,y\n${Array.from({ length: 20 }, (_, k) => `${k},${k % 3},${3 * k - 2 * (k % 3) + 5}`).join("\n")}\n`;
const roles = ["xy", { y: "y" }] as const;

describe("linear (ML_R_2), its prediction and metrics", () => {
  it("finds the plane that made the data, and predicts test rows with it", async () => {
    const records = await lab.chain(
      csv,
      roles,
      ["split", { test_size: 5, shuffle: false }],
      ["linear"],
      ["ML_R_2_P", { model_name: "linear", test_data: "x_test_url" }],
      ["ML_R_2_M", { model_name: "linear" }],
    );
    const { linear } = output<Record<string, { function_code: string; model_url: string }>>(records[3]);
    expect(linear.function_code).toBe("ML_R_2");
    const predicted = await lab.table(output<{ y_pred_url: string }>(records[4]).y_pred_url);
    for (const [k, [value]] of predicted.rows.entries()) {
      expect(value).toBeCloseTo(3 * (15 + k) - 2 * ((15 + k) % 3) + 5, 9);
    }
    expect(output(records[5])).toMatchObject({ n: 5, on: "test", r2: expect.closeTo(1, 9), mae: expect.closeTo(0, 9) });
    for (const record of records.slice(3)) expect(await lab.view(record)).toMatchSnapshot();
  });

  it("shows how sure each coefficient is, where its rows tell", async () => {
    const rows = Array.from({ length: 20 }, (_, k) => `${k},${(k * 7) % 5},${3 * k + Math.sin(k)}`);
    const view = await lab.view(await lab.last(`a,b,y\n${rows.join("\n")}\n`, roles, ["linear"]));
    // numpy and scipy: 2.97353354 ± t.ppf(0.975, 17) · 0.02830335
    expect(view).toMatch(/coefficients with 95 % intervals/);
    expect(view).toMatch(/^a +2\.97353 +0\.0283\d* +2\.9138\d* +3\.0332\d*$/m);
    expect(await lab.view(await lab.last(csv, roles, ["linear"]))).not.toMatch(/intervals/);
  });

  it("predicts new raw rows through the chain's fitted steps", async () => {
    const links = [roles, ["missing", { strategy: "mean" }], ["scale"], ["linear", { model_name: "m" }]] as const;
    const fresh = lab.file("b,a\n1,4\n,5\n", "fresh.csv");
    const record = await lab.last(csv, ...links, ["ML_R_2_P", { model_name: "m", test_data: fresh }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
    expect(rows[0][0]).toBeCloseTo(3 * 4 - 2 + 5, 6);
    expect(rows[1][0]).toBeCloseTo(3 * 5 - 2 * 0.95 + 5, 6);
    const wrong = lab.file("b,c\n1,4\n", "wrong.csv");
    const error = await lab.failure(csv, ...links, ["ML_R_2_P", { model_name: "m", test_data: wrong }]);
    expect(error.message).toMatch(/the rows lack what the model needs: a\. They have columns it doesn't know: c\./);
  });

  it("says what it can't learn from, and the block that mends it", async () => {
    expect((await lab.failure(csv, ["linear"])).message).toMatch(/assign X and Y first with xy \(DP_FSP\)/);
    expect((await lab.failure("a,y\nx,1\ny,2\n", roles, ["linear"])).message).toBe(
      "linear (ML_R_2): features must be numbers, but a is not. Encode with encode (DP_3) or drop with drop (DP_6).",
    );
    expect((await lab.failure("a,b,y\n1,,1\n2,3,2\n", roles, ["linear"])).message).toBe(
      "linear (ML_R_2): features must be complete, but b has missing cells. Fill them with missing (DP_2).",
    );
    expect((await lab.failure("a,y\n1,p\n2,q\n", roles, ["linear"])).message).toMatch(
      /the target "y" must be a number/,
    );
    expect((await lab.failure("a,y\n", roles, ["linear"])).status).toBe(422);
    expect((await lab.failure("a,y\n1,\n2,3\n", roles, ["linear"])).message).toMatch(
      /the target "y" is missing in 1 row/,
    );
  });

  it("refuses unknown models, metrics and other kinds", async () => {
    expect((await lab.failure(csv, roles, ["ML_R_2_P", { model_name: "m" }])).message).toBe(
      'linear.predict (ML_R_2_P): model "m" is not in the project. The project has no model yet.',
    );
    const metric = await lab.failure(csv, roles, ["linear"], ["ML_R_2_M", { model_name: "linear", metric: "r3" }]);
    expect(metric.message).toMatch(/there is no metric "r3". Did you mean "r2"\?/);
    expect((await lab.failure(csv, roles, ["linear"], ["ML_CN_7_P", { model_name: "linear" }])).message).toMatch(
      /use ML_R_2_P/,
    );
  });
});
