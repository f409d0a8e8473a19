import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Chart, PointsChart } from "../../core/chart.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { chartOutput, mostMarks, type PlotValue, plotValue, pointsChart } from "../plots.ts";

/**
 * DP_CSP. Draws two sets of points on the same axes: yvalue against xvalue, and bvalue against avalue.
 *
 * With one of avalue and bvalue left out, the first set's own values stand in for it. At most 5,000 points are drawn.
 */
export const compareScatter = defineBlock({
  code: "DP_CSP",
  name: "compareScatter",
  source: "optional",
  args: {
    /** X of the first set: a column, a variable such as "x_test", a URL, or an array. */
    xvalue: plotValue(),
    /** Y of the first set: a column, a variable such as "y_test", a URL, or an array. */
    yvalue: plotValue(),
    /** X of the second set (default: xvalue). */
    avalue: plotValue().optional(),
    /** Y of the second set (default: yvalue). */
    bvalue: plotValue().optional(),
    /** One small picture per set (default false). */
    is_grid: z.boolean().default(false),
  },
  aliases: { x: "xvalue", y: "yvalue", a: "avalue", b: "bvalue", grid: "is_grid" },
  positional: ["xvalue", "yvalue", "avalue", "bvalue"],
  example: 'session.input("sample:iris").compareScatter("sepal_length", "sepal_width", "petal_length", "petal_width")',
  async run(frame, args, context) {
    const { xvalue, yvalue, avalue, bvalue, is_grid } = args;
    const isCompared = avalue !== undefined || bvalue !== undefined;
    const first = await oneSet(frame, xvalue, yvalue, is_grid, isCompared, context);
    const chart = isCompared
      ? compared(first, await oneSet(frame, avalue ?? xvalue, bvalue ?? yvalue, is_grid, true, context))
      : first;
    return { frame, output: chartOutput(chart), report: { chart } };
  },
  view({ report }) {
    return { kind: "chart", chart: (report as { chart: Chart }).chart };
  },
});

async function oneSet(
  frame: Frame,
  xvalue: PlotValue,
  yvalue: PlotValue,
  is_grid: boolean,
  isHalf: boolean,
  context: BlockContext,
): Promise<PointsChart> {
  return await pointsChart("points", frame, { xvalue, yvalue, is_grid }, context, isHalf ? mostMarks / 2 : mostMarks);
}

function compared(first: PointsChart, second: PointsChart): PointsChart {
  if (first.x.type !== second.x.type || first.y.type !== second.y.type) {
    throw new ArgsError(
      `compareScatter (DP_CSP): both sets must have axes of one kind; ${first.title} has ${first.x.type} and ${first.y.type}, ${second.title} has ${second.x.type} and ${second.y.type}.`,
      { path: "avalue" },
    );
  }
  const marks = ({ series, sampledFrom }: PointsChart) =>
    sampledFrom ?? series.reduce((sum, { x }) => sum + x.length, 0);
  const isSampled = first.sampledFrom !== undefined || second.sampledFrom !== undefined;
  const name = (a: string, b: string) => (a === b ? a : `${a}, ${b}`);
  // Two sets of one name, such as arrays that came with the request, are told apart by their letters.
  const [one, two] = first.title === second.title ? ["x, y", "a, b"] : [first.title, second.title];
  return {
    ...first,
    title: name(first.title, second.title),
    x: { ...first.x, title: name(first.x.title, second.x.title) },
    y: { ...first.y, title: name(first.y.title, second.y.title) },
    series: [
      ...first.series.map((series) => ({ ...series, name: one })),
      ...second.series.map((series) => ({ ...series, name: two })),
    ],
    colour: "set",
    ...(isSampled ? { sampledFrom: marks(first) + marks(second) } : {}),
  };
}
