import type { WaterfallChart } from "../../core/chart.ts";
import { falls, waterfallSize } from "../../core/vega-waterfall.ts";
import { formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap } from "../words.ts";

/** A line for each step: a bar from where the one before ended, and what it adds. */
export function waterfallLines(chart: WaterfallChart, pen: Pen): string[] {
  const lines = wrap(waterfallSize(chart), pen.width).map(pen.quiet);
  const steps = falls(chart);
  if (steps.length === 0) return [...lines, pen.quiet("(nothing to draw)")];
  const dots = pen.pick("…", "..");
  const numbers = formatNumbers(
    steps.map(({ value }) => value),
    4,
  );
  const notes = numbers.map((note, k) => (steps[k].value > 0 ? `+${note}` : note));
  const names = steps.map(({ name }) => cut(pen.safe(name) || "(empty)", Math.floor(pen.width * 0.45), dots));
  const lead = Math.max(...names.map(widthOf));
  const last = Math.max(...notes.map(widthOf));
  const room = Math.max(8, pen.width - lead - last - 4);
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const at = (value: number) => (high === low ? 0 : Math.round(((value - low) / (high - low)) * (room - 1)));
  const bar = (from: number, to: number) => {
    const [left, right] = [Math.min(at(from), at(to)), Math.max(at(from), at(to))];
    const full = pen.pick("█", "#").repeat(Math.max(1, right - left));
    return `${" ".repeat(left)}${pen.series(to < from ? 0 : 1, full)}${" ".repeat(Math.max(0, room - left - Math.max(1, right - left)))}`;
  };
  const [from, to] = formatNumbers([low, high], 4);
  const between = Math.max(0, room - widthOf(from) - widthOf(to));
  return [
    ...lines,
    ...steps.map((step, k) => `${pad(names[k], lead)}  ${bar(step.from, step.to)}  ${pad(notes[k], last, "right")}`),
    pen.quiet(
      `${" ".repeat(lead + 2)}${pen.pick("└", "+")}${pen.pick("─", "-").repeat(room - 2)}${pen.pick("┘", "+")}`,
    ),
    pen.quiet(
      `${" ".repeat(lead + 2)}${from}${pad(cut(pen.safe(chart.value), between, dots), between, "centre")}${to}`,
    ),
  ];
}
