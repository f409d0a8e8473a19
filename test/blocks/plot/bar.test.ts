import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv =
  "shop,kind,price,when\nb,tea,1,2024-01-01\na,oil,2,2024-01-01\nb,oil,4,2024-01-02\n,tea,8,2024-01-02\na,tea,,2024-01-03\nb,tea,inf,2024-01-03\n";

interface Bar {
  readonly x: string | number | null;
  readonly value: number;
  readonly color?: string;
}

const barsOf = async (args: object, table = csv) =>
  output<{ bars: Bar[] }>(await lab.last(table, ["bar", args as Record<string, unknown>])).bars;

describe("bar (BL_BAR)", () => {
  it("counts rows, in the order of x", async () => {
    expect(await barsOf({ x: "shop" })).toEqual([
      { x: "a", value: 2 },
      { x: "b", value: 3 },
    ]);
    expect((await barsOf({ x: "n" }, "n\n10\n9\n-1\n10\n")).map(({ x }) => x)).toEqual([-1, 9, 10]);
    expect((await barsOf({ x: "n" }, "n\n😀\n\uff5e\nz\n")).map(({ x }) => x)).toEqual(["z", "\uff5e", "😀"]);
    expect(await barsOf({ x: "when", y: "price", aggregate: "sum" })).toEqual([
      { x: "2024-01-01", value: 3 },
      { x: "2024-01-02", value: 12 },
    ]);
  });

  it("shows numbers of y, and says which where nobody asked and rows share an x", async () => {
    expect(await barsOf({ x: "shop", y: "price", aggregate: "max" })).toEqual([
      { x: "a", value: 2 },
      { x: "b", value: 4 },
    ]);
    const record = await lab.last(csv, ["bar", { x: "shop", y: "price" }]);
    expect(output<{ bars: Bar[] }>(record).bars).toEqual([
      { x: "a", value: 2 },
      { x: "b", value: 2.5 },
    ]);
    expect(record.notices).toEqual([
      'bar (BL_BAR): 3 rows without "shop" or a finite "price" left out.',
      'bar (BL_BAR): several rows have the same "shop", so each bar is their mean "price". Choose another aggregate, such as "sum" or "median".',
    ]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "! bar (BL_BAR): 3 rows without "shop" or a finite "price" left out.

      ! bar (BL_BAR): several rows have the same "shop", so each bar is their mean
        "price". Choose another aggregate, such as "sum" or "median".

      mean price by shop
      n = 3 rows, 2 bars
      shop: mean price
      a  ██████████████████████████████████████████████████████████                2.0
      b  ████████████████████████████████████████████████████████████████████████  2.5"
    `);
    expect((await lab.last("k,v\na,1\nb,2\n", ["bar", { x: "k", y: "v" }])).notices).toBeUndefined();
  });

  it("sorts by the bars", async () => {
    expect((await barsOf({ x: "shop", sort: "-x" })).map(({ x }) => x)).toEqual(["b", "a"]);
    expect((await barsOf({ x: "shop", sort: "y" })).map(({ x }) => x)).toEqual(["a", "b"]);
    expect((await barsOf({ x: "shop", sort: "-y" })).map(({ x }) => x)).toEqual(["b", "a"]);
  });

  it("parts bars by colour, on each other or side by side", async () => {
    const record = await lab.last(csv, ["bar", { x: "shop", color: "kind" }]);
    expect(output<{ bars: Bar[] }>(record).bars).toEqual([
      { x: "a", value: 1, color: "oil" },
      { x: "a", value: 1, color: "tea" },
      { x: "b", value: 1, color: "oil" },
      { x: "b", value: 2, color: "tea" },
    ]);
    const encoding = (each: typeof record) => output<{ spec: { encoding: object } }>(each).spec.encoding;
    expect(encoding(record)).not.toHaveProperty("xOffset");
    expect(encoding(await lab.last(csv, ["bar", { x: "shop", color: "kind", stack: false }]))).toHaveProperty(
      "xOffset",
    );
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "! bar (BL_BAR): 1 row without "shop" left out.

      count by shop and kind
      n = 5 rows, 2 bars
      shop: rows
      a  █████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒                           2
      b  █████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  3
      kind: █ oil, ▒ tea"
    `);
  });

  it("draws the greatest of many, and all others as one, whatever they are called", async () => {
    const many = `k,v\n${Array.from({ length: 10_000 }, (_, i) => `${i === 0 ? "other" : `k${i}`},${i}`).join("\n")}\n`;
    const record = await lab.last(many, ["bar", { x: "k" }]);
    const { bars, points } = output<{ bars: Bar[]; points: number }>(record);
    expect([bars.length, points, bars.at(-1)]).toEqual([51, 51, { x: "other", value: 9950 }]);
    expect(record.notices?.[0]).toMatch(
      /"k" has 10,000 values; all but the 50 with the greatest bars are drawn as "other"/,
    );
    const top = await barsOf({ x: "k", y: "v", aggregate: "mean", top: 2 }, many);
    expect(top).toEqual([
      { x: "k9998", value: 9998 },
      { x: "k9999", value: 9999 },
      { x: "other", value: (9997 * 9998) / 2 / 9998 },
    ]);
  });

  it("has small pictures with the rows of each", async () => {
    const view = await lab.view(await lab.last(csv, ["bar", { x: "shop", facet: "kind" }]));
    expect(view).toContain("a picture for each kind");
    expect(view).toMatch(/oil +tea\nn = 2 rows, 2 bars +n = 3 rows, 2 bars/);
  });

  it.each([
    [{ x: "shp" }, 400, /column "shp" is not in the table\. Did you mean "shop"\?/],
    [{ x: "shop", aggregate: "sum" }, 400, /the sum needs a column y/],
    [{ x: "shop", y: "kind" }, 422, /there is no mean of "kind", which is string/],
    [{ x: "shop", y: "price", aggregate: "none" }, 400, /aggregate must be/],
    [{ x: "shop", y: "price", color: "kind", stack: true }, 400, /bars of the mean can't stand on each other/],
    [{ x: "shop", color: "kind", stack: true, y_scale: "log" }, 400, /a logarithmic scale can't stand/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure(csv, ["bar", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("refuses an empty table and a column that is wholly missing", async () => {
    expect((await lab.failure("a,b\n", ["bar", { x: "a" }])).message).toMatch(
      /no row has "a", so there is nothing to draw/,
    );
    expect((await lab.failure("a,b\n1,\n", ["bar", { x: "a", y: "b", aggregate: "count" }])).message).toMatch(
      /no row has both "a" and "b"/,
    );
  });
});
