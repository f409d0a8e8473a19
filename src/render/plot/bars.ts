import type { BarsChart, PieChart } from "../../core/chart.ts";
import { formatNumber, formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap, wrapNames } from "../words.ts";

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const mostBars = 40;

/** Shares of a whole as bars with per cent and value. */
export function pieLines(chart: PieChart, pen: Pen): string[] {
  const values = chart.slices.map((slice) => (slice.value > 0 && Number.isFinite(slice.value) ? slice.value : 0));
  const total = values.reduce((sum, value) => sum + value, 0);
  const words = formatNumbers(chart.slices.map((slice) => slice.value));
  const most = words.reduce((longest, word) => Math.max(longest, word.length), 0);
  const notes = chart.slices.map((_, k) => {
    const share = total > 0 ? `${((100 * values[k]) / total).toFixed(1)}%` : "-";
    return `${share.padStart(6)}  ${words[k].padStart(most)}`;
  });
  const summary = `${chart.slices.length} slice${chart.slices.length === 1 ? "" : "s"}, total ${formatNumber(total)}`;
  return [
    ...wrap(summary, pen.width).map(pen.quiet),
    ...barRows(
      chart.slices.map((slice) => slice.label),
      values,
      notes,
      pen,
      (k, bar) => pen.series(k, bar),
      "slices",
    ),
  ];
}

/** Bars with their values; negative ones grow to the left of a common zero. */
export function barsLines(chart: BarsChart, pen: Pen): string[] {
  const values = chart.bars.map((bar) => bar.value);
  const finite = values.filter(Number.isFinite);
  const [low, high] = finite.length > 0 ? formatNumbers([Math.min(...finite), Math.max(...finite)], 4) : ["", ""];
  const range = finite.length > 0 ? `, ${pen.safe(chart.value) || "values"} from ${low} to ${high}` : "";
  return [
    ...wrap(`n = ${values.length}${range}`, pen.width).map(pen.quiet),
    ...barRows(
      chart.bars.map((bar) => bar.label),
      values,
      formatNumbers(values, 4),
      pen,
      (_, bar) => pen.series(0, bar),
      "bars",
    ),
  ];
}

/** Rows of a label, a bar and a note each. */
export function barRows(
  labels: readonly string[],
  values: readonly number[],
  notes: readonly string[],
  pen: Pen,
  paint: (k: number, bar: string) => string,
  noun: string,
): string[] {
  if (labels.length === 0) return [pen.quiet("(nothing to draw)")];
  const noteWidth = Math.max(...notes.map(widthOf));
  const spare = pen.width - noteWidth - 4;
  // Where there is no room for bars, labels and values alone remain.
  const most = spare < 12 ? Math.max(1, spare + 2) : Math.max(6, Math.floor(pen.width * 0.35));
  const shown = labels.slice(0, mostBars).map((label) => cut(pen.safe(label), most, pen.pick("…", "..")));
  const labelWidth = Math.max(...shown.map(widthOf));
  const room = spare < 12 ? 0 : Math.max(0, spare - labelWidth);
  const finite = values.filter(Number.isFinite);
  const low = Math.min(0, ...finite);
  const span = Math.max(0, ...finite) - low || 1;
  // The trace of a tiny positive value beside large negative ones needs a place too.
  const farthest = finite.some((value) => value > 0) ? Math.max(0, room - 1) : room;
  const zero = Math.min(farthest, Math.round((-low / span) * room));
  const lines = shown.map((label, k) => {
    const bar = Number.isFinite(values[k]) ? barOf(values[k], span, zero, room, pen) : " ".repeat(room);
    const painted = bar.replace(/[^ ]+/, (marks) => paint(k, marks));
    const middle = room > 0 ? `  ${painted}  ` : "  ";
    return `${pad(label, labelWidth)}${middle}${pad(notes[k], noteWidth, "right")}`.trimEnd();
  });
  const left = labels.slice(mostBars).map((label) => pen.safe(label));
  const lead = `${pen.pick("…", "...")} and ${left.length} more ${noun}: `;
  return left.length > 0 ? [...lines, ...wrapNames(lead, left, pen.width).map(pen.quiet)] : lines;
}

function barOf(value: number, span: number, zero: number, room: number, pen: Pen): string {
  const full = pen.pick("█", "#");
  if (value < 0) {
    const length = Math.min(zero, Math.max(1, Math.round((-value / span) * room)));
    return pad(" ".repeat(zero - length) + full.repeat(length), room);
  }
  const cells = Math.min(room - zero, (value / span) * room);
  const whole = Math.floor(cells);
  const rest = Math.round((cells - whole) * 8);
  const tail = pen.unicode ? (rest === 8 ? full : eighths[rest]) : rest >= 4 ? full : "";
  const isTrace = value > 0 && whole === 0 && tail === "";
  return pad(" ".repeat(zero) + (isTrace ? pen.pick("▏", "|") : full.repeat(whole) + tail), room);
}
