import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = `shop,units,day,"odd ""na\\me"
a,1,2024-01-05,1
a,2,2024-01-20,2
b,4,2024-02-03,
b,,2024-02-04,4
,10,2025-01-01,5
`;

type Row = Record<string, unknown>;
interface Spec {
  readonly data?: { readonly values: readonly Row[] };
  readonly encoding?: Record<string, Row>;
  readonly layer?: readonly Spec[];
  readonly spec?: Spec;
  readonly [key: string]: unknown;
}
interface Answer {
  readonly spec: Spec;
  readonly points: number;
  readonly sampled: boolean;
}

const drawn = async (spec: Row, table = csv): Promise<Answer> =>
  output<Answer>(await lab.last(table, ["plot", { spec }]));
const rowsOf = async (spec: Row): Promise<readonly Row[]> => (await drawn(spec)).spec.data?.values ?? [];
const refused = async (spec: Row): Promise<[number, string]> => {
  const { status, message } = await lab.failure(csv, ["plot", { spec }]);
  return [status, message];
};

describe("plot", () => {
  it("hands over the groups that are drawn, and no row", async () => {
    const { spec, points, sampled } = await drawn({
      mark: "bar",
      encoding: { x: { field: "shop" }, y: { field: "units", aggregate: "mean" } },
    });
    expect([points, sampled]).toEqual([2, false]);
    expect(spec.data?.values).toEqual([
      { shop: "a", mean_of_units: 1.5 },
      { shop: "b", mean_of_units: 4 },
    ]);
    expect(spec.encoding?.y).toMatchObject({ field: "mean_of_units", type: "quantitative", title: "mean of units" });
    expect(JSON.stringify(spec)).not.toContain('"aggregate"');
  });

  it("works out bins, time units and every aggregate", async () => {
    expect(
      await rowsOf({ mark: "bar", encoding: { x: { field: "units", bin: { step: 5 } }, y: { aggregate: "count" } } }),
    ).toEqual([
      { units_bins: 0, units_bins_end: 5, count: 3 },
      { units_bins: 5, units_bins_end: 10, count: 1 },
    ]);
    const months = {
      mark: "line",
      encoding: { x: { field: "day", timeUnit: "yearmonth" }, y: { aggregate: "count" } },
    };
    expect(await rowsOf(months)).toEqual([
      { day_yearmonth: Date.UTC(2024, 0), count: 2 },
      { day_yearmonth: Date.UTC(2024, 1), count: 2 },
      { day_yearmonth: Date.UTC(2025, 0), count: 1 },
    ]);
    const parts = { mark: "bar", encoding: { x: { field: "day", timeUnit: "month" }, y: { aggregate: "count" } } };
    expect(await rowsOf(parts)).toEqual([
      { day_month: "Jan", count: 3 },
      { day_month: "Feb", count: 2 },
    ]);
    const known = {
      sum: 17,
      mean: 4.25,
      average: 4.25,
      median: 3,
      min: 1,
      max: 10,
      q1: 1.75,
      q3: 5.5,
      variance: 16.25,
      stdev: Math.sqrt(16.25),
      variancep: 12.1875,
      stdevp: Math.sqrt(12.1875),
      stderr: Math.sqrt(16.25) / 2,
      valid: 4,
      missing: 1,
      distinct: 4,
    };
    for (const [aggregate, value] of Object.entries(known)) {
      const [row] = await rowsOf({ mark: "rule", encoding: { y: { field: "units", aggregate } } });
      expect(row?.[`${aggregate}_of_units`], aggregate).toBeCloseTo(value, 12);
    }
  });

  it("draws layers, panels and views side by side, each with numbers of its own", async () => {
    const point = { mark: "point", encoding: { x: { field: "shop" }, y: { field: "units" } } };
    const rule = { mark: "rule", encoding: { y: { field: "units", aggregate: "max" } } };
    const { spec } = await drawn({ layer: [point, rule] });
    expect(spec.layer?.map(({ data }) => data?.values.length)).toEqual([3, 1]);
    const panels = await drawn({ facet: { field: "shop" }, spec: { layer: [point, rule] } });
    expect(panels.points).toBe(3 + 3);
    expect(panels.spec.data?.values.filter(({ view }) => view === 1)).toEqual([
      { panel_shop: "a", max_of_units: 2, view: 1 },
      { panel_shop: "b", max_of_units: 4, view: 1 },
      { panel_shop: "missing", max_of_units: 10, view: 1 },
    ]);
    const several = await drawn({ hconcat: [point, { vconcat: [rule, point] }] });
    expect(several.points).toBe(3 + 1 + 3);
  });

  it("takes filters without code", async () => {
    const bar = { mark: "bar", encoding: { x: { field: "shop" }, y: { aggregate: "count" } } };
    const counted = async (filter: Row) =>
      (await rowsOf({ ...bar, transform: [{ filter }] })).map((row) => [row.shop, row.count]);
    expect(await counted({ field: "units", gte: 2 })).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(await counted({ not: { field: "shop", equal: "a" } })).toEqual([["b", 2]]);
    expect(
      await counted({
        and: [
          { field: "units", range: [1, 2] },
          { field: "shop", oneOf: ["a", "c"] },
        ],
      }),
    ).toEqual([["a", 2]]);
    expect(await counted({ field: "day", lt: "2024-02-01" })).toEqual([["a", 2]]);
    expect(await counted({ field: "units", valid: false })).toEqual([["b", 1]]);
  });

  it("draws at most 5,000 marks and says so, the same ones each time", async () => {
    const many = `a,b\n${Array.from({ length: 20_000 }, (_, k) => `${k},${(k * 7919) % 20_011}`).join("\n")}\n`;
    const points = { mark: "point", encoding: { x: { field: "a" }, y: { field: "b" } } };
    const record = await lab.last(many, ["plot", { spec: points }]);
    const { spec, points: shown, sampled } = output<Answer>(record);
    expect(sampled).toBe(true);
    expect(shown).toBeGreaterThan(4500);
    expect(shown).toBeLessThanOrEqual(5000);
    expect(spec.data?.values).toHaveLength(shown);
    expect(await lab.view(record)).toMatch(/4,\d+ marks stand for 20,000 \(sampled\)/);
    expect((await drawn(points, many)).spec).toEqual(spec);
    const bars = { mark: "bar", encoding: { x: { field: "a", type: "nominal" }, y: { field: "b", aggregate: "sum" } } };
    const grouped = await lab.last(many, ["plot", { spec: bars }]);
    expect(output<Answer>(grouped)).toMatchObject({ points: 5000, sampled: true });
    expect(grouped.notices?.[0]).toMatch(
      /20,000 groups are more than a picture can show; 5,000 groups of them are drawn/,
    );
  });

  it("is legible as text", async () => {
    const spec = { mark: "bar", encoding: { y: { field: "shop" }, x: { field: "units", aggregate: "sum" } } };
    expect(await lab.view(await lab.last(csv, ["plot", { spec }]))).toMatchInlineSnapshot(`
      "shop by sum of units
      n = 4 rows, 2 marks
      n = 2, sum of units from 3 to 4
      a  ███████████████████████████████████████████████████████▌                    3
      b  ██████████████████████████████████████████████████████████████████████████  4"
    `);
    const ruled = {
      layer: [
        { mark: "tick", encoding: { x: { field: "units" } } },
        { ...spec, mark: "line" },
      ],
    };
    expect(await lab.view(await lab.last(csv, ["plot", { spec: ruled }]))).toMatchInlineSnapshot(`
      "tick: units
      n = 4 rows, 6 marks

      tick: units
       units
      number
      ──────
           1
           2
           4
          10

      shop by sum of units
      n = 4 rows, 2 points
      shop
      b ┤                                                         ╭───────────────────
        │                   ╭─────────────────────────────────────╯
      a ┤───────────────────╯
        └─────────────────────────────────────────────────────────────────────────────
         3                               sum of units                                4"
    `);
  });

  it("gives names from data no way into Vega's code", async () => {
    const field = 'odd "na\\me';
    const { spec } = await drawn({
      mark: { type: "point", tooltip: true },
      encoding: { x: { field }, y: { field: "units" } },
    });
    expect(Object.keys(spec.data?.values[0] ?? {})).toEqual(["odd_na_me", "units"]);
    expect((spec.encoding?.tooltip as unknown as Row[] | undefined)?.[0]?.title).toBe('odd "na\\\\me');
  });
});

it.each<[string, Row, number, RegExp]>([
  [
    "a misspelt column",
    { mark: "bar", encoding: { x: { field: "shoop" } } },
    400,
    /spec\.encoding\.x\.field: column "shoop" is not in the table\. Did you mean "shop"\?/,
  ],
  ["a misspelt mark", { mark: "bra" }, 400, /spec\.mark "bra" is not known here\. Did you mean "bar"\?/],
  [
    "a misspelt channel",
    { mark: "bar", encoding: { colour: { field: "shop" } } },
    400,
    /channel "colour" is not known here\. Did you mean "color"\?/,
  ],
  ["a misspelt key", { mark: "bar", encodng: {} }, 400, /spec has no field encodng\. Did you mean "encoding"\?/],
  [
    "a misspelt key within",
    { layer: [{ mrk: "bar" }] },
    400,
    /spec\.layer\[0\]\.mrk is not taken: a view knows no "mrk"\. Did you mean "mark"\?$/,
  ],
  [
    "data",
    { mark: "bar", data: { url: "file:///etc/passwd" } },
    400,
    /spec\.data is not taken: the rows are the block's own/,
  ],
  ["data within", { layer: [{ mark: "bar", data: { values: [] } }] }, 400, /spec\.layer\[0\]\.data is not taken/],
  [
    "a lookup",
    { mark: "bar", transform: [{ lookup: "a", from: { data: { url: "x" }, key: "a" } }] },
    400,
    /lookup is not taken: nothing is loaded/,
  ],
  [
    "an expression",
    { mark: { type: "bar", size: { expr: "1" } } },
    400,
    /spec\.mark\.size\.expr is not taken: no code is run/,
  ],
  ["a signal", { mark: "bar", width: { signal: "w" } }, 400, /no code is run/],
  ["calculate", { mark: "bar", transform: [{ calculate: "datum.a", as: "b" }] }, 400, /make the column with derive/],
  [
    "a filter in code",
    { mark: "bar", transform: [{ filter: "datum.a > 1" }] },
    400,
    /spec\.transform\[0\]\.filter is not taken: no code is run/,
  ],
  [
    "a condition in code",
    { mark: "bar", encoding: { color: { condition: { test: "true", value: "red" } } } },
    400,
    /no code is run/,
  ],
  [
    "labels in code",
    { mark: "bar", encoding: { x: { field: "shop", axis: { labelExpr: "alert(1)" } } } },
    400,
    /labelExpr is not taken: no code is run for a picture; use format/,
  ],
  [
    "a format that ends its quotes",
    { mark: "bar", encoding: { x: { field: "units", axis: { format: '"+alert(1)+"' } } } },
    400,
    /format is not taken: it may hold no quote/,
  ],
  [
    "events with conditions",
    { mark: "bar", params: [{ name: "a", select: { type: "interval", on: "[click[alert(1)], mouseup]" } }] },
    400,
    /conditions of events are code/,
  ],
  ["a link", { mark: { type: "bar", href: "javascript:alert(1)" } }, 400, /pictures hold no links/],
  [
    "labels that become code",
    { mark: "bar", config: { mark: { aria: true } } },
    400,
    /spec\.config\.mark\.aria is not taken/,
  ],
  ["repeat", { repeat: ["a"], spec: {} }, 400, /a view knows no "repeat"\. Write the views out, in concat\.$/],
  ["nothing", {}, 400, /spec is not taken: it needs a mark, a layer, a facet or a concat\.$/],
  [
    "the mean of words",
    { mark: "bar", encoding: { y: { field: "shop", aggregate: "mean" } } },
    422,
    /"mean" needs numbers, and column "shop" is string\.$/,
  ],
  [
    "months of words",
    { mark: "bar", encoding: { x: { field: "shop", timeUnit: "month" } } },
    422,
    /needs dates, and column "shop" is string\. Make it a date with dates before\.$/,
  ],
  [
    "too many bins",
    { mark: "bar", encoding: { x: { field: "units", bin: { step: 0.0001 } } } },
    400,
    /that would be \d+ bins/,
  ],
  ["a size of no sense", { mark: "bar", width: "container" }, 400, /it is a number of pixels/],
])("refuses %s in one sentence", async (_what, spec, status, sentence) => {
  expect(await refused(spec)).toEqual([status, expect.stringMatching(sentence)]);
});

it("says where there is nothing to draw", async () => {
  const spec = { mark: "point", encoding: { x: { field: "a" }, y: { field: "b" } } };
  const failure = await lab.failure("a,b\n1,\n,2\n", ["plot", { spec }]);
  expect([failure.status, failure.message]).toEqual([422, expect.stringMatching(/nothing to draw/)]);
});
