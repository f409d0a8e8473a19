import { describe, expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { y: "y" }];
const rows = Array.from({ length: 90 }, (_, k) => [(k % 10) / 10 - 0.5, ((k * 7) % 11) / 11 - 0.5] as const);
/** Inside a ring or outside of it, which no straight line tells. */
const ring = `a,b,y\n${rows.map(([a, b]) => `${a},${b},${a * a + b * b < 0.1 ? "in" : "out"}`).join("\n")}\n`;
const numbers = `a,b,y\n${rows.map(([a, b]) => `${a},${b},${a - 2 * b * b + 0.05}`).join("\n")}\n`;
const judge: Link = ["BL_MLP_M", { model_name: "mlp" }];

describe("mlp (BL_MLP)", () => {
  it("learns classes and numbers by the target, and shows how it went", async () => {
    const args = { hidden_layer_sizes: [20], max_iter: 500, learning_rate_init: 0.02 };
    const classes = await lab.chain(ring, roles, ["mlp", args], judge);
    expect(output<{ accuracy: number }>(classes[3]).accuracy).toBeGreaterThan(0.95);
    expect(await lab.view(classes[2])).toMatch(/Layers of 2 → 20 → 1 units; \d+ passes, the loss at last/);
    const fitted = output<{ r2: number }>(await lab.last(numbers, roles, ["mlp", args], judge));
    expect(fitted.r2).toBeGreaterThan(0.95);
  });

  it("takes a few whole numbers as classes, says so, and takes them as numbers where told", async () => {
    const whole = `a,y\n${Array.from({ length: 40 }, (_, k) => `${k % 4},${k % 4 > 1 ? 5 : 2}`).join("\n")}\n`;
    const taken = await lab.chain(whole, roles, ["mlp", { max_iter: 5 }], judge);
    expect(taken[2].notices?.[0]).toBe(
      'mlp (BL_MLP): "y" holds 2 whole numbers, which are taken as classes; task: "regression" takes them as numbers.',
    );
    expect(output(taken[3])).toHaveProperty("accuracy");
    expect(output(await lab.last(whole, roles, ["mlp", { max_iter: 5, task: "regression" }], judge))).toHaveProperty(
      "r2",
    );
  });

  it("judges passes on rows held out, cross-validates, and is searched", async () => {
    const held = await lab.last(ring, roles, ["mlp", { early_stopping: true, max_iter: 20 }]);
    expect(await lab.view(held)).toMatch(/score on held-out rows of each pass/);
    const grid = { grid: { hidden_layer_sizes: [[3], [10, 5]] }, cv: 2, max_iter: 10 };
    const found = output<{ mlp: { grid: { ranking: unknown[] } } }>(await lab.last(ring, roles, ["mlp", grid]));
    expect(found.mlp.grid.ranking).toHaveLength(2);
  });

  it("says when it had too few passes, and refuses what can't be", async () => {
    const late = await lab.last(ring, roles, ["mlp", { max_iter: 2 }]);
    expect(late.notices?.[0]).toBe(
      "mlp (BL_MLP): it had not converged after 2 passes; scale the features with scale (DP_5), or raise max_iter.",
    );
    const huge = await lab.failure(ring, roles, ["mlp", { hidden_layer_sizes: [100_000, 100_000] }]);
    expect([huge.status, huge.message]).toEqual([422, expect.stringContaining("more than 20,000,000")]);
    expect((await lab.failure(ring, roles, ["mlp", { activation: "selu" }])).status).toBe(400);
    const wild = await lab.failure("a,y\n1e200,1.5\n-1e200,2.5\n", roles, ["mlp"]);
    expect([wild.status, wild.message]).toEqual([422, expect.stringContaining("Scale the features")]);
  });
});
