import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("describe (DP_DSC)", () => {
  it("describes numbers by quartiles and others by their top value, as pandas does", async () => {
    const record = await lab.last("n,t\n1,x\n2,y\n4,x\n,\n", ["describe"]);
    expect(output(record)).toEqual({
      columns: {
        n: {
          count: 3,
          mean: 7 / 3,
          std: expect.closeTo(1.5275252316519468, 12),
          min: 1,
          "25%": 1.5,
          "50%": 2,
          "75%": 3,
          max: 4,
        },
        t: { count: 3, unique: 2, top: "x", freq: 2 },
      },
    });
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "column  count     mean      std  min  25%  50%  75%  max  shape     missing
      ──────  ─────  ───────  ───────  ───  ───  ───  ───  ───  ────────  ───────
      n           3  2.33333  1.52753    1  1.5    2    3    4  █ █    █        1

      column  count  unique  top  freq  missing
      ──────  ─────  ──────  ───  ────  ───────
      t           3       2  x       2        1"
    `);
  });

  it("shows the shape of numbers, beside them or below where the line is too short", async () => {
    const rows = [1, 2, 2, 3, 3, 3, 4, 9].map((value) => `${value},${1e6 + value / 7},5`).join("\n");
    const record = await lab.last(`short,a_rather_long_name,same\n${rows}\n,,\n`, ["describe"]);
    const wide = (await lab.view(record, 120)).split("\n");
    expect(wide[0]).toMatch(/max {2}shape +missing$/);
    expect(wide[2]).toMatch(/9\.0 {2}▃▆█▃ {3}▃ {8}1$/);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "column              count       mean      std        min        25%        50%
      ──────────────────  ─────  ─────────  ───────  ─────────  ─────────  ─────────
      short                   8        3.4  2.44584        1.0        2.0        3.0
      a_rather_long_name      8  1000000.5  0.34941  1000000.1  1000000.3  1000000.4
      same                    8        5.0  0.00000        5.0        5.0        5.0
      … and 2 more columns: 75%, max

      column              shape     missing
      ──────────────────  ────────  ───────
      short               ▃▆█▃   ▃        1
      a_rather_long_name  ▃▆█▃   ▃        1
      same                                1"
    `);
  });

  it("takes an empty table and a wholly missing column, and no arguments", async () => {
    const nothing = { count: 0, mean: null, std: null, min: null, "25%": null, "50%": null, "75%": null, max: null };
    expect(output(await lab.last("n\n", ["describe"]))).toEqual({ columns: { n: nothing } });
    expect(output(await lab.last("n,m\n,1\n,1\n", ["describe"]))).toMatchObject({ columns: { n: nothing } });
    expect((await lab.failure("a\n1\n", ["describe", { x: 1 }])).status).toBe(400);
  });
});
