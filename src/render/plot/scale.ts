import type { MarkAxis } from "../../core/marks.ts";
import { formatNumber, formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";

/** An axis laid out: where a value lies between 0 and 1, and what stands at its ends. */
export interface Scale {
  readonly axis: MarkAxis;
  readonly min: number;
  readonly max: number;
  /** 0 at the low end, 1 at the high end. */
  place(value: number): number;
  /** The value at a place from 0 to 1. */
  at(share: number): number;
  /** Labels of values, as short as their span allows. */
  labels(values: readonly number[]): string[];
}

/** The scale of an axis; a single value is put in the middle. */
export function scaleOf(axis: MarkAxis, pen: Pen, also: readonly number[] = []): Scale {
  const values = [axis.min, axis.max, ...also].filter(Number.isFinite);
  let min = values.length > 0 ? Math.min(...values) : 0;
  let max = values.length > 0 ? Math.max(...values) : 1;
  if (min === max) {
    const margin = axis.type === "datetime" ? 86_400_000 : axis.type === "category" ? 0.5 : Math.abs(min) * 0.1 || 1;
    if (axis.log) [min, max] = [min / 2, max * 2];
    else [min, max] = [min - margin, max + margin];
  }
  // Halves, since the ends may be as far apart as doubles go.
  const span = max / 2 - min / 2;
  const [low, high] = [Math.log10(min), Math.log10(max)];
  return {
    axis,
    min,
    max,
    place: axis.log ? (value) => (Math.log10(value) - low) / (high - low) : (value) => (value / 2 - min / 2) / span,
    at: axis.log ? (share) => 10 ** (low + share * (high - low)) : (share) => min * (1 - share) + max * share,
    labels: (list) => labelsOf(list, axis, span * 2, pen),
  };
}

function labelsOf(values: readonly number[], axis: MarkAxis, span: number, pen: Pen): string[] {
  if (axis.type === "category") return values.map((value) => pen.safe(axis.categories[Math.round(value)] ?? ""));
  if (axis.type === "datetime") return values.map((value) => dateLabel(value, span));
  if (axis.log || !Number.isFinite(span)) return toldApart(values);
  // Three digits of the span; of one that is narrow beside the values two, since many stand before them.
  const isNarrow = Math.max(...values.map(Math.abs)) > 10 * span;
  const places = Math.max(0, (isNarrow ? 2 : 3) - Math.floor(Math.log10(span)) - 1);
  // Digits behind the point don't round what is so far from 1.
  if (places >= 15 || span >= 1e15) return toldApart(values);
  const rounded = values.map((value) => Number(value.toFixed(places)));
  return formatNumbers(rounded, 15).map((text) => text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));
}

/** Numbers of three digits each, or of as many as tell them apart. */
function toldApart(values: readonly number[]): string[] {
  const wanted = new Set(values).size;
  for (let digits = 3; digits < 15; digits++) {
    const texts = values.map((value) => formatNumber(value, digits));
    if (new Set(texts).size === wanted) return texts;
  }
  return values.map(String);
}

function dateLabel(value: number, span: number): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return "";
  const text = date.toISOString();
  const day = 86_400_000;
  if (span >= 3 * day) return text.slice(0, 10);
  return text.slice(0, span >= 600_000 ? 16 : 19).replace("T", " ");
}
