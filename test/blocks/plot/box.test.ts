import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

interface Box {
  readonly x: string | number | null;
  readonly n: number;
  readonly [key: string]: unknown;
}

const boxesOf = async (csv: string, args: Record<string, unknown>) =>
  output<{ boxes: Box[] }>(await lab.last(csv, ["box", args])).boxes;

// Quartiles are those of pandas 3.0.
const csv = `v,k\n${[1, 2, 3, 4, 100, -50, 2.5, 7].map((v) => `${v},b`).join("\n")}\n5,a\n5,a\n,a\ninf,a\n`;

describe("box (BL_BOX)", () => {
  it("has whiskers and outliers of its own in each box, wherever the others lie", async () => {
    const near = (middle: number, k: string) => [-2, -1, 0, 1, 2, 3].map((v) => `${middle + v},${k}`);
    const rows = [...near(0, "a"), "50,a", ...near(100, "b"), "50,b", "104,b", ...near(4, "c")];
    const boxes = await boxesOf(`v,k\n${rows.join("\n")}\n`, { y: "v", x: "k" });
    expect(boxes.map((box) => [box.x, box.whisker_low, box.whisker_high, box.outliers])).toEqual([
      ["a", -2, 3, [50]],
      ["b", 98, 104, [50]],
      ["c", 2, 7, []],
    ]);
  });

  it("has pandas' quartiles, Tukey's whiskers, and what lies beyond", async () => {
    const record = await lab.last(csv, ["box", { y: "v", x: "k" }]);
    expect(output<{ boxes: Box[] }>(record).boxes).toEqual([
      {
        x: "a",
        n: 2,
        min: 5,
        q1: 5,
        median: 5,
        q3: 5,
        max: 5,
        outliers: [],
        whisker_low: 5,
        whisker_high: 5,
        outlier_count: 0,
      },
      {
        x: "b",
        n: 8,
        min: -50,
        q1: 1.75,
        median: 2.75,
        q3: 4.75,
        max: 100,
        outliers: [-50, 100],
        whisker_low: 1,
        whisker_high: 7,
        outlier_count: 2,
      },
    ]);
    expect(record.notices).toEqual(['box (BL_BOX): 2 rows without a finite "v" or "k" left out.']);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "! box (BL_BOX): 2 rows without a finite "v" or "k" left out.

      v by k
      k                                                                      median  n
      a                          ┃                                             5.00  2
      b  ∘                     ▒┃▒┤                                       ∘    2.75  8
         └────────────────────────────────────────────────────────────────┘
         -50                             v                              100"
    `);
  });

  it("draws all rows as one box, and columns beside each other", async () => {
    expect((await boxesOf(csv, { y: "v" })).map(({ x, n, median }) => [x, n, median])).toEqual([[null, 10, 3.5]]);
    const two = await boxesOf("b,a\n1,10\n2,20\n3,\n", { y: ["b", "a"] });
    expect(two.map(({ x, n, median }) => [x, n, median])).toEqual([
      ["b", 3, 2],
      ["a", 2, 15],
    ]);
  });

  it("stands in the order of x, or of the medians", async () => {
    const table = "v,k\n1,10\n5,9\n3,100\n";
    const order = async (sort?: string) =>
      (await boxesOf(table, { y: "v", x: "k", ...(sort ? { sort } : {}) })).map(({ x }) => x);
    expect(await order()).toEqual([9, 10, 100]);
    expect(await order("-x")).toEqual([100, 10, 9]);
    expect(await order("y")).toEqual([10, 100, 9]);
  });

  it("samples what lies beyond where there is very much, and keeps the farthest", async () => {
    const values = Array.from({ length: 20_000 }, (_, i) => (i % 4 === 0 ? i * 1000 : i / 20_000));
    const record = await lab.last(`v\n${values.join("\n")}\n`, ["box", { y: "v" }]);
    const { boxes, sampled, points } = output<{
      boxes: (Box & { outliers: number[] })[];
      sampled: boolean;
      points: number;
    }>(record);
    expect(sampled).toBe(true);
    expect(points).toBeLessThanOrEqual(1003);
    expect(boxes[0].outlier_count).toBe(4999);
    expect([boxes[0].outliers.length, Math.max(...boxes[0].outliers)]).toEqual([expect.any(Number), 19_996_000]);
    expect(boxes[0].outliers.length).toBeGreaterThan(900);
  });

  it("draws the boxes with most rows of very many, and numbers as far apart as doubles go", async () => {
    const many = `k,v\n${Array.from({ length: 900 }, (_, i) => `k${i % 300},${i}`).join("\n")}\nk7,1\n`;
    const record = await lab.last(many, ["box", { y: "v", x: "k" }]);
    expect(output<{ boxes: Box[] }>(record).boxes).toHaveLength(50);
    expect(record.notices?.[0]).toMatch(/"k" has 300 values; the 50 with most rows are drawn/);
    const [far] = await boxesOf("v\n-1e308\n0\n1e308\n", { y: "v" });
    expect([far.min, far.median, far.max, far.outliers]).toEqual([-1e308, 0, 1e308, []]);
  });

  it.each([
    [{ y: "vv" }, 400, /column "vv" is not in the table\. Did you mean "v"\?/],
    [{ y: "k" }, 422, /y must be a column of numbers, and "k" is string/],
    [{ y: ["v", "v2"], x: "k" }, 400, /several columns y have a box each/],
    [{ y: [] }, 400, /y names no column/],
    [{ y: "e" }, 422, /no row has "e", so there is nothing to draw|must be a column of numbers/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure("v,v2,k,e\n1,1,a,\n2,2,b,\n", ["box", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("refuses an empty table", async () => {
    expect((await lab.failure("v,k\n", ["box", { y: "v", x: "k" }])).status).toBe(422);
  });
});
