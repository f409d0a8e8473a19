import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const roles = ["xy", { y: "y" }] as const;
const csv = "a,b,y\n0,0,1\n0,1,2\n1,0,6\n5,5,10\n5,6,20\n6,5,60\n";

async function predicted(args: Record<string, unknown>, rows: string): Promise<unknown[][]> {
  const test_data = lab.file(rows);
  const record = await lab.last(
    csv,
    roles,
    ["knnRegressor", args],
    ["BL_KNNR_P", { model_name: "knnRegressor", test_data }],
  );
  return (await lab.table(output<{ y_pred_url: string }>(record).y_pred_url)).rows;
}

describe("knnRegressor (BL_KNNR)", () => {
  it("answers the mean of the nearest rows", async () => {
    expect(await predicted({ n_neighbors: 3 }, "a,b\n0.2,0.1\n6,6\n")).toEqual([[3], [30]]);
    expect(await predicted({ n_neighbors: 6 }, "a,b\n0,0\n")).toEqual([[16.5]]);
  });

  it("lets near rows count more, and equal ones alone", async () => {
    expect(await predicted({ n_neighbors: 3, weights: "distance" }, "a,b\n0,1\n")).toEqual([[2]]);
    // Of (2, 0): 1 at distance 1, 1 at 2 and, by Manhattan's way, 2 at 3.
    const [[mean]] = await predicted({ n_neighbors: 3, weights: "distance", distance: "manhattan" }, "a,b\n2,0\n");
    expect(mean).toBeCloseTo((6 + 1 / 2 + 2 / 3) / (1 + 1 / 2 + 1 / 3), 12);
  });

  it.each([
    [{ n_neighbors: 9 }, 0.8908319914117017],
    [{ n_neighbors: 7, weights: "distance" }, 0.9035535064500464],
  ])("foretells scaled irises as scikit-learn does, with %j", async (args, r2) => {
    // KNeighborsRegressor behind StandardScaler, train_test_split(test_size=0.3, random_state=0), scikit-learn 1.9.1.
    const record = await lab.last(
      "sample:iris",
      ["xy", { x: ["sepal_length", "sepal_width", "petal_length"], y: "petal_width" }],
      ["split", { test_size: 0.3, random_state: 0 }],
      ["scale"],
      ["knnRegressor", args],
      ["BL_KNNR_M", { model_name: "knnRegressor" }],
    );
    expect(output<{ r2: number }>(record).r2).toBeCloseTo(r2, 10);
  });

  it("refuses more neighbours than training rows", async () => {
    expect((await lab.failure(csv, roles, ["knnRegressor", { n_neighbors: 7 }])).message).toBe(
      "knnRegressor (BL_KNNR): n_neighbors must be between 1 and 6 (training rows), got 7.",
    );
  });
});
