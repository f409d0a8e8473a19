import { expect, it } from "vitest";
import { Lab, type Link, output } from "../../support/lab.ts";

const lab = new Lab();

interface Answer {
  readonly spec: { readonly data: { readonly values: readonly object[] } };
  readonly points: number;
  readonly sampled: boolean;
  readonly columns: readonly string[];
  readonly histograms: readonly {
    readonly column: string;
    readonly bins: readonly { from: number; to: number; n: number }[];
  }[];
  readonly correlations: readonly (readonly (number | null)[])[];
}

const csv = `a,b,kind,c\n${Array.from({ length: 40 }, (_, k) => `${k},${k % 5 === 0 ? "" : 2 * k},${k % 2 ? "odd" : "even"},7`).join("\n")}\n`;

it("answers histograms and correlations of all rows, and draws each pair once", async () => {
  const { columns, histograms, correlations, points, sampled, spec } = output<Answer>(
    await lab.last(csv, ["pairs", { columns: ["a", "b"] }]),
  );
  expect([columns, sampled]).toEqual([["a", "b"], false]);
  expect(histograms.map(({ bins }) => bins.reduce((sum, { n }) => sum + n, 0))).toEqual([40, 32]);
  expect(histograms[0]?.bins.slice(0, 2)).toEqual([
    { from: 0, to: 5, n: 5 },
    { from: 5, to: 10, n: 5 },
  ]);
  expect(correlations[0]?.[1]).toBeCloseTo(1, 12);
  expect(spec.data.values).toHaveLength(32);
  expect(points).toBe(32 + 8 + histograms[1]!.bins.filter(({ n }) => n > 0).length);
});

it("has a default, tells series apart, and stays legible without colour", async () => {
  const record = await lab.last(csv, ["pairs", { color: "kind" }]);
  expect(output<Answer>(record).columns).toEqual(["a", "b", "c"]);
  expect(output<Answer>(record).correlations[2]).toEqual([null, null, 1]);
  expect(await lab.view(record)).toMatchInlineSnapshot(`
    "3 columns against each other
    n = 40
    a
    █████████████████████████
    █████████████████████████
    █████████████████████████
    █████████████████████████          r = 1.00
    █████████████████████████
    █████████████████████████
    █████████████████████████
    b
                          ⡠⠐⠂  █████████████████████████
                      ⡀⠔⠂⠁     █████████████████████████
                  ⣀ ⠒⠁         █████████████████████████
               ⡠ ⠊             █████████████████████████
           ⢀⠤ ⠉                █████████████████████████
       ⢀⠠⠔⠈                    █████████████████████████
    ⠠⠄⠊                        █████████████████████████
    c
                                                          █████████████████████████
                                                          █████████████████████████
                                                          █████████████████████████
                                                          █████████████████████████
                                                          █████████████████████████
                                                          █████████████████████████
    ⣀⡀⣀⣀⢀⣀⣀⢀⣀⡀⣀⣀⢀⣀⣀⢀⣀⡀⣀⣀⡀⣀⣀⢀⡀  ⢀⡀⣀⢀⢀⣀⢀⢀⣀ ⣀⣀ ⣀⣀ ⣀⡀⡀⣀⡀⡀⣀⢀⡀  █████████████████████████
    a                          b                          c
    0 – 40                     0 – 80                     7.0 – 7.5
    Each row shows the column named above it, against the column named below; bars
    are histograms.
    kind (told apart in colour): ● even  ● odd"
  `);
});

it("draws at most 5,000 marks, a sample that is the same each time", async () => {
  const many = `a,b,c\n${Array.from({ length: 9000 }, (_, k) => `${k},${(k * k) % 1009},${k % 17}`).join("\n")}\n`;
  const [one, two] = [await lab.last(many, ["pairs"]), await lab.last(many, ["pairs"])].map((record) =>
    output<Answer>(record),
  );
  expect(one!.sampled).toBe(true);
  expect(one!.points).toBeLessThanOrEqual(5000);
  expect(one!.points).toBeGreaterThan(4000);
  expect(one!.spec).toEqual(two!.spec);
  expect(one!.histograms[2]?.bins.reduce((sum, { n }) => sum + n, 0)).toBe(9000);
});

it("takes the first six of a thousand columns and says so, and refuses them by name", async () => {
  const names = Array.from({ length: 1000 }, (_, k) => `c${k}`);
  const rows = [1, 2, 5].map((i) => names.map((_, k) => i * k).join(","));
  const wide = `${names.join(",")}\n${rows.join("\n")}\n`;
  const record = await lab.last(wide, ["pairs"]);
  expect(output<Answer>(record).columns).toEqual(names.slice(0, 6));
  expect(record.notices?.[0]).toBe(
    "pairs (BL_PAIRS): the first 6 of 1000 numeric columns are drawn; name others in columns.",
  );
  const failure = await lab.failure(wide, ["pairs", { columns: names }]);
  expect([failure.status, failure.message]).toEqual([
    400,
    "pairs (BL_PAIRS): columns must be 2 to 12 different ones, got 1,000 columns.",
  ]);
});

it.each<[string, Record<string, unknown>, number, RegExp]>([
  [csv, { columns: ["a", "bb"] }, 400, /column "bb" is not in the table\. Did you mean "b"\?/],
  [csv, { columns: ["a"] }, 400, /columns must be 2 to 12 different ones, got 1 column\.$/],
  [csv, { columns: ["a", "kind"] }, 422, /columns must be numeric, and kind is not; use color for it\.$/],
  ["a,w\n1,x\n", {}, 422, /two numeric columns are needed, and the table has "a" alone\.$/],
  ["a,b\n1,\n,2\n", {}, 422, /no row has values in two of a, b/],
  ["a,b\n1,1\n", { color: "x" }, 400, /column "x" is not in the table/],
])("refuses %j with %j", async (table, args, status, sentence) => {
  const failure = await lab.failure(table, ["pairs", args]);
  expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
});

it("colours by the clusters that the chain has found, in their order, and leaves them out of the columns", async () => {
  const heaps = `a,b,c\n${Array.from({ length: 60 }, (_, i) => `${(i % 12) * 10},${i % 5},${i % 7}`).join("\n")}\n`;
  const kmeans: Link = ["kmeans", { n_clusters: 12 }];
  const record = await lab.last(heaps, ["xy", { x: ["a"], y: "b" }], kmeans, ["pairs"]);
  const told = await lab.view(record);
  expect(told).toMatch(/^3 columns against each other/);
  expect(told).toMatch(/cluster \(told apart in colour\): ● 0 +● 1 +● 2 +● 3 +● 4/);
  const other = await lab.last(heaps, kmeans, ["dbscan", { eps: 1 }], ["pairs", { columns: ["a", "cluster"] }]);
  expect(await lab.view(other)).toMatch(/cluster_1 \(told apart in colour\): ● -1/);
  const without = await lab.last(heaps, ["kmeans", { n_clusters: 2 }], ["select", { columns: ["a", "b"] }], ["pairs"]);
  expect(await lab.view(without)).not.toMatch(/told apart/);
});

it("draws each part of a facet with the bins of all rows", async () => {
  const csv = `a,b,g\n${Array.from({ length: 60 }, (_, i) => `${i},${i < 30 ? i : 60 - i},${i < 30 ? "up" : "down"}`).join("\n")}\n`;
  const record = await lab.last(csv, ["pairs", { columns: ["a", "b"], facet: "g" }]);
  interface Panel {
    readonly facet: string;
    readonly correlations: readonly (readonly number[])[];
    readonly histograms: readonly { readonly bins: readonly { readonly from: number; readonly n: number }[] }[];
  }
  const { panels } = output<{ panels: readonly Panel[] }>(record);
  expect(panels.map(({ facet }) => facet)).toEqual(["down", "up"]);
  expect(panels[0].correlations[0][1]).toBeCloseTo(-1, 12);
  expect(panels[1].correlations[0][1]).toBeCloseTo(1, 12);
  const [down, up] = panels.map(({ histograms }) => histograms[0].bins);
  expect(down.map(({ from }) => from)).toEqual(up.map(({ from }) => from));
  for (const [bins, isUp] of [
    [up, true],
    [down, false],
  ] as const)
    bins.forEach(({ from, n }, k) => {
      const to = bins[k + 1]?.from ?? Number.POSITIVE_INFINITY;
      const own = Array.from({ length: 60 }, (_, i) => i).filter((i) => i < 30 === isUp && i >= from && i < to);
      expect(n).toBe(own.length);
    });
  expect(await lab.view(record)).toMatch(/a picture for each g; the axes are the same\ndown\nn = 30/);
});

it.each(["-1.7e308,1.7e308", "1.6e308,1.7e308"])(
  "says so where bins would go farther than numbers: %s",
  async (ends) => {
    const [low, high] = ends.split(",");
    const words = `column "a" goes from ${Number(low)} to ${Number(high)}, as far as numbers go, and bins go farther; divide it first with derive (BL_DERIVE).`;
    await expect(lab.last(`a,b\n${low},1\n1.65e308,2\n${high},3\n`, ["pairs", {}])).rejects.toThrow(
      `pairs (BL_PAIRS): ${words}`,
    );
    const spec = { mark: "bar", encoding: { x: { field: "a", bin: true }, y: { aggregate: "count" } } };
    await expect(lab.last(`a\n${low}\n${high}\n`, ["plot", { spec }])).rejects.toThrow(`plot (BL_PLOT): ${words}`);
  },
);
