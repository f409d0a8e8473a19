import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const line = "a,y\n0,0\n1,1\n2,2\n3,3\n";
const predict: Link = ["ML_R_4_P", { model_name: "svr", test_data: "x_value_url" }];

const predicted = async (csv: string, args: Record<string, unknown>) => {
  const record = await lab.last(csv, roles, ["svr", args], predict);
  const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
  return rows.flat().map(Number);
};

describe("svr (ML_R_4)", () => {
  it("is as flat as the tube allows", async () => {
    // From 0 + epsilon at a = 0 to 3 − epsilon at a = 3: slope (3 − 2·0.3) / 3.
    const answers = await predicted(line, { kernel: "linear", epsilon: 0.3, C: 100 });
    [0.3, 1.1, 1.9, 2.7].forEach((value, k) => {
      expect(answers[k]).toBeCloseTo(value, 3);
    });
  });

  it("gives scikit-learn's answers with its own kernel", async () => {
    // SVR(tol=1e-9).fit([[0], [1], [2], [3]], [0, 1, 2, 3]).predict of scikit-learn 1.9.1.
    const expected = [0.50075, 1.09143, 1.90857, 2.49925];
    const answers = await predicted(line, {});
    expected.forEach((value, k) => {
      expect(answers[k]).toBeCloseTo(value, 3);
    });
  });

  it("answers a constant target everywhere", async () => {
    expect(await predicted("a,y\n0,5\n1,5\n2,5\n", {})).toEqual([5, 5, 5]);
  });

  it("judges on test rows, and shows what a linear kernel learnt", async () => {
    const records = await lab.chain(
      "sample:iris",
      ["drop", { x_columns: ["species"] }],
      ["xy", { y: "petal_width" }],
      ["split", { test_size: 0.3, random_state: 0 }],
      ["scale"],
      ["svr", { kernel: "linear" }],
      ["ML_R_4_M", { model_name: "svr" }],
    );
    expect(output<{ r2: number }>(records[6]).r2).toBeGreaterThan(0.9);
    expect(output(records[6])).toMatchObject({ on: "test", n: 45 });
    expect(await lab.view(records[5])).toMatchSnapshot();
  });

  it("says how to mend features that keep it from converging", async () => {
    const record = await lab.last(line, roles, ["svr", { max_iter: 1, C: 100 }]);
    expect(record.notices?.[0]).toMatch(/^svr \(ML_R_4\): it had not converged after 1 step; scale the features/);
  });

  it("refuses text, missing and huge features, a text target, an empty table and bad arguments", async () => {
    const message = async (csv: string, args: Record<string, unknown> = {}) =>
      (await lab.failure(csv, roles, ["svr", args])).message;
    expect(await message("a,y\nu,1\nv,2\n")).toMatch(/features must be numbers, but a is not/);
    expect(await message("a,b,y\n,1,1\n,2,2\n")).toMatch(/but a has no value at all/);
    expect(await message("a,y\n1,p\n2,q\n")).toMatch(/the target "y" must be a number/);
    expect(await message("a,y\n1e200,1\n-1e200,2\n")).toMatch(/overflows.*scale them with scale \(DP_5\)/);
    expect((await lab.failure("a,y\n", roles, ["svr"])).status).toBe(422);
    expect(await message(line, { C: -1 })).toBe("svr (ML_R_4): C must be more than 0, got -1.");
    expect(await message(line, { epsilon: -0.1 })).toBe("svr (ML_R_4): epsilon must be at least 0, got -0.1.");
    expect(await message(line, { kernel: "rfb" })).toMatch(/got "rfb". Did you mean "rbf"\?/);
    expect(await message(line, { gamma: 0 })).toMatch(/gamma must be more than 0/);
  });
});
