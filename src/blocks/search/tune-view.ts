import type { Chart } from "../../core/chart.ts";
import type { View } from "../../core/view.ts";
import { type GridRow, worth } from "../models/grid-search.ts";
import type { ModelReport } from "../models/model-view.ts";

/** Arguments whose slices are drawn at most. */
const mostSlices = 9;

/** How the search went: the score of each trial, and where along each argument the good ones lie. */
export function tuneCharts({ search }: ModelReport, space: Readonly<Record<string, unknown>>): View[] {
  if (!search) return [];
  const { scoring, ranking } = search;
  const judged = [...ranking].sort((a, b) => a.k - b.k).filter(({ mean }) => mean !== null);
  if (judged.length < 2) return [];
  const slices = Object.keys(judged[0].values).slice(0, mostSlices);
  return [
    { kind: "chart", chart: history(judged, scoring) },
    {
      kind: "chart",
      chart: {
        kind: "panels",
        title: `${scoring} by argument`,
        by: "argument",
        panels: slices.map((name) => ({ name, chart: slice(name, judged, scoring, isLog(space[name])) })),
      },
    },
  ];
}

function isLog(given: unknown): boolean {
  return typeof given === "object" && given !== null && "log" in given && given.log === true;
}

type Points = Extract<Chart, { kind: "points" | "lines" }>;

/** The score of each trial that was judged on all folds, and of the best so far. */
function history(judged: readonly GridRow[], scoring: string): Points {
  const x = judged.map(({ k }) => k + 1);
  let best = judged[0];
  const leading = judged.map((row) => {
    if (worth(row, scoring) > worth(best, scoring)) best = row;
    return best.mean;
  });
  return {
    kind: "points",
    title: `${scoring} of each trial, and of the best so far`,
    x: { title: "trial", type: "number" },
    y: { title: scoring, type: "number" },
    colour: "score",
    rows: judged.length,
    series: [
      { name: "trial", x, y: judged.map(({ mean }) => mean) },
      { name: "best so far", x, y: leading },
    ],
  };
}

/** The scores along one argument. */
function slice(name: string, judged: readonly GridRow[], scoring: string, log: boolean): Points {
  const values = judged.map(({ values }) => values[name]);
  const isNumber = values.every((value) => typeof value === "number");
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return {
    kind: "points",
    title: `${scoring} by ${name}`,
    x: { title: name, type: isNumber ? "number" : "category", ...(isNumber && log ? { log } : {}) },
    y: { title: scoring, type: "number" },
    series: [{ name: "", x: isNumber ? values : values.map(text), y: judged.map(({ mean }) => mean) }],
  };
}
