import type { Chart } from "../../core/chart.ts";
import { count } from "../../core/names.ts";
import { stack, text, type View } from "../../core/view.ts";
import type { SomGrid } from "../../numerics/networks/som.ts";

/** Rows of a class by units. */
export interface ClassHits {
  readonly name: string;
  readonly hits: readonly number[];
}

/** What a training of a map reports for its view. */
export interface SomReport {
  readonly model: string;
  readonly from: string;
  readonly features: number;
  readonly grid: SomGrid;
  readonly curve: readonly number[];
  readonly topographic: number;
  /** The mean distance of each unit from those beside it. */
  readonly distances: readonly number[];
  /** Rows of each unit. */
  readonly hits: readonly number[];
  /** The same by class, of a target with a few. */
  readonly classes: { readonly target: string; readonly hits: readonly ClassHits[] } | null;
}

/** What a training shows: how well it went, the U-matrix, and where rows and classes lie. */
export function somView(report: SomReport): View {
  const { model, from, features, grid, curve, topographic, distances, hits, classes } = report;
  const last = curve[curve.length - 1];
  const words = `Map ${model}: ${count(features, "feature")} onto ${grid.width} × ${grid.height} units, trained on ${from}. Rows lie ${Number(last.toPrecision(4))} from their units on average (quantization error); of ${(100 * topographic).toFixed(1)}% the second nearest unit does not lie beside the nearest (topographic error).`;
  const comb = grid.topology === "hexagonal" ? " The map is a honeycomb: odd rows lie half a unit further right." : "";
  const course: Chart = {
    kind: "lines",
    title: "quantization error of each epoch",
    x: { title: "epoch", type: "number" },
    y: { title: "quantization error", type: "number" },
    series: [{ name: "", x: curve.map((_, k) => k + 1), y: [...curve] }],
  };
  return stack(
    text(`${words}${comb}`),
    curve.length > 1 && { kind: "chart", chart: course },
    {
      kind: "chart",
      chart: mapChart("distance from the units around: ridges part groups (U-matrix)", grid, distances),
    },
    { kind: "chart", chart: { ...mapChart("rows of each unit", grid, hits), isCount: true } },
    classes && {
      kind: "chart",
      chart: {
        kind: "panels",
        title: `rows of each unit by ${classes.target}`,
        by: classes.target,
        panels: classes.hits.map((each) => ({
          name: each.name,
          chart: { ...mapChart(each.name, grid, each.hits), isCount: true },
        })),
      },
    },
  );
}

/** Numbers of units as the map lies. */
function mapChart(title: string, { width, height }: SomGrid, values: readonly number[]) {
  return {
    kind: "heatmap" as const,
    title,
    rowTitle: "y",
    columnTitle: "x",
    rows: Array.from({ length: height }, (_, y) => String(y)),
    columns: Array.from({ length: width }, (_, x) => String(x)),
    // Three digits are all that a picture shows.
    values: Array.from({ length: height }, (_, y) =>
      Array.from({ length: width }, (_, x) => Number(values[x * height + y].toPrecision(3))),
    ),
    scale: "sequential" as const,
  };
}
