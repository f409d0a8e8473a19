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

  it("takes an empty table and a wholly missing column, and no arguments", async () => {
    expect(output(await lab.last("a\n", ["uniques"]))).toEqual({ columns: { a: 0 } });
    expect(output(await lab.last("a,b\n,1\n", ["uniques"]))).toEqual({ columns: { a: 0, b: 1 } });
    expect((await lab.failure("a\n1\n", ["uniques", { x: 1 }])).status).toBe(400);
  });
});
