import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const csv = "a,b,y\n0,0,p\n0,1,p\n1,0,p\n5,5,q\n5,6,q\n6,5,q\n9,0,r\n9,1,r\n";
const model = { model_name: "knn" };

async function predicted(args: object, rows: string, table = csv): Promise<unknown[][]> {
  const test_data = lab.file(rows);
  const record = await lab.last(table, roles, ["knn", { ...args }], ["ML_CN_2_P", { ...model, test_data }]);
  return (await lab.table(output<{ y_proba_url: string }>(record).y_proba_url)).rows;
}

describe("knn (ML_CN_2)", () => {
  it("votes among the nearest rows", async () => {
    // 3 nearest of (1, 1): the three p. 5 nearest of (5, 4): three q, then (0,1)/(1,0) at √34 and √32, (9,0) at √32, (9,1) at 5.
    expect(await predicted({ n_neighbors: 3 }, "a,b\n1,1\n")).toEqual([[1, 0, 0]]);
    expect(await predicted({ n_neighbors: 4 }, "a,b\n5,4\n")).toEqual([[0, 0.75, 0.25]]);
  });

  it("measures as it is told, and lets near rows count more", async () => {
    const table = "a,b,y\n3,0,p\n2,2,q\n";
    const nearest = async (args: object) => (await predicted({ n_neighbors: 1, ...args }, "a,b\n0,0\n", table))[0];
    expect(await nearest({ distance: "euclidean" })).toEqual([0, 1]);
    expect(await nearest({ distance: "manhattan" })).toEqual([1, 0]);
    expect(await nearest({ p: 1 })).toEqual([1, 0]);
    expect(await nearest({ distance: "chebyshev" })).toEqual([0, 1]);
    expect((await predicted({ n_neighbors: 1, distance: "cosine" }, "a,b\n9,9\n", table))[0]).toEqual([0, 1]);
    const [[p, q]] = await predicted(
      { n_neighbors: 2, distance: "manhattan", weights: "distance" },
      "a,b\n0,0\n",
      table,
    );
    expect([p, q]).toEqual([expect.closeTo(4 / 7, 12), expect.closeTo(3 / 7, 12)]);
  });

  it("classifies scaled irises as scikit-learn does", async () => {
    // KNeighborsClassifier() behind StandardScaler, train_test_split(test_size=0.3, random_state=0): 44 of 45 (scikit-learn 1.9.1).
    const records = await lab.chain(
      "sample:iris",
      ["xy", { y: "species" }],
      ["split", { test_size: 0.3, random_state: 0 }],
      ["scale"],
      ["knn"],
      ["ML_CN_2_M", model],
    );
    expect(output<{ accuracy: number }>(records[5]).accuracy).toBeCloseTo(44 / 45, 12);
    expect(await lab.view(records[4])).toMatchSnapshot();
  });

  it("refuses more neighbours than training rows, however many rows there are in all", async () => {
    expect((await lab.failure(csv, roles, ["knn", { n_neighbors: 9 }])).message).toBe(
      "knn (ML_CN_2): n_neighbors must be between 1 and 8 (training rows), got 9.",
    );
    const split = ["split", { test_size: 4, shuffle: false }] as const;
    expect((await lab.failure(csv, roles, split, ["knn"])).message).toMatch(/between 1 and 4 \(training rows\), got 5/);
  });

  it("refuses an empty table, an all-missing column and bad arguments", async () => {
    expect((await lab.failure("a,y\n", roles, ["knn"])).status).toBe(422);
    expect((await lab.failure("a,b,y\n,1,p\n,2,q\n", roles, ["knn", { n_neighbors: 1 }])).message).toMatch(
      /but a has no value at all\. Drop it with drop \(DP_6\)\.$/,
    );
    for (const args of [{ n_neighbors: 0 }, { p: 0 }, { distance: "far" }, { weights: "some" }, { metric: "x" }]) {
      expect((await lab.failure(csv, roles, ["knn", args])).status).toBe(400);
    }
    expect((await lab.failure(csv, roles, ["knn", { distance: "manhatan" }])).message).toMatch(
      /Did you mean "manhattan"\?/,
    );
  });
});
