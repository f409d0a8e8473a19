import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const rows = Array.from({ length: 60 }, (_, k) => {
  const [a, b] = [(k * 37) % 41, (k * 53) % 29];
  return `${a},${b},${a * 2 - b + ((k * 13) % 7)}`;
});
const numbers = `a,b,y\n${rows.join("\n")}\n`;

const space = {
  max_leaf_nodes: [2, 40],
  min_samples_leaf: [1, 25],
  min_impurity_decrease: { low: 0.0001, high: 50, log: true },
};

async function scores(n: number, seed: number): Promise<readonly number[]> {
  const args = { model: "treeRegressor", space, cv: 3, scoring: "rmse", prune: false };
  const record = await lab.last(numbers, ["xy", { y: "y" }], ["tune", { ...args, n_trials: n, random_state: seed }]);
  return output<{ tune: { cv_results: { mean_test_score: readonly number[] } } }>(record).tune.cv_results
    .mean_test_score;
}

it("tune finds better trees in 30 trials than drawn ones do, on average over seeds", async () => {
  const [proposed, drawn]: number[][] = [[], []];
  for (const seed of [0, 1, 2, 3, 4, 5]) {
    proposed.push(Math.min(...(await scores(30, seed))));
    // The first ten of a search are drawn: of three seeds together as many as the other's.
    const parts = [await scores(10, 100 + seed), await scores(10, 200 + seed), await scores(10, 300 + seed)];
    drawn.push(Math.min(...parts.flat()));
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean(proposed)).toBeLessThan(mean(drawn));
});
