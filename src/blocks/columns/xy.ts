import { defineBlock, slice } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { listed } from "../../core/names.ts";
import { assignRoles } from "../../core/roles.ts";
import { stack, text } from "../../core/view.ts";
import { explainXy } from "../prepare/explain.ts";

/**
 * DP_FSP. Says which columns are features (X) and which are targets (Y).
 *
 * With only Y given, X is all other columns. A row part, as in ":100, 0:3", keeps those rows alone.
 */
export const xy = defineBlock({
  code: "DP_FSP",
  name: "xy",
  args: {
    /** Feature columns: a slice such as ":, :-1", a name, or a list of names (default: all but Y). */
    x_boundaries: slice().optional(),
    /** Target columns: a slice such as ":, -1", a name, or a list of names (default: none). */
    y_boundaries: slice().optional(),
  },
  aliases: { x: "x_boundaries", y: "y_boundaries" },
  example: 'session.input("sample:penguins").xy({ y: "species" })',
  explain: explainXy,
  async run(frame, args, context) {
    if (args.x_boundaries === undefined && args.y_boundaries === undefined) {
      throw new ArgsError('xy (DP_FSP) needs x_boundaries or y_boundaries, as in xy({ y: "species" }).', {
        path: "y_boundaries",
        expected: "a slice, a name or a list of names",
      });
    }
    if (frame.split) {
      throw new ArgsError("xy (DP_FSP): the rows are split already; assign X and Y before split (DP_4).", {
        hint: "Branch from the block before the split.",
      });
    }
    return { frame: await assignRoles(frame, args, context) };
  },
  async view({ after }, read) {
    const y = after.y?.length ? listed(after.y) : "none";
    return stack(text(`X: ${listed(after.x ?? [])}. Y: ${y}.`), await read.head(after));
  },
});
