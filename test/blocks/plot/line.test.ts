import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../../src/core/record.ts";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("line (DP_ORD)", () => {
  it("draws along x in its order, dates too", async () => {
    const record = await lab.last("d,v\n2026-01-03,3\n2026-01-01,1\n2026-01-02,2\n", ["line", { x: "d", y: "v" }]);
    expect(output(record)).toMatchObject({ points: 3, sampled: false });
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "v by d
      n = 3
      v
      3 ┤                                                                          ╭──
        │                                                                    ╭─────╯
        │                                                               ╭────╯
        │                                                         ╭─────╯
        │                                                    ╭────╯
        │                                               ╭────╯
        │                                         ╭─────╯
      2 ┤                                    ╭────╯
        │                              ╭─────╯
        │                         ╭────╯
        │                   ╭─────╯
        │              ╭────╯
        │         ╭────╯
        │   ╭─────╯
      1 ┤───╯
        └─────────────────────────────────────────────────────────────────────────────
         2026-01-01 00:00                      d                      2026-01-03 00:00
      ─ v (3)"
    `);
  });

  it("keeps the least and the greatest of each stretch when there are too many", async () => {
    const many = `x,y\n${Array.from({ length: 20_000 }, (_, k) => `${k},${k === 12_345 ? 99 : Math.sin(k / 500)}`).join("\n")}\n`;
    const record = await lab.last(many, ["line", { x: "x", y: "y" }]);
    const { points, sampled } = output<{ points: number; sampled: boolean }>(record);
    expect([points <= 5000, sampled, record.output?.includes("99")]).toEqual([true, true, true]);
  });

  it("keeps them of arrays and of tables behind URLs too", async () => {
    const values = Array.from({ length: 20_000 }, (_, k) => (k === 12_347 ? 99 : k === 4_321 ? -99 : 0));
    const { id } = await lab.project();
    const xvalue = lab.file(`t\n${values.map((_, k) => k).join("\n")}\n`);
    for (const [block, yvalue] of [values, lab.file(`v\n${values.join("\n")}\n`)].entries()) {
      const record = await lab.block(id, block + 1, 0, ["line", { xvalue, yvalue }]);
      const { points, spec } = output<{ points: number; spec: { data: { values: { y: number }[] } } }>(record);
      const drawn = spec.data.values.map(({ y }) => y);
      expect([points <= 5000, Math.min(...drawn), Math.max(...drawn)]).toEqual([true, -99, 99]);
    }
  });

  const years = "year,country,life\n2001,a,50\n2001,b,70\n2002,a,52\n2002,b,78\n2003,a,54\n";

  /** What is drawn: y of each series by x. */
  const drawn = (record: StateRecord) =>
    output<{ spec: { data: { values: Record<string, unknown>[] } } }>(record).spec.data.values;

  it("draws the mean where rows have the same x, says so, and draws what else is asked for", async () => {
    const record = await lab.last(years, ["line", { x: "year", y: "life" }]);
    expect(drawn(record)).toEqual([
      { x: 2001, y: 60, s: "life" },
      { x: 2002, y: 65, s: "life" },
      { x: 2003, y: 54, s: "life" },
    ]);
    expect(record.notices).toEqual([
      'line (DP_ORD): several rows have the same year, so the line shows their mean life. Choose another aggregate ("median", "sum", "none" for each row), or a line each with color.',
    ]);
    expect(await lab.view(record)).toMatch(/\nmean life by year\nn = 5 rows, 3 points\nmean life\n/);
    const asked = async (args: Record<string, unknown>) => {
      const found = await lab.last(years, ["line", { x: "year", y: "life", ...args }]);
      expect(found.notices).toBeUndefined();
      return drawn(found).map(({ y }) => y);
    };
    expect(await asked({ aggregate: "count" })).toEqual([2, 2, 1]);
    expect(await asked({ aggregate: "max" })).toEqual([70, 78, 54]);
    expect(await asked({ aggregate: "none" })).toEqual([50, 70, 52, 78, 54]);
    expect(await asked({ color: "country" })).toEqual([50, 52, 54, 70, 78]);
  });

  it("draws the same mean of arrays, and of what is no series of its own", async () => {
    const { id } = await lab.project();
    const arrays = await lab.block(id, 1, 0, ["line", { xvalue: [1, 1, 2], yvalue: [3, 5, 9], aggregate: "median" }]);
    expect(drawn(arrays).map(({ x, y }) => [x, y])).toEqual([
      [1, 4],
      [2, 9],
    ]);
    const many = Array.from({ length: 20 }, (_, k) => `1,c${k},${k}\n2,c${k},${k}\n${k < 11 ? `3,c${k},${k}\n` : ""}`);
    const record = await lab.last(`t,c,v\n${many.join("")}`, ["line", { x: "t", y: "v", color: "c" }]);
    expect(drawn(record).filter(({ s }) => s === "other")).toEqual([
      { x: 1, y: 15, s: "other" },
      { x: 2, y: 15, s: "other" },
    ]);
  });

  it("refuses a mean of words", async () => {
    const failed = await lab.failure(years, ["line", { x: "year", y: "country", aggregate: "mean" }]);
    expect(failed.message).toBe(
      'line (DP_ORD): there is no mean of country, which is no number; use "count" or "none".',
    );
  });

  it("refuses an empty table, a wholly missing column and a mistyped flag", async () => {
    expect((await lab.failure("a,b\n", ["line", { x: "a", y: "b" }])).status).toBe(422);
    expect((await lab.failure("a,b\n1,\n", ["line", { x: "a", y: "b" }])).status).toBe(422);
    expect((await lab.failure("a,b\n1,2\n", ["line", { x: "a", y: "b", is_grid: "maybe" }])).message).toBe(
      'line (DP_ORD): is_grid must be true or false, got "maybe".',
    );
  });
});
