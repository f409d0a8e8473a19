import type { Chart } from "../core/chart.ts";
import { toVegaLite } from "../core/vega-lite.ts";
import { sansWidth } from "./sans-width.ts";
import { slimSvg } from "./slim-svg.ts";

/** A drawn picture; its size in pixels. */
export interface Picture {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * A chart as an SVG text.
 *
 * The first call loads Vega (about half a second); later ones take some 35 ms.
 */
export async function toSvg(chart: Chart): Promise<string> {
  return await specSvg(toVegaLite(chart));
}

/** What a Vega-Lite specification describes, as an SVG text. It is run as it is: what loads or computes is the caller's to refuse. */
export async function specSvg(spec: object): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import("vega"), import("vega-lite")]);
  measureWith(vega);
  // JSON in, JSON out: the compiler's own types can't be told from outside.
  const { spec: compiled } = vegaLite.compile(spec as Parameters<typeof vegaLite.compile>[0], { logger: silent });
  const view = new vega.View(vega.parse(compiled), { renderer: "none" });
  try {
    return slimSvg(await view.toSVG());
  } finally {
    view.finalize();
  }
}

/** How Vega knows the size of a text, which its types leave out. */
interface TextMetrics {
  width: (item: TextItem, text: unknown) => number;
}

interface TextItem {
  readonly fontSize?: number;
  readonly fontWeight?: string | number;
  /** Pixels beyond which the text is cut; 0 for none. */
  readonly limit?: number;
}

/** Without a canvas Vega 6 takes each letter for 0.8 of its height, and cuts words where a third of the room is left. */
function measureWith(vega: object): void {
  const { textMetrics } = vega as { readonly textMetrics: TextMetrics };
  textMetrics.width = ({ fontSize = 11, fontWeight = 400, limit = 0 }, text) => {
    const width = sansWidth(String(text ?? ""), fontSize, fontWeight === "bold" || Number(fontWeight) >= 600);
    return limit > 0 ? Math.min(width, limit) : width;
  };
}

/** Nobody reads what the compiler would print beside a picture. */
const silent = {
  level: () => silent,
  warn: () => silent,
  info: () => silent,
  debug: () => silent,
  error: () => silent,
} as unknown as NonNullable<Parameters<typeof import("vega-lite").compile>[1]>["logger"];

/** A chart as a PNG, `scale` pixels to each unit of the SVG (default 2, for sharp screens). */
export async function toPng(chart: Chart, scale = 2): Promise<Picture> {
  return drawSvg(await toSvg(chart), scale);
}

/** Draws an SVG as a PNG, with the machine's own fonts. */
export async function drawSvg(svg: string, scale: number): Promise<Picture> {
  const { Resvg } = await import("@resvg/resvg-js");
  const drawn = new Resvg(svg, { fitTo: { mode: "zoom", value: scale } }).render();
  return { png: drawn.asPng(), width: drawn.width, height: drawn.height };
}

/** The same picture in at most 256 colours, a third of the size. */
export async function smallPng(png: Uint8Array): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  return await sharp(png).png({ palette: true, effort: 7, compressionLevel: 9 }).toBuffer();
}
