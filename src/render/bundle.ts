import type { Chart } from "../core/chart.ts";
import { toVegaLite } from "../core/vega-lite.ts";
import type { View } from "../core/view.ts";
import { toHtml } from "./html.ts";
import { drawSvg, smallPng, toSvg } from "./picture.ts";
import { toText } from "./text.ts";

/** What Jupyter's display messages carry: one thing in several MIME types. */
export interface Bundle {
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/** Past this many characters a picture is kept as PNG, which does not grow with its marks. */
const mostSvg = 100_000;
const pngScale = 2;

/**
 * A view as one MIME bundle.
 *
 * A chart has no `text/html`, which would win over Vega-Lite and take the interactivity away; in a stack
 * with other views, charts become still pictures. `toBundles` keeps them alive.
 */
export async function toBundle(view: View): Promise<Bundle> {
  const only = unwrapped(view);
  if (only.kind === "chart") return await chartBundle(only.chart);
  return { data: { "text/html": await toHtml(only), "text/plain": toText(only) }, metadata: {} };
}

/** A view as MIME bundles to be shown one after the other: one for each chart, one for what lies between. */
export async function toBundles(view: View): Promise<Bundle[]> {
  const runs: View[][] = [];
  let isOpen = false;
  for (const part of flat(view)) {
    if (part.kind === "chart" || !isOpen) runs.push([part]);
    else runs[runs.length - 1].push(part);
    isOpen = part.kind !== "chart";
  }
  const bundles: Bundle[] = [];
  for (const run of runs) bundles.push(await toBundle({ kind: "stack", views: run }));
  return bundles;
}

/** The views of nested stacks in a row. */
function flat(view: View): View[] {
  return view.kind === "stack" ? view.views.flatMap(flat) : [view];
}

/** A stack of one is that one. */
function unwrapped(view: View): View {
  const parts = flat(view);
  return parts.length === 1 ? parts[0] : view;
}

/** The specification for front ends that draw it, and one still picture for all others. */
async function chartBundle(chart: Chart): Promise<Bundle> {
  const living = { "application/vnd.vegalite.v5+json": toVegaLite(chart) };
  const words = { "text/plain": toText({ kind: "chart", chart }) };
  const svg = await toSvg(chart);
  if (svg.length <= mostSvg) return { data: { ...living, "image/svg+xml": svg, ...words }, metadata: {} };
  const { png, width, height } = await drawSvg(svg, pngScale);
  const [wide, high] = [width, height].map((pixels) => Math.round(pixels / pngScale));
  return {
    data: { ...living, "image/png": Buffer.from(await smallPng(png)).toString("base64"), ...words },
    metadata: { "image/png": { width: wide, height: high } },
  };
}
