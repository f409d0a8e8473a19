import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Lab, type Link, output, someone } from "../../support/lab.ts";

const lab = new Lab();
const helpers = ["ridge", "lasso", "elasticNet"] as const;
const roles: Link = ["xy", { y: "y" }];

/** Rows of y = 3a − 2b + 5 and a third feature that says nothing; what is left over is far smaller. */
const csv = `a,b,c,y\n${Array.from({ length: 40 }, (_, k) => {
  const [a, b, c] = [k % 8, (k * 5) % 7, (k * 3) % 11];
  return `${a},${b},${c},${3 * a - 2 * b + 5 + ((k * 13) % 9) / 50}`;
}).join("\n")}\n`;

interface Trained {
  readonly function_code: string;
  readonly model_url: string;
  readonly alpha?: number;
}

async function model(record: Parameters<typeof output>[0], name: string) {
  const trained = output<Record<string, Trained>>(record)[name];
  const service = await lab.service;
  const { path } = await service.file(someone, someone.artifactIn(trained.model_url) as string, "json");
  const { parameters } = JSON.parse(readFileSync(path, "utf8"));
  return {
    trained,
    coef: parameters.coef.data as number[],
    intercept: parameters.intercept.data[0] as number,
    alpha: parameters.alpha as number,
  };
}

describe.each(helpers)("%s", (name) => {
  it("shrinks to least squares as alpha fades, and to the mean as it grows", async () => {
    const none = await model(await lab.last(csv, roles, [name, { alpha: 0 }]), name);
    const line = await model(await lab.last(csv, roles, ["linear"]), "linear");
    for (const [k, value] of none.coef.entries()) expect(value).toBeCloseTo(line.coef[k], 9);
    const record = await lab.last(csv, roles, [name, { alpha: 1e9 }]);
    const { coef } = await model(record, name);
    for (const value of coef) expect(Math.abs(value)).toBeLessThan(1e-5);
    const empty = record.notices?.some((notice) => notice.includes("no feature is left at alpha 1000000000"));
    expect(empty ?? false).toBe(name !== "ridge");
  });

  it("says where least squares, which alpha 0 is, can't tell its features apart", async () => {
    const twice = `${csv
      .trimEnd()
      .split("\n")
      .map((line, k) => `${k === 0 ? "twin" : 2 * Number(line.split(",")[0])},${line}`)
      .join("\n")}\n`;
    const [plain, dependent] = [csv, twice].map((text) => lab.last(text, roles, [name, { alpha: 0 }]));
    expect((await plain).notices?.join() ?? "").not.toContain("linearly dependent");
    expect((await dependent).notices?.join()).toMatch(/features are linearly dependent.*\(rank \d of \d\)/);
  });

  it("chooses an alpha, says so in its output, and draws how it came to it", async () => {
    const record = await lab.last(csv, roles, ["split", { random_state: 1 }], ["scale"], [name, { alpha: "auto" }]);
    const { trained, alpha } = await model(record, name);
    expect(trained.alpha).toBe(alpha);
    expect(alpha).toBeGreaterThan(0);
    expect(await lab.view(record)).toMatchSnapshot();
    const given = await lab.last(csv, roles, [name, { alphas: [0.001, 1000, 0.001] }]);
    expect((await model(given, name)).trained.alpha).toBe(0.001);
    expect(output<Record<string, Trained>>(await lab.last(csv, roles, [name]))[name].alpha).toBeUndefined();
  });

  it("allows no coefficient below 0 where it is told so", async () => {
    const { coef } = await model(await lab.last(csv, roles, [name, { alpha: 0.01, positive: true }]), name);
    expect(coef[0]).toBeGreaterThan(1);
    expect(coef[1]).toBe(0);
  });

  it("is searched and cross-validated as every model is", async () => {
    const grid = { grid: { alpha: [0.001, "auto"] }, cv: 3 };
    const found = output<Record<string, { grid: { ranking: unknown[] }; cv: { r2: { mean: number } } }>>(
      await lab.last(csv, roles, ["split", { random_state: 1 }], ["scale"], [name, grid]),
    )[name];
    expect(found.grid.ranking).toHaveLength(2);
    expect(found.cv.r2.mean).toBeGreaterThan(0.99);
  });

  it("refuses what is no strength, and one row to choose by", async () => {
    expect((await lab.failure(csv, roles, [name, { alpha: -1 }])).status).toBe(400);
    expect((await lab.failure(csv, roles, [name, { alpha: "best" }])).status).toBe(400);
    const { status, message } = await lab.failure("a,y\n1,2\n", roles, [name, { alpha: "auto" }]);
    expect([status, message]).toEqual([
      400,
      expect.stringContaining("alpha can't be chosen from 1 row; give a number."),
    ]);
    const huge = await lab.failure("a,y\n1e200,1\n2e200,2\n-1e200,4\n", roles, [name]);
    expect([huge.status, huge.message]).toEqual([422, expect.stringContaining("Scale the features with scale (DP_5)")]);
  });
});

it("says when there were too few steps", async () => {
  const near = `a,b,y\n${Array.from({ length: 30 }, (_, k) => `${k},${k + ((k * 7) % 5) / 100},${(k * 11) % 17}`).join("\n")}\n`;
  const record = await lab.last(near, roles, ["lasso", { alpha: 1e-5, max_iter: 1, tol: 1e-9 }]);
  expect(record.notices?.[0]).toMatch(/^lasso \(BL_LASSO\): it had not converged after 1 pass over the coefficients;/);
});

it("learns from texts' terms without filling them, as from the same numbers in columns", async () => {
  const rows = Array.from({ length: 120 }, (_, k) => {
    const own = [k % 50, (k * 7 + 3) % 50, (k * k) % 50];
    return [own.map((word) => `w${word}`).join(" "), own.reduce((sum, word) => sum + word ** 0.5, 0)] as const;
  });
  const text = `t,y\n${rows.map((row) => row.join(",")).join("\n")}\n`;
  const terms = (dense: boolean): Link[] => [
    ["xy", { x: ["t"], y: "y" }],
    ["vectorize", { vectorizer: "count", binary: true }],
    // Reading and writing the terms as numbers makes a table of plain columns of them.
    ...(dense ? [["scale", { scaler: "maxabs" }] as Link] : []),
  ];
  for (const name of helpers) {
    const sparse = await model(await lab.last(text, ...terms(false), [name, { alpha: 0.01 }]), name);
    const dense = await model(await lab.last(text, ...terms(true), [name, { alpha: 0.01 }]), name);
    for (const [k, value] of sparse.coef.entries()) expect(value).toBeCloseTo(dense.coef[k], 5);
  }
  const { status, message } = await lab.failure(text, ...terms(false), ["ridge", { alpha: "auto" }]);
  expect([status, message]).toEqual([400, expect.stringContaining("alpha is not chosen on sparse rows")]);
  const chosen = await model(await lab.last(text, ...terms(false), ["lasso", { alpha: "auto" }]), "lasso");
  expect(chosen.alpha).toBeGreaterThan(0);
});
