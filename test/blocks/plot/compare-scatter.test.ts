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

it("refuses axes of two kinds, and lengths that differ", async () => {
  const failing = async (args: Record<string, unknown>) => (await lab.failure(csv, ["compareScatter", args])).message;
  expect(await failing({ xvalue: "a", yvalue: "b", bvalue: "d" })).toMatch(/axes of one kind/);
  expect(await failing({ xvalue: [1, 2], yvalue: [1, 2, 3] })).toMatch(/must be as many/);
});

it("compares training rows with test rows when nothing is given, a set for each feature", async () => {
  const rows = Array.from({ length: 20 }, (_, k) => `${k},${k * k},${2 * k}`).join("\n");
  const chain = [
    ["xy", { y: "y" }],
    ["split", { test_size: 5, random_state: 1 }],
  ] as const;
  const record = await lab.last(`a,b,y\n${rows}\n`, ...chain, ["compareScatter"]);
  expect(output(record).points).toBe(40);
  expect(await lab.view(record)).toMatch(/train: a \(15\)[\s\S]*test: b \(5\)/);
  const one = await lab.last(`a,y\n1,2\n2,4\n3,5\n4,8\n`, ...[["xy", { y: "y" }] as const], ["compareScatter"]);
  expect(output(one).points).toBe(4);
});

it("reads four tables behind URLs without a block before", async () => {
  const { id } = await lab.project();
  const wire = {
    xvalue: lab.file("p\n1\n2\n"),
    yvalue: lab.file("q\n3\n4\n"),
    avalue: lab.file("r\n1\n2\n3\n"),
    bvalue: lab.file("s\n5\n6\n7\n"),
    is_grid: false,
  };
  const record = await lab.block(id, 1, 0, ["DP_CSP", wire]);
  expect(output(record)).toMatchObject({ points: 5, sampled: false });
  expect(await lab.view(record)).toMatch(/q by p \(2\) +s by r \(3\)/);
  const failure = await lab
    .block(id, 2, 0, ["DP_CSP", { xvalue: "nothing", yvalue: [1] }])
    .catch((error: Error) => error);
  expect((failure as Error).message).toBe(
    'compareScatter (DP_CSP): xvalue must be a URL or an array where there is no block before, got "nothing".',
  );
});
