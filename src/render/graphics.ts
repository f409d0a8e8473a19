import type { View } from "../core/view.ts";
import type { TextOptions } from "./pen.ts";
import { toPng } from "./picture.ts";
import { toLines, toText } from "./text.ts";

/** How a terminal takes pictures: kitty's graphics protocol, or iTerm2's inline images. */
export const graphicsKinds = ["kitty", "iterm"] as const;

/** One of the ways in which a terminal takes pictures. */
export type Graphics = (typeof graphicsKinds)[number];

/** Pixels of a picture to each column of the terminal; a letter is about half as wide as it is high. */
const columnPixels = 9;

const pngScale = 2;

/** Kitty takes a picture in pieces of at most this many letters. */
const pieceLength = 4096;

/**
 * A view as lines for a terminal that shows pictures: each chart and image is one, the rest is text.
 *
 * A chart that can't be drawn comes as text.
 */
export async function toPictureLines(view: View, options: TextOptions, graphics: Graphics): Promise<string[]> {
  if (view.kind === "stack") {
    const parts: string[][] = [];
    for (const part of view.views) parts.push(await toPictureLines(part, options, graphics));
    return parts.filter((lines) => lines.length > 0).flatMap((lines, k) => (k === 0 ? lines : ["", ...lines]));
  }
  if (view.kind === "images") {
    const pictures = view.items.flatMap(({ png, width, label }) => [
      inline(png, columnsOf(width, options.width), graphics),
      ...(label === "" ? [] : [toText({ kind: "text", text: label, tone: "quiet" }, options)]),
    ]);
    const rest = (view.total ?? 0) - view.items.length;
    return rest > 0 ? [...pictures, `and ${rest.toLocaleString("en-US")} more`] : pictures;
  }
  if (view.kind !== "chart") return toLines(view, options);
  try {
    const { png, width } = await toPng(view.chart, pngScale);
    return [inline(Buffer.from(png).toString("base64"), columnsOf(width / pngScale, options.width), graphics)];
  } catch {
    return toLines(view, options);
  }
}

function columnsOf(pixels: number, most: number): number {
  return Math.max(1, Math.min(Math.ceil(pixels / columnPixels), most));
}

/**
 * The escape codes that show a PNG (in base64) over so many columns.
 *
 * Kitty's protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol; `q=2` keeps the terminal from answering.
 * iTerm2's: https://iterm2.com/documentation-images.html.
 */
export function inline(png: string, columns: number, graphics: Graphics): string {
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

/** How a terminal with these variables takes pictures, by what it says of itself; null when it doesn't. */
export function graphicsOf(env: Readonly<Record<string, string | undefined>>): Graphics | null {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL = "" } = env;
  // A multiplexer stands in between and swallows pictures.
  if (env.TMUX || env.STY || /^(?:screen|tmux)/.test(TERM)) return null;
  if (env.KITTY_WINDOW_ID || /kitty|ghostty/.test(TERM) || TERM_PROGRAM === "ghostty") return "kitty";
  if (Number(env.KONSOLE_VERSION) >= 220400) return "kitty";
  return /^(?:iTerm\.app|WezTerm|mintty)$/.test(TERM_PROGRAM) || LC_TERMINAL === "iTerm2" ? "iterm" : null;
}
