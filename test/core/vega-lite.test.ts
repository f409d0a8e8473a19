import * as vega from "vega";
import * as vegaLite from "vega-lite";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Chart, PointsChart } from "../../src/core/chart.ts";
import { toVegaLite } from "../../src/core/vega-lite.ts";
import { toSvg } from "../../src/render/picture.ts";
import * as examples from "../render/examples.ts";

/** Compiles and draws a chart, and answers the SVG with whatever Vega-Lite and Vega complained of. */
async function drawn(chart: Chart): Promise<{ svg: string; complaints: string[] }> {
  const complaints: string[] = [];
  const log = (...words: unknown[]) => {
    complaints.push(words.join(" "));
  };
  vi.spyOn(console, "warn").mockImplementation(log);
  vi.spyOn(console, "error").mockImplementation(log);
  const spec = toVegaLite(chart) as unknown as Parameters<typeof vegaLite.compile>[0];
  const view = new vega.View(vega.parse(vegaLite.compile(spec).spec), { renderer: "none", logLevel: vega.Warn });
  const svg = await view.toSVG();
  view.finalize();
  // Zooming listens to the window, which a program has not.
  return { svg, complaints: complaints.filter((words) => !words.includes("event source: window")) };
}

function points(x: (number | null)[], y: (number | null)[], kind: PointsChart["kind"] = "points"): PointsChart {
  const axis = (title: string) => ({ title, type: "number" as const });
  return { kind, title: "t", x: axis("x"), y: axis("y"), series: [{ name: "", x, y }] };
}

const charts: Record<string, Chart> = {
  scatter: examples.scatter,
  fit: examples.fit,
  grid: { ...examples.scatter, grid: true, reference: { from: [0, 0], to: [6, 3] } },
  lines: examples.lines,
  areas: examples.areas,
  roc: examples.roc,
  "lines in a grid": { ...examples.lines, grid: true },
  categories: examples.categories,
  pie: examples.pie,
  bars: examples.bars,
  bins: examples.bins,
  means: examples.means,
  stacked: examples.stacked,
  boxes: examples.boxes,
  swarm: examples.swarm,
  waterfall: examples.waterfall,
  forecast: examples.forecast,
  "forecast of one step": examples.shortForecast,
  panels: examples.panels,
  "panels of points": {
    ...examples.panels,
    panels: [
      { name: "a", chart: examples.scatter },
      { name: "b", chart: examples.lines },
      { name: "c", chart: examples.pie },
      { name: "d", chart: examples.heatmap },
    ],
  },
  heatmap: examples.heatmap,
  confusion: examples.confusion,
  "wide heatmap": examples.wideHeatmap,
  "no marks": points([], []),
  "one mark": points([1], [2], "lines"),
  constant: points([1, 2, 3], [5, 5, 5]),
  "no slices": { kind: "pie", title: "t", slices: [] },
  "empty bars": { kind: "bars", title: "t", value: "v", bars: [{ label: "a", value: Number.NaN }] },
  "empty heatmap": { ...examples.heatmap, values: [[null]] },
  "heatmap of one value": { ...examples.confusion, values: [[2, 2, 2]] },
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe("Vega-Lite", () => {
  for (const [name, chart] of Object.entries(charts)) {
    it(`compiles and draws without a complaint: ${name}`, async () => {
      const { svg, complaints } = await drawn(chart);
      expect(complaints).toEqual([]);
      expect(svg).toMatch(/^<svg[\s\S]+<\/svg>$/);
      expect(svg).not.toContain("NaN");
    });
  }

  it("tells a forecast from its interval in the legend", () => {
    const spec = toVegaLite(examples.forecast) as unknown as {
      layer: { encoding: { color: { scale: { domain: string[]; range: string[] } } } }[];
    };
    const { domain, range } = spec.layer[0].encoding.color.scale;
    expect(domain).toEqual(["series", "forecast", "95% interval", "what came"]);
    expect(new Set(range).size).toBe(4);
  });

  it("draws the points of words, which have no order, in grey", async () => {
    const { svg } = await drawn(examples.swarm);
    const colours = [...svg.matchAll(/<path [^>]*d="M2,0A2[^>]* fill="([^"]+)"/g)].map(([, colour]) => colour);
    expect(colours).toHaveLength(12);
    expect(colours.filter((colour) => colour === "#808080")).toHaveLength(8);
  });

  it("is plain JSON with version 5's schema and data inside", () => {
    const spec = toVegaLite(examples.scatter);
    expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
    expect(spec.$schema).toBe("https://vega.github.io/schema/vega-lite/v5.json");
    const { values } = spec.data as { values: object[] };
    expect(values).toHaveLength(150);
    expect(Object.keys(values[0])).toEqual(["x", "y", "s"]);
  });

  it("says in the subtitle how many marks stand for how many", () => {
    expect(toVegaLite(examples.fit).title).toEqual({
      text: "Predicted and actual fare",
      subtitle: "200 marks stand for 48,211 (binned or sampled)",
    });
  });

  it("does not need zero on a scatter's axes", () => {
    const spec = JSON.stringify(toVegaLite(examples.scatter));
    expect(spec).toContain('"zero":false');
  });

  it("ends axes near where the marks do: shares stop at 1, costs begin at 0", async () => {
    const ticks = async (chart: Chart) =>
      [...(await drawn(chart)).svg.matchAll(/>(−?[\d,.]+)<\/text>/g)].map(([, text]) => text);
    const shares = await ticks(points([0, 0.5, 1], [0, 0.8, 1], "lines"));
    expect(shares).toEqual(expect.arrayContaining(["0.0", "1.0"]));
    expect(shares).not.toContain("1.1");
    expect(shares).not.toContain("−0.1");
    expect((await ticks(points([0, 350], [0, 7_000_000]))).filter((text) => text.startsWith("−"))).toEqual([]);
  });

  it("has ends and places on an axis that goes further than a number can tell", async () => {
    const { svg } = await drawn(points([-1.7e308, 0, 1.7e308], [1, 2, 3]));
    expect(svg).not.toMatch(/NaN|Infinity/);
    expect(svg).toMatch(/1\.7e\+308/);
  });

  it("breaks a long title at blanks, and cuts long labels as late as it may", async () => {
    const title = "squared distances that several numbers of clusters leave, of all rows together";
    const bars = [{ label: "Monthly household income in euros", value: 1 }];
    const svg = await toSvg({ kind: "bars", title, value: "v", bars });
    const texts = [...svg.matchAll(/<t(?:ext|span)\b[^>]*>([^<]+)</g)].map(([, text]) => text);
    expect(texts.join(" ")).toContain(title);
    expect(texts.every((text) => text.length <= 52)).toBe(true);
    expect(texts).toContain("Monthly household income in …");
  });

  it("has a colour of its own for each of sixteen series", async () => {
    const series = Array.from({ length: 16 }, (_, k) => ({ name: `s${k}`, x: [k], y: [k] }));
    const { svg } = await drawn({ ...points([], []), series });
    expect(new Set(svg.match(/fill="#[0-9a-f]{6}"/g))).toHaveLength(17);
  });

  it("has no ticks between whole numbers", async () => {
    const { svg } = await drawn(points([1, 2, 3], [0.1, 0.2, 0.3]));
    expect(svg).not.toMatch(/>1\.5</);
  });

  it("lets no title of a tooltip end its string and become code", async () => {
    const title = '\\": warn("run"), "';
    for (const chart of [
      { ...points([1], [2]), x: { title, type: "number" as const } },
      { ...examples.scatter, colour: title },
      { ...examples.confusion, rowTitle: title },
      { ...examples.bars, value: title },
    ]) {
      expect((await drawn(chart)).complaints).toEqual([]);
      const spec = toVegaLite(chart) as unknown as Parameters<typeof vegaLite.compile>[0];
      const compiled = JSON.stringify(vegaLite.compile(spec).spec);
      const shown = JSON.stringify(JSON.stringify(title)).slice(1, -1);
      expect(compiled).toContain(shown);
    }
  });

  it("survives hostile names, and reads none as an expression", async () => {
    const names = [
      "__proto__",
      "constructor",
      "then",
      "toString",
      "image",
      "datum.x]\\'\"",
      "</svg><script>",
      "\x1b\n\u202e",
      "",
    ];
    for (const bad of names) {
      const axis = { title: bad, type: "number" as const };
      const series = [bad, bad, "b"].map((name) => ({ name, x: [1, 2], y: [3, 4] }));
      const chart: Chart = { kind: "points", title: bad, x: axis, y: axis, colour: bad, series };
      const label = bad;
      const all: Chart[] = [
        chart,
        { ...chart, grid: true },
        { ...chart, y: { title: bad, type: "category" }, series: [{ name: bad, x: [1, 2], y: [bad, "b"] }] },
        { kind: "pie", title: bad, slices: [label, label].map((one) => ({ label: one, value: 1 })) },
        { kind: "bars", title: bad, value: bad, bars: [label, label].map((one) => ({ label: one, value: 1 })) },
        {
          kind: "heatmap",
          title: bad,
          rowTitle: bad,
          rows: [bad, bad],
          columns: [bad],
          values: [[1], [2]],
          scale: "sequential",
        },
      ];
      for (const one of all) {
        const { svg, complaints } = await drawn(one);
        expect(complaints).toEqual([]);
        expect(svg).not.toContain("<script");
        expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
      }
    }
  });
});

it("draws bars from zero, with room for the words at their ends", () => {
  const domain = (values: readonly number[]) => {
    const bars = values.map((value, k) => ({ label: String(k), value }));
    const spec = toVegaLite({ kind: "bars", title: "t", value: "v", bars });
    // A cast because a specification is whatever Vega reads.
    return (spec as { layer: { encoding: { x: { scale: { domain: number[] } } } }[] }).layer[0].encoding.x.scale.domain;
  };
  expect(domain([3, 3.84])).toEqual([0, 4.2]);
  expect(domain([-3.84])).toEqual([-4.2, 0]);
  expect(domain([-1, Number.NaN, 2.48]).map((end) => Number(end.toFixed(2)))).toEqual([-1.36, 2.84]);
  expect(domain([0])).toEqual([0, 1]);
});

it("draws a heatmap of very many cells without words, and leaves those blank that are 0", () => {
  const drawnOf = (classes: number) => {
    const names = Array.from({ length: classes }, (_, k) => `class ${k}`);
    const values = names.map((_, i) => names.map((_, j) => (i === j ? 5 : 0)));
    const chart: Chart = { kind: "heatmap", title: "t", rows: names, columns: names, values, scale: "sequential" };
    // A cast because a specification is whatever Vega reads.
    const { data, layer } = toVegaLite(chart) as { data: { values: unknown[] }; layer: unknown[] };
    return [data.values.length, layer.length];
  };
  expect(drawnOf(20)).toEqual([400, 2]);
  expect(drawnOf(200)).toEqual([200, 1]);
});
