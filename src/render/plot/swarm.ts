import type { SwarmChart } from "../../core/chart.ts";
import { swarmEnds, swarmSize } from "../../core/vega-swarm.ts";
import { formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { wrap } from "../words.ts";
import { stripLines } from "./strips.ts";

const heights = "▁▂▃▄▅▆▇█";
const digits = "12345678";

/** A line for each column: where its points lie, each place as high as their cells are among the column's. */
export function swarmLines(chart: SwarmChart, pen: Pen): string[] {
  const letters = pen.pick(heights, digits);
  const other = pen.pick("●", "o");
  const told = `${swarmSize(chart)}; ${letters[0]} where cells are low, ${letters.at(-1)} where they are high, ${other} where they have no order`;
  const lines = wrap(told, pen.width).map(pen.quiet);
  const { swarms } = chart;
  if (swarms.length === 0) return [...lines, pen.quiet("(nothing to draw)")];
  const [low, high] = swarmEnds(chart);
  const notes = formatNumbers(
    swarms.map(({ size }) => size),
    3,
  );
  const strip = ({ x, shade }: SwarmChart["swarms"][number], room: number) => {
    const at = (value: number) => Math.min(room - 1, Math.floor(((value - low) / (high - low)) * room));
    const sums = new Float64Array(room);
    const counts = new Int32Array(room);
    const cells = new Array<string>(room).fill(" ");
    cells[at(0)] = pen.pick("│", "|");
    for (const [i, value] of x.entries()) {
      const place = at(value);
      const own = shade[i];
      if (own === null) cells[place] = counts[place] > 0 ? cells[place] : other;
      else {
        sums[place] += own;
        counts[place]++;
        cells[place] = letters[Math.min(7, Math.floor((sums[place] / counts[place]) * 8))];
      }
    }
    return pen.series(0, cells.join(""));
  };
  const names = swarms.map(({ name }) => name);
  const strips = {
    names,
    most: 0.3,
    notes,
    noteTitle: chart.size,
    ends: [low, high],
    digits: 3,
    title: chart.value,
  } as const;
  return [...lines, ...stripLines(strips, pen, (k, room) => strip(swarms[k], room))];
}
