import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = "t,k,v\n3,b,4\n1,a,1\n1,a,2\n2,b,8\n1,b,\n3,a,16\n";

interface Area {
  readonly x: number | string;
  readonly value: number;
  readonly color?: string;
}

const areasOf = async (args: object, table = csv) =>
  output<{ areas: Area[] }>(await lab.last(table, ["area", args as Record<string, unknown>])).areas;

describe("area (BL_AREA)", () => {
  it("counts rows along x, or shows sums of y, and says so where rows share an x", async () => {
    expect(await areasOf({ x: "t" })).toEqual([
      { x: 1, value: 3 },
      { x: 2, value: 1 },
      { x: 3, value: 2 },
    ]);
    const record = await lab.last(csv, ["area", { x: "t", y: "v" }]);
    expect(output<{ areas: Area[] }>(record).areas.map(({ value }) => value)).toEqual([3, 8, 20]);
    expect(record.notices).toEqual([
      'area (BL_AREA): 1 row without "t" or "v" left out.',
      'area (BL_AREA): several rows have the same "t", so the area shows the sum of their "v". Choose another aggregate, such as "mean".',
    ]);
    expect((await areasOf({ x: "t", y: "v", aggregate: "mean" })).map(({ value }) => value)).toEqual([1.5, 8, 10]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "! area (BL_AREA): 1 row without "t" or "v" left out.

      ! area (BL_AREA): several rows have the same "t", so the area shows the sum of
        their "v". Choose another aggregate, such as "mean".

      sum v by t
      n = 5 rows, 3 points
      sum v
      20 ┤                                                                        ▂▄▆█
         │                                                                    ▂▄▆█████
         │                                                               ▁▃▅▆█████████
         │                                                           ▁▃▅▇█████████████
         │                                                       ▁▃▅▇█████████████████
         │                                                   ▁▃▅▇█████████████████████
         │                                               ▂▃▅▇█████████████████████████
      10 ┤                                           ▂▄▆██████████████████████████████
         │                                       ▂▄▆██████████████████████████████████
         │                             ▁▂▂▃▄▅▆▆▇██████████████████████████████████████
         │                   ▁▂▃▃▄▅▆▇▇████████████████████████████████████████████████
         │         ▁▂▃▃▄▅▆▇▇██████████████████████████████████████████████████████████
         │▂▃▄▄▅▆▇█████████████████████████████████████████████████████████████████████
         │████████████████████████████████████████████████████████████████████████████
       0 ┤████████████████████████████████████████████████████████████████████████████
         └────────────────────────────────────────────────────────────────────────────
          1                                    t                                     3"
    `);
  });

  it("stacks colours on a common x, and does not stack means", async () => {
    const record = await lab.last(csv, ["area", { x: "t", y: "v", color: "k", aggregate: "sum" }]);
    const { areas, spec } = output<{
      areas: Area[];
      spec: { data: { values: object[] }; encoding: { y: { stack: unknown } } };
    }>(record);
    expect(areas).toEqual([
      { x: 1, value: 3, color: "a" },
      { x: 2, value: 8, color: "b" },
      { x: 3, value: 16, color: "a" },
      { x: 3, value: 4, color: "b" },
    ]);
    expect([spec.data.values.length, spec.encoding.y.stack]).toEqual([6, "zero"]);
    const means = await lab.last(csv, ["area", { x: "t", y: "v", color: "k", aggregate: "mean" }]);
    const unstacked = output<{ spec: { data: { values: object[] }; encoding: { y: { stack: unknown } } } }>(means).spec;
    expect([unstacked.data.values.length, unstacked.encoding.y.stack]).toEqual([4, null]);
  });

  it("takes stretches of x together where it has too many values", async () => {
    const many = `t,v\n${Array.from({ length: 12_000 }, (_, i) => `${i / 10},1`).join("\n")}\n`;
    const record = await lab.last(many, ["area", { x: "t", y: "v" }]);
    const { areas, sampled } = output<{ areas: Area[]; sampled: boolean }>(record);
    expect([areas.length, areas.reduce((sum, { value }) => sum + value, 0), sampled]).toEqual([200, 12_000, true]);
    expect(record.notices?.[0]).toMatch(/"t" has 12,000 values, so the rows of 200 stretches are taken together/);
    const hours = Array.from({ length: 6000 }, (_, i) => new Date(Date.UTC(2024, 0, 1, i)).toISOString().slice(0, 19));
    const dates = await areasOf({ x: "t" }, `t\n${hours.join("\n")}\n`);
    expect([dates[0], dates.length]).toEqual([{ x: "2024-01-01 00:00:00", value: 168 }, 36]);
  });

  it("has small pictures, and goes along words in their order", async () => {
    expect(await lab.view(await lab.last(csv, ["area", { x: "t", facet: "k" }]))).toMatch(/a picture for each k/);
    expect((await areasOf({ x: "k" })).map(({ x }) => x)).toEqual(["a", "b"]);
  });

  it.each([
    [{ x: "tt" }, 400, /column "tt" is not in the table/],
    [{ x: "t", y: "k" }, 422, /there is no sum of "k", which is string/],
    [{ x: "t", aggregate: "mean" }, 400, /the mean needs a column y/],
    [{ x: "t", y: "v", color: "k", aggregate: "max", stack: true }, 400, /areas of the max can't stand on each other/],
    [{ x: "k", x_scale: "log" }, 400, /x_scale "log" needs numbers/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure(csv, ["area", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("refuses an empty table, and too many words", async () => {
    expect((await lab.failure("t,v\n", ["area", { x: "t" }])).message).toMatch(/nothing to draw/);
    const many = `t\n${Array.from({ length: 6000 }, (_, i) => `w${i}`).join("\n")}\n`;
    expect((await lab.failure(many, ["area", { x: "t" }])).message).toMatch(
      /6,000 values, which is too many for an area; use bar/,
    );
  });
});
