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
  const lines = wrap(pen.safe(chart.subtitle), pen.width).map(pen.quiet);
  for (const told of chart.told.slice(0, mostViews)) {
    if (chart.told.length > 1) lines.push("");
    if (told.kind !== "rows") {
      const drawn = draw(told, pen);
      // It says how many there are as well.
      lines.push(...(drawn[0] === lines[0] ? drawn.slice(1) : drawn));
    }
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
