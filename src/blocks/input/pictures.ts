import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { ImageOptions, IngestedImages } from "../../core/images.ts";
import type { SourceFile } from "../../core/tables.ts";

/** The most rows and columns that a picture is scaled to. */
const mostSide = 4096;

/** Arguments of a zip of pictures. */
export const pictureArgs = {
  /** Of a zip: "img_class_folder" (folders are the classes) or "img_csv" (a CSV file names pictures and targets). */
  method: z.literal(["img_class_folder", "img_csv"]).optional(),
  /** Of a zip: the folder of the pictures, from the zip's root (default: the root; one folder around all is seen through). */
  images_path: z.string().optional(),
  /** Of a zip: "categorical" (a 0/1 column per class), "sparse" (whole numbers), "binary", "input" (Y = X) or "raw" (default: labels as they are). */
  class_mode: z.literal(["binary", "categorical", "sparse", "input", "raw"]).optional(),
  /** Of a zip: pixels of each picture's tensor as [length, width], that is rows and columns, each 1 to 4096. */
  target_size: z.array(z.int()).optional(),
  /** Of a zip: whether values go from 0 to 1 in place of 0 to 255 (default true). */
  rescale: z.boolean().default(true),
  /** Of a zip of tables: the one to read, from the zip's root (default: the only one). With "img_csv": the CSV file. */
  csv_path: z.string().optional(),
  /** Of a zip with "img_csv": the column with the pictures' file names, without folders. */
  image_files_column: z.string().optional(),
  /** Of a zip with "img_csv": the target columns (default: all other columns). */
  y_columns: z.array(z.string()).optional(),
};

/** The arguments of pictures as the block gets them. */
export type PictureArgs = z.output<z.ZodObject<typeof pictureArgs>>;

/** Reads a zip of pictures. */
export async function readPictures(
  source: SourceFile,
  args: PictureArgs,
  context: BlockContext,
): Promise<IngestedImages> {
  const method = needed("method", args.method, '"img_class_folder" or "img_csv"', 'file_type "zip"');
  const byCsv = method === "img_csv";
  const options: ImageOptions = {
    method,
    imagesPath: args.images_path,
    classMode: args.class_mode,
    targetSize: sizeOf(args.target_size, "input (DP_1)", 'file_type "zip"'),
    rescale: args.rescale,
    csvPath: byCsv
      ? needed("csv_path", args.csv_path, "the CSV file's path in the zip", 'method "img_csv"')
      : undefined,
    fileColumn: byCsv
      ? needed("image_files_column", args.image_files_column, "the column with file names", 'method "img_csv"')
      : undefined,
    yColumns: args.y_columns,
  };
  return await context.tables.images(source, options, (done, total) => context.progress("pictures", done, total));
}

/** A target size that was checked; `who` and `when` say who needs it. */
export function sizeOf(size: readonly number[] | undefined, who: string, when: string): readonly [number, number] {
  const rule = `[length, width] in pixels, each 1 to ${mostSide.toLocaleString("en-US")}`;
  if (size === undefined) {
    const message = `${who} with ${when} needs target_size: ${rule}.`;
    throw new ArgsError(message, { code: "missing_argument", path: "target_size", expected: rule });
  }
  // Keras writes the channels too, which are always three here.
  const [rows, columns, channels = 3] = size;
  const isFit = size.length >= 2 && size.length <= 3 && channels === 3;
  if (isFit && [rows, columns].every((side) => side >= 1 && side <= mostSide)) return [rows, columns];
  throw new ArgsError(`${who}: target_size must be ${rule}, got ${JSON.stringify(size).slice(0, 60)}.`, {
    path: "target_size",
    got: size.slice(0, 10),
    expected: rule,
  });
}

function needed<T extends string>(path: string, value: T | undefined, rule: string, when: string): T {
  if (value !== undefined) return value;
  throw new ArgsError(`input (DP_1) with ${when} needs ${path}: ${rule}.`, {
    code: "missing_argument",
    path,
    expected: rule,
  });
}
