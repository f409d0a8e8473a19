import type { WaterfallChart } from "./chart.ts";
import { distinct } from "./marks.ts";
import { emptyParts, grey, label, palette, tipTitles, type VegaLiteSpec, whole } from "./vega-base.ts";

/** Where a step begins and ends. */
export interface Fall {
  readonly name: string;
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** The steps, each from where the one before ends. */
export function falls({ start, steps }: WaterfallChart): Fall[] {
  let at = start;
  return steps.map(({ name, value }) => {
    const from = at;
    at += value;
    return { name, value, from, to: at };
  });
}

/** "from 4,201 to 5,031 in 6 steps", below the title. */
export function waterfallSize(chart: WaterfallChart): string {
  const end = falls(chart).at(-1)?.to ?? chart.start;
  const short = (value: number) =>
    Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });
  return `from ${short(chart.start)} to ${short(end)} in ${chart.steps.length} ${chart.steps.length === 1 ? "step" : "steps"}`;
}

/** A bar for each step: what adds to the right, what takes away to the left. */
export function waterfallSpec(chart: WaterfallChart): VegaLiteSpec {
  return whole(chart.title, waterfallSize(chart), partsOf(chart));
}

function partsOf(chart: WaterfallChart): VegaLiteSpec {
  const steps = falls(chart);
  if (steps.length === 0) return emptyParts(waterfallSize(chart)).parts;
  const names = distinct(steps.map(({ name }) => label(name) || "(empty)"));
  const values = steps.map(({ value, from, to }, k) => ({
    l: names[k],
    a: from,
    b: to,
    v: value,
    t: `${value > 0 ? "+" : ""}${Number(value.toPrecision(3))}`,
    k: value < 0 ? "less" : "more",
    e: Math.max(from, to),
  }));
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = (high - low || Math.abs(high) || 1) * 0.12;
  const scale = { domain: [low - room / 4, high + room], nice: false, zero: false };
  const title = label(chart.value) || null;
  // A step's name ends in the cell that it is due to, which must not be cut.
  const axis = { labelLimit: 300 };
  const y = { field: "l", type: "nominal", sort: null, title: null, scale: { domain: names }, axis };
  const [tipName, tipValue] = tipTitles([
    ["column", ""],
    [chart.value, "value"],
  ]);
  const rule = { type: "rule", strokeDash: [4, 4], color: grey };
  return {
    width: chart.width ?? 420,
    height: chart.height ?? { step: 22 },
    data: { values },
    layer: [
      {
        data: { values: [{ v: chart.start }] },
        mark: rule,
        encoding: { x: { field: "v", type: "quantitative", title, scale } },
      },
      {
        mark: "bar",
        encoding: {
          y,
          x: { field: "a", type: "quantitative", title, scale },
          x2: { field: "b" },
          color: {
            field: "k",
            type: "nominal",
            title: null,
            scale: { domain: ["more", "less"], range: [palette[3], palette[0]] },
          },
          tooltip: [
            { field: "l", type: "nominal", title: tipName },
            { field: "v", type: "quantitative", title: tipValue },
          ],
        },
      },
      {
        mark: { type: "text", align: "left", dx: 3, color: grey },
        encoding: { y, x: { field: "e", type: "quantitative", title, scale }, text: { field: "t", type: "nominal" } },
      },
    ],
  };
}
