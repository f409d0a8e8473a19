import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

// What scipy's gaussian_kde answers.
const atFew = [
  [0, 0.07821851318244186],
  [2, 0.11149918608661046],
  [5, 0.0736471631399209],
  [9, 0.053576332764928264],
] as const;
const atMany = [
  [10, 0.010044655234167645],
  [50, 0.008862359152697022],
  [90, 0.009908545634108399],
] as const;

interface Curve {
  readonly n: number;
  readonly bandwidth: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly color?: string;
}

const curvesOf = async (csv: string, args: object) =>
  output<{ curves: Curve[] }>(await lab.last(csv, ["density", { x: "x", ...args }])).curves;

/** The height at x, on the straight line between two points. */
function at({ x, y }: Curve, wanted: number): number {
  const k = x.findIndex((each) => each > wanted);
  return y[k - 1] + ((y[k] - y[k - 1]) * (wanted - x[k - 1])) / (x[k] - x[k - 1]);
}

const area = ({ x, y }: Curve) =>
  y.reduce((sum, each, k) => sum + (k === 0 ? 0 : ((each + y[k - 1]) / 2) * (x[k] - x[k - 1])), 0);

describe("density (BL_DENSITY)", () => {
  it("is scipy's gaussian_kde", async () => {
    const [few] = await curvesOf("x\n1\n2\n2\n3\n7.5\n9\n", {});
    expect(few.bandwidth).toBeCloseTo(2.322132870261784, 10);
    for (const [x, y] of atFew) expect(at(few, x)).toBeCloseTo(y, 4);
    const many = `x\n${Array.from({ length: 5000 }, (_, i) => ((i * i) % 997) / 10).join("\n")}\n`;
    const [curve] = await curvesOf(many, {});
    expect(curve.bandwidth).toBeCloseTo(5.3346030733624294, 10);
    for (const [x, y] of atMany) expect(at(curve, x)).toBeCloseTo(y, 5);
    expect([few, curve].map((each) => area(each).toFixed(2))).toEqual(["1.00", "1.00"]);
  });

  it("draws numbers whose squares no number holds, or that reach as far as numbers go", async () => {
    const [usual] = await curvesOf("x\n1\n2\n2\n3\n7.5\n9\n", {});
    for (const [power, unit] of [
      ["e200", 1e200],
      ["e-200", 1e-200],
    ] as const) {
      const [far] = await curvesOf(`x\n${[1, 2, 2, 3, 7.5, 9].map((x) => `${x}${power}`).join("\n")}\n`, {});
      expect(far.bandwidth / unit).toBeCloseTo(usual.bandwidth, 10);
      expect(far.x.map((x) => x / unit)[77]).toBeCloseTo(usual.x[77], 10);
      expect(far.y.map((y) => y * unit)[77]).toBeCloseTo(usual.y[77], 10);
    }
    const [widest] = await curvesOf("x\n-1.7e308\n0\n1.7e308\n", {});
    expect(widest.bandwidth).toBeCloseTo(1.7e308 * 3 ** (-1 / 5), -300);
    expect([...widest.x, ...widest.y].every(Number.isFinite)).toBe(true);
  });

  it("has a curve for each colour, and small pictures on the same axes", async () => {
    const table = "x,k\n1,b\n2,b\n5,a\n7,a\n6,a\n9,c\n,a\n";
    const record = await lab.last(table, ["density", { x: "x", color: "k" }]);
    const { curves, points } = output<{ curves: Curve[]; points: number }>(record);
    expect(curves.map(({ color, n }) => [color, n])).toEqual([
      ["a", 3],
      ["b", 2],
    ]);
    expect(points).toBe(400);
    expect(record.notices).toEqual([
      'density (BL_DENSITY): 1 row without "x" left out.',
      "density (BL_DENSITY): 1 curve of one value alone left out; a density needs two.",
    ]);
    expect(await lab.view(await lab.last(table, ["density", { x: "x", facet: "k" }]))).toMatch(/a picture for each k/);
  });

  it("takes a bandwidth, a logarithmic scale, and numbers far apart", async () => {
    expect((await curvesOf("x\n5\n", { bandwidth: 2 }))[0]).toMatchObject({ n: 1, bandwidth: 2 });
    const [powers] = await curvesOf("x\n1\n10\n100\n0\n", { x_scale: "log" });
    expect([powers.n, powers.bandwidth]).toEqual([3, 3 ** (-1 / 5)]);
    expect(powers.x.every((each) => each > 0)).toBe(true);
    const far = await curvesOf("x\n0\n1\n2\n3\n1000000\n", { bandwidth: 0.5 });
    expect(far[0].y.every(Number.isFinite)).toBe(true);
  });

  it("shows the curve", async () => {
    expect(await lab.view(await lab.last("x\n1\n2\n2\n3\n7.5\n9\n", ["density", { x: "x" }]))).toMatchInlineSnapshot(`
      "density of x
      n = 6 rows, 200 points
      density
      0.112 ┤                        ▂▆██▆▄
            │                       ▅██████▇▂
            │                      ██████████▅
            │                     █████████████▁
            │                    ▇██████████████▄
            │                   ▇████████████████▇▃
            │                  ▇████████████████████▅▄▃▂▁▁
      0.056 ┤                 ▅█████████████████████████████▆▄▂
            │                ▄█████████████████████████████████▇▃
            │               ▄████████████████████████████████████▇▃
            │              ▆███████████████████████████████████████▇▂
            │             ▆██████████████████████████████████████████▆▂
            │           ▄██████████████████████████████████████████████▆▂
            │        ▁▄██████████████████████████████████████████████████▇▄▂
          0 ┤▁▁▁▂▂▄▅▆███████████████████████████████████████████████████████▇▆▄▃▂▂▁▁▁▁
            └─────────────────────────────────────────────────────────────────────────
             -6                                  x                                  16"
    `);
  });

  it.each([
    [{ x: "xx" }, 400, /column "xx" is not in the table/],
    [{ x: "w" }, 422, /x must be a column of numbers, and "w" is string\. Use bar for other columns/],
    [{ x: "one" }, 422, /"one" has one value alone, and a density needs two; give a bandwidth, or use histogram/],
    [{ x: "x", bandwidth: 0 }, 400, /bandwidth must be/],
  ])("%j is refused in one sentence", async (args, status, sentence) => {
    const failure = await lab.failure("x,w,one\n1,a,3\n2,b,3\n", ["density", args]);
    expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
  });

  it("refuses a column without numbers", async () => {
    expect((await lab.failure("x,y\n1,\n2,inf\n", ["density", { x: "y" }])).message).toMatch(
      /column "y" has no numbers to draw/,
    );
  });
});
