/** A cell that can't be run as written; the message says what is wrong, the excerpt where. */
export class CellSyntaxError extends SyntaxError {
  /** Lines that show the place: the code, and a caret below. */
  readonly excerpt: readonly string[];
  /** The fault is that the text ends too early. */
  readonly isUnfinished: boolean;

  constructor(message: string, excerpt: readonly string[], isUnfinished = false, name = "SyntaxError") {
    super(message);
    this.name = name;
    this.excerpt = excerpt;
    this.isUnfinished = isUnfinished;
  }
}

/** A place in a text: lines count from 1, columns from 0. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The line of a place and a caret below it. */
export function excerptOf(code: string, { line, column }: Place): string[] {
  const text = code.split("\n")[line - 1] ?? "";
  return [`${line} | ${text}`, `${" ".repeat(String(line).length)} | ${" ".repeat(column)}^`];
}

/** What Node's type stripper says of a cell that it can't read. */
export function fromStripper(error: unknown, code: string): CellSyntaxError {
  const { message, stack = "" } = error as Error;
  // The stack begins with the place: ":3", the code, and a caret; a fault at the very end has no caret.
  const [head = "", ...lines] = stack.split("\n\nSyntaxError", 1)[0].split("\n");
  const line = Number(/:(\d+)$/.exec(head)?.[1] ?? Number.NaN);
  const caret = /^( *)\^/.exec(lines.at(-1) ?? "")?.[1].length;
  const words = message.split("\n", 1)[0].replace(/[`']?<eof>[`']?|\beof\b/g, "the end");
  if (Number.isNaN(line)) return new CellSyntaxError(words, []);
  if (caret !== undefined) return new CellSyntaxError(words, excerptOf(code, { line, column: caret }));
  const last = code.trimEnd().split("\n");
  const end = { line: last.length, column: last[last.length - 1].length };
  return new CellSyntaxError(words, excerptOf(code, end), true);
}

/** What the JavaScript parser says; `before` finds the place in the text as it was typed. */
export function fromParser(error: unknown, js: string, code: string, before: (place: Place) => Place): CellSyntaxError {
  const { message, loc, pos } = error as { message: string; loc?: Place; pos?: number };
  const words = message.replace(/ \(\d+:\d+\)$/, "");
  const isUnfinished = (pos !== undefined && js.slice(pos).trim() === "") || /Unterminated/.test(words);
  return new CellSyntaxError(words, loc ? excerptOf(code, before(loc)) : [], isUnfinished);
}
