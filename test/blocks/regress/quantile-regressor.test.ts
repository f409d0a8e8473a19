import { expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { y: "y" }];

/** Rows of y = 3a − 2b + 5 and more, the more the larger a is. */
const csv = `a,b,y\n${Array.from({ length: 100 }, (_, k) => {
  const [a, b] = [k % 8, (k * 5) % 7];
  return `${a},${b},${3 * a - 2 * b + 5 + (a * ((k * 37) % 100)) / 100}`;
}).join("\n")}\n`;

it.each([0.1, 0.5, 0.9])("leaves the share %d of the rows below its answers", async (quantile) => {
  const [, answered] = (
    await lab.chain(
      csv,
      roles,
      ["quantileRegressor", { quantile }],
      ["BL_QUANTILE_P", { model_name: "quantileRegressor" }],
    )
  ).slice(-2);
  const { rows } = await lab.table(output<{ y_pred_url: string }>(answered).y_pred_url);
  const truth = csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => Number(line.split(",")[2]));
  const [below, within] = [-1e-9, 1e-9].map((by) => truth.filter((y, i) => y < Number(rows[i][0]) + by).length / 100);
  expect(below).toBeLessThanOrEqual(quantile);
  expect(within).toBeGreaterThanOrEqual(quantile);
});

it("shows its equation, and which features a penalty leaves", async () => {
  const scaled: Link[] = [roles, ["split", { random_state: 1 }], ["scale"]];
  expect(await lab.view(await lab.last(csv, ...scaled, ["quantileRegressor", { quantile: 0.9 }]))).toMatchSnapshot();
  const empty = await lab.last(csv, ...scaled, ["quantileRegressor", { alpha: 100 }]);
  expect(await lab.view(empty)).toContain("0 of 2 features weigh something.");
  expect(empty.notices?.some((notice) => notice.includes("no feature is left at alpha 100"))).toBe(true);
});

it("says where several answers do equally well", async () => {
  const record = await lab.last("a,y\n0,1\n0,2\n1,4\n1,9\n", roles, ["quantileRegressor"]);
  expect(record.notices).toEqual([expect.stringContaining("several sets of coefficients fit these rows equally well")]);
});

it("refuses what is no quantile, and numbers too large to learn from", async () => {
  for (const quantile of [0, 1, "half"]) {
    expect((await lab.failure(csv, roles, ["quantileRegressor", { quantile }])).status).toBe(400);
  }
  const huge = await lab.failure("a,y\n1e200,1\n2e200,2\n-1e200,4\n", roles, ["quantileRegressor"]);
  expect([huge.status, huge.message]).toEqual([422, expect.stringContaining("Scale the features with scale (DP_5)")]);
});
