import type { View } from "../core/view.ts";
import type { Graphics } from "./graphics-kinds.ts";
import type { TextOptions } from "./pen.ts";
import { toPng } from "./picture.ts";
import { toSixel } from "./sixel.ts";
import { toLines, toText } from "./text.ts";

/** How pictures go to the terminal at hand. */
export interface Pictures {
  readonly graphics: Graphics;
  /** The terminal's own pixels to each of its columns (default 10); sixels are drawn by them. */
  readonly columnPixels?: number;
}

/** Pixels of a picture to each column of the terminal; a letter is about half as wide as it is high. */
const columnPixels = 9;

/** A terminal that doesn't tell its pixels takes sixels as if its letters were a VT340's, 10 pixels wide. */
const vt340Pixels = 10;

const pngScale = 2;

/** Kitty takes a picture in pieces of at most this many letters. */
const pieceLength = 4096;

/**
 * A view as lines for a terminal that shows pictures: each chart and image is one, the rest is text.
 *
 * A chart that can't be drawn comes as text.
 */
export async function toPictureLines(view: View, options: TextOptions, pictures: Pictures): Promise<string[]> {
  if (view.kind === "stack") {
    const parts: string[][] = [];
    for (const part of view.views) parts.push(await toPictureLines(part, options, pictures));
    return parts.filter((lines) => lines.length > 0).flatMap((lines, k) => (k === 0 ? lines : ["", ...lines]));
  }
  if (view.kind === "images") return await imageLines(view, options, pictures);
  if (view.kind !== "chart") return toLines(view, options);
  try {
    const { png, width } = await toPng(view.chart, pngScale);
    return [await drawn(Buffer.from(png).toString("base64"), columnsOf(width / pngScale, options.width), pictures)];
  } catch {
    return toLines(view, options);
  }
}

async function imageLines(
  view: Extract<View, { kind: "images" }>,
  options: TextOptions,
  pictures: Pictures,
): Promise<string[]> {
  const lines: string[] = [];
  for (const { png, width, label } of view.items) {
    lines.push(await drawn(png, columnsOf(width, options.width), pictures));
    if (label !== "") lines.push(toText({ kind: "text", text: label, tone: "quiet" }, options));
  }
  const rest = (view.total ?? 0) - view.items.length;
  return rest > 0 ? [...lines, `and ${rest.toLocaleString("en-US")} more`] : lines;
}

function columnsOf(pixels: number, most: number): number {
  return Math.max(1, Math.min(Math.ceil(pixels / columnPixels), most));
}

/** The escape codes that show a PNG (in base64) over so many columns. */
async function drawn(
  png: string,
  columns: number,
  { graphics, columnPixels = vt340Pixels }: Pictures,
): Promise<string> {
  if (graphics !== "sixel") return inline(png, columns, graphics);
  return await toSixel(Buffer.from(png, "base64"), columns * columnPixels);
}

/**
 * The escape codes that show a PNG (in base64) over so many columns, where the terminal draws PNGs itself.
 *
 * Kitty's protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol; `q=2` keeps the terminal from answering.
 * iTerm2's: https://iterm2.com/documentation-images.html.
 */
export function inline(png: string, columns: number, graphics: "kitty" | "iterm"): string {
  if (graphics === "iterm") {
    const size = Buffer.byteLength(png, "base64");
    return `\u001b]1337;File=inline=1;size=${size};width=${columns};preserveAspectRatio=1:${png}\u0007`;
  }
  const pieces = png.match(new RegExp(`.{1,${pieceLength}}`, "g")) ?? [""];
  return pieces
    .map((piece, k) => {
      const head = k === 0 ? `a=T,f=100,q=2,c=${columns},` : "";
      return `\u001b_G${head}m=${k < pieces.length - 1 ? 1 : 0};${piece}\u001b\\`;
    })
    .join("");
}
