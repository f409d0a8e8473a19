import { expect, it } from "vitest";
import { fitOnThreads } from "../../../src/blocks/features/pca-threads.ts";
import type { BlockContext } from "../../../src/core/block.ts";
import { fitPca } from "../../../src/numerics/algebra/pca.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { createPool } from "../../../src/workers/index.ts";
import { Lab, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const csv = `a,b,c,y\n${Array.from({ length: 30 }, (_, k) => `${k},${2 * k + (k % 3)},${k % 5},${k % 2 ? "u" : "v"}`).join("\n")}\n`;
const roles = ["xy", { y: "y" }] as const;

interface Answer {
  readonly n_components: number;
  readonly explained_variance_ratio: number[];
}

it("stands in the place of the features, and leaves the target", async () => {
  const record = await lab.last(csv, roles, ["pca", { n_components: 2 }]);
  expect((await lab.table(record.dataset_url)).header).toEqual(["pc1", "pc2", "y"]);
  expect((await lab.table(record.x_value_url)).header).toEqual(["pc1", "pc2"]);
  expect(output<Answer>(record).n_components).toBe(2);
  expect(await lab.view(record)).toMatch(
    /^2 components of 3 columns keep 100\.0% of the variance, learnt from all 30 rows\./,
  );
});

it("learns from training rows alone: test rows change nothing", async () => {
  const chain = [roles, ["split", { test_size: 10, shuffle: false }], ["pca", { n_components: 2 }]] as const;
  const one = await lab.last(csv, ...chain);
  const lines = csv.split("\n");
  const other = [...lines.slice(0, 21), ...lines.slice(21, 31).map((line) => line.replace(/^\d+/, "999"))].join("\n");
  expect(output(await lab.last(`${other}\n`, ...chain))).toEqual(output(one));
  const fitted = await lab.last(csv, roles, ["pca", { n_components: 2 }], ["split", {}]);
  expect(fitted.notices?.join()).toMatch(/Leakage: pca \(DP_PCA, block 3: a, b, c\)/);
});

it("keeps all components by default, makes way for old names, and takes wide tables", async () => {
  expect(output<Answer>(await lab.last(csv, roles, ["pca"])).n_components).toBe(3);
  const taken = await lab.last("pc1,a,b\n1,2,3\n2,3,5\n4,1,2\n", ["xy", { x: ["a", "b"], y: "pc1" }], ["pca"]);
  expect((await lab.table(taken.x_value_url)).header).toEqual(["pc1_1", "pc2"]);
  const wide = `${Array.from({ length: 9 }, (_, k) => `c${k}`).join(",")}\n${[1, 2, 3].map((row) => Array.from({ length: 9 }, (_, k) => (row * (k + 2)) % 7).join(",")).join("\n")}\n`;
  expect(output<Answer>(await lab.last(wide, ["pca"])).n_components).toBe(3);
});

it("makes components of the sums that the output tells, beside columns of any name, and none of a row with a hole", async () => {
  const lines = csv
    .trimEnd()
    .split("\n")
    .map((line, k) => `${line},${k === 0 ? "centred" : k}`);
  lines[30] = lines[30].replace(/^\d+/, "");
  const text = `${lines.join("\n")}\n`;
  const chain = [
    ["xy", { x: ["a", "b", "c"], y: "y" }],
    ["split", { test_size: 10, shuffle: false }],
  ] as const;
  const record = await lab.last(text, ...chain, ["pca", { n_components: 2 }]);
  const { header, rows } = await lab.table(record.dataset_url);
  expect(header).toEqual(["pc1", "pc2", "y", "centred"]);
  const { mean, components } = output<{ mean: number[]; components: number[][] }>(record);
  rows.slice(0, 29).forEach((row, i) => {
    const cells = lines[i + 1].split(",").map(Number);
    components.forEach((weights, k) => {
      const value = weights.reduce((sum, weight, j) => sum + weight * (cells[j] - mean[j]), 0);
      expect(Number(row[k])).toBeCloseTo(value, 12);
    });
  });
  expect(rows[29].slice(0, 2)).toEqual([null, null]);
});

it("makes the same of so many weights that they lie in a file, and of new rows", async () => {
  const cellsOf = (i: number) => Array.from({ length: 140 }, (_, j) => ((i * (j + 3) * (j + i)) % 101) + 1000);
  const names = [...Array.from({ length: 138 }, (_, j) => `c${j}`), "inputs", "products"];
  const rows = Array.from({ length: 170 }, (_, i) => [...cellsOf(i), i % 3 === 0 ? "u" : "v"]);
  // A gap in a row that tests.
  const text = [[...names, "y"], ...rows.with(165, ["", ...rows[165].slice(1)])].map((row) => row.join()).join("\n");
  const chain = [roles, ["split", { test_size: 20, shuffle: false }], ["pca"]] as const;
  const record = await lab.last(text, ...chain);
  const { header, rows: found } = await lab.table(record.dataset_url);
  expect([header[0], header.at(-1), header.length]).toEqual(["pc1", "y", 141]);
  const { mean, components } = output<{ mean: number[]; components: number[][] }>(record);
  const projected = (cells: readonly number[]) =>
    components.map((weights) => weights.reduce((sum, weight, j) => sum + weight * (cells[j] - mean[j]), 0));
  for (const i of [0, 80, 149, 169]) {
    for (const [k, value] of projected(cellsOf(i)).entries()) expect(found[i][k]).toBeCloseTo(value, 9);
  }
  expect(found[165]).toEqual([...Array(140).fill(null), "u"]);
  const service = await lab.service;
  const raw = Object.fromEntries(names.map((name, j) => [name, cellsOf(80)[j]]));
  const records = await lab.chain(
    text,
    ...chain,
    ["logistic", { model_name: "m", C: 0.01, cv: 3 }],
    ["ML_CN_1_P", { model_name: "m", test_data: "x_train_url" }],
  );
  const [{ notices = [] }, asked] = records.slice(-2);
  // Each fold learns components of its own.
  expect(notices.filter((notice) => notice.includes("cross-validation leaves"))).toEqual([]);
  const shares = await lab.table(output<{ y_proba_url: string }>(asked).y_proba_url);
  const [made] = (await service.produce(someone, asked.id, [raw])).y_proba ?? [];
  for (const [k, share] of Object.values(made).entries()) expect(share).toBeCloseTo(Number(shares.rows[80][k]), 9);
});

it("finds the same components on one thread and on several", async () => {
  const [n, d] = [40_000, 6];
  const random = new RandomState(4);
  const data = Float64Array.from({ length: n * d }, (_, i) => 1e5 + random.normal() * (1 + Math.floor(i / n)));
  const x = { n, d, data };
  const pool = createPool({ size: 2 });
  for (const threads of [1, 2, 3]) {
    const compute = (kernel: never, input: never) => pool.run(kernel, input);
    const found = await fitOnThreads(x, 4, { threads, compute } as unknown as BlockContext);
    expect(found).toEqual(fitPca({ x, wanted: 4 }));
  }
  await pool.close();
});

it("makes of new rows what it made of the same rows before", async () => {
  const chain = [roles, ["split", { random_state: 1 }], ["pca", { n_components: 2 }]] as const;
  const ask = ["ML_CN_1_P", { model_name: "m", test_data: "x_test_url" }] as const;
  const record = await lab.last(csv, ...chain, ["logistic", { model_name: "m" }], ask);
  const asked = await lab.table(output<{ y_proba_url: string }>(record).y_proba_url);
  const halves = await lab.last(csv, ...chain.slice(0, 2));
  const { header, rows } = await lab.table(halves.x_test_url);
  const raw = rows.map((row) => Object.fromEntries(header.map((name, k) => [name, Number(row[k])])));
  const found = await (await lab.service).produce(someone, record.id, raw);
  expect(found.y_proba?.map((row) => Object.values(row))).toEqual(asked.rows);
});

it.each([
  [
    { n_components: 4 },
    400,
    /n_components must be a whole number up to 3 \(30 rows, 3 columns\) or a share below 1, got 4/,
  ],
  [{ n_components: 1.5 }, 400, /got 1\.5/],
  [{ n_components: 0 }, 400, /n_components/],
  [{ n_components: "most" }, 400, /n_components/],
  [{ dataset: true }, 422, /features must be numbers, but y is not/],
])("%j is refused in one sentence", async (args, status, sentence) => {
  const failure = await lab.failure(csv, roles, ["pca", args]);
  expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
});

it("refuses missing cells, one row, and mle of wide tables", async () => {
  expect((await lab.failure("a,b\n1,\n2,3\n", ["pca"])).message).toMatch(/b has missing cells. Fill them with missing/);
  expect((await lab.failure("a,b\n1,2\n", ["pca"])).message).toMatch(/at least 2 rows to learn from, got 1/);
  expect((await lab.failure("a,b,c\n1,2,3\n2,4,1\n", ["pca", { n_components: "mle" }])).message).toMatch(
    /at least as many rows as columns/,
  );
});

it("projects more than a thousand columns", async () => {
  const width = 1200;
  const names = Array.from({ length: width }, (_, j) => `c${j}`);
  const rows = [0, 1, 2].map((i) => names.map((_, j) => (i * 7 + j * (i + 1)) % 13).join(","));
  const record = await lab.last(`${names.join(",")}\n${rows.join("\n")}\n`, ["pca", { n_components: 2 }]);
  const { rows: found } = await lab.table(record.dataset_url);
  const [a, b, c] = found.map((row) => row.map(Number));
  const apart = (p: number[], q: number[]) => p.reduce((sum, value, k) => sum + (value - q[k]) ** 2, 0);
  const cells = rows.map((row) => row.split(",").map(Number));
  // Two components of three rows keep all distances.
  expect(apart(a, b)).toBeCloseTo(apart(cells[0], cells[1]), 6);
  expect(apart(b, c)).toBeCloseTo(apart(cells[1], cells[2]), 6);
});
