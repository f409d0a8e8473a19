import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = "k,w,n\na,1,1.5\nb,2,2\na,3,\n,4,1\n";

interface Answer {
  readonly spec: { readonly $schema: string };
  readonly points: number;
  readonly sampled: boolean;
}

it("counts the values of a column, and names what it left out", async () => {
  const record = await lab.last(csv, ["pie", { dataset: "k" }]);
  expect(output<Answer>(record)).toMatchObject({ points: 2, sampled: false });
  expect(output<Answer>(record).spec.$schema).toMatch(/vega-lite/);
  expect(record.notices).toEqual(["pie (DP_PIE): 1 missing cell of k left out."]);
  expect(await lab.view(record)).toMatchInlineSnapshot(`
    "! pie (DP_PIE): 1 missing cell of k left out.

    k
    2 slices, total 3
    a  ██████████████████████████████████████████████████████████████████   66.7%  2
    b  █████████████████████████████████                                    33.3%  1"
  `);
});

it("sums another column, reads a variable, a URL and an array, and has a default", async () => {
  const show = async (args: Record<string, unknown>) =>
    await lab.view(await lab.last(csv, ["xy", { y: "k" }], ["pie", args]));
  expect(await show({ column: "k", values: "w" })).toMatch(/w by k\n2 slices, total 6\na .* 66\.7% +4\nb .* 33\.3% +2/);
  expect(await show({})).toContain("2 slices, total 3");
  expect(await show({ dataset: "y" })).toContain("2 slices, total 3");
  expect(await show({ dataset: lab.file("c\nx\nx\ny\n") })).toMatch(/x .* 66\.7%/);
  expect(await show({ dataset: [1, 3] })).toMatch(/0 .* 25\.0% +1\n1 .* 75\.0% +3/);
  expect(await show({ dataset: '["u","u","v"]' })).toMatch(/u .* 66\.7% +2/);
});

it("draws the smallest of many as one", async () => {
  const many = `c\n${Array.from({ length: 100 }, (_, k) => `v${Math.floor(Math.sqrt(k * 4))}`).join("\n")}\n`;
  const record = await lab.last(many, ["pie", { dataset: "c" }]);
  expect(output<Answer>(record).points).toBe(12);
  expect(await lab.view(record)).toMatch(/12 slices, total 100[\s\S]*other \(\d+\)/);
});

it.each([
  ["kk", 400, /column "kk" is not in the table\. Did you mean "k"\?/],
  [[1, -2], 422, /a share can't be negative, and "1" is -2/],
  [[null], 400, /an array without values/],
])("%j is refused in one sentence", async (dataset, status, sentence) => {
  const failure = await lab.failure(csv, ["pie", { dataset }]);
  expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
});

it("refuses an empty column and sums of words", async () => {
  expect((await lab.failure("a,b\n,1\n", ["pie", { dataset: "a" }])).message).toMatch(/column "a" has no values/);
  expect((await lab.failure(csv, ["pie", { dataset: "k", values: "k" }])).message).toMatch(
    /values needs a numeric column/,
  );
});

it("draws a table of words and amounts as it stands, and takes true and false", async () => {
  const { id } = await lab.project();
  const amounts = await lab.block(id, 1, 0, ["pie", { dataset: lab.file("part,share\na,30\nb,70\n") }]);
  expect(await lab.view(amounts)).toMatch(/^share by part\n2 slices, total 100\nb .* 70\.0%/);
  const counted = await lab.block(id, 2, 0, ["pie", { dataset: lab.file("part,share\na,30\na,70\n") }]);
  expect(await lab.view(counted)).toMatch(/^part\n1 slice, total 2\n/);
  const truths = await lab.block(id, 3, 0, ["pie", { dataset: [true, false, true] }]);
  expect(await lab.view(truths)).toMatch(/true .* 66\.7%/);
});

it.each([
  [{ dataset: "k", values: "n" }, "k,n\na,inf\nb,1\n", 422, /a share must be finite, and "a" is Infinity/],
  [{ dataset: [1, 2], values: "w" }, csv, 400, /values names a column, and dataset is an array/],
  [{ dataset: "[1, 2" }, csv, 400, /dataset looks like an array but is not JSON/],
])("%j is refused in one sentence", async (args, table, status, sentence) => {
  const failure = await lab.failure(table, ["pie", args]);
  expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
});
