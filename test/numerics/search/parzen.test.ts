import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { type Axis, evenPoint, normalBelow, Parzen } from "../../../src/numerics/search/parzen.ts";

const range = (low: number, high: number, log = false, step = 0): Axis => ({ kind: "range", low, high, log, step });

/** An axis, the i-th point along it that is known, and points to ask for. */
const along: Readonly<Record<string, readonly [Axis, (i: number) => number, readonly number[]]>> = {
  a: [range(-1, 3), (i) => (((i * 37) % 41) / 41) * 4 - 1, [-1, 0.3, 2.9]],
  b: [range(0.01, 10, true), (i) => 0.01 * 1000 ** (((i * 17) % 29) / 29), [0.01, 0.5, 9]],
  c: [range(2, 20, false, 1), (i) => 2 + ((i * 7) % 19), [2, 9, 20]],
  d: [{ kind: "choices", size: 3 }, (i) => (i * 5) % 3, [0, 1, 2]],
  e: [range(1, 64, true, 1), (i) => 1 + ((i * 11) % 64), [1, 17, 64]],
  f: [range(0, 1, false, 0.25), (i) => ((i * 3) % 5) / 4, [0, 0.5, 1]],
};

// _ParzenEstimator(points, space, …).log_pdf of Optuna 5.0.0's TPESampler, with its defaults; along some axes together as
// well. Where many points are the same, as of whole numbers, it breaks ties of their order by chance, so these are few.
const reference: readonly (readonly [string, number, readonly number[]])[] = [
  ["a", 0, [-1.4703165606289, -1.3606290606289, -1.4581290606289]],
  ["a", 1, [-1.343164002565, -1.3211565161063, -1.574265171653]],
  ["a", 2, [-1.4465763332784, -1.3551586688114, -1.4730595076146]],
  ["a", 9, [-1.9163008013617, -1.2349759211838, -1.959684447677]],
  ["a", 40, [-2.1567876138186, -1.3638530159085, -1.4179236896979]],
  ["b", 0, [-2.0166669334251, -1.8938663257932, -2.0091570043285]],
  ["b", 1, [-1.8895143753611, -1.9152407317563, -2.1274269694049]],
  ["b", 2, [-1.9003525288875, -1.8976721018897, -2.2479264454304]],
  ["b", 9, [-1.6379670150607, -1.7568679088492, -2.5333622311323]],
  ["b", 40, [-1.9270849482302, -1.9654856716218, -2.5591096113256]],
  ["c", 0, [-3.0157390640611, -2.9091154809062, -3.0157390640611]],
  ["c", 1, [-2.8982161702066, -2.8866261511691, -3.1331865916533]],
  ["c", 2, [-2.7060683722152, -2.7544193576535, -3.7082172927841]],
  ["c", 9, [-2.8439329332817, -3.0553344233623, -2.8439329332817]],
  ["d", 0, [-1.0986122886681, -1.0986122886681, -1.0986122886681]],
  ["d", 1, [-0.7621400520469, -1.3217558399823, -1.3217558399823]],
  ["d", 2, [-0.9444616088409, -1.5040773967763, -0.9444616088409]],
  ["d", 9, [-1.0986122886681, -1.0986122886681, -1.0986122886681]],
  ["e", 0, [-1.5226561808409, -4.3983840584199, -5.8230825879341]],
  ["e", 1, [-1.4366981924906, -4.4536496262181, -5.9541819979772]],
  ["e", 2, [-1.4791725017977, -4.438450039174, -6.0418945144716]],
  ["e", 9, [-2.2681716024412, -3.9825877817957, -5.318640715666]],
  ["f", 0, [-1.6498593707378, -1.5701256678516, -1.6498593707378]],
  ["f", 1, [-1.5570170538721, -1.5702761143205, -1.7518810037153]],
  ["f", 2, [-1.6116129162692, -1.5440082198761, -1.7490590680865]],
  ["f", 9, [-1.5225200232861, -1.7100575001105, -1.5225200232861]],
  ["abcdef", 0, [-10.7738503983619, -13.230732882268, -15.0545793763584]],
  ["abcdef", 1, [-9.6553514551377, -13.4669872731009, -15.5888324382323]],
  ["abcdef", 2, [-8.8932836193229, -13.5265474718298, -15.367358588899]],
  ["abcdef", 9, [-4.3962827415351, -14.4903118534176, -17.3555426228807]],
];

describe("Parzen's estimator", () => {
  it.each(reference)("has Optuna's density along %s by %i points", (names, n, expected) => {
    const axes = [...names].map((name) => along[name]);
    const points = Array.from({ length: n }, (_, i) => axes.map(([, at]) => at(i)));
    const density = new Parzen(
      axes.map(([axis]) => axis),
      points,
    );
    const found = [0, 1, 2].map((k) => density.logDensity(axes.map(([, , asked]) => asked[k])));
    expect(found).toEqual(expected.map((value) => expect.closeTo(value, 8)));
  });

  it("draws what its density says, within the bounds and on the steps", () => {
    const axes = [range(1, 3, false, 1), range(0.5, 8, true), { kind: "choices", size: 2 } as const];
    const density = new Parzen(axes, [
      [1, 0.5, 1],
      [2, 7, 1],
    ]);
    const random = new RandomState(3);
    const drawn = Array.from({ length: 20_000 }, () => density.draw(random));
    for (const value of [1, 2, 3]) {
      const alone = new Parzen([axes[0]], [[1], [2]]);
      const share = drawn.filter(([first]) => first === value).length / drawn.length;
      // Four deviations of so many draws.
      expect(Math.abs(share - Math.exp(alone.logDensity([value])))).toBeLessThan(0.014);
    }
    expect(drawn.every(([, second, third]) => second >= 0.5 && second <= 8 && (third === 0 || third === 1))).toBe(true);
    expect(drawn.filter(([, , third]) => third === 1).length / drawn.length).toBeCloseTo((2 * (4 / 5) + 0.5) / 3, 2);
  });

  it("draws points evenly, each number of steps alike, and by the logarithm where that is asked", () => {
    const random = new RandomState(0);
    const drawn = Array.from({ length: 20_000 }, () =>
      evenPoint([range(0, 1, false, 0.3), range(1, 100, true)], random),
    );
    const steps = new Map<number, number>();
    for (const [value] of drawn) steps.set(value, (steps.get(value) ?? 0) + 1);
    expect([...steps.keys()].sort()).toEqual([0, 0.3, 0.6, 0.9]);
    expect(drawn.filter(([, value]) => value < 10).length / drawn.length).toBeCloseTo(0.5, 2);
  });

  // scipy.stats.norm.cdf of scipy.
  it.each([
    [-38, 0],
    [-8, 6.22096057427174e-16],
    [-7.2, 3.010627981117422e-13],
    [-1, 0.15865525393145705],
    [0, 0.5],
    [0.3, 0.6179114221889526],
    [6, 0.9999999990134123],
  ])("knows how likely a normal number lies below %d", (x, expected) => {
    expect(Math.abs(normalBelow(x) - expected)).toBeLessThanOrEqual((x < -7 ? 1e-7 : 1e-12) * expected);
  });
});
