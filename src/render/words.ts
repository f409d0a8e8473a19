import stringWidth from "string-width";

const graphemes = new Intl.Segmenter();
const plain = /^[\x20-\x7e]*$/;

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  return plain.test(text) ? text.length : stringWidth(text);
}

/** Cuts a text to `width` columns, the last of them "…". */
export function cut(text: string, width: number, ellipsis = "…"): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(ellipsis);
  if (room < 0) return ellipsis.slice(0, width);
  if (plain.test(text)) return text.slice(0, room) + ellipsis;
  let taken = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment);
    if (columns > room) break;
    taken += segment;
  }
  return taken + ellipsis;
}

/** Fills a text with blanks to `width` columns. */
export function pad(text: string, width: number, align: "left" | "right" | "centre" = "left"): string {
  const room = Math.max(0, width - widthOf(text));
  if (align === "right") return " ".repeat(room) + text;
  if (align === "left") return text + " ".repeat(room);
  return " ".repeat(Math.floor(room / 2)) + text + " ".repeat(Math.ceil(room / 2));
}

/**
 * Breaks one paragraph into lines of at most `width` columns, at blanks where there are any.
 *
 * Lines after the first begin with `indent` (default: the paragraph's own indentation).
 */
export function wrap(text: string, width: number, indent = /^ */.exec(text)?.[0] ?? ""): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  const hang = widthOf(indent) < width / 2 ? indent : "";
  let line = "";
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    if (line.trim() !== "" && widthOf(line + word.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = hang;
    }
    line += word;
    if (widthOf(line.trimEnd()) > width) {
      const pieces = broken(line.trimEnd(), width, hang);
      line = (pieces.pop() ?? "") + line.slice(line.trimEnd().length);
      lines.push(...pieces);
    }
  }
  if (line.trim() !== "") lines.push(line.trimEnd());
  return lines;
}

/** A word too long for a line in pieces that fit; each letter is measured once, however long it is. */
function broken(word: string, width: number, hang: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(word)) {
    const own = widthOf(segment);
    if (columns + own > width && piece !== hang) {
      pieces.push(piece);
      piece = hang;
      columns = widthOf(hang);
    }
    piece += segment;
    columns += own;
  }
  return [...pieces, piece];
}

/** As many names as fit into `lines` lines after `lead`, then how many are left. */
export function wrapNames(lead: string, names: readonly string[], width: number, lines = 3): string[] {
  for (let shown = Math.min(names.length, 60); shown > 0; shown--) {
    const rest = names.length - shown;
    const text = `${lead}${names.slice(0, shown).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
    const wrapped = wrap(text, width, "  ");
    if (wrapped.length <= lines) return wrapped;
  }
  return wrap(`${lead}${names.length} names`, width, "  ");
}
