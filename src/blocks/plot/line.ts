import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { lineAggregates } from "./line-values.ts";
import { pictureArgs, pictured, pictureView, xScale, yScale } from "./picture.ts";
import { plotValue } from "./plot-operands.ts";
import { pointsChart } from "./plots.ts";

/**
 * DP_ORD. Draws a line: yvalue along xvalue, in the order of xvalue.
 *
 * Where several rows have the same x, a number stands for them, such as their mean: joined row by row they would be a saw.
 * At most 5,000 marks are drawn; of more, the least and the greatest value of each stretch of x.
 */
export const line = defineBlock({
  code: "DP_ORD",
  name: "line",
  source: "optional",
  args: {
    /** A column, a variable such as "x_train", a URL, or an array (default: the numeric features). */
    xvalue: plotValue().optional(),
    /** A column, a variable such as "y_train", a URL, or an array (default: the target). */
    yvalue: plotValue().optional(),
    /** A column that tells several lines apart by colour. */
    color: columnRef().optional(),
    /** What is drawn where several rows have the same x (default: their mean where they do, told in a notice). */
    aggregate: z.literal(lineAggregates).optional(),
    /** One small picture per series (default false). */
    is_grid: z.boolean().default(false),
    ...xScale,
    ...yScale,
    ...pictureArgs,
  },
  aliases: { x: "xvalue", y: "yvalue", grid: "is_grid" },
  positional: ["xvalue", "yvalue"],
  files: ["xvalue", "yvalue"],
  example: 'session.input("sample:weather").line("date", "temp_max")',
  async run(frame, args, context) {
    const chart = await pointsChart("lines", frame, args, context);
    return pictured(frame, chart, args);
  },
  view: pictureView,
});
