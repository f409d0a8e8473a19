import type { Ingested } from "./tables.ts";

/** Endings of files that are taken for pictures. */
export const pictureEnding = /\.(?:jpe?g|png|gif|webp|tiff?|avif|bmp|svg|heic)$/i;

/** How an archive of pictures is read. */
export interface ImageOptions {
  /** Labels are folder names, or columns of a CSV file. */
  readonly method: "img_class_folder" | "img_csv";
  /** The folder of the pictures, from the archive's root. */
  readonly imagesPath?: string | undefined;
  readonly classMode?: "binary" | "categorical" | "sparse" | "input" | "raw" | undefined;
  /** Rows and columns of each picture's tensor. */
  readonly targetSize: readonly [number, number];
  /** Values from 0 to 1 in place of 0 to 255. */
  readonly rescale: boolean;
  readonly csvPath?: string | undefined;
  readonly fileColumn?: string | undefined;
  readonly yColumns?: readonly string[] | undefined;
}

/** Pictures that were read, with the columns that are features and targets. */
export interface IngestedImages extends Ingested {
  readonly x: readonly string[];
  readonly y: readonly string[];
}
