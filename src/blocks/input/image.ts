import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { type Column, sourceFrame } from "../../core/frame.ts";
import { stack, text } from "../../core/view.ts";
import { sizeOf } from "./pictures.ts";

/**
 * DP_ITN. Turns one picture into an array of rows × columns × 3 colours.
 *
 * The table has one row with one tensor column, `image`. The picture is turned upright, transparency becomes white,
 * and it is stretched to the target size. jpeg, png, gif, webp, tiff and avif of up to 100 million pixels are read.
 */
export const image = defineBlock({
  code: "DP_ITN",
  name: "image",
  source: "optional",
  args: {
    /** A path, an http(s) URL, or a sample. */
    image_url: z.string(),
    /** Pixels of the array as [length, width], that is rows and columns, each 1 to 4096. */
    target_size: z.array(z.int()),
    /** Whether values go from 0 to 1 in place of 0 to 255 (default true). */
    rescale: z.boolean().default(true),
  },
  tolerates: { targe_size: "target_size" },
  positional: ["image_url"],
  files: ["image_url"],
  example: 'session.image("sample:triangle", { target_size: [64, 64] })',
  async run(_frame, args, context) {
    const size = sizeOf(args.target_size, "image (DP_ITN)", "a picture");
    const source = await context.open(args.image_url);
    try {
      const pixels = await context.tables.picture(source, size, args.rescale);
      const column: Column = { name: "image", type: "tensor", shape: [...size, 3] };
      const artifact = await context.tables.writeColumns([{ column, values: [pixels] }]);
      return { frame: sourceFrame(artifact, [column], 1), report: { source: source.name } };
    } finally {
      await source.release();
    }
  },
  async view({ after, report }, read) {
    const { source } = report as { source: string };
    const words = `${source} as an array of ${after.columns[0].shape?.join(" × ")}.`;
    return stack(text(words), await read.head(after), await read.pictures(after, "image", []));
  },
});
