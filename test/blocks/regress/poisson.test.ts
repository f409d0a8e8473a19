import { expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();
const roles: Link = ["xy", { y: "y" }];

/** Counts that grow with a and fall with b; c says nothing. */
const csv = `a,b,c,y\n${Array.from({ length: 60 }, (_, k) => {
  const [a, b, c] = [k % 8, (k * 5) % 7, (k * 3) % 11];
  return `${a},${b},${c},${Math.round(Math.exp(1 + 0.3 * a - 0.2 * b) + ((k * 13) % 5) / 4)}`;
}).join("\n")}\n`;

it("shows what each feature multiplies the answer by, and how sure that is", async () => {
  const record = await lab.last(csv, roles, ["split", { random_state: 1 }], ["poisson", { alpha: 0 }]);
  expect(record.notices ?? []).toEqual([]);
  expect(await lab.view(record)).toMatchSnapshot();
  expect(await lab.view(await lab.last(csv, roles, ["poisson"]))).not.toContain("intervals");
});

it("answers above 0 alone, and is judged, searched and cross-validated as every model is", async () => {
  const search = { grid: { alpha: [0, 100] }, cv: 3 };
  const [record, answered] = (
    await lab.chain(
      csv,
      roles,
      ["split", { random_state: 1 }],
      ["poisson", search],
      ["BL_POISSON_P", { model_name: "poisson" }],
    )
  ).slice(-2);
  const found = output<Record<string, { grid: { best: object }; cv: { r2: { mean: number } } }>>(record).poisson;
  expect(found.grid.best).toEqual({ alpha: 0 });
  expect(found.cv.r2.mean).toBeGreaterThan(0.9);
  const { rows } = await lab.table(output<{ y_pred_url: string }>(answered).y_pred_url);
  for (const [value] of rows) expect(value).toBeGreaterThan(0);
});

it("says when counts vary more than the intervals can tell", async () => {
  const wild = `a,y\n${Array.from({ length: 40 }, (_, k) => `${k},${k % 2 === 0 ? 0 : 30}`).join("\n")}\n`;
  const record = await lab.last(wild, roles, ["poisson", { alpha: 0 }]);
  expect(record.notices).toEqual([
    expect.stringMatching(/^poisson \(BL_POISSON\): the counts vary 1\d\.\d times as much as Poisson's would, so the/),
  ]);
});

it("learns from texts' terms without filling them, as from the same numbers in columns", async () => {
  const rows = Array.from({ length: 80 }, (_, k) => `w${k % 9} w${(k * 7 + 3) % 9},${(k % 9) + ((k * k) % 3)}`);
  const text = `t,y\n${rows.join("\n")}\n`;
  const terms: Link[] = [
    ["xy", { x: ["t"], y: "y" }],
    ["vectorize", { vectorizer: "count", binary: true }],
  ];
  const judged: Link[] = [
    ["poisson", { alpha: 0.01 }],
    ["BL_POISSON_M", { model_name: "poisson" }],
  ];
  const sparse = output<{ r2: number }>(await lab.last(text, ...terms, ...judged));
  const dense = output<{ r2: number }>(await lab.last(text, ...terms, ["scale", { scaler: "maxabs" }], ...judged));
  expect(sparse.r2).toBeCloseTo(dense.r2, 6);
});

it("refuses a target below 0, one of zeros, a penalty below 0, and numbers too large to learn from", async () => {
  const failure = async (text: string, args: object = {}) => {
    const { status, message } = await lab.failure(text, roles, ["poisson", { ...args }]);
    return [status, message];
  };
  expect(await failure("a,y\n1,2\n2,-3\n")).toEqual([
    422,
    'poisson (BL_POISSON): it takes counts from 0 on, but "y" holds -3.',
  ]);
  expect(await failure("a,y\n1,0\n2,0\n")).toEqual([
    422,
    'poisson (BL_POISSON): it needs a count above 0, but "y" has none.',
  ]);
  expect((await failure(csv, { alpha: -1 }))[0]).toBe(400);
  expect((await failure("a,y\n1e200,1\n2e200,2\n-1e200,4\n"))[1]).toContain("Scale the features with scale (DP_5)");
});
