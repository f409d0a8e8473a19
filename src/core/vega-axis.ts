import type { Axis } from "./chart.ts";
import { label, type VegaLiteSpec } from "./vega-base.ts";

/** The words of Vega-Lite for what an axis shows. */
export const vegaTypes = { number: "quantitative", datetime: "temporal", category: "nominal" };

/** The parts of an axis that its scale and its labels depend on. */
export type Ranged = Pick<Axis, "title" | "type" | "log"> & { readonly min: number; readonly max: number };

/**
 * The scale and the labels of an axis of numbers or dates, for a channel's encoding.
 *
 * Numbers of four digits have no comma, so that a year is read as one; whole numbers have no ticks between them.
 */
export function scaled(axis: Ranged, scale: VegaLiteSpec = {}, isWhole = false): VegaLiteSpec {
  const title = label(axis.title) || null;
  // Without "utc" the axis would show the reader's own zone, and a day could become the one before.
  if (axis.type === "datetime") return { type: "temporal", title, scale: { type: "utc", ...scale } };
  // Vega divides by how far an axis goes, which is infinite here; logarithms go less far.
  if (axis.type === "number" && !Number.isFinite(axis.max - axis.min)) {
    const wide = { type: "symlog", domain: [axis.min, axis.max], nice: false };
    return {
      type: "quantitative",
      title,
      scale: wide,
      axis: { values: [axis.min, 0, axis.max], format: ".2~g" },
    };
  }
  const form = axis.type === "number" ? labelsOf(axis, isWhole) : {};
  return {
    type: vegaTypes[axis.type],
    title,
    scale: { ...(axis.log ? { type: "log" } : {}), ...scale },
    ...(Object.keys(form).length > 0 ? { axis: form } : {}),
  };
}

function labelsOf({ min, max, log }: Ranged, isWhole: boolean): VegaLiteSpec {
  const most = Math.max(Math.abs(min), Math.abs(max));
  // A tick for each of 2, 3, 4 … within a power of ten would be a black bar.
  if (log) return { format: "~g", tickCount: 5, labelOverlap: true };
  const format = most >= 1000 && most < 10_000 ? { format: ".12~g" } : {};
  return isWhole ? { ...format, tickMinStep: 1 } : format;
}

/** Where a bar begins: at zero, and on a logarithmic scale a power of ten below the least number. */
export function baseOf(values: readonly number[], isLog: boolean): number {
  if (!isLog) return 0;
  const least = values.reduce((low, value) => (value > 0 ? Math.min(low, value) : low), Number.POSITIVE_INFINITY);
  if (least === Number.POSITIVE_INFINITY) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return power < least || power / 10 === 0 ? power : power / 10;
}
