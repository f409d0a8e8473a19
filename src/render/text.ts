import type { FactsView, ImagesView, TextView, View } from "../core/view.ts";
import { describedLines } from "./described.ts";
import { graphLines } from "./graph-text.ts";
import { formatCell } from "./numbers.ts";
import { type Pen, penFor, type TextOptions } from "./pen.ts";
import { chartLines } from "./plot/chart.ts";
import { tableLines } from "./table-text.ts";
import { tileLines } from "./tiles.ts";
import { treeLines } from "./tree-text.ts";
import { cut, pad, widthOf, wrap } from "./words.ts";

/**
 * A view as lines for a terminal, none wider than `width`.
 *
 * Text from data is made visible first, so nothing in it can steer the terminal.
 */
export function toLines(view: View, options: TextOptions): string[] {
  return linesOf(view, penFor(options));
}

/** A view as one text (default: 80 columns, no colour). */
export function toText(view: View, options: Partial<TextOptions> = {}): string {
  return toLines(view, { width: 80, colour: false, ...options }).join("\n");
}

function linesOf(view: View, pen: Pen): string[] {
  switch (view.kind) {
    case "table":
      return tableLines(view, pen);
    case "text":
      return textLines(view, pen);
    case "facts":
      return factsLines(view, pen);
    case "chart":
      return pen.spoken ? describedLines(view.chart, pen) : chartLines(view.chart, pen);
    case "images":
      return imageLines(view, pen);
    case "tiles":
      return tileLines(view, pen);
    case "tree":
      return treeLines(view, pen);
    case "graph":
      return graphLines(view, pen);
    case "folded":
      return [
        pen.quiet(cut(`${pen.safe(view.title)}:`, pen.width, pen.pick("…", ".."))),
        ...textLines({ kind: "text", text: view.text }, pen),
      ];
    case "stack":
      return view.views
        .map((part) => linesOf(part, pen))
        .filter((lines) => lines.length > 0)
        .flatMap((lines, k) => (k === 0 ? lines : ["", ...lines]));
  }
}

/** What the pictures show, in words. */
function imageLines(view: ImagesView, pen: Pen): string[] {
  const labels = view.items.map((item) => pen.safe(item.label)).filter((label) => label !== "");
  if (labels.length === 0) return [];
  const rest = (view.total ?? 0) - labels.length;
  const words = `Pictures: ${labels.join(", ")}${rest > 0 ? ` and ${rest.toLocaleString("en-US")} more` : ""}`;
  return wrap(words, pen.width).map(pen.quiet);
}

function textLines(view: TextView, pen: Pen): string[] {
  const asIs = (words: string) => words;
  const { tone = "plain" } = view;
  const lead = { plain: "", code: "", quiet: "", good: pen.pick("✓ ", "ok: "), warning: "! " }[tone];
  const paint = { plain: asIs, code: asIs, quiet: pen.quiet, good: pen.good, warning: pen.warning }[tone];
  const room = pen.width - lead.length;
  const whole = view.text.split(/\r?\n/).map((line) => pen.safe(line.replaceAll("\t", "  ")));
  // A broken comment would be code.
  const lines = tone === "code" ? whole : whole.flatMap((line) => wrap(line, room));
  return lines.map((line, k) => paint((k === 0 ? lead : " ".repeat(lead.length)) + line));
}

function factsLines(view: FactsView, pen: Pen): string[] {
  const lines = view.title ? wrap(pen.safe(view.title), pen.width).map(pen.bold) : [];
  const labels = view.items.map((item) => cut(pen.safe(item.label), Math.floor(pen.width * 0.4), pen.pick("…", "..")));
  const width = labels.reduce((most, label) => Math.max(most, widthOf(label)), 0);
  view.items.forEach((item, k) => {
    const value = formatCell(item.value);
    const words = value === null ? pen.pick("·", "null") : pen.safe(value);
    const room = pen.width - width - 2;
    const note = item.note ? ` (${pen.safe(item.note)})` : "";
    const isOneLine = widthOf(words + note) <= room;
    const wrapped = isOneLine
      ? [(value === null ? pen.quiet(words) : words) + pen.quiet(note)]
      : wrap(words + note, room, "");
    wrapped.forEach((line, i) => {
      lines.push(`${pen.quiet(pad(i === 0 ? labels[k] : "", width))}  ${line}`);
    });
  });
  return lines;
}
