import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

interface Bin {
  readonly from: number | string;
  readonly to: number | string;
  readonly n: number;
  readonly color?: string;
  readonly facet?: string;
}

const binsOf = async (csv: string, args: object) =>
  output<{ bins: Bin[] }>(await lab.last(csv, ["histogram", { x: "x", ...args }])).bins;
const counts = async (csv: string, args: object = {}) => (await binsOf(csv, args)).map(({ n }) => n);
const column = (values: readonly (number | string)[]) =>
  `x,k\n${values.map((value, i) => `${value},${i % 2}`).join("\n")}\n`;

// What numpy 2.4.6 counts: cells on the edges, and beside them by the last digit.
const shares = column([0.1, 0.2, 0.3, 0.30000000000000004, 0.6, 0.7, 0.7000000000000001, 0.9, 1, 0.1]);
const whole = column([1, 1, 2, 3, 3, 3, 9, 20]);

describe("histogram (BL_HISTOGRAM)", () => {
  it("counts into numpy's bins, each open above but the last", async () => {
    expect(await counts(shares, { bins: 10 })).toEqual([2, 1, 2, 0, 0, 1, 2, 0, 1, 1]);
    expect(await counts(shares, { bins: 3 })).toEqual([5, 1, 4]);
    expect(await counts(whole, { bins: 7 })).toEqual([6, 0, 1, 0, 0, 0, 1]);
    const bins = await binsOf(whole, { bins: 7 });
    expect(bins[0]).toEqual({ from: 1, to: 1 + 19 / 7, n: 6 });
    expect(bins[6].to).toBe(20);
    const tenths = column(Array.from({ length: 1000 }, (_, i) => ((i * i) % 97) / 10));
    expect(await counts(tenths, { bins: 20 })).toEqual([
      95, 62, 41, 41, 20, 62, 62, 41, 21, 42, 62, 41, 41, 62, 21, 61, 41, 40, 61, 83,
    ]);
  });

  it("chooses numpy's number of bins", async () => {
    expect(await counts(shares)).toEqual([3, 2, 1, 2, 2]);
    expect(await counts(whole)).toEqual([6, 0, 1, 0, 0, 1]);
    const sevenths = column(Array.from({ length: 1000 }, (_, i) => ((i * 7919) % 1000) / 7));
    expect(await counts(sevenths)).toEqual([91, 91, 91, 91, 91, 90, 91, 91, 91, 91, 91]);
  });

  it("takes edges, and leaves out what lies outside", async () => {
    const record = await lab.last(whole, ["histogram", { x: "x", bins: [0, 2, 3, 10] }]);
    expect(output<{ bins: Bin[] }>(record).bins.map(({ n }) => n)).toEqual([2, 1, 4]);
    expect(record.notices).toEqual(["histogram (BL_HISTOGRAM): 1 row without a value within the bins left out."]);
  });

  it("draws one value, values as far apart as doubles go, and none that is missing or infinite", async () => {
    expect(await binsOf(column([5, 5, 5]), {})).toEqual([{ from: 4.5, to: 5.5, n: 3 }]);
    expect(await counts(column(["-1e308", 0, "1e308", "1.7e308"]), { bins: 4 })).toEqual([1, 1, 1, 1]);
    expect(await counts(column(["1e308", "1e308"]), { bins: 3 })).toEqual([0, 0, 2]);
    // Two neighbours among doubles have no third between them.
    expect(await counts(column([1, 1.0000000000000002]), { bins: 8 })).toEqual([2]);
    const record = await lab.last("x,k\n1,a\n,b\ninf,c\n-inf,d\n3,e\n", ["histogram", { x: "x", bins: 2 }]);
    expect(output<{ bins: Bin[] }>(record).bins.map(({ n }) => n)).toEqual([1, 1]);
    expect(record.notices).toEqual(['histogram (BL_HISTOGRAM): 3 rows without a finite "x" left out.']);
  });

  it("parts bins by colour and by small pictures, in the order of the values", async () => {
    expect(await binsOf("x,k\n1,10\n3,9\n3,9\n1,\n", { bins: 2, color: "k" })).toEqual([
      { from: 1, to: 2, n: 0, color: "9" },
      { from: 1, to: 2, n: 1, color: "10" },
      { from: 1, to: 2, n: 1, color: "missing" },
      { from: 2, to: 3, n: 2, color: "9" },
      { from: 2, to: 3, n: 0, color: "10" },
      { from: 2, to: 3, n: 0, color: "missing" },
    ]);
    const record = await lab.last("x,k\n1,b\n3,a\n3,a\n", ["histogram", { x: "x", bins: 2, facet: "k", width: 100 }]);
    const { bins, spec } = output<{ bins: Bin[]; spec: { concat: { width: number }[] } }>(record);
    expect(bins.map(({ facet, n }) => [facet, n])).toEqual([
      ["a", 0],
      ["a", 2],
      ["b", 1],
      ["b", 0],
    ]);
    expect(spec.concat.map(({ width }) => width)).toEqual([100, 100]);
  });

  it("has bins of the calendar for dates, empty ones too", async () => {
    const days = "x\n2024-01-31\n2024-02-01\n2024-02-29 23:59:59\n2024-04-01\n";
    expect(await binsOf(days, { bins: "month" })).toEqual([
      { from: "2024-01-01 00:00:00", to: "2024-02-01 00:00:00", n: 1 },
      { from: "2024-02-01 00:00:00", to: "2024-03-01 00:00:00", n: 2 },
      { from: "2024-03-01 00:00:00", to: "2024-04-01 00:00:00", n: 0 },
      { from: "2024-04-01 00:00:00", to: "2024-05-01 00:00:00", n: 1 },
    ]);
    const [first] = await binsOf("x\n2024-01-31\n2024-02-01\n", { bins: "month" });
    expect([first.from, first.to]).toEqual(["2024-01-01", "2024-02-01"]);
    expect((await binsOf(days, { bins: "week" }))[0].from).toBe("2024-01-29 00:00:00");
    expect(await counts(days)).toHaveLength(62);
    expect(await counts(days, { bins: 2 })).toEqual([3, 1]);
    expect(await counts("x\n0001-03-01\n0002-01-01\n", { bins: "year" })).toEqual([1, 1]);
  });

  it("has bins of equal powers on a logarithmic scale", async () => {
    const record = await lab.last(column([0.1, 1, 9, 10, 1000, 0, -4]), [
      "histogram",
      { x: "x", x_scale: "log", bins: 4 },
    ]);
    const { bins } = output<{ bins: Bin[] }>(record);
    expect(bins.map(({ n }) => n)).toEqual([1, 2, 1, 1]);
    expect([bins[0].from, bins[3].to]).toEqual([0.1, 1000]);
    expect(record.notices).toEqual(['histogram (BL_HISTOGRAM): 2 rows without a finite "x" above zero left out.']);
  });

  it("counts the values of text, true and false", async () => {
    const record = await lab.last("x\nb\na\nb\n\n", ["histogram", { x: "x" }]);
    expect(output<{ bars: object[] }>(record).bars).toEqual([
      { x: "a", value: 1 },
      { x: "b", value: 2 },
    ]);
  });

  it("shows what it counts", async () => {
    expect(await lab.view(await lab.last(whole, ["histogram", { x: "x", title: "How many" }]))).toMatchInlineSnapshot(`
      "How many
      n = 8 rows, 6 bins
      rows
      6 ┤█████████████
        │█████████████
        │█████████████
        │█████████████
        │█████████████
      3 ┤█████████████
        │█████████████
        │█████████████
        │█████████████
        │█████████████             ▇▇▇▇▇▇▇▇▇▇▇▇                          ▇▇▇▇▇▇▇▇▇▇▇▇▇
      0 ┤█████████████             ████████████                          █████████████
        └─────────────────────────────────────────────────────────────────────────────
         1                                    x                                     20"
    `);
  });

  it.each([
    ["xx", {}, 400, /column "xx" is not in the table\. Did you mean "x"\?/],
    ["x", { bins: 0 }, 400, /bins must be/],
    ["x", { bins: [3, 2] }, 400, /the edges in bins must ascend, and 2 follows 3/],
    ["x", { bins: "month" }, 400, /bins "month" are for dates, and "x" is a number/],
    ["w", { bins: 3 }, 400, /bins are for numbers and dates, and "w" is string: its values are counted each/],
    ["w", { x_scale: "log" }, 400, /x_scale "log" needs numbers, and "w" is string/],
    ["e", {}, 422, /column "e" has no values to draw/],
  ])("%s with %j is refused in one sentence", async (x, args, status, sentence) => {
    const failure = await lab.failure("x,w,e\n1,a,\n2,b,\n", ["histogram", { x, ...args }]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("refuses an empty table, and an x scale without anything above zero", async () => {
    expect((await lab.failure("x,y\n", ["histogram", { x: "x" }])).message).toMatch(
      /column "x" has no values|has no value/,
    );
    expect((await lab.failure("x\n-1\n0\n", ["histogram", { x: "x", x_scale: "log" }])).message).toBe(
      'histogram (BL_HISTOGRAM): column "x" has no values above zero to draw.',
    );
  });
});
