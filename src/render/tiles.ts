import { crc32, deflateSync } from "node:zlib";
import type { TilesView } from "../core/view.ts";
import type { Pen } from "./pen.ts";
import { wrap } from "./words.ts";

/** The longer side of a tile in a terminal, in cells. */
const mostSide = 16;
/** Lines that tiles take in a terminal, about. */
const mostLines = 30;
/** The longer side of a tile in HTML, in pixels, about. */
const tileSize = 56;
const perRow = 16;

/** Tiles side by side as half-blocks; without colours as letters from dark to light. */
export function tileLines(view: TilesView, pen: Pen): string[] {
  const factor = Math.ceil(Math.max(view.rows, view.columns) / mostSide);
  const [height, width] = [view.rows, view.columns].map((cells) => Math.ceil(cells / factor));
  const across = Math.max(1, Math.floor((pen.width + 1) / (width + 1)));
  const linesEach = Math.ceil(height / 2);
  const shown = Math.min(view.tiles.length, across * Math.max(1, Math.floor(mostLines / (linesEach + 1))));
  const isDiverging = view.scale === "diverging";
  const inColour = pen.colour && pen.unicode;
  const grids = view.tiles.slice(0, shown).map((tile) => shares(pooled(tile, view, factor), isDiverging));
  const lines: string[] = wrap(
    pen.safe(`${view.title}: ${countOf(shown, view, inColour ? colours : letters, pen.pick("×", "x"))}`),
    pen.width,
  ).map(pen.quiet);
  for (let from = 0; from < shown; from += across) {
    if (from > 0) lines.push("");
    for (let i = 0; i < height; i += 2) {
      const parts = grids.slice(from, from + across).map((grid) =>
        Array.from({ length: width }, (_, j) => {
          const [top, bottom] = [grid[i * width + j], i + 1 < height ? grid[(i + 1) * width + j] : null];
          if (inColour) return pen.halves(top, bottom, isDiverging);
          return letterOf(bottom === null ? top : (top + bottom) / 2, isDiverging);
        }).join(""),
      );
      lines.push(parts.join(" ").trimEnd());
    }
  }
  return lines;
}

/** Tiles as one PNG in base64, its width on the page, and what it shows. */
export function tilesPicture(view: TilesView): { png: string; width: number; words: string } {
  const { png, width } = mosaic(view);
  const scale = Math.max(1, Math.round(tileSize / Math.max(view.rows, view.columns)));
  return { png, width: width * scale, words: `${view.title}: ${countOf(view.tiles.length, view, colours)}` };
}

/** What high and low look like: sequential, diverging. */
type Key = readonly [sequential: string, diverging: string];
const colours: Key = ["from white to red", "blue below 0, red above"];
const letters: Key = ["from blank to @", "from # far below 0 over blank to @ far above"];

function countOf(shown: number, view: TilesView, [sequential, diverging]: Key, times = "×"): string {
  const total = view.total ?? view.tiles.length;
  const scale = view.scale === "diverging" ? diverging : sequential;
  const which = shown < total ? `the first ${shown} of ${total.toLocaleString("en-US")}` : String(total);
  return `${which}, each ${view.rows} ${times} ${view.columns}, on a scale of its own; ${scale}`;
}

/** Means of squares of cells, so that a tile fits. */
function pooled(tile: readonly number[], { rows, columns }: TilesView, factor: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < rows; i += factor) {
    for (let j = 0; j < columns; j += factor) {
      let sum = 0;
      let n = 0;
      for (let a = i; a < Math.min(rows, i + factor); a++) {
        for (let b = j; b < Math.min(columns, j + factor); b++, n++) sum += tile[a * columns + b] ?? 0;
      }
      out.push(sum / n);
    }
  }
  return out;
}

/** −1 to 1 around zero when diverging, else 0 to 1 between the ends. */
function shares(values: readonly number[], isDiverging: boolean): number[] {
  const finite = values.map((value) => (Number.isFinite(value) ? value : 0));
  const [low, high] = finite.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  return finite.map((value) => (isDiverging ? value / reach : high > low ? (value - low) / (high - low) : 0.5));
}

/** From low to high; a blank is about zero when diverging. */
function letterOf(share: number, isDiverging: boolean): string {
  const scale = isDiverging ? "#=- +%@" : " .:-=+*#%@";
  const place = isDiverging ? (share + 1) / 2 : share;
  return scale[Math.min(scale.length - 1, Math.floor(place * scale.length))];
}

/** All tiles in one PNG, a pixel per cell and one between tiles. */
function mosaic(view: TilesView): { png: string; width: number } {
  const across = Math.min(perRow, view.tiles.length);
  const down = Math.ceil(view.tiles.length / across);
  const [width, height] = [across * (view.columns + 1) - 1, down * (view.rows + 1) - 1];
  // Each line begins with its filter (0, none); between tiles all is transparent.
  const pixels = Buffer.alloc(height * (4 * width + 1));
  view.tiles.forEach((tile, t) => {
    const [top, left] = [Math.floor(t / across) * (view.rows + 1), (t % across) * (view.columns + 1)];
    shares(tile, view.scale === "diverging").forEach((share, k) => {
      const [i, j] = [top + Math.floor(k / view.columns), left + (k % view.columns)];
      pixels.set([...colourOf(share), 255], i * (4 * width + 1) + 1 + 4 * j);
    });
  });
  return { png: pngOf(width, height, pixels).toString("base64"), width };
}

const [paper, blue, red] = [
  [247, 247, 247],
  [33, 102, 172],
  [178, 24, 43],
];

function colourOf(share: number): number[] {
  const ink = share < 0 ? blue : red;
  return paper.map((from, k) => Math.round(from + (ink[k] - from) * Math.min(1, Math.abs(share))));
}

/** A PNG of RGBA lines (PNG specification, third edition, chapters 5 and 11). */
function pngOf(width: number, height: number, lines: Uint8Array): Buffer {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
