import stringWidth from "string-width";
import { visible } from "../core/visible.ts";
import { after, type Editor } from "./editor.ts";
import { highlight, type Token } from "./highlight.ts";

/** A stretch of the editor's text as it is drawn. */
export interface Piece {
  readonly text: string;
  readonly kind: Token["kind"];
  readonly isCursor: boolean;
}

/** The part of the editor that the screen has room for. */
export interface Viewport {
  readonly pieces: readonly Piece[];
  /** Lines that are not shown. */
  readonly above: number;
  readonly below: number;
}

/** How far before the first line shown colouring begins, so that an open comment or template is known. */
const lead = 10_000;

/** The lines around the cursor that fit into `rows` rows of `columns` columns; a long line is cut around it. */
export function viewport(editor: Editor, columns: number, rows: number): Viewport {
  const { text, cursor } = editor;
  const lines = text.split("\n");
  const at = lineAt(text, cursor);
  const [first, last] = linesAround(lines, at.line, columns, rows);
  const start = at.start - lengthOf(lines.slice(first, at.line));
  const end = at.start + lengthOf(lines.slice(at.line, last + 1)) - 1;
  const most = columns * rows;
  // A single line may be longer than the screen.
  const from = end - start > most ? Math.max(start, Math.min(cursor - (most >> 1), end - most)) : start;
  const to = end - start > most ? Math.min(end, from + most) : end;
  return { pieces: paint(text, from, to, cursor), above: first, below: lines.length - 1 - last };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function lineAt(text: string, cursor: number): { readonly line: number; readonly start: number } {
  const start = text.lastIndexOf("\n", cursor - 1) + 1;
  let line = 0;
  for (let k = text.indexOf("\n"); k >= 0 && k < start; k = text.indexOf("\n", k + 1)) line++;
  return { line: cursor === 0 ? 0 : line, start: cursor === 0 ? 0 : start };
}

/** The first and last line to show: the cursor's, then one above and one below in turn while there is room. */
function linesAround(lines: readonly string[], line: number, columns: number, rows: number): [number, number] {
  let [first, last] = [line, line];
  let room = rows - rowsOf(lines[line], columns);
  for (let moved = true; moved && room > 0; ) {
    moved = false;
    for (const next of [first - 1, last + 1]) {
      const taken = next < 0 || next >= lines.length ? Number.POSITIVE_INFINITY : rowsOf(lines[next], columns);
      if (taken > room) continue;
      room -= taken;
      first = Math.min(first, next);
      last = Math.max(last, next);
      moved = true;
    }
  }
  return [first, last];
}

/** Rows that a line takes, its cursor included. */
function rowsOf(line: string, columns: number): number {
  const width = line.length > 10_000 ? line.length : stringWidth(line);
  return Math.max(1, Math.ceil((width + 1) / columns));
}

/** The text from `from` to `to` in colours, with the cursor as a piece of its own. */
function paint(text: string, from: number, to: number, cursor: number): Piece[] {
  const begin = text.lastIndexOf("\n", Math.max(0, from - lead)) + 1;
  const pieces: Piece[] = [];
  const add = (start: number, end: number, kind: Token["kind"], isCursor = false) => {
    const [a, b] = [Math.max(start, from), Math.min(end, to)];
    if (a < b) pieces.push({ text: shown(text.slice(a, b)), kind, isCursor });
  };
  const behind = cursor < to && text[cursor] !== "\n" ? after(text, cursor) : cursor;
  let at = begin;
  let isDrawn = false;
  for (const token of highlight(text.slice(begin, to))) {
    const end = at + token.text.length;
    const holds = !isDrawn && cursor >= at && cursor < end && cursor < to;
    if (!holds) add(Math.max(at, isDrawn ? behind : 0), end, token.kind);
    else {
      add(at, cursor, token.kind);
      if (behind > cursor) add(cursor, behind, token.kind, true);
      else pieces.push({ text: " ", kind: "plain", isCursor: true });
      add(behind, end, token.kind);
      isDrawn = true;
    }
    at = end;
  }
  if (!isDrawn) pieces.push({ text: " ", kind: "plain", isCursor: true });
  return pieces;
}

/** Code as it is drawn: nothing in it steers the terminal. */
function shown(code: string): string {
  return code
    .split("\n")
    .map((line) => visible(line))
    .join("\n");
}
