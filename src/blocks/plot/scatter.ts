import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { pictureArgs, pictured, pictureView, xScale, yScale } from "./picture.ts";
import { plotValue } from "./plot-operands.ts";
import { pointsChart } from "./plots.ts";

/**
 * DP_SCP. Draws points: yvalue against xvalue.
 *
 * At most 5,000 points are drawn; of more, a sample that is the same each time.
 */
export const scatter = defineBlock({
  code: "DP_SCP",
  name: "scatter",
  source: "optional",
  args: {
    /** A column, a variable such as "x_train", a URL, or an array (default: the numeric features). */
    xvalue: plotValue().optional(),
    /** A column, a variable such as "y_train", a URL, or an array (default: the target). */
    yvalue: plotValue().optional(),
    /** A column that tells the points apart by colour. */
    color: columnRef().optional(),
    /** One small picture per series (default false). */
    is_grid: z.boolean().default(false),
    ...xScale,
    ...yScale,
    ...pictureArgs,
  },
  aliases: { x: "xvalue", y: "yvalue", grid: "is_grid" },
  positional: ["xvalue", "yvalue"],
  files: ["xvalue", "yvalue"],
  example: 'session.input("sample:penguins").scatter("bill_length_mm", "bill_depth_mm", { color: "species" })',
  async run(frame, args, context) {
    const chart = await pointsChart("points", frame, args, context);
    return pictured(frame, chart, args);
  },
  view: pictureView,
});
