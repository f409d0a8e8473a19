import { z } from "zod";
import { columnRef, defineBlock } from "../../core/block.ts";
import { drawnBars, orders } from "./bar-values.ts";
import { lineAggregates } from "./line-values.ts";
import { pictureArgs, pictureColumn, pictureView, yScale } from "./picture.ts";

const aggregates = lineAggregates.filter((each) => each !== "none");

/**
 * BL_BAR. Draws a bar for each value of a column: how many rows have it, or a number of their y.
 *
 * Without y rows are counted; with y the mean is drawn, or the aggregate that is asked for. Bars stand in the order of x,
 * numbers ascending and texts by code point. Of more than 50 values the greatest bars are drawn, all others as "other".
 * `output` holds `bars: [{x, value}]`, with `color` and `facet` where they are asked for. Rows without x or y are left
 * out, and counted in a notice.
 */
export const bar = defineBlock({
  code: "BL_BAR",
  name: "bar",
  args: {
    /** The column whose values have a bar each. */
    x: columnRef(),
    /** The column whose numbers the bars show (default: rows are counted). */
    y: columnRef().optional(),
    /** What a bar shows of the numbers of its rows (default: how many rows, with y their mean). */
    aggregate: z.literal(aggregates).optional(),
    /** A column that parts each bar by colour. */
    color: columnRef().optional(),
    /** Do the colours of a bar stand on each other? (default: yes for counts and sums, else side by side) */
    stack: z.boolean().optional(),
    /** How many bars are drawn, the greatest ones, 1 to 1000; all others become one, "other" (default: 50 where there are more). */
    top: z.int().min(1).max(1000).optional(),
    /** Bars that lie, for long names (default false). */
    horizontal: z.boolean().default(false),
    /** The order of the bars: by x or by their length y, "-" for descending (default "x"). */
    sort: z.literal(orders).default("x"),
    ...yScale,
    ...pictureArgs,
  },
  positional: ["x", "y"],
  example: 'session.input("sample:penguins").bar("species", "body_mass_g", { aggregate: "mean" })',
  async run(frame, args, context) {
    const x = pictureColumn(frame, args.x, "x", context);
    const y = args.y === undefined ? null : pictureColumn(frame, args.y, "y", context);
    return await drawnBars(frame, x, y, args, context);
  },
  view: pictureView,
});
