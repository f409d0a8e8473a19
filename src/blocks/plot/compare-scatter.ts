import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { PanelsChart, PointsChart } from "../../core/chart.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { quoted } from "../../core/names.ts";
import { onCommonAxes } from "../../core/panels.ts";
import { pictureArgs, pictured, pictureView, xScale, yScale } from "./picture.ts";
import { mostMarks, type PlotValue, plotValue } from "./plot-operands.ts";
import { type PointsArgs, pointsChart } from "./plots.ts";

/**
 * DP_CSP. Draws two sets of points on the same axes: yvalue against xvalue, and bvalue against avalue.
 *
 * With one of avalue and bvalue left out, the first set's own values stand in for it. With nothing given, training rows
 * are compared with test rows once there is a split. At most 5,000 points are drawn.
 */
export const compareScatter = defineBlock({
  code: "DP_CSP",
  name: "compareScatter",
  source: "optional",
  args: {
    /** X of the first set: a column, a variable such as "x_train", a URL, or an array (default: the numeric features). */
    xvalue: plotValue().optional(),
    /** Y of the first set: a column, a variable such as "y_train", a URL, or an array (default: the target). */
    yvalue: plotValue().optional(),
    /** X of the second set (default: xvalue). */
    avalue: plotValue().optional(),
    /** Y of the second set (default: yvalue). */
    bvalue: plotValue().optional(),
    /** One small picture per set (default false). */
    is_grid: z.boolean().default(false),
    ...xScale,
    ...yScale,
    ...pictureArgs,
  },
  aliases: { x: "xvalue", y: "yvalue", a: "avalue", b: "bvalue", grid: "is_grid" },
  positional: ["xvalue", "yvalue", "avalue", "bvalue"],
  files: ["xvalue", "yvalue", "avalue", "bvalue"],
  example: 'session.input("sample:iris").compareScatter("sepal_length", "sepal_width", "petal_length", "petal_width")',
  async run(frame, args, context) {
    const { xvalue, yvalue, avalue, bvalue } = isNothing(args) && frame.split && frame.y?.length ? halves : args;
    const { facet, x_scale, y_scale } = args;
    const asked = { facet, x_scale, y_scale, is_grid: false };
    if (facet !== undefined && args.is_grid)
      throw new ArgsError("facet and is_grid both make small pictures; give one of them.", { path: "facet" });
    const chart =
      avalue === undefined && bvalue === undefined
        ? await pointsChart("points", frame, { xvalue, yvalue, ...asked }, context)
        : comparedPanels(
            await half(frame, { xvalue, yvalue, ...asked }, context),
            await half(frame, { xvalue: avalue ?? xvalue, yvalue: bvalue ?? yvalue, ...asked }, context),
          );
    const shown = args.is_grid && chart.kind !== "panels" ? { ...chart, grid: true } : chart;
    return pictured(frame, shown, args);
  },
  view: pictureView,
});

interface Sets {
  readonly xvalue?: PlotValue | undefined;
  readonly yvalue?: PlotValue | undefined;
  readonly avalue?: PlotValue | undefined;
  readonly bvalue?: PlotValue | undefined;
}

const halves: Sets = { xvalue: "x_train", yvalue: "y_train", avalue: "x_test", bvalue: "y_test" };

function isNothing({ xvalue, yvalue, avalue, bvalue }: Sets): boolean {
  return [xvalue, yvalue, avalue, bvalue].every((each) => each === undefined);
}

/** One of the sets, with what to call it. */
interface Half<Kind = PointsChart | PanelsChart> {
  readonly chart: Kind;
  /** "train" or "test", where both values are of that subset. */
  readonly subset: string | null;
}

async function half(frame: Frame, asked: PointsArgs, context: BlockContext): Promise<Half> {
  const chart = await pointsChart("points", frame, asked, context, mostMarks / 2);
  const [x, y] = [asked.xvalue, asked.yvalue].map(
    (each) => /^[xy]_(train|test)(?:_url)?$/.exec(String(each))?.[1] ?? null,
  );
  return { chart, subset: x === y ? x : null };
}

/** Both sets in one picture, or in a picture for each part of a facet. */
function comparedPanels(one: Half, two: Half): PointsChart | PanelsChart {
  const [first, second] = [one.chart, two.chart];
  if (first.kind !== "panels" || second.kind !== "panels") {
    // Either both are panels or none is: they were asked for the same facet.
    return compared(one as Half<PointsChart>, two as Half<PointsChart>);
  }
  const names = [...new Set([...first.panels, ...second.panels].map(({ name }) => name))];
  const of = ({ panels }: PanelsChart, name: string): PointsChart => {
    const found = panels.find((panel) => panel.name === name) ?? panels[0];
    // The panels of pointsChart are pictures of points.
    const chart = found.chart as PointsChart;
    return found.name === name ? chart : { ...chart, series: [] };
  };
  const panels = names.map((name) => ({
    name,
    chart: compared({ ...one, chart: of(first, name) }, { ...two, chart: of(second, name) }),
  }));
  const [chart] = panels.map((panel) => panel.chart);
  return { ...first, title: `${chart.title} by ${first.by}`, panels: onCommonAxes(panels) };
}

function compared(one: Half<PointsChart>, two: Half<PointsChart>): PointsChart {
  const [first, second] = [one.chart, two.chart];
  if (first.x.type !== second.x.type || first.y.type !== second.y.type) {
    throw new ArgsError(
      `compareScatter (DP_CSP): both sets must have axes of one kind; ${quoted(first.title)} has ${first.x.type} and ${first.y.type}, ${quoted(second.title)} has ${second.x.type} and ${second.y.type}.`,
      { path: "avalue" },
    );
  }
  const marks = ({ series, sampledFrom }: PointsChart) =>
    sampledFrom ?? series.reduce((sum, { x }) => sum + x.length, 0);
  const isSampled = first.sampledFrom !== undefined || second.sampledFrom !== undefined;
  const name = (a: string, b: string) => (a === b ? a : `${a}, ${b}`);
  return {
    ...first,
    title: name(first.title, second.title),
    x: { ...first.x, title: name(first.x.title, second.x.title) },
    y: { ...first.y, title: name(first.y.title, second.y.title) },
    series: [...named(one, setName(one, two, "x, y")), ...named(two, setName(two, one, "a, b"))],
    colour: "set",
    ...(isSampled ? { sampledFrom: marks(first) + marks(second) } : {}),
  };
}

/** Sets of one name, such as arrays that came with the request, are told apart by their letters. */
function setName(set: Half<PointsChart>, other: Half<PointsChart>, letters: string): string {
  if (set.subset !== null && set.subset !== other.subset) return set.subset;
  return set.chart.title === other.chart.title ? letters : set.chart.title;
}

function named({ chart: { series } }: Half<PointsChart>, name: string): PointsChart["series"] {
  if (series.length === 1) return [{ ...series[0], name }];
  return series.map((each) => ({ ...each, name: `${name}: ${each.name}` }));
}
