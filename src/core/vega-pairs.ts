import type { PairsChart } from "./chart.ts";
import { distinct } from "./marks.ts";
import { type Drawn, grey, label, palette, tipTitles, type VegaLiteSpec } from "./vega-base.ts";

/** "n = 344", and how many of the rows are drawn where not all are. */
export function pairsSize({ rows, groups }: PairsChart): string {
  const whole = (n: number) => n.toLocaleString("en-US");
  return groups.length < rows
    ? `n = ${whole(rows)}, points of ${whole(groups.length)} rows (sampled)`
    : `n = ${whole(rows)}`;
}

/** A grid of small pictures: points below the diagonal, histograms on it, correlations above. */
export function pairsParts(chart: PairsChart): Drawn {
  const { columns, series, values, groups } = chart;
  const names = columns.map(({ name }) => label(name) || "(empty)");
  const kinds = distinct(series.map((name) => label(name) || "(empty)"));
  const hasSeries = chart.colour !== undefined;
  const rows = groups.map((group, i) => ({
    ...Object.fromEntries(values.map((list, k) => [`c${k}`, list[i]])),
    ...(hasSeries ? { s: kinds[group] } : {}),
  }));
  const size = Math.max(60, Math.min(150, Math.floor(560 / columns.length)));
  const color = hasSeries
    ? {
        color: {
          field: "s",
          type: "nominal",
          title: label(chart.colour ?? ""),
          scale: { domain: kinds, range: palette },
        },
      }
    : {};
  const last = columns.length - 1;
  const axis = (k: number, isShown: boolean) => ({
    field: `c${k}`,
    type: "quantitative",
    title: isShown ? names[k] : null,
    scale: { domain: domainOf(chart, k), nice: false },
    axis: { labels: isShown, ticks: isShown, tickCount: 4, labelOverlap: true, titleLimit: size + 20 },
  });
  const own = { width: chart.width ?? size, height: chart.height ?? size };
  const pointsOf = (i: number, j: number) => {
    const [tipX, tipY] = tipTitles([
      [names[j], "x"],
      [names[i], "y"],
    ]);
    const tooltip = [
      { field: `c${j}`, type: "quantitative", title: tipX },
      { field: `c${i}`, type: "quantitative", title: tipY },
    ];
    const mark = { type: "point", filled: true, size: 10, opacity: 0.6, ...(hasSeries ? {} : { color: palette[0] }) };
    return { ...own, mark, encoding: { x: axis(j, i === last), y: axis(i, j === 0), ...color, tooltip } };
  };
  const grid = columns.map((column, i) => ({
    hconcat: columns.map((_, j) => {
      if (j < i) return pointsOf(i, j);
      if (j > i) return { ...own, ...correlation(chart, i, j, size) };
      return {
        ...own,
        ...histogram(chart, i, kinds, { x: axis(i, i === last), title: i === 0 ? names[0] : null, color, column }),
      };
    }),
    spacing: 8,
  }));
  return { subtitle: pairsSize(chart), parts: { data: { values: rows }, vconcat: grid, spacing: 8 } };
}

function domainOf({ columns }: PairsChart, k: number): [number, number] {
  const { start, step, counts } = columns[k];
  return [start, start + step * counts[0].length];
}

function histogram(
  chart: PairsChart,
  k: number,
  kinds: readonly string[],
  {
    x,
    title,
    color,
    column,
  }: { x: VegaLiteSpec; title: string | null; color: VegaLiteSpec; column: PairsChart["columns"][number] },
): VegaLiteSpec {
  const values = column.counts.flatMap((counts, s) =>
    counts.flatMap((n, b) => {
      const from = column.start + b * column.step;
      return n === 0
        ? []
        : [{ [`c${k}`]: from, to: from + column.step, n, ...(chart.colour === undefined ? {} : { s: kinds[s] }) }];
    }),
  );
  return {
    data: { values },
    mark: { type: "bar", ...(chart.colour === undefined ? { color: palette[0] } : {}) },
    encoding: {
      x: { ...x, bin: { binned: true, step: column.step } },
      x2: { field: "to" },
      y: {
        field: "n",
        type: "quantitative",
        stack: "zero",
        title,
        axis: title === null ? null : { labels: false, ticks: false, grid: false },
      },
      ...color,
      tooltip: [{ field: "n", type: "quantitative", title: "count" }],
    },
  };
}

function correlation({ correlations }: PairsChart, i: number, j: number, size: number): VegaLiteSpec {
  const r = correlations[i][j];
  const t = r === null ? "" : r.toFixed(2);
  return {
    data: { values: [{ t }] },
    mark: { type: "text", fontSize: Math.round(size / 8 + (Math.abs(r ?? 0) * size) / 12), color: grey },
    encoding: { text: { field: "t", type: "nominal" } },
    view: { stroke: null },
  };
}
