import { describe, expect, it } from "vitest";
import { applyRecipe, fitRecipe } from "../../../src/numerics/search/recipe.ts";
import { quiet } from "../../../src/numerics/types.ts";

const cells = (...columns: number[][]) => ({
  n: columns[0].length,
  d: columns.length,
  data: Float64Array.from(columns.flat()),
});
const x = cells([1, NaN, 4, 7, 2.5], [0, 2, NaN, 2, 0]);
const how = { categories: Int32Array.of(0, 3), mostCategories: 20 } as const;

describe("a recipe", () => {
  // make_pipeline(ColumnTransformer([SimpleImputer(strategy=way) of column 0, most_frequent and OneHotEncoder of column 1]),
  // StandardScaler()).fit_transform of scikit-learn 1.9.1, on the same cells.
  it.each([
    ["mean", [-1.3228756555322951, 0, 0.1889822365046136, 1.7008401285415224, -0.5669467095138409]],
    ["median", [-1.2814232144554953, -0.15075567228888173, 0.2261335084333228, 1.733690231322141, -0.5276448530110862]],
  ] as const)("fills by %s and mode, makes 0/1 columns and scales as scikit-learn's pipeline", (fill, numbers) => {
    const recipe = fitRecipe({ x, ...how, fill, scaled: true }, quiet);
    const made = applyRecipe({ x, recipe }, quiet);
    const [low, high] = [0.816496580927726, 1.224744871391589];
    const first = [low, -high, low, -high, low];
    const expected = [...numbers, ...first, 0, 0, 0, 0, 0, ...first.map((value) => -value)];
    expect([made.n, made.d]).toEqual([5, 4]);
    expect([...made.data]).toEqual(expected.map((value) => expect.closeTo(value, 12)));
  });

  it("leaves cells as they are without scaling, and takes a truth's mode", () => {
    const truths = cells([1, NaN, 0, 1]);
    const recipe = fitRecipe(
      { x: truths, categories: Int32Array.of(-1), mostCategories: 9, fill: "mean", scaled: false },
      quiet,
    );
    expect([...applyRecipe({ x: truths, recipe }, quiet).data]).toEqual([1, 1, 0, 1]);
  });

  it("leaves out columns without a value and of too many categories", () => {
    const wide = cells([NaN, NaN], [0, 1], [3, 4]);
    const input = {
      x: wide,
      categories: Int32Array.of(0, 30, 0),
      mostCategories: 20,
      fill: "mean",
      scaled: false,
    } as const;
    expect([...fitRecipe(input, quiet).from]).toEqual([2]);
  });

  it("has no 1 for a category that it does not know, and learns from its own rows alone", () => {
    const recipe = fitRecipe({ x, ...how, fill: "mean", scaled: false }, quiet);
    const other = applyRecipe({ x: cells([NaN], [7]), recipe }, quiet);
    expect([...other.data]).toEqual([3.625, 0, 0, 0]);
  });
});
