import { describe, expect, it } from "vitest";
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

  it("refuses an empty table, a wholly missing column and a mistyped flag", async () => {
    expect((await lab.failure("a,b\n", ["line", { x: "a", y: "b" }])).status).toBe(422);
    expect((await lab.failure("a,b\n1,\n", ["line", { x: "a", y: "b" }])).status).toBe(422);
    expect((await lab.failure("a,b\n1,2\n", ["line", { x: "a", y: "b", is_grid: "maybe" }])).message).toBe(
      'line (DP_ORD): is_grid must be true or false, got "maybe".',
    );
  });
});
