import type { Chart } from "../../core/chart.ts";
import type { Pen } from "../pen.ts";
import { wrap } from "../words.ts";
import { barsLines, pieLines } from "./bars.ts";
import { boxesLines } from "./boxes.ts";
import { columnsLines } from "./columns.ts";
import { forecastLines } from "./forecast.ts";
import { gapsLines } from "./gaps.ts";
import { heatmapLines } from "./heatmap.ts";
import { pairsLines } from "./pairs.ts";
import { panelRows } from "./panels.ts";
import { pointsLines } from "./points.ts";
import { specLines } from "./spec.ts";
import { swarmLines } from "./swarm.ts";
import { waterfallLines } from "./waterfall.ts";

/** A chart in text: its title, how many marks, the picture with its ranges, and a legend. */
export function chartLines(chart: Chart, pen: Pen): string[] {
  const title = chart.title ? wrap(pen.safe(chart.title), pen.width).map(pen.bold) : [];
  return [...title, ...pictureLines(chart, pen)];
}

function pictureLines(chart: Chart, pen: Pen): string[] {
  switch (chart.kind) {
    case "points":
    case "lines":
      return pointsLines(chart, pen);
    case "pie":
      return pieLines(chart, pen);
    case "bars":
      return barsLines(chart, pen);
    case "columns":
      return columnsLines(chart, pen);
    case "boxes":
      return boxesLines(chart, pen);
    case "heatmap":
      return heatmapLines(chart, pen);
    case "gaps":
      return gapsLines(chart, pen);
    case "pairs":
      return pairsLines(chart, pen);
    case "spec":
      return specLines(chart, chart.told.length > 1 ? chartLines : pictureLines, pen);
    case "swarm":
      return swarmLines(chart, pen);
    case "waterfall":
      return waterfallLines(chart, pen);
    case "forecast":
      return forecastLines(chart, pen);
    case "panels":
      return panelRows(chart, pen, pictureLines);
  }
}
