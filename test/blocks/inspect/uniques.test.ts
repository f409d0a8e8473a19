import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("uniques (DP_UNQ)", () => {
  it("counts different values, missing cells left out", async () => {
    const record = await lab.last("a,b\n1,x\n1,\n2,x\n", ["uniques"]);
    expect(output(record)).toEqual({ columns: { a: 2, b: 1 } });
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "column  unique
      ──────  ──────
      a            2
      b            1"
    `);
  });

  it("counts alike in hundreds of short columns, of text and of numbers", async () => {
    const names = Array.from({ length: 600 }, (_, j) => `c${j}`);
    const cell = (i: number, j: number) => (i === j % 9 ? "" : j % 2 ? `t${(i * j) % 7}` : `${((i * j) % 5) - 1}`);
    const rows = Array.from({ length: 9 }, (_, i) => names.map((_, j) => cell(i, j)));
    const found = output<{ columns: Record<string, number> }>(
      await lab.last(`${[names, ...rows].map((row) => row.join(",")).join("\n")}\n`, ["uniques"]),
    );
    for (const [j, name] of names.entries()) {
      const values = new Set(rows.map((row) => row[j]).filter((value) => value !== ""));
      expect(found.columns[name], name).toBe(values.size);
    }
    const none = output<{ columns: Record<string, number> }>(await lab.last(`${names.join(",")}\n`, ["uniques"]));
    expect(new Set(Object.values(none.columns))).toEqual(new Set([0]));
  });

  it("takes an empty table and a wholly missing column, and no arguments", async () => {
    expect(output(await lab.last("a\n", ["uniques"]))).toEqual({ columns: { a: 0 } });
    expect(output(await lab.last("a,b\n,1\n", ["uniques"]))).toEqual({ columns: { a: 0, b: 1 } });
    expect((await lab.failure("a\n1\n", ["uniques", { x: 1 }])).status).toBe(400);
  });
});
