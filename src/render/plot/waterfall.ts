import type { WaterfallChart } from "../../core/chart.ts";
import { falls, waterfallSize } from "../../core/vega-waterfall.ts";
import { formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { wrap } from "../words.ts";
import { stripLines } from "./strips.ts";

/** A line for each step: a bar from where the one before ended, and what it adds. */
export function waterfallLines(chart: WaterfallChart, pen: Pen): string[] {
  const lines = wrap(waterfallSize(chart), pen.width).map(pen.quiet);
  const steps = falls(chart);
  if (steps.length === 0) return [...lines, pen.quiet("(nothing to draw)")];
  const numbers = formatNumbers(
    steps.map(({ value }) => value),
    4,
  );
  const notes = numbers.map((note, k) => (steps[k].value > 0 ? `+${note}` : note));
  const ends = steps.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const bar = (from: number, to: number, room: number) => {
    const at = (value: number) => (high === low ? 0 : Math.round(((value - low) / (high - low)) * (room - 1)));
    const [left, right] = [Math.min(at(from), at(to)), Math.max(at(from), at(to))];
    const full = pen.pick("█", "#").repeat(Math.max(1, right - left));
    return `${" ".repeat(left)}${pen.series(to < from ? 0 : 1, full)}${" ".repeat(Math.max(0, room - left - Math.max(1, right - left)))}`;
  };
  const names = steps.map(({ name }) => name);
  const strips = { names, most: 0.45, notes, ends: [low, high], digits: 4, title: chart.value } as const;
  return [...lines, ...stripLines(strips, pen, (k, room) => bar(steps[k].from, steps[k].to, room))];
}
