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

  it("leaves features out by a penalty on sizes, and says how many weigh something", async () => {
    const iris = ["xy", { y: "species" }] as const;
    const shown = async (args: Record<string, unknown>) =>
      await lab.view(await lab.last("sample:iris", iris, ["scale"], ["logistic", args]));
    const strict = await shown({ penalty: "l1", C: 0.05 });
    expect(strict).toContain("3 of 4 features weigh something.");
    expect(await shown({ l1_ratio: 1, C: 0.05 })).toBe(strict);
    expect(await shown({ penalty: "elasticnet" })).toBe(await shown({ l1_ratio: 0.5 }));
    expect(await shown({ penalty: "l2" })).toBe(await shown({}));
    const refusal = await lab.failure("sample:iris", iris, ["logistic", { penalty: "l2", l1_ratio: 0.5 }]);
    expect(refusal).toMatchObject({
      status: 400,
      message:
        'logistic (ML_CN_1): l1_ratio 0.5 is another penalty than "l2". Leave one of them out, or take penalty: "elasticnet".',
    });
  });

  // Of a table of two by two the log odds ratio is ln 6 here, and its error the root of 1/8 + 1/4 + 1/3 + 1/9.
  it("shows without a penalty how sure the coefficients of two classes are, and the odds ratio", async () => {
    const counts = [
      [1, "yes", 8],
      [1, "no", 4],
      [0, "yes", 3],
      [0, "no", 9],
    ] as const;
    const csv = `a,y\n${counts.flatMap(([a, y, n]) => Array<string>(n).fill(`${a},${y}`)).join("\n")}\n`;
    const free = await lab.view(await lab.last(csv, roles, ["logistic", { penalty: "none" }]));
    expect(free).toMatch(/coefficients with 95 % intervals\n.*times per unit/);
    const [, row] = /^ *a +(.*)$/m.exec(free) ?? [];
    const error = Math.sqrt(1 / 8 + 1 / 4 + 1 / 3 + 1 / 9);
    const expected = [Math.log(6), error, Math.log(6) - 1.96 * error, Math.log(6) + 1.96 * error, 6];
    for (const [k, cell] of row.trim().split(/ +/).entries()) expect(Number(cell)).toBeCloseTo(expected[k], 3);
    // Neither held coefficients nor weighed rows have any.
    for (const args of [{}, { penalty: "none", class_weight: "balanced" }]) {
      expect(await lab.view(await lab.last(csv, roles, ["logistic", args]))).not.toContain("intervals");
    }
  });

  // Of a table of two by three each log odds ratio is that of the class and the first one, as if there were no third.
  it("shows of several classes how sure it is of what they differ by", async () => {
    const counts = { no: [9, 4], yes: [3, 8], maybe: [5, 2] };
    const lines = Object.entries(counts).flatMap(([y, of]) => of.flatMap((n, a) => Array<string>(n).fill(`${a},${y}`)));
    const view = await lab.view(await lab.last(`a,y\n${lines.join("\n")}\n`, roles, ["logistic", { penalty: "none" }]));
    const [m0, m1] = counts.maybe;
    for (const label of ["no", "yes"] as const) {
      const [n0, n1] = counts[label];
      const odds = Math.log((n1 * m0) / (n0 * m1));
      const error = Math.sqrt(1 / n0 + 1 / n1 + 1 / m0 + 1 / m1);
      const [, row] = new RegExp(`${label} against maybe, with 95 % intervals\n.*\n.*\n *a +(.*)`).exec(view) ?? [];
      const expected = [odds, error, odds - 1.96 * error, odds + 1.96 * error, Math.exp(odds)];
      for (const [k, cell] of row.trim().split(/ +/).entries()) expect(Number(cell)).toBeCloseTo(expected[k], 2);
    }
    expect(view.replace(/\s+/g, " ")).toContain("Only what classes' coefficients differ by is known");

    const many = Array.from({ length: 160 }, (_, i) => `${(i * 37) % 11},k${i % 8}`).join("\n");
    const cut = await lab.view(await lab.last(`a,y\n${many}\n`, roles, ["logistic", { penalty: "none" }]));
    expect(cut.match(/against k0, with/g)).toHaveLength(5);
    expect(cut).toContain("2 more classes against k0 left out.");
  });

  it("says that without a penalty a line that parts the classes has no best coefficients", async () => {
    const parted = `a,y\n${Array.from({ length: 20 }, (_, k) => `${k},${k < 10 ? "n" : "p"}`).join("\n")}\n`;
    const record = await lab.last(parted, roles, ["logistic", { penalty: "none" }]);
    expect(record.notices).toEqual([
      "logistic (ML_CN_1): a line parts the classes, so that without a penalty the coefficients have no end; take one, as by C.",
    ]);
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
