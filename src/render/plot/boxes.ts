import type { Box, BoxesChart } from "../../core/chart.ts";
import { axisFor } from "../../core/marks.ts";
import { boxesSize } from "../../core/vega-boxes.ts";
import { formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap } from "../words.ts";
import { type Scale, scaleOf } from "./scale.ts";

const mostBoxes = 40;

/** A line for each box: whiskers, the box with its median, what lies beyond; the median and how many behind it. */
export function boxesLines(chart: BoxesChart, pen: Pen): string[] {
  const size = wrap(boxesSize(chart), pen.width).map(pen.quiet);
  if (chart.boxes.length === 0) return [...size, pen.quiet("(nothing to draw)")];
  const shown = chart.boxes.slice(0, mostBoxes);
  const y = scaleOf(
    axisFor(
      chart.y,
      shown.map(({ low, high, outliers }) => [low, high, ...outliers]),
    ),
    pen,
  );
  const dots = pen.pick("…", "..");
  const most = Math.max(6, Math.floor(pen.width * 0.3));
  const names = shown.map(({ name }) => cut(pen.safe(name) || (chart.x.title ? "(empty)" : ""), most, dots));
  const labels = Math.max(...names.map(widthOf));
  const medians = formatNumbers(
    shown.map(({ median }) => median),
    4,
  );
  const notes = Math.max(...medians.map(widthOf), "median".length);
  const counts = shown.map(({ n }) => n.toLocaleString("en-US"));
  const last = Math.max(...counts.map(widthOf), 1);
  const lead = labels > 0 ? labels + 2 : 0;
  // Where there is no room for numbers, the boxes alone remain.
  const isNarrow = pen.width - lead - notes - last - 4 < 8;
  const room = isNarrow ? Math.max(4, pen.width - lead) : pen.width - lead - notes - last - 4;
  const line = (name: string, picture: string, note: string, count: string) =>
    isNarrow
      ? `${lead > 0 ? `${pad(name, labels)}  ` : ""}${picture}`
      : `${lead > 0 ? `${pad(name, labels)}  ` : ""}${picture}  ${pad(note, notes, "right")}  ${pad(count, last, "right")}`;
  const [from, to] = y.labels([y.min, y.max]);
  const title = cut(pen.safe(chart.y.title), Math.max(1, room - widthOf(from) - widthOf(to) - 2), dots);
  const between = Math.max(0, room - widthOf(from) - widthOf(to));
  const left = chart.boxes.length - shown.length;
  return [
    pen.quiet(cut(line(cut(pen.safe(chart.x.title), labels, dots), " ".repeat(room), "median", "n"), pen.width)),
    ...shown.map((box, k) => line(names[k], drawn(box, y, room, pen), medians[k], counts[k])),
    pen.quiet(`${" ".repeat(lead)}${pen.pick("└", "+")}${pen.pick("─", "-").repeat(room - 2)}${pen.pick("┘", "+")}`),
    pen.quiet(cut(`${" ".repeat(lead)}${from}${pad(title, between, "centre")}${to}`, pen.width)),
    ...(left > 0 ? [pen.quiet(`${pen.pick("…", "...")} and ${left} more boxes`)] : []),
  ];
}

function drawn({ low, q1, median, q3, high, outliers }: Box, y: Scale, room: number, pen: Pen): string {
  const at = (value: number) => Math.max(0, Math.min(room - 1, Math.round(y.place(value) * (room - 1))));
  const letters = new Array<string>(room).fill(" ");
  for (const value of outliers) letters[at(value)] = pen.pick("∘", "o");
  for (let k = at(low); k <= at(high); k++) letters[k] = pen.pick("─", "-");
  letters[at(low)] = pen.pick("├", "|");
  letters[at(high)] = pen.pick("┤", "|");
  for (let k = at(q1); k <= at(q3); k++) letters[k] = pen.pick("▒", "=");
  letters[at(median)] = pen.pick("┃", "#");
  return pen.series(0, letters.join(""));
}
