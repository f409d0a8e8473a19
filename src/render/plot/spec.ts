import type { SpecChart, ToldRows } from "../../core/chart.ts";
import type { Pen } from "../pen.ts";
import { tableLines } from "../table-text.ts";
import { wrap } from "../words.ts";

const mostViews = 9;
const mostRows = 20;

/** The views of a picture that somebody described, one below the other. */
export function specLines(
  chart: SpecChart,
  draw: (told: Exclude<SpecChart["told"][number], ToldRows>, pen: Pen) => string[],
  pen: Pen,
): string[] {
  // A chart of points or lines says of itself how many there are, but not that they were drawn from more.
  const isSaid = chart.told.length === 1 && chart.told[0].kind !== "rows" && "series" in chart.told[0];
  const isPart = chart.sampledFrom !== undefined;
  const lines = isSaid && !isPart ? [] : wrap(pen.safe(chart.subtitle), pen.width).map(pen.quiet);
  for (const told of chart.told.slice(0, mostViews)) {
    if (chart.told.length > 1) lines.push("");
    if (told.kind !== "rows") lines.push(...draw(told, pen));
    if (told.kind === "rows") {
      const columns = told.columns.map(({ name, isNumber }) => ({ name, type: isNumber ? "number" : "text" }) as const);
      const rows = told.rows.slice(0, mostRows);
      const more = told.rows.length > rows.length ? { total: told.rows.length } : {};
      lines.push(...tableLines({ kind: "table", title: told.title, columns, rows, ...more }, pen));
    }
  }
  const left = chart.told.length - mostViews;
  return left > 0 ? [...lines, pen.quiet(`${pen.pick("…", "...")} and ${left} more views`)] : lines;
}
