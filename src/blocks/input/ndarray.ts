import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { stack, text } from "../../core/view.ts";
import { arrayFrame, nestedArray } from "./arrays.ts";

/**
 * DP_STN. Makes an array of numbers, as numpy's array(scalar, ndmin=dimensions).
 *
 * Axes of length 1 are put before the array's own until it has that many. The first axis is the table's rows, the
 * second its columns; further ones are the shape of one cell. The output is `{shape}`.
 */
export const ndarray = defineBlock({
  code: "DP_STN",
  name: "ndarray",
  source: "optional",
  args: {
    /** The numbers, nested as deep as the array has axes, or JSON of them; null is a missing one. */
    scalar: z.union([z.number(), z.array(z.unknown()).min(1), z.string()]),
    /** How many axes the array has at least, 0 to 32, numpy's ndmin (default 0). */
    dimensions: z.int().min(0).max(32).default(0),
  },
  positional: ["scalar", "dimensions"],
  example: "session.ndarray([1, 2, 3], 2)",
  async run(_frame, args, context) {
    const { shape, data } = nestedArray(args.scalar, "ndarray (DP_STN)", "scalar");
    const before = Array.from({ length: Math.max(0, args.dimensions - shape.length) }, () => 1);
    const whole = [...before, ...shape];
    return { frame: await arrayFrame({ shape: whole, data }, context), output: { shape: whole } };
  },
  async view({ after, output }, read) {
    const { shape } = output as { shape: number[] };
    const words = shape.length === 0 ? "A number without axes." : `An array of ${shape.join(" × ")}.`;
    return stack(text(words), await read.head(after));
  },
});
