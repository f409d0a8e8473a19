import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const model = { model_name: "treeClassifier" };
const iris = [
  ["xy", { y: "species" }],
  ["split", { test_size: 0.3, random_state: 0 }],
] as const;

describe("treeClassifier (ML_CN_6)", () => {
  it("asks the question that parts the classes best", async () => {
    const csv = "a,b,y\n1,5,p\n2,1,p\n3,4,q\n4,2,q\n";
    const test_data = lab.file("b,a\n0,2.4\n9,2.6\n");
    const record = await lab.last(csv, roles, ["treeClassifier"], ["ML_CN_6_P", { ...model, test_data }]);
    const { rows } = await lab.table(output<{ y_pred_url: string }>(record).y_pred_url);
    expect(rows).toEqual([["p"], ["q"]]);
  });

  it("grows scikit-learn's tree on irises", async () => {
    // DecisionTreeClassifier(max_depth=3, random_state=0), train_test_split(test_size=0.3, random_state=0): 44 of 45 (scikit-learn 1.9.1).
    const links = [
      ["treeClassifier", { max_depth: 3 }],
      ["ML_CN_6_M", model],
    ] as const;
    const records = await lab.chain("sample:iris", ...iris, ...links);
    expect(output<{ accuracy: number }>(records[4]).accuracy).toBeCloseTo(44 / 45, 12);
    expect(await lab.view(records[3])).toMatchSnapshot();
  });

  it("lets a class count more", async () => {
    const csv = "a,y\n1,p\n1,p\n1,q\n2,q\n2,q\n";
    const share = async (class_weight: unknown) => {
      const test_data = lab.file("a\n1\n");
      const links = [
        ["treeClassifier", { class_weight }],
        ["ML_CN_6_P", { ...model, test_data }],
      ] as const;
      const record = await lab.last(csv, roles, ...links);
      return (await lab.table(output<{ y_proba_url: string }>(record).y_proba_url)).rows[0];
    };
    expect(await share(undefined)).toEqual([expect.closeTo(2 / 3, 12), expect.closeTo(1 / 3, 12)]);
    expect(await share({ q: 4 })).toEqual([expect.closeTo(1 / 3, 12), expect.closeTo(2 / 3, 12)]);
    // Balanced: p weighs 5/4, q 5/6.
    expect(await share("balanced")).toEqual([0.75, expect.closeTo(0.25, 12)]);
  });

  it("refuses weights of classes that aren't there, or that leave nothing", async () => {
    const csv = "a,y\n1,p\n2,q\n";
    const failure = (class_weight: unknown) => lab.failure(csv, roles, ["treeClassifier", { class_weight }]);
    expect((await failure({ pp: 2 })).message).toBe(
      'treeClassifier (ML_CN_6): class_weight names "pp", which is not a class. Did you mean "p"? Classes: p, q.',
    );
    expect((await failure({ p: 0, q: 0 })).message).toMatch(/leaves no row with a weight above 0/);
    expect((await failure({ p: -1 })).status).toBe(400);
    expect((await failure("equal")).status).toBe(400);
  });

  it("refuses an empty table, an all-missing column and limits that say nothing", async () => {
    expect((await lab.failure("a,y\n", roles, ["treeClassifier"])).status).toBe(422);
    expect((await lab.failure("a,y\n,p\n,q\n", roles, ["treeClassifier"])).message).toMatch(/a has no value at all/);
    for (const args of [
      { max_depth: 0 },
      { min_samples_leaf: 0 },
      { min_samples_leaf: 1.5 },
      { min_samples_split: 1 },
      { max_leaf_nodes: 1 },
      { max_features: "all" },
      { max_features: 2.5 },
      { criterion: "mse" },
      { random_state: -1 },
    ]) {
      expect((await lab.failure("a,y\n1,p\n2,q\n", roles, ["treeClassifier", args])).status, JSON.stringify(args)).toBe(
        400,
      );
    }
    expect((await lab.failure("a,y\n1,p\n2,q\n", roles, ["treeClassifier", { min_samples_leaf: 1.5 }])).message).toBe(
      "treeClassifier (ML_CN_6): min_samples_leaf must be a count from 1 on, or a share between 0 and 1, got 1.5.",
    );
  });
});
