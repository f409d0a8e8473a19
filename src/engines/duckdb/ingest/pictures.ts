import { readFile, stat } from "node:fs/promises";
import type { SharpOptions } from "sharp";
import { DataError, messageOf } from "../../../core/errors.ts";
import { quoted } from "../../../core/names.ts";
import type { SourceFile } from "../../../core/tables.ts";

/** The most pixels a picture may have before it is scaled. */
const mostPixels = 100_000_000;

/** The most bytes of an encoded picture. */
export const mostPictureBytes = 64 * 2 ** 20;

/** How the kinds of pictures begin that are decoded; others, such as SVG, can refer to other files. */
const signatures: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["jpeg", /^\xff\xd8\xff/],
  ["png", /^\x89PNG\r\n\x1a\n/],
  ["gif", /^GIF8/],
  ["webp", /^RIFF[\s\S]{4}WEBP/],
  ["tiff", /^(?:II\*\0|MM\0\*)/],
  ["avif", /^[\s\S]{4}ftyp(?:avif|avis|mif1)/],
];

/** A picture that has too many pixels is an attack, or a mistake, and never just skipped. */
export class TooManyPixels extends DataError {}

/** What is wrong with a picture, as the end of a sentence. */
export class BadPicture extends Error {}

/**
 * Decodes a picture to RGB pixels, row by row, stretched to the target size.
 *
 * Turned upright as its EXIF data says; transparency over white; the first page of several. Values are 0 to 255,
 * or 0 to 1 with `rescale`. Already of the target's size, its pixels are exact; else Lanczos' filter scales them.
 */
export async function decodePicture(
  bytes: Buffer,
  name: string,
  [rows, columns]: readonly [number, number],
  rescale: boolean,
): Promise<Float32Array> {
  const head = bytes.subarray(0, 16).toString("latin1");
  if (bytes.length === 0) throw new BadPicture("is empty");
  if (!signatures.some(([, pattern]) => pattern.test(head))) {
    throw new BadPicture(`is no picture of a known kind (${signatures.map(([kind]) => kind).join(", ")})`);
  }
  const { default: sharp } = await import("sharp");
  // Pictures are decoded side by side; threads within each would take longer than a small one.
  sharp.concurrency(1);
  const options: SharpOptions = { limitInputPixels: mostPixels, pages: 1, failOn: "warning" };
  try {
    const { data, info } = await sharp(bytes, options)
      .autoOrient()
      .flatten({ background: "#fff" })
      .toColourspace("srgb")
      .resize({ width: columns, height: rows, fit: "fill" })
      .removeAlpha()
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new BadPicture(`has ${info.channels} channels`);
    const divisor = rescale ? 255 : 1;
    const pixels = new Float32Array(data.length);
    for (let i = 0; i < data.length; i++) pixels[i] = data[i] / divisor;
    return pixels;
  } catch (error) {
    if (error instanceof TooManyPixels || error instanceof BadPicture) throw error;
    const reason = messageOf(error);
    if (/exceeds pixel limit/i.test(reason)) throw await tooManyPixels(bytes, name);
    throw new BadPicture(
      `can't be decoded (${reason
        .replace(/\s+/g, " ")
        .replace(/(?<![.\s])[.\s]+$/, "")
        .slice(0, 120)})`,
    );
  }
}

/** Only the header is read, so that the size can be named. */
async function tooManyPixels(bytes: Buffer, name: string): Promise<TooManyPixels> {
  const { default: sharp } = await import("sharp");
  const { width, height } = await sharp(bytes, { limitInputPixels: false, pages: 1 }).metadata();
  return new TooManyPixels(
    `${quoted(name)} has ${width.toLocaleString("en-US")} × ${height.toLocaleString("en-US")} pixels, more than the ${mostPixels / 1e6} million that are decoded.`,
    { code: "too_many_pixels", got: width * height, expected: mostPixels },
  );
}

/** Decodes the picture in a file; one that can't be is refused. */
export async function readPicture(
  source: SourceFile,
  size: readonly [number, number],
  rescale: boolean,
): Promise<Float32Array> {
  const { size: bytes } = await stat(source.path);
  const refuse = (what: string) => new DataError(`${quoted(source.name)} ${what}.`, { code: "bad_picture" });
  if (bytes > mostPictureBytes)
    throw refuse(`is larger than ${mostPictureBytes / 2 ** 20} MB, the most a picture may have`);
  try {
    return await decodePicture(await readFile(source.path), source.name, size, rescale);
  } catch (error) {
    throw error instanceof BadPicture ? refuse(error.message) : error;
  }
}

/** A tensor of pixels as a PNG no larger than `most` pixels on a side; values are stretched when they lie outside 0 to 255. */
export async function thumbnail(
  pixels: Float32Array,
  [rows, columns, channels]: readonly number[],
  most: number,
): Promise<{ png: Uint8Array; width: number; height: number }> {
  const { default: sharp } = await import("sharp");
  const least = pixels.reduce((min, value) => Math.min(min, value), 0);
  const largest = pixels.reduce((max, value) => Math.max(max, value), least < 0 ? -Infinity : 0);
  const top = least >= 0 && largest <= 1 ? 1 : Math.max(255, largest);
  const [from, span] = least < 0 ? [least, largest - least || 1] : [0, top];
  const bytes = Uint8Array.from(pixels, (value) => Math.round((255 * (value - from)) / span));
  const scale = Math.min(1, most / Math.max(rows, columns));
  const [width, height] = [Math.max(1, Math.round(columns * scale)), Math.max(1, Math.round(rows * scale))];
  const raw = { width: columns, height: rows, channels: channels as 1 | 3 };
  const png = await sharp(bytes, { raw }).resize({ width, height, fit: "fill" }).png().toBuffer();
  return { png, width, height };
}
