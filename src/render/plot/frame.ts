import type { Pen } from "../pen.ts";
import { cut, pad, widthOf } from "../words.ts";
import type { Scale } from "./scale.ts";

/** The space around a raster, worked out before the raster is made. */
export interface Frame {
  /** Columns for the labels of y. */
  readonly gutter: number;
  /** Columns and rows left for the raster. */
  readonly width: number;
  readonly height: number;
  readonly labels: ReadonlyMap<number, string>;
}

/** How much room the labels of y leave. */
export function frameFor(y: Scale, width: number, height: number): Frame {
  const labels = new Map<number, string>();
  const { axis } = y;
  if (axis.type === "category" && axis.categories.length > 1 && axis.categories.length <= height) {
    axis.categories.forEach((_, k) => {
      labels.set(Math.round((1 - y.place(k)) * (height - 1)), y.labels([k])[0]);
    });
  } else {
    const middle = (height - 1) / 2;
    const rows =
      height >= 7 && Number.isInteger(middle) && axis.type === "number" ? [0, middle, height - 1] : [0, height - 1];
    const texts = y.labels(rows.map((row) => y.at(1 - row / (height - 1))));
    rows.forEach((row, k) => {
      labels.set(row, texts[k]);
    });
  }
  const longest = Math.max(...[...labels.values()].map(widthOf));
  const gutter = Math.min(longest, Math.floor(width * 0.3));
  return { gutter, width: Math.max(4, width - gutter - 2), height, labels };
}

/** A raster with its axes: y's title above, ticks at the left, x's ends and title below. */
export function framed(raster: readonly string[], frame: Frame, x: Scale, y: Scale, pen: Pen): string[] {
  const { gutter, width, labels } = frame;
  const total = gutter + 2 + width;
  const ellipsis = pen.pick("…", "..");
  const body = raster.map((line, row) => {
    const label = labels.get(row);
    const tick = label === undefined ? pen.pick("│", "|") : pen.pick("┤", "+");
    return `${pen.quiet(pad(cut(label ?? "", gutter, ellipsis), gutter, "right"))} ${pen.quiet(tick)}${line}`.trimEnd();
  });
  const corner = pen.quiet(`${" ".repeat(gutter + 1)}${pen.pick("└", "+")}${pen.pick("─", "-").repeat(width)}`);
  const [low, high] = x.labels([x.min, x.max]);
  const title = pen.safe(x.axis.title);
  const ends = belowAxis(x, low, high, title, width, ellipsis);
  return [
    pen.quiet(cut(pen.safe(y.axis.title), total, ellipsis)),
    ...body,
    corner,
    ...ends.map((line) => `${" ".repeat(gutter + 2)}${pen.quiet(line)}`.trimEnd()),
  ];
}

/** Labels under x: every category where they fit, else both ends with the title between them or below. */
function belowAxis(x: Scale, low: string, high: string, title: string, width: number, ellipsis: string): string[] {
  const categories = x.axis.type === "category" ? categoryRow(x, width) : null;
  if (categories !== null) return [categories, pad(cut(title, width, ellipsis), width, "centre")];
  const half = Math.max(1, Math.floor((width - 1) / 2));
  const left = cut(low, half, ellipsis);
  const right = cut(high, half, ellipsis);
  const between = width - widthOf(left) - widthOf(right);
  if (title === "") return [left + " ".repeat(between) + right];
  if (between >= widthOf(title) + 4) return [left + pad(title, between, "centre") + right];
  return [left + " ".repeat(between) + right, pad(cut(title, width, ellipsis), width, "centre")];
}

function categoryRow(x: Scale, width: number): string | null {
  const names = x.labels(x.axis.categories.map((_, k) => k));
  if (names.length === 0) return null;
  let row = "";
  for (let k = 0; k < names.length; k++) {
    const size = widthOf(names[k]);
    const centre = Math.round(x.place(k) * (width - 1));
    const start = Math.max(0, Math.min(width - size, centre - (size >> 1)));
    const used = widthOf(row);
    if (start < used + (k === 0 ? 0 : 1) || size > width) return null;
    row += " ".repeat(start - used) + names[k];
  }
  return row;
}
