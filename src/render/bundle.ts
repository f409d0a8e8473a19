import type { Chart } from "../core/chart.ts";
import { toVegaLite } from "../core/vega-lite.ts";
import type { View } from "../core/view.ts";
import { toHtml } from "./html.ts";
import { drawSvg, toSvg } from "./picture.ts";
import { toText } from "./text.ts";

/** What Jupyter's display messages carry: one thing in several MIME types. */
export interface Bundle {
  readonly data: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

/** Past this many characters a notebook keeps a picture as PNG alone. */
const mostSvg = 600_000;
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

async function chartBundle(chart: Chart): Promise<Bundle> {
  const svg = await toSvg(chart);
  const { png, width, height } = await drawSvg(svg, pngScale);
  return {
    data: {
      "application/vnd.vegalite.v5+json": toVegaLite(chart),
      ...(svg.length <= mostSvg ? { "image/svg+xml": svg } : {}),
      "image/png": Buffer.from(png).toString("base64"),
      "text/plain": toText({ kind: "chart", chart }),
    },
    metadata: { "image/png": { width: Math.round(width / pngScale), height: Math.round(height / pngScale) } },
  };
}
