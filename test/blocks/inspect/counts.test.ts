import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

describe("counts (DP_STC)", () => {
  it("counts each value, the most frequent first, and the missing cells", async () => {
    const record = await lab.last('c\nx\ny\nx\n""\n', ["counts", { column: "c" }]);
    expect(output(record)).toEqual({ column: "c", counts: { x: 2, y: 1 }, missing: 1 });
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "c: 2 different values, 1 missing cell.

      c  count     %
      ─  ─────  ────
      x      2  50.0
      y      1  25.0"
    `);
    expect(output(await lab.last("a,b\n1,2\n", ["DP_STC", { index: "-1" }]))).toMatchObject({ column: "b" });
  });

  it("answers the most frequent of very many values, and says how many there are", async () => {
    const values = Array.from({ length: 12_000 }, (_, k) => 30_000 - k);
    const record = await lab.last(`c,d\n${[...values, 18_500, 18_500, ""].join(",1\n")},1\n`, [
      "counts",
      { index: "c" },
    ]);
    const { counts, missing } = output<{ counts: Record<string, number>; missing: number }>(record);
    expect(Object.keys(counts)).toHaveLength(10_000);
    expect([counts["18500"], counts["18001"], counts["28000"], counts["28001"], missing]).toEqual([
      3,
      1,
      1,
      undefined,
      1,
    ]);
    expect(record.notices?.join()).toContain('column "c" has 12,000 different values; the 10,000 most frequent are');
    expect(await lab.view(record)).toMatch(/^c: 12,000 different values, 1 missing cell\./m);
  });

  it("takes an empty table and a wholly missing column; refuses no and unknown columns", async () => {
    expect(output(await lab.last("c\n", ["counts", { index: 0 }]))).toEqual({ column: "c", counts: {}, missing: 0 });
    expect(output(await lab.last("c,d\n,1\n", ["counts", { index: 0 }]))).toEqual({
      column: "c",
      counts: {},
      missing: 1,
    });
    expect((await lab.failure("c\nx\n", ["counts"])).message).toBe("counts (DP_STC) needs index: a text, or a number.");
    expect((await lab.failure("city\nx\n", ["counts", { index: "citi" }])).message).toMatch(/Did you mean "city"\?/);
  });
});
