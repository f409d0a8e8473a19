import type { GapsChart } from "./chart.ts";
import { distinct } from "./marks.ts";
import { type Drawn, label } from "./vega-base.ts";

/** "11 missing cells in 344 rows". */
export function gapsSize({ columns, rows }: Pick<GapsChart, "columns" | "rows">): string {
  const cells = columns.reduce((sum, { missing }) => sum + missing, 0);
  const many = (n: number, noun: string) => `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
  return `${many(cells, "missing cell")} in ${many(rows, "row")}`;
}

/** Gaps as a band for each column, darker where more cells are missing. */
export function gapsParts(chart: GapsChart): Drawn {
  const { columns, stretches, counts } = chart;
  const names = distinct(
    columns.map(({ name, missing }) => `${label(name) || "(empty)"} (${missing.toLocaleString("en-US")})`),
  );
  const values = names.flatMap((c, k) =>
    stretches.flatMap(({ from, to, rows }, i) =>
      counts[k][i] === 0 ? [] : [{ c, from, to, n: counts[k][i], s: counts[k][i] / rows }],
    ),
  );
  const bands = names.length > 0 ? names : ["no cell is missing"];
  const parts = {
    width: chart.width ?? 420,
    height: chart.height ?? { step: 22 },
    data: { values },
    mark: "rect",
    encoding: {
      x: {
        field: "from",
        type: "quantitative",
        title: "row",
        scale: { domain: [0, stretches.at(-1)?.to ?? 0], nice: false },
        axis: { grid: false },
      },
      x2: { field: "to" },
      y: { field: "c", type: "nominal", title: null, scale: { domain: bands }, axis: { labelLimit: 240 } },
      color: {
        field: "s",
        type: "quantitative",
        title: "share missing",
        scale: { scheme: "oranges", domain: [0, 1] },
        legend: { format: "%" },
      },
      tooltip: [
        { field: "c", type: "nominal", title: "column" },
        { field: "from", type: "quantitative", title: "from row" },
        { field: "to", type: "quantitative", title: "before row" },
        { field: "n", type: "quantitative", title: "missing" },
      ],
    },
  };
  return { subtitle: gapsSize(chart), parts };
}
