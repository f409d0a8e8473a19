import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const model = { model_name: "naiveBayes" };

describe("naiveBayes (ML_CN_5)", () => {
  it("weighs bell curves, by hand", async () => {
    // p: mean 2, variance 1; q: mean 12, variance 4. At 7 both are 5 away: density ratio e^(-25/2 + 25/8) · 2.
    const csv = "a,y\n1,p\n3,p\n10,q\n14,q\n";
    const test_data = lab.file("a\n7\n");
    const args = { var_smoothing: 0 };
    const record = await lab.last(csv, roles, ["naiveBayes", args], ["ML_CN_5_P", { ...model, test_data }]);
    const { rows } = await lab.table(output<{ y_proba_url: string }>(record).y_proba_url);
    const ratio = 2 * Math.exp(-25 / 2 + 25 / 8);
    expect(rows[0][0]).toBeCloseTo(ratio / (1 + ratio), 12);
  });

  it("judges irises as scikit-learn does", async () => {
    // GaussianNB(), train_test_split(test_size=0.3, random_state=0): accuracy 1.0, log loss 0.0448118 (scikit-learn 1.9.1).
    const records = await lab.chain(
      "sample:iris",
      ["xy", { y: "species" }],
      ["split", { test_size: 0.3, random_state: 0 }],
      ["naiveBayes"],
      ["ML_CN_5_M", model],
    );
    expect(output<object>(records[4])).toMatchObject({ accuracy: 1, log_loss: expect.closeTo(0.0448118, 6) });
    expect(await lab.view(records[3])).toMatchSnapshot();
  });

  it("takes priors in the order of the classes", async () => {
    const csv = "a,y\n1,q\n3,q\n1,p\n3,p\n";
    const test_data = lab.file("a\n2\n");
    const args = { priors: [0.9, 0.1] };
    const record = await lab.last(csv, roles, ["naiveBayes", args], ["ML_CN_5_P", { ...model, test_data }]);
    const { header, rows } = await lab.table(output<{ y_proba_url: string }>(record).y_proba_url);
    expect([header, rows[0][0]]).toEqual([["p_p", "p_q"], expect.closeTo(0.9, 12)]);
  });

  it("refuses constant features, priors that don't fit, an empty table and missing cells", async () => {
    const failure = async (csv: string, args = {}) => await lab.failure(csv, roles, ["naiveBayes", args]);
    expect((await failure("a,b,y\n1,7,p\n1,7,q\n")).message).toBe(
      "naiveBayes (ML_CN_5): naive Bayes needs a feature that varies, but all are constant.",
    );
    expect((await failure("a,y\n1,p\n1,p\n2,q\n", { var_smoothing: 0 })).message).toMatch(/constant within a class/);
    for (const priors of [
      [0.5, 0.5, 0],
      [0.5, 0.6],
    ]) {
      const { status, message } = await failure("a,y\n1,p\n2,q\n", { priors });
      expect([status, message]).toEqual([400, expect.stringMatching(/priors must be 2 numbers that add up to 1/)]);
    }
    expect((await failure("a,y\n1,p\n2,q\n", { var_smoothing: -1 })).status).toBe(400);
    expect((await failure("a,y\n")).status).toBe(422);
    expect((await failure("a,b,y\n,1,p\n,2,q\n")).message).toMatch(/a has no value at all/);
  });
});
