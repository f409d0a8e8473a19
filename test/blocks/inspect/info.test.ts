import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("info (DP_INF)", () => {
  it("says type, missing and unique of each column, and the memory", async () => {
    const record = await lab.last("a,b\n1,x\n,x\n3,é\n", ["info"]);
    expect(output(record)).toEqual({
      rows: 3,
      columns: [
        { name: "a", type: "integer", missing: 1, unique: 2 },
        { name: "b", type: "string", missing: 0, unique: 2 },
      ],
      memory_bytes: 3 * 8 + 4 + 3 * 16,
    });
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "3 rows, 2 columns, 76 B in memory.

      column  type     missing  missing %  unique
      ──────  ───────  ───────  ─────────  ──────
      a       integer        1       33.3       2
      b       string         –          –       2"
    `);
  });

  it("takes an empty table and a wholly missing column, and no arguments", async () => {
    expect(output(await lab.last("a\n", ["info"])).columns).toEqual([
      { name: "a", type: "number", missing: 0, unique: 0 },
    ]);
    expect(output(await lab.last("a,b\n,1\n,1\n", ["info"])).columns).toMatchObject([{ missing: 2, unique: 0 }, {}]);
    expect((await lab.failure("a\n1\n", ["info", { deep: true }])).message).toBe(
      'info (DP_INF) has no argument "deep". It takes none.',
    );
  });
});
