/** A text and where the cursor stands in it; positions count UTF-16 units, as JavaScript does. */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
}

/** An empty editor. */
export const emptyEditor: Editor = { text: "", cursor: 0 };

/** One thing a key does to the text. */
export type Edit =
  | { readonly kind: "insert"; readonly text: string }
  /** As "insert", but a closing bracket that begins its line goes a step back out. */
  | { readonly kind: "type"; readonly text: string }
  | { readonly kind: "move"; readonly to: "left" | "right" | "home" | "end" | "up" | "down" | "wordLeft" | "wordRight" }
  | { readonly kind: "erase"; readonly what: "before" | "after" | "word" | "toStart" | "toEnd" | "all" };

/** The editor after an edit. */
export function apply(editor: Editor, edit: Edit): Editor {
  if (edit.kind === "insert") return insert(editor, edit.text);
  if (edit.kind === "type") return insert(/^[)\]}]/.test(edit.text) ? outdented(editor) : editor, edit.text);
  return edit.kind === "move" ? { ...editor, cursor: target(editor, edit.to) } : erase(editor, edit.what);
}

/** Replaces a stretch of the text and puts the cursor behind what came in. */
export function replace(editor: Editor, start: number, end: number, text: string): Editor {
  return { text: editor.text.slice(0, start) + text + editor.text.slice(end), cursor: start + text.length };
}

/** The line the cursor is in, and its column. */
export function position({ text, cursor }: Editor): { readonly line: number; readonly column: number } {
  const before = text.slice(0, cursor).split("\n");
  return { line: before.length - 1, column: before[before.length - 1].length };
}

function insert({ text, cursor }: Editor, more: string): Editor {
  const clean = cleaned(more);
  return { text: text.slice(0, cursor) + clean + text.slice(cursor), cursor: cursor + clean.length };
}

/** The editor without the last step of indentation, where nothing else stands before the cursor in its line. */
function outdented(editor: Editor): Editor {
  const line = editor.text.slice(target(editor, "home"), editor.cursor);
  return /^ {2,}$/.test(line) ? replace(editor, editor.cursor - 2, editor.cursor, "") : editor;
}

/** Line ends of other systems, tabs, and control characters that a paste may bring don't belong in code. */
export function cleaned(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "  ")
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "");
}

function target({ text, cursor }: Editor, to: (Edit & { kind: "move" })["to"]): number {
  const lineStart = text.lastIndexOf("\n", cursor - 1) + 1;
  const nextBreak = text.indexOf("\n", cursor);
  const lineEnd = nextBreak < 0 ? text.length : nextBreak;
  switch (to) {
    case "left":
      return before(text, cursor);
    case "right":
      return after(text, cursor);
    case "home":
      return lineStart;
    case "end":
      return lineEnd;
    case "wordLeft":
      return wordStart(text, cursor);
    case "wordRight":
      return cursor + (/^\W*\w*/.exec(text.slice(cursor))?.[0].length ?? 0);
    case "up": {
      if (lineStart === 0) return 0;
      const start = text.lastIndexOf("\n", lineStart - 2) + 1;
      return Math.min(start + (cursor - lineStart), lineStart - 1);
    }
    case "down": {
      if (nextBreak < 0) return text.length;
      const following = text.indexOf("\n", nextBreak + 1);
      return Math.min(nextBreak + 1 + (cursor - lineStart), following < 0 ? text.length : following);
    }
  }
}

function erase(editor: Editor, what: (Edit & { kind: "erase" })["what"]): Editor {
  const { text, cursor } = editor;
  switch (what) {
    case "before":
      return replace(editor, before(text, cursor), cursor, "");
    case "after":
      return { text: text.slice(0, cursor) + text.slice(after(text, cursor)), cursor };
    case "word":
      return replace(editor, wordStart(text, cursor), cursor, "");
    case "toStart":
      return replace(editor, target(editor, "home"), cursor, "");
    case "toEnd":
      return { text: text.slice(0, cursor) + text.slice(target(editor, "end")), cursor };
    case "all":
      return emptyEditor;
  }
}

/** One step left: a character may take several units (an emoji, a letter with its accents). */
function before(text: string, cursor: number): number {
  const from = Math.max(0, cursor - 64);
  const letters = [...new Intl.Segmenter().segment(text.slice(from, cursor))];
  return from + (letters.at(-1)?.index ?? 0);
}

/** One step right. */
export function after(text: string, cursor: number): number {
  const [letter] = new Intl.Segmenter().segment(text.slice(cursor, cursor + 64));
  return cursor + (letter?.segment.length ?? 0);
}

function wordStart(text: string, cursor: number): number {
  const before = text.slice(0, cursor).replace(/(?<!\W)\W+$/, "");
  return before.replace(/(?<!\w)\w+$/, "").length;
}
