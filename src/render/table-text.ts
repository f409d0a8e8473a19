import type { TableView, ViewColumn } from "../core/view.ts";
import { barLetters, barSteps, barsIn, footerOf, formatColumn, isNumeric, typeWord } from "./numbers.ts";
import type { Pen } from "./pen.ts";
import { cut, pad, widthOf, wrap, wrapNames } from "./words.ts";

interface TextColumn {
  readonly source: ViewColumn;
  readonly name: string;
  readonly type: string;
  readonly words: readonly string[];
  readonly missing: readonly boolean[];
  readonly align: "left" | "right";
  /** Columns of the terminal that it would like. */
  readonly natural: number;
}

const gap = 2;

/** A table as lines: names, types and roles, a rule, the rows, and what is not shown. */
export function tableLines(view: TableView, pen: Pen): string[] {
  // Bars can't be told in a word, and the numbers beside them say the same.
  const told = pen.spoken ? withColumns(view, (column) => !column.bars) : view;
  const columns = told.columns.map((column, k) => textColumn(told, column, k, pen));
  const isWide = total(columns.map((column) => column.natural)) > pen.width;
  if (!isWide || !told.columns.some((column) => column.aside)) return linesOf(told, columns, pen);
  const aside = withColumns({ ...told, title: undefined }, (column, k) => k === 0 || column.aside === true);
  return [
    ...tableLines(
      withColumns(told, (column) => !column.aside),
      pen,
    ),
    "",
    ...tableLines({ ...aside, columns: aside.columns.map((column) => ({ ...column, aside: false })) }, pen),
  ];
}

/** The table with some of its columns. */
function withColumns(view: TableView, isKept: (column: ViewColumn, k: number) => boolean): TableView {
  const kept = view.columns.flatMap((column, k) => (isKept(column, k) ? [k] : []));
  return {
    ...view,
    columns: kept.map((k) => view.columns[k]),
    rows: view.rows.map((row) => kept.map((k) => row[k] ?? null)),
  };
}

function linesOf(view: TableView, columns: readonly TextColumn[], pen: Pen): string[] {
  const lines: string[] = [];
  if (view.title) lines.push(...wrap(pen.safe(view.title), pen.width).map(pen.bold));
  const { shown, widths } = fitting(columns, pen.width);
  if (shown.length > 0) {
    lines.push(...headLines(shown, widths, pen));
    view.rows.forEach((_, i) => {
      lines.push(joined(shown.map((column, k) => cellAt(column, i, widths[k], view, pen))));
    });
    if (view.rows.length === 0) lines.push(pen.quiet("(no rows)"));
  }
  const folded = columns.filter((column) => !shown.includes(column)).map((column) => column.name);
  if (folded.length > 0) {
    const lead = `${pen.pick("…", "...")} and ${folded.length} more column${folded.length === 1 ? "" : "s"}: `;
    lines.push(...wrapNames(lead, folded, pen.width).map(pen.quiet));
  }
  const footer = footerOf(view.columns, view.rows.length, view.total, pen.pick("×", "x"));
  if (footer) lines.push(...wrap(pen.safe(footer), pen.width).map(pen.quiet));
  return lines;
}

function textColumn(view: TableView, column: ViewColumn, k: number, pen: Pen): TextColumn {
  const formatted = formatColumn(
    column,
    view.rows.map((row) => row[k] ?? null),
  );
  const words = formatted.map((word, i) => {
    if (word === null) return pen.pick("·", "null");
    if (column.bars) return barLetters(barsIn(view.rows[i][k]), pen.pick(barSteps, "_.:-=+*#"));
    return column.alarm && word === "–" ? noneWord(pen) : pen.safe(word);
  });
  const name = pen.safe(column.name);
  const role = column.role ? ` ${roleMark(column.role, pen)}` : "";
  const type = `${view.summary ? "" : typeWord(column)}${role}`.trim();
  const natural = words.reduce(
    (most, word) => Math.max(most, widthOf(word)),
    Math.max(1, widthOf(name), widthOf(type)),
  );
  return {
    source: column,
    name,
    type,
    words,
    missing: formatted.map((word) => word === null),
    align: isNumeric(column) ? "right" : "left",
    natural,
  };
}

/** Zero where zero is good; a dash is not read out. */
function noneWord(pen: Pen): string {
  return pen.spoken ? "0" : pen.pick("–", "-");
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + gap, -gap);
}

function roleMark(role: "x" | "y", pen: Pen): string {
  return role === "y" ? pen.pick("●Y", "[Y]") : pen.pick("○X", "[X]");
}

/** The columns that fit into a line, with their widths: those that the block speaks of, then the first ones. */
function fitting(
  columns: readonly TextColumn[],
  width: number,
): { readonly shown: readonly TextColumn[]; readonly widths: readonly number[] } {
  const isNamed = (column: TextColumn) => column.source.named === true;
  const most = columnWidths(columns, width).length;
  const first = columns.slice(0, most);
  if (most === columns.length || !columns.slice(most).some(isNamed))
    return { shown: first, widths: columnWidths(first, width) };
  const named = columns.filter(isNamed);
  const others = columns.filter((column) => !isNamed(column));
  for (let some = others.length; some >= 0; some--) {
    const chosen = new Set([...others.slice(0, some), ...named]);
    const shown = columns.filter((column) => chosen.has(column));
    const widths = columnWidths(shown, width);
    if (widths.length === shown.length) return { shown, widths };
  }
  const widths = columnWidths(named, width);
  return { shown: named.slice(0, widths.length), widths };
}

/** The widths of the columns that are shown; the others are folded. Numbers are never cut. */
function columnWidths(columns: readonly TextColumn[], width: number): number[] {
  const atMost = (most: number) =>
    columns.map((column) => Math.min(column.natural, column.align === "right" ? Math.max(most, needs(column)) : most));
  for (const most of [width, 48, 40, 32, 26, 22, 18, 15, 12]) {
    const widths = atMost(most);
    if (total(widths) <= width) return widths;
  }
  const widths = atMost(22);
  while (widths.length > 1 && total(widths) > width) widths.pop();
  return widths.map((one) => Math.min(one, width));
}

function needs(column: TextColumn): number {
  return column.words.reduce((most, word) => Math.max(most, widthOf(word)), 1);
}

function headLines(columns: readonly TextColumn[], widths: readonly number[], pen: Pen): string[] {
  const ellipsis = pen.pick("…", "..");
  const names = columns.map((column, k) => {
    const words = pad(cut(column.name, widths[k], ellipsis), widths[k], column.align);
    return column.source.role === "y" ? pen.accent(words) : pen.bold(words);
  });
  const lines = [joined(names)];
  if (columns.some((column) => column.type !== "")) {
    lines.push(
      joined(
        columns.map((column, k) => pen.quiet(pad(cut(column.type, widths[k], ellipsis), widths[k], column.align))),
      ),
    );
  }
  lines.push(pen.quiet(joined(widths.map((width) => pen.pick("─", "-").repeat(width)))));
  return lines;
}

function cellAt(column: TextColumn, i: number, width: number, view: TableView, pen: Pen): string {
  const words = pad(cut(column.words[i], width, pen.pick("…", "..")), width, column.align);
  if (column.missing[i]) return pen.quiet(words);
  const value = view.rows[i][view.columns.indexOf(column.source)];
  if (column.source.alarm && typeof value === "number") return value === 0 ? pen.quiet(words) : pen.warning(words);
  if (!column.source.tint || typeof value !== "number") return words;
  return pen.tint(value, column.source.tint === "diverging", words);
}

function joined(cells: readonly string[]): string {
  return cells.join(" ".repeat(gap)).replace(/(?<! ) +$/, "");
}
