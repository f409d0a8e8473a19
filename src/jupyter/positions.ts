/**
 * Turns a cursor counted in Unicode characters, as Jupyter counts, into an index of a JavaScript string.
 *
 * Positions outside the text are clamped.
 */
export function toIndex(text: string, cursor: number): number {
  let index = 0;
  for (let left = cursor; left > 0 && index < text.length; left--) {
    index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  }
  return index;
}

/** The way back: an index of a JavaScript string as a count of Unicode characters. */
export function toCursor(text: string, index: number): number {
  let cursor = 0;
  for (const _ of text.slice(0, Math.max(0, index))) cursor++;
  return cursor;
}
