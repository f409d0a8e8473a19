import { SaxesParser } from "saxes";
import type { TextOptions } from "./pen.ts";
import { penFor } from "./pen.ts";
import { cut, widthOf } from "./words.ts";

/** Taller pictures are made smaller. */
const mostLines = 40;

/** Pixels of the raster to each dot of braille, so that lines thinner than a dot still show. */
const finer = 3;

/** How dark a dot must be to be drawn: axes and marks are, the lines of a grid are not. */
const leastInk = 70;

/** A pixel of an SVG to each column, about. */
const columnPixels = 6;

interface Word {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
  readonly isUpright: boolean;
}

/** An SVG as lines of text: its shapes as dots of braille, its words where they stand. Throws where it is none. */
export async function svgLines(svg: string, options: TextOptions): Promise<string[]> {
  const pen = penFor(options);
  const source = standaloneSvg(svg).replaceAll("currentColor", "#000");
  const { words, width, height } = wordsIn(source);
  const bare = source.replace(/<text\b[^<>]*\/>|<text\b(?:[^<]|<(?!\/?text\b))*<\/text>/g, "");
  const { Resvg } = await import("@resvg/resvg-js");
  const whole = new Resvg(bare, { font: { loadSystemFonts: false } });
  const [across, down] = [width || whole.width, height || whole.height];
  let columns = Math.max(8, Math.min(pen.width, Math.ceil(across / columnPixels)));
  let rows = Math.ceil((columns * down) / across / 2);
  if (rows > mostLines) {
    columns = Math.max(8, Math.floor((columns * mostLines) / rows));
    rows = mostLines;
  }
  const drawn = new Resvg(bare, {
    fitTo: { mode: "width", value: columns * 2 * finer },
    font: { loadSystemFonts: false },
  }).render();
  const grid = dotsOf(drawn, columns, rows).map((row) =>
    row.map((bits) => (bits === 0 ? " " : pen.pick(String.fromCharCode(0x2800 + bits), "*"))),
  );
  const taken = grid.map((row) => row.map(() => false));
  const above: string[] = [];
  for (const { text, x, y, anchor, isUpright } of words) {
    const word = pen.safe(text.trim());
    if (word === "") continue;
    const size = widthOf(word);
    if (isUpright && size > 3) {
      above.push(word);
      continue;
    }
    const at = Math.round((x / across) * columns - (anchor === "middle" ? size / 2 : anchor === "end" ? size : 0));
    const row = Math.max(0, Math.min(rows - 1, Math.floor((y / down) * rows)));
    const start = Math.max(0, Math.min(columns - size, at));
    // A letter that takes two columns would push the rest of its line aside.
    if (size !== Array.from(word).length || taken[row].slice(start, start + size).some(Boolean)) continue;
    Array.from(word).forEach((letter, k) => {
      if (start + k < columns) grid[row][start + k] = letter;
    });
    for (let k = start - 1; k <= start + size; k++) if (k >= 0 && k < columns) taken[row][k] = true;
  }
  const lines = grid.map((row) => row.join("").trimEnd());
  while (lines.length > 1 && lines[0] === "") lines.shift();
  while (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  const upright = above.length > 0 ? [pen.quiet(cut(`upright: ${above.join(", ")}`, pen.width))] : [];
  return [...lines, ...upright];
}

/** An SVG element of a page as a file: it says what the page says for it. */
export function standaloneSvg(svg: string): string {
  const missing = ["xmlns", ...(svg.includes("xlink:") ? ["xmlns:xlink"] : [])].filter(
    (name) => !svg.slice(0, svg.indexOf(">")).includes(` ${name}=`),
  );
  const names = missing.map((name) => ` ${name}="http://www.w3.org/${name === "xmlns" ? "2000/svg" : "1999/xlink"}"`);
  return svg.replace(/&nbsp;/g, "&#160;").replace(/<svg\b/, (tag) => tag + names.join(""));
}

type Matrix = readonly [number, number, number, number, number, number];

/** The words of an SVG and where they stand, in the units of its view box. */
function wordsIn(svg: string): { readonly words: Word[]; readonly width: number; readonly height: number } {
  const words: Word[] = [];
  const parser = new SaxesParser();
  const stack: { matrix: Matrix; anchor: string; size: number }[] = [];
  let [left, top, width, height] = [0, 0, 0, 0];
  let at: { text: string; x: number; y: number } | null = null;
  let silent = 0;
  const emit = (own: (typeof stack)[number] | undefined) => {
    if (!own || !at || at.text.trim() === "") return;
    const [a, b, c, d, e, f] = own.matrix;
    const anchor = own.anchor === "middle" || own.anchor === "end" ? own.anchor : "start";
    // Letters stand on their line; their middle is a third of their size above it.
    const y = at.y - own.size / 3;
    const place = { x: a * at.x + c * y + e - left, y: b * at.x + d * y + f - top };
    words.push({ text: at.text, ...place, anchor, isUpright: Math.abs(b) > Math.abs(a) });
    at = { ...at, text: "" };
  };
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const parent = stack.at(-1) ?? { matrix: [1, 0, 0, 1, 0, 0] as Matrix, anchor: "start", size: 10 };
    const said = (key: string): string => String(attributes[key] ?? "");
    if (name === "svg" && stack.length === 0) {
      const box = said("viewBox")
        .split(/[\s,]+/)
        .map(Number);
      [left, top, width, height] =
        box.length === 4 ? box : [0, 0, Number.parseFloat(said("width")), Number.parseFloat(said("height"))];
    }
    const size = Number.parseFloat(said("font-size")) || parent.size;
    stack.push({
      matrix: product(parent.matrix, matrixOf(said("transform"))),
      anchor: said("text-anchor") || parent.anchor,
      size,
    });
    if (name === "title" || name === "desc" || name === "style" || name === "defs") silent++;
    if (name !== "text" && name !== "tspan") return;
    emit(stack[stack.length - 2]);
    const place = (key: string, other: number) => lengthOf(said(key), size) ?? other;
    at = {
      text: "",
      x: place("x", name === "tspan" ? (at?.x ?? 0) : 0),
      y: place("y", at && name === "tspan" ? at.y : 0) + (lengthOf(said("dy"), size) ?? 0),
    };
  });
  parser.on("text", (text) => {
    if (at && silent === 0) at.text += text;
  });
  parser.on("closetag", ({ name }) => {
    if (name === "title" || name === "desc" || name === "style" || name === "defs") silent--;
    const own = stack.pop();
    if ((name !== "text" && name !== "tspan") || !own) return;
    emit(own);
    at = name === "text" || !at ? null : { ...at, text: "" };
  });
  parser.write(svg).close();
  return { words, width: Number.isFinite(width) ? width : 0, height: Number.isFinite(height) ? height : 0 };
}

function lengthOf(text: string, size: number): number | null {
  const number = Number.parseFloat(text);
  if (!Number.isFinite(number)) return null;
  return text.trim().endsWith("em") ? number * size : number;
}

function matrixOf(transform: string): Matrix {
  let made: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [, name, list] of transform.matchAll(/(?<!\w)(\w+)\s*\(([^()]*)\)/g)) {
    const [p = 0, q, r, s, t, u] = list
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
    if (name === "translate") made = product(made, [1, 0, 0, 1, p, q ?? 0]);
    else if (name === "scale") made = product(made, [p, 0, 0, q ?? p, 0, 0]);
    else if (name === "matrix") made = product(made, [p, q ?? 0, r ?? 0, s ?? 1, t ?? 0, u ?? 0]);
    else if (name === "rotate") {
      const angle = (p * Math.PI) / 180;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const turned = product([1, 0, 0, 1, q ?? 0, r ?? 0], [cos, sin, -sin, cos, 0, 0]);
      made = product(made, product(turned, [1, 0, 0, 1, -(q ?? 0), -(r ?? 0)]));
    }
  }
  return made;
}

function product([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

const dots = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
];

/** The bits of braille of each cell; of a picture on black, what is bright. */
function dotsOf(
  { pixels, width, height }: { readonly pixels: Uint8Array; readonly width: number; readonly height: number },
  columns: number,
  rows: number,
): number[][] {
  const ink = new Uint8Array(columns * 2 * rows * 4);
  let filled = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const light = 0.3 * pixels[at] + 0.59 * pixels[at + 1] + 0.11 * pixels[at + 2];
      const dark = (pixels[at + 3] / 255) * (255 - light);
      const [column, row] = [Math.floor(x / finer), Math.floor(y / finer)];
      if (column >= columns * 2 || row >= rows * 4) continue;
      const dot = row * columns * 2 + column;
      if (dark > ink[dot]) ink[dot] = dark;
    }
  }
  for (const dark of ink) if (dark >= leastInk) filled++;
  const isOnBlack = filled > 0.9 * ink.length;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      let bits = 0;
      for (let y = 0; y < 4; y++)
        for (let x = 0; x < 2; x++)
          if (ink[(row * 4 + y) * columns * 2 + column * 2 + x] >= leastInk !== isOnBlack) bits |= dots[y][x];
      return bits;
    }),
  );
}
