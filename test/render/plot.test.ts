import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import type { Chart, PointsChart } from "../../src/core/chart.ts";
import { toLines, toText } from "../../src/render/index.ts";
import * as examples from "./examples.ts";

const show = (chart: Chart, options = {}) => toText({ kind: "chart", chart }, options);

const charts: Record<string, Chart> = {
  scatter: examples.scatter,
  fit: examples.fit,
  lines: examples.lines,
  areas: examples.areas,
  roc: examples.roc,
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
  panels: examples.panels,
  heatmap: examples.heatmap,
  confusion: examples.confusion,
  "wide-heatmap": examples.wideHeatmap,
};

function points(x: (number | null)[], y: (number | null)[], kind: PointsChart["kind"] = "points"): PointsChart {
  const axis = (title: string) => ({ title, type: "number" as const });
  return { kind, title: "t", x: axis("x"), y: axis("y"), series: [{ name: "", x, y }] };
}

describe("a chart in text", () => {
  for (const [name, chart] of Object.entries(charts)) {
    it(`is legible without colour: ${name}`, async () => {
      const words = show(chart);
      await expect(words).toMatchFileSnapshot(`./golden/chart-${name}.txt`);
      expect(words).toContain(chart.title);
      expect(words).not.toContain("\x1b");
    });

    it(`stays within the width: ${name}`, () => {
      for (const width of [20, 47, 80, 160]) {
        for (const colour of [false, true]) {
          for (const line of toLines({ kind: "chart", chart }, { width, colour })) {
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
          }
        }
      }
    });

    it(`speaks ASCII where unicode may not be used: ${name}`, () => {
      expect(show(chart, { unicode: false }).replaceAll("°", "")).toMatch(/^[\n\x20-\x7e]*$/);
    });
  }

  it("rounds the ends of axes that are far from 1", () => {
    const words = show(points([1.23456789e300, 4e300], [1, 2]));
    expect(words).toMatch(/1\.23e\+300 .* 4e\+300$/m);
    expect(show(points([1, 2], [1.23456789e-300, 4e-300]))).toMatch(/^ +4e-300 ┤/m);
  });

  it.each<[low: number, high: number, ticks: readonly string[]]>([
    [0.995, 0.999, ["0.995", "0.997", "0.999"]],
    [0.9951234, 0.9991111, ["0.9951", "0.9971", "0.9991"]],
    [1000000, 1000003, ["1000000", "1000001.5", "1000003"]],
    [1e20, 1.0001e20, ["1e+20", "1.00005e+20", "1.0001e+20"]],
    [1, 1 + 1e-13, ["1", "1.00000000000005", "1.0000000000001"]],
    [-1.2345, 2.3456, ["-1.23", "0.56", "2.35"]],
  ])("has ticks that differ, and are no longer than that takes: %d to %d", (low, high, ticks) => {
    const found = [...show(points([1, 2], [low, high])).matchAll(/^ *(\S+) ┤/gm)].map(([, tick]) => tick);
    expect(found).toEqual(ticks.toReversed());
  });

  it("puts several series into one picture in colour, with a legend", () => {
    const words = show(examples.scatter, { colour: true });
    expect(words.split("\n").length).toBeLessThan(22);
    expect(words).toContain("species:  \x1b[38;5;33m●\x1b[0m setosa (50)");
  });

  it("joins a path's marks as they are given, straight up too", () => {
    const lines = show({ ...examples.roc, reference: undefined }).split("\n");
    // Six tenths of the height stand over x = 0, each with a dot; a line over x would have one mark there.
    const column = lines.findIndex((line) => line.includes("└"));
    const first = lines.slice(3, column).map((line) => Array.from(line)[lines[column].indexOf("└") + 1] ?? " ");
    expect(first.filter((letter) => letter !== " ").length).toBeGreaterThanOrEqual(9);
  });

  it("says how many marks stand for how many", () => {
    expect(show(examples.fit)).toContain("200 marks stand for 48,211 (binned or sampled)");
  });

  it("leaves out marks without a value, and says so", () => {
    const words = show(points([1, 2, null, Number.NaN, 5], [1, Number.POSITIVE_INFINITY, 3, 4, 5]));
    expect(words).toContain("n = 2, 3 without a value not shown");
  });

  it("draws a single mark, a constant line, and nothing at all", () => {
    expect(show(points([3], [7]))).toMatch(/[\u2801-\u28ff]/);
    expect(show(points([3], [7], "lines"))).toContain("•");
    expect(show(points([1, 2, 3], [5, 5, 5], "lines"))).toMatch(/─{60}/);
    expect(show(points([], []))).toContain("(nothing to draw)");
    expect(show(points([null], [null]))).toContain("n = 0, 1 without a value not shown");
    expect(show({ kind: "pie", title: "t", slices: [] })).toContain("(nothing to draw)");
    expect(show({ kind: "bars", title: "t", value: "v", bars: [] })).toContain("(nothing to draw)");
    expect(show({ ...examples.heatmap, rows: [], columns: [], values: [] })).toContain("(nothing to draw)");
  });

  it("orders a line by x and breaks it at a gap", () => {
    const forward = show(points([1, 2, 3, 4], [1, 4, 9, 16], "lines"));
    expect(show(points([4, 2, 1, 3], [16, 4, 1, 9], "lines"))).toBe(forward);
    expect(show(points([1, 2, 3, 4], [5, null, 5, 5], "lines"))).toMatch(/• +─{10}/);
  });

  it("names the series that get no panel", () => {
    const series = Array.from({ length: 12 }, (_, k) => ({ name: `s${k}`, x: [1, 2], y: [k, k] }));
    expect(show({ ...examples.scatter, series })).toContain("… and 3 more: s9, s10, s11");
  });

  it("makes names from data harmless", () => {
    const bad = "\x1b[31m<b>\n";
    const axis = { title: bad, type: "number" as const };
    const hostile: Chart[] = [
      { kind: "points", title: bad, x: axis, y: axis, colour: bad, series: [{ name: bad, x: [1], y: [1] }] },
      { kind: "pie", title: bad, slices: [{ label: bad, value: 1 }] },
      { kind: "bars", title: bad, value: bad, bars: [{ label: bad, value: 1 }] },
      {
        ...examples.confusion,
        title: bad,
        rowTitle: bad,
        columnTitle: bad,
        rows: [bad, bad, bad],
        columns: [bad, bad, bad],
      },
    ];
    for (const chart of hostile) expect(show(chart)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it("keeps a trace of a tiny bar beside large negative ones within the width", () => {
    const bars = [
      { label: "down", value: -1 },
      { label: "tiny", value: 1e-30 },
    ];
    const lines = show({ kind: "bars", title: "t", value: "v", bars }).split("\n");
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toMatch(/▏ +1e-30$/);
  });

  it("tells a negative bar from a positive one, and keeps a value that is none", () => {
    const lines = show({
      kind: "bars",
      title: "t",
      value: "v",
      bars: [
        { label: "up", value: 1 },
        { label: "down", value: -1 },
        { label: "none", value: Number.NaN },
      ],
    }).split("\n");
    expect(lines[2].indexOf("█")).toBeGreaterThan(lines[3].lastIndexOf("█"));
    expect(lines[4]).toMatch(/^none +NaN$/);
  });
});

it("keeps a strip's title apart from the ends of its axis, below them where it is long", () => {
  const value = "lifetime value in euros";
  const steps = [{ name: "household income before taxes = 4009", value: -20_920.1 }];
  const chart = { kind: "waterfall", title: "t", value, start: 37_326.6, steps } as const;
  const lines = toText({ kind: "chart", chart }, { width: 80 }).split("\n");
  expect(lines.at(-1)?.trim()).toBe(value);
  expect(lines.at(-2)?.trim()).toMatch(/^16406.5 +37326.6$/);
});
