import type { Place } from "./syntax.ts";

/** A stretch of a text and what it becomes. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made; they must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of inOrder(edits)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** Where a place of the edited text was before; within a replaced stretch, where that began. */
export function placeBefore(text: string, edits: readonly Edit[], edited: string, place: Place): Place {
  const offset = offsetOf(edited, place);
  let moved = 0;
  for (const { start, end, text: fresh } of inOrder(edits)) {
    if (offset < start + moved) break;
    if (offset < start + moved + fresh.length) return placeOf(text, start);
    moved += fresh.length - (end - start);
  }
  return placeOf(text, Math.min(offset - moved, text.length));
}

function inOrder(edits: readonly Edit[]): readonly Edit[] {
  return edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function offsetOf(text: string, { line, column }: Place): number {
  let start = 0;
  for (let k = 1; k < line; k++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return start + column;
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: before[before.length - 1].length };
}
