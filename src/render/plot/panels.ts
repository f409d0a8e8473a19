import type { PanelsChart, SingleChart } from "../../core/chart.ts";
import type { Pen } from "../pen.ts";
import { cut, widthOf, wrap, wrapNames } from "../words.ts";

/** The narrowest column in which a small picture is legible. */
const narrowest = 36;
const mostPanels = 12;

/** Small pictures side by side where the line has room, each under its name. */
export function panelRows(
  { by, panels }: PanelsChart,
  pen: Pen,
  draw: (chart: SingleChart, pen: Pen) => string[],
): string[] {
  const hasAxes = panels.some(({ chart }) => !["pie", "heatmap", "bars", "gaps"].includes(chart.kind));
  const head = `a picture for each ${pen.safe(by)}${hasAxes ? "; the axes are the same" : ""}`;
  const lines = wrap(head, pen.width).map(pen.quiet);
  const isWide = panels.some(({ chart }) => chart.kind === "pairs" || chart.kind === "gaps");
  const most = isWide ? 1 : Math.min(2, panels.length);
  const across = Math.max(1, Math.min(most, Math.floor((pen.width + 2) / (narrowest + 2))));
  const small = { ...pen, width: Math.floor((pen.width - 2 * (across - 1)) / across) };
  const shown = panels.slice(0, mostPanels);
  for (let start = 0; start < shown.length; start += across) {
    const row = shown.slice(start, start + across).map(({ name, chart }) => {
      const title = cut(pen.safe(name) || "(empty)", small.width, pen.pick("…", ".."));
      return [pen.bold(title), ...draw(chart, small)];
    });
    const height = Math.max(...row.map((picture) => picture.length));
    for (let i = 0; i < height; i++) {
      const cells = row.map((picture) => picture[i] ?? "");
      lines.push(
        cells
          .map((cell) => cell + " ".repeat(Math.max(0, small.width - widthOf(cell))))
          .join("  ")
          .trimEnd(),
      );
    }
  }
  const left = panels.slice(mostPanels).map(({ name }) => pen.safe(name));
  if (left.length === 0) return lines;
  return [...lines, ...wrapNames(`${pen.pick("…", "...")} and ${left.length} more: `, left, pen.width).map(pen.quiet)];
}
