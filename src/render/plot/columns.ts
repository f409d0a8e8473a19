import type { ColumnsChart } from "../../core/chart.ts";
import { axisFor } from "../../core/marks.ts";
import { barsIn, columnsSize } from "../../core/vega-columns.ts";
import { formatNumbers } from "../numbers.ts";
import { colourCount, type Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap, wrapNames } from "../words.ts";
import { Canvas } from "./canvas.ts";
import { framed, frameFor } from "./frame.ts";
import { type Scale, scaleOf } from "./scale.ts";

const eighths = ["", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const mostRows = 40;

/** Bars: over bins upright, as a histogram; over categories a line each, with their values. */
export function columnsLines(chart: ColumnsChart, pen: Pen): string[] {
  const size = wrap(columnsSize(chart), pen.width).map(pen.quiet);
  if (barsIn(chart).length === 0) return [...size, pen.quiet("(nothing to draw)")];
  return [...size, ...(chart.edges ? binLines(chart, chart.edges, pen) : categoryLines(chart, pen))];
}

/** A histogram, or one for each series where there are several: what stands on what can't be seen without colour. */
function binLines(chart: ColumnsChart, edges: readonly number[], pen: Pen): string[] {
  const isAlone = chart.series.length === 1;
  const x = scaleOf(axisFor(chart.x, [edges]), pen);
  const heights = chart.series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const base = chart.y.log ? Math.min(...heights.filter((value) => value > 0)) / 2 : 0;
  const y = scaleOf(axisFor(chart.y, [[base, ...heights]]), pen);
  const height = isAlone ? 11 : chart.series.length <= 4 ? 5 : 3;
  const frame = frameFor(y, pen.width, height);
  return chart.series.flatMap((one, k) => {
    const canvas = new Canvas(frame.width, height);
    // What a column of letters shows is the bin in its middle; where bins are narrower, the highest of those in it.
    const shares = Array.from({ length: frame.width }, (_, column) => {
      const [from, to] = [x.at(column / frame.width), x.at((column + 1) / frame.width)];
      const middle = from / 2 + to / 2;
      const within = one.values.filter((_, bin) => {
        const centre = edges[bin] / 2 + edges[bin + 1] / 2;
        return (edges[bin] <= middle && middle < edges[bin + 1]) || (from <= centre && centre < to);
      });
      const most = within.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
      return most > base || (most > 0 && chart.y.log) ? Math.max(0, y.place(most)) : 0;
    });
    drawUpright(canvas, shares, k, pen);
    const picture = framed(canvas.lines(pen, pen.series), frame, x, y, pen);
    if (isAlone && one.name === "") return picture;
    const n = one.values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    return [pen.bold(cut(`${pen.safe(one.name) || "(empty)"} (${n.toLocaleString("en-US")})`, pen.width)), ...picture];
  });
}

/** Fills each column of letters from below to its share of the height; what is there at all has a mark. */
export function drawUpright(canvas: Canvas, shares: readonly number[], k: number, pen: Pen): void {
  shares.forEach((share, column) => {
    if (!(share > 0)) return;
    const steps = Math.max(1, Math.round(share * canvas.height * 8));
    for (let row = 0; row * 8 < steps; row++) {
      const part = Math.min(8, steps - row * 8);
      const letter = pen.unicode ? eighths[part] : part >= 4 ? "#" : row === 0 ? "_" : " ";
      if (letter !== " ") canvas.over(column, canvas.height - 1 - row, letter, k);
    }
  });
}

/** A line for each bar, those of one category below each other; stacked ones behind each other, each in a pattern. */
function categoryLines(chart: ColumnsChart, pen: Pen): string[] {
  const { places, series, isStacked } = chart;
  const bars = barsIn(chart);
  const ends = axisFor(
    chart.y,
    bars.map(({ from, to }) => [from, to]),
  );
  const y = scaleOf(ends, pen, chart.y.log ? [] : [0]);
  const hasSeries = series.length > 1 || series[0].name !== "";
  const rows: { label: string; name: string; note: string; parts: typeof bars }[] = [];
  const words = formatNumbers(
    bars.map(({ value }) => value),
    6,
  );
  places.forEach((place, k) => {
    const own = bars.filter((bar) => bar.place === k);
    const label = pen.safe(place) || "(empty)";
    if (isStacked && hasSeries) {
      const total = own.reduce((sum, { value }) => sum + value, 0);
      rows.push({ label, name: "", note: formatNumbers([total])[0], parts: own });
      return;
    }
    series.forEach((one, s) => {
      const bar = own.find((each) => each.series === s);
      if (!bar && hasSeries) return;
      const name = hasSeries ? pen.safe(one.name) || "(empty)" : "";
      const isFirst = rows.at(-1)?.label !== label && own[0]?.series === s;
      rows.push({
        label: isFirst || !hasSeries ? label : "",
        name,
        note: bar ? words[bars.indexOf(bar)] : pen.pick("·", "null"),
        parts: bar ? [bar] : [],
      });
    });
  });
  const shown = rows.slice(0, mostRows * (hasSeries && !isStacked ? 2 : 1));
  const dots = pen.pick("…", "..");
  const most = Math.max(6, Math.floor(pen.width * 0.3));
  const noteWidth = Math.max(...shown.map(({ note }) => widthOf(note)));
  const spare = pen.width - noteWidth - 5;
  const labelWidth = Math.max(...shown.map(({ label }) => Math.min(most, Math.max(1, spare - 4), widthOf(label))));
  const nameWidth = Math.max(
    ...shown.map(({ name }) => Math.min(Math.floor(most / 2) + 2, Math.max(0, spare - labelWidth), widthOf(name))),
  );
  const room = Math.max(0, spare + 1 - labelWidth - (nameWidth > 0 ? nameWidth + 1 : 0));
  const lines = shown.map(({ label, name, note, parts }) => {
    const head = pad(cut(label, labelWidth, dots), labelWidth);
    const second = nameWidth > 0 ? ` ${pad(cut(name, nameWidth, dots), nameWidth)}` : "";
    return `${head}${second}  ${lying(parts, y, room, isStacked && hasSeries, pen)}  ${pad(note, noteWidth, "right")}`.trimEnd();
  });
  const left = rows.length - shown.length;
  const title = chart.y.title ? [pen.quiet(cut(pen.safe(`${chart.x.title}: ${chart.y.title}`), pen.width, dots))] : [];
  return [
    ...title,
    ...lines,
    ...(isStacked && hasSeries ? legend(chart, pen) : []),
    ...(left > 0 ? [pen.quiet(`${pen.pick("…", "...")} and ${left.toLocaleString("en-US")} more bars`)] : []),
  ];
}

/** What series look like where bars stand on each other, so that they can be told apart without colour. */
function pattern(k: number, pen: Pen): string {
  const patterns = pen.unicode ? "█▒░▓=+o:*%xw" : "#=+o:*%xw-.~";
  return Array.from(patterns)[k % 12];
}

function lying(parts: ReturnType<typeof barsIn>, y: Scale, room: number, isStacked: boolean, pen: Pen): string {
  const letters = new Array<string>(room).fill(" ");
  const zero = Math.round(Math.max(0, Math.min(1, y.axis.log ? 0 : y.place(0))) * room);
  for (const { from, to, series } of parts) {
    const [low, high] = [y.place(Math.min(from, to)), y.place(Math.max(from, to))].map((at) => Math.round(at * room));
    const letter = pen.series(series % colourCount, isStacked ? pattern(series, pen) : pen.pick("█", "#"));
    const start = Math.max(0, to < from ? Math.min(low, zero - 1) : low);
    // What is there at all has a mark.
    const end = Math.max(high, isStacked || to === from ? high : start + 1);
    for (let at = start; at < Math.min(room, end); at++) letters[at] = letter;
  }
  return letters.join("");
}

function legend({ series, colour }: ColumnsChart, pen: Pen): string[] {
  const names = series.map(({ name }, k) => `${pattern(k, pen)} ${cut(pen.safe(name) || "(empty)", 24)}`);
  return wrapNames(colour ? `${cut(pen.safe(colour), 24)}: ` : "", names, pen.width, 4).map(pen.quiet);
}
