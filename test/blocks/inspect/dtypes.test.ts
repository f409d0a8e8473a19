import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("dtypes (DP_DTY)", () => {
  it("names the type of each column, after steps too", async () => {
    const record = await lab.last(
      "a,b,c\n1,x,2026-01-01\n,y,2026-01-02\n",
      ["missing", { strategy: "mean" }],
      ["dtypes"],
    );
    expect(output(record)).toEqual({ columns: { a: "integer", b: "string", c: "datetime" } });
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "column  type
      ──────  ────────
      a       integer
      b       string
      c       datetime"
    `);
  });

  it("takes an empty table and a wholly missing column, and no arguments", async () => {
    expect(output(await lab.last("a\n", ["dtypes"]))).toEqual({ columns: { a: "number" } });
    expect(output(await lab.last("a,b\n,1\n", ["dtypes"]))).toEqual({ columns: { a: "number", b: "integer" } });
    expect((await lab.failure("a\n1\n", ["dtypes", { x: 1 }])).status).toBe(400);
  });
});
