import type { SwarmChart } from "./chart.ts";
import { distinct } from "./marks.ts";
import { emptyParts, grey, label, tipTitles, type VegaLiteSpec, whole } from "./vega-base.ts";

/** Places along x within which points are put above each other. */
const places = 120;

/** Pixels of a row. */
const step = 30;

/** "n = 60 rows of 6 columns", below the title. */
export function swarmSize({ rows, swarms, sampledFrom }: SwarmChart): string {
  const of = sampledFrom === undefined ? "" : ` of ${sampledFrom.toLocaleString("en-US")}`;
  return `n = ${rows.toLocaleString("en-US")}${of} ${(sampledFrom ?? rows) === 1 ? "row" : "rows"}, ${swarms.length} ${swarms.length === 1 ? "column" : "columns"}`;
}

/** The least and the greatest value of all swarms, and zero. */
export function swarmEnds({ swarms }: SwarmChart): readonly [number, number] {
  let [low, high] = [0, 0];
  for (const value of swarms.flatMap(({ x }) => x)) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** A row of points for each column; points that would lie on each other are put above and below. */
export function swarmSpec(chart: SwarmChart): VegaLiteSpec {
  return whole(chart.title, swarmSize(chart), partsOf(chart));
}

function partsOf(chart: SwarmChart): VegaLiteSpec {
  const { swarms } = chart;
  if (swarms.every(({ x }) => x.length === 0)) return emptyParts(swarmSize(chart)).parts;
  const [low, high] = swarmEnds(chart);
  const names = distinct(swarms.map(({ name }) => label(name) || "(empty)"));
  const values = swarms.flatMap(({ x, shade, cells }, k) => {
    const stacked = new Map<number, number>();
    const heights = x.map((value) => {
      const place = Math.floor(((value - low) / (high - low)) * places);
      const before = stacked.get(place) ?? 0;
      stacked.set(place, before + 1);
      return before % 2 === 1 ? (before + 1) / 2 : -before / 2;
    });
    const most = Math.max(6, ...heights.map(Math.abs));
    return x.map((v, i) => ({ c: names[k], v, s: shade[i], t: label(cells[i]), o: heights[i] / most }));
  });
  const [tipColumn, tipValue, tipCell] = tipTitles([
    ["column", ""],
    [chart.value, "value"],
    ["cell", ""],
  ]);
  const x = { field: "v", type: "quantitative", title: label(chart.value) || null, scale: { domain: [low, high] } };
  const y = { field: "c", type: "nominal", sort: null, title: null, scale: { domain: names } };
  return {
    width: chart.width ?? 420,
    height: chart.height ?? { step },
    layer: [
      { data: { values: [{ v: 0 }] }, mark: { type: "rule", color: grey }, encoding: { x } },
      {
        data: { values },
        // A point without a shade is drawn all the same.
        mark: { type: "point", filled: true, size: 16, opacity: 0.8, invalid: null },
        encoding: {
          x,
          y,
          yOffset: { field: "o", type: "quantitative", scale: { domain: [-1.2, 1.2] } },
          color: {
            field: "s",
            type: "quantitative",
            title: "cell of the column",
            // Blue is low and red is high; what has no order is grey.
            scale: { domain: [0, 1], range: ["#3b82c4", "#8b6fd1", "#d6507a"] },
            condition: { test: "datum.s === null", value: grey },
            legend: { values: [0, 1], labelExpr: "datum.value === 0 ? 'low' : 'high'" },
          },
          tooltip: [
            { field: "c", type: "nominal", title: tipColumn },
            { field: "v", type: "quantitative", title: tipValue },
            { field: "t", type: "nominal", title: tipCell },
          ],
        },
      },
    ],
  };
}
