import type { GapsChart } from "../../core/chart.ts";
import { gapsSize } from "../../core/vega-gaps.ts";
import { barSteps } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap } from "../words.ts";

/** A line for each column: in which stretches of the rows cells are missing, how many, and which share. */
export function gapsLines(chart: GapsChart, pen: Pen): string[] {
  const { columns, stretches, counts, rows } = chart;
  const lines = wrap(gapsSize(chart), pen.width).map(pen.quiet);
  if (columns.length === 0) return lines;
  const names = columns.map(({ name }) => pen.safe(name) || "(empty)");
  const width = Math.min(Math.floor(pen.width * 0.3), Math.max(...names.map(widthOf)));
  const numbers = columns.map(({ missing }) => missing.toLocaleString("en-US"));
  const numberWidth = Math.max(...numbers.map(widthOf));
  const room = Math.max(1, pen.width - width - numberWidth - 13);
  // As many letters as there is room for, a few stretches in each where there are more.
  const together = Math.ceil(stretches.length / room);
  const letters = Math.ceil(stretches.length / together);
  const repeat = Math.max(1, Math.min(2, Math.floor(room / letters)));
  columns.forEach(({ missing }, k) => {
    const strip = Array.from({ length: letters }, (_, at) => {
      const part = stretches.slice(at * together, (at + 1) * together);
      const all = part.reduce((sum, each) => sum + each.rows, 0);
      const holes = counts[k].slice(at * together, (at + 1) * together).reduce((sum, n) => sum + n, 0);
      return letterOf(all === 0 ? 0 : holes / all, pen).repeat(repeat);
    });
    const share = `${((100 * missing) / rows).toFixed(1)}%`;
    const name = pad(cut(names[k], width, pen.pick("…", "..")), width);
    lines.push(
      `${name} ${pen.pick("│", "|")}${strip.join("")}${pen.pick("│", "|")} ${pad(numbers[k], numberWidth, "right")} ${pad(share, 6, "right")}`,
    );
  });
  const each = Math.max(...stretches.map(({ from, to }) => to - from)) * together;
  const span =
    each === 1 && repeat === 1
      ? "one row"
      : each === 1
        ? "one row a pair"
        : `up to ${each.toLocaleString("en-US")} rows`;
  const steps = pen.pick(`${barSteps[0]} few, ${barSteps[7]} all missing`, "1 to 9 tenths, # all missing");
  lines.push(
    ...wrap(
      `From the first row to the last, ${span} ${repeat === 2 && each > 1 ? "each two letters" : "each letter"}: ${steps}.`,
      pen.width,
    ).map(pen.quiet),
  );
  return lines;
}

function letterOf(share: number, pen: Pen): string {
  if (share <= 0) return " ";
  if (!pen.unicode) return share >= 1 ? "#" : String(Math.max(1, Math.floor(share * 10)));
  return barSteps[Math.min(7, Math.floor(share * 8))];
}
