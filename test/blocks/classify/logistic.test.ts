import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;

describe("logistic (ML_CN_1)", () => {
  it("gives scikit-learn's coefficients on two separated classes", async () => {
    // LogisticRegression(tol=1e-10).fit([[0], [1], [2], [3]], [0, 0, 1, 1]): coef 0.95829, intercept -1.43743 (scikit-learn 1.9.1).
    const record = await lab.last("a,y\n0,n\n1,n\n2,p\n3,p\n", roles, ["logistic"]);
    const { model_url } = output<Record<string, { model_url: string }>>(record).logistic;
    const { path } = await (await lab.service).file(
      { owner: "someone", url: String, artifactIn: () => null },
      model_url.slice(5),
      "json",
    );
    const { readFileSync } = await import("node:fs");
    const model = JSON.parse(readFileSync(path, "utf8"));
    expect(model).toMatchObject({
      format: "blocklab-model",
      task: "classification",
      classes: ["n", "p"],
      features: [{ name: "a" }],
    });
    expect(model.parameters.coef.data[0]).toBeCloseTo(0.95829, 4);
    expect(model.parameters.intercept.data[0]).toBeCloseTo(-1.43743, 4);
  });

  it("judges several classes on test rows and shows a confusion matrix", async () => {
    const split = ["split", { test_size: 0.3, random_state: 0, stratify: "species" }] as const;
    const records = await lab.chain(
      "sample:iris",
      ["xy", { y: "species" }],
      split,
      ["scale"],
      ["logistic"],
      ["ML_CN_1_M", { model_name: "logistic" }],
    );
    const metrics = output<{ accuracy: number; on: string; confusion: { matrix: number[][] } }>(records[5]);
    expect(metrics.accuracy).toBeGreaterThan(0.9);
    expect(metrics.on).toBe("test");
    expect(metrics.confusion.matrix.flat().reduce((a, b) => a + b)).toBe(45);
    expect(await lab.view(records[5])).toMatch(/judged on 45 test rows/);
  });

  it("counts a class that only test rows have as mistakes", async () => {
    const csv = "a,y\n1,p\n2,q\n1,p\n2,q\n3,r\n";
    const record = await lab.last(
      csv,
      roles,
      ["split", { test_size: 1, shuffle: false }],
      ["logistic"],
      ["ML_CN_1_M", { model_name: "logistic" }],
    );
    expect(output(record)).toMatchObject({ accuracy: 0, n: 1, confusion: { labels: ["p", "q", "r"] } });
  });

  it("refuses features too large to learn from, where it would answer coefficients of 0", async () => {
    for (const size of ["1e200", "1e308"]) {
      const csv = `a,b,y\n${size},1,n\n-${size},2,p\n${size},3,n\n3,2,p\n`;
      const huge = await lab.failure(csv, roles, ["logistic"]);
      expect([huge.status, huge.message]).toEqual([
        422,
        expect.stringContaining("Scale the features with scale (DP_5)"),
      ]);
    }
  });

  it("refuses one class, numbers that aren't classes, an empty table and bad arguments", async () => {
    expect((await lab.failure("a,y\n1,p\n2,p\n", roles, ["logistic"])).message).toBe(
      'logistic (ML_CN_1): the target "y" needs at least 2 classes, but all 2 rows are "p".',
    );
    expect((await lab.failure("a,y\n1,1.5\n2,2.5\n", roles, ["logistic"])).message).toMatch(
      /holds numbers such as 1.5, not classes/,
    );
    expect((await lab.failure("a,y\n", roles, ["logistic"])).status).toBe(422);
    expect((await lab.failure("a,b,y\n,1,p\n,2,q\n", roles, ["logistic"])).message).toMatch(
      /but a has no value at all/,
    );
    expect((await lab.failure("a,y\n1,p\n", roles, ["logistic", { C: 0 }])).message).toBe(
      "logistic (ML_CN_1): C must be more than 0, got 0.",
    );
  });
});
