import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c,d\n1,2,3,x\n2,3,5,y\n3,5,8,z\n";

it("draws two sets on the same axes", async () => {
  const record = await lab.last(csv, ["compareScatter", { xvalue: "a", yvalue: "b", bvalue: "c" }]);
  expect(output(record)).toMatchObject({ points: 6, sampled: false });
  const seen = await lab.view(record);
  expect(seen).toMatch(/^b by a, c by a\nn = 6\n/);
  expect(seen).toMatch(/b by a \(3\) +c by a \(3\)/);
});

it("is a scatter plot without the second set, and takes arrays and a grid", async () => {
  expect(output(await lab.last(csv, ["compareScatter", { xvalue: "a", yvalue: "b" }])).points).toBe(3);
  const record = await lab.last(csv, [
    "DP_CSP",
    { xvalue: [1, 2], yvalue: [3, 4], avalue: [5, 6], bvalue: "[7, 8]", is_grid: "true" },
  ]);
  expect(output(record).points).toBe(4);
  expect(await lab.view(record)).toMatch(/x, y \(2\) +a, b \(2\)/);
});

it("draws at most 5,000 points and says so", async () => {
  const many = `a,b\n${Array.from({ length: 4000 }, (_, k) => `${k},${k % 7}`).join("\n")}\n`;
  const record = await lab.last(many, ["compareScatter", { xvalue: "a", yvalue: "b", bvalue: "a" }]);
  expect(output(record)).toMatchObject({ points: 5000, sampled: true });
  expect(await lab.view(record)).toContain("8,000");
});

it("refuses axes of two kinds, lengths that differ, and a missing argument", async () => {
  const failing = async (args: Record<string, unknown>) => (await lab.failure(csv, ["compareScatter", args])).message;
  expect(await failing({ xvalue: "a", yvalue: "b", bvalue: "d" })).toMatch(/axes of one kind/);
  expect(await failing({ xvalue: [1, 2], yvalue: [1, 2, 3] })).toMatch(/must be as many/);
  expect(await failing({ xvalue: "a" })).toMatch(/yvalue/);
});
