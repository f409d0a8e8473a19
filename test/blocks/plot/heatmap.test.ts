import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,t\n1,2,x\n2,4,y\n3,5,z\n";

describe("heatmap (DP_HMP)", () => {
  it("draws the correlations of a table, or values", async () => {
    const record = await lab.last(csv, ["heatmap"]);
    expect(output(record).points).toBe(4);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "correlations
      2 × 2 cells, n = 4, from 0.982 to 1.000
           a    b
      a 1.00 0.98
      b 0.98 1.00"
    `);
    expect(output(await lab.last(csv, ["heatmap", { of: "values" }])).points).toBe(6);
    expect(output(await lab.last(csv, ["heatmap", { dataset: [[1, 2, null]] }])).points).toBe(3);
    expect(output(await lab.last(csv, ["xy", { y: "b" }], ["heatmap", { dataset: "x_value_url" }])).points).toBe(1);
  });

  it("draws at most 5,000 cells", async () => {
    const many = `a,b\n${Array.from({ length: 9000 }, (_, k) => `${k},1`).join("\n")}\n`;
    expect(Number(output(await lab.last(many, ["heatmap", { of: "values" }])).points)).toBeLessThanOrEqual(5000);
  });

  it("takes missing columns; refuses text, ragged arrays and unknown names", async () => {
    expect(output(await lab.last("a,b\n,1\n,2\n", ["heatmap"])).points).toBe(4);
    expect(output(await lab.last("a\n", ["heatmap"])).points).toBe(1);
    expect((await lab.failure("t\nx\n", ["heatmap"])).status).toBe(422);
    expect((await lab.failure(csv, ["heatmap", { dataset: [[1], [1, 2]] }])).status).toBe(400);
    expect((await lab.failure(csv, ["heatmap", { dataset: "somewhere" }])).message).toMatch(/must be a variable/);
  });
});
