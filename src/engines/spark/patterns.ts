import type { CallExpr, ValueExpr } from "../../plan/expr.ts";
import { type PatternPiece, readPattern } from "../../plan/pattern.ts";
import type { Refusal } from "../refusal.ts";

const classes: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: " \\t\\n\\f\\r" };

const border = ["(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])", "(?<![0-9A-Za-z_])(?=[0-9A-Za-z_])"].join("|");
const inside = ["(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])", "(?<![0-9A-Za-z_])(?![0-9A-Za-z_])"].join("|");

/** A regular expression in Java's words, which Spark takes, and how many groups it remembers. */
export function javaPattern(pattern: string): { readonly text: string; readonly groups: number } {
  const { flags, pieces, groups } = readPattern(pattern);
  const text = pieces.map((piece) => words(piece, flags)).join("");
  // Of letters beyond ASCII Java passes the case over unless told.
  return { text: flags.includes("i") ? `(?iu)${text}` : text, groups };
}

function words(piece: PatternPiece, flags: string): string {
  if ("letter" in piece) return letterOf(piece.letter);
  if ("class" in piece) {
    const set = classes[piece.class.toLowerCase()];
    return `[${/[DWS]/.test(piece.class) ? "^" : ""}${set}]`;
  }
  if ("property" in piece) {
    // Java's names of scripts begin with Is, categories have one letter or two.
    const name = piece.property.length > 2 ? `Is${piece.property}` : piece.property;
    return `\\${piece.isOthers ? "P" : "p"}{${name}}`;
  }
  if ("place" in piece) return placeOf(piece.place, flags.includes("m"));
  // Java's dot leaves out other ends of lines too.
  if ("any" in piece) return flags.includes("s") ? "[\\s\\S]" : "[^\\n]";
  if ("group" in piece) return piece.group === "counted" ? "(" : "(?:";
  return piece.syntax;
}

/** Java's own `$` matches before a line feed at the end, and its `\b` knows letters beyond ASCII. */
function placeOf(place: "^" | "$" | "b" | "B", isOfLines: boolean): string {
  if (place === "b" || place === "B") return `(?:${place === "b" ? border : inside})`;
  if (isOfLines) return place === "^" ? "(?<![^\\n])" : "(?![^\\n])";
  return place === "^" ? "\\A" : "\\z";
}

function letterOf(letter: string): string {
  if (letter === "\0") return "\\x00";
  return /[\^$\\.*+?()[\]{}|/&~#-]/.test(letter) ? `\\${letter}` : letter;
}

/**
 * What Spark has against a regular expression of `matches` or `extract`.
 *
 * Java goes back and tries again, for a time that may double with each letter where a repeated part may itself match in
 * several ways.
 */
export function patternObjection({ args }: CallExpr): Omit<Refusal, "call"> | null {
  const { pieces } = readPattern(String((args[1] as ValueExpr).value));
  return repeatsChoices(pieces)
    ? {
        message:
          "Spark's regular expressions may try for ever where a repeated part repeats or chooses within, as in (a+)+",
        cure: "Write it without a repeat of a repeat, as in a+, or take the rows out first, by collect().",
      }
    : null;
}

/** Is there a group that may be repeated without end, and holds a choice or another repeat? */
function repeatsChoices(pieces: readonly PatternPiece[]): boolean {
  const open: { hasChoice: boolean }[] = [];
  let isInBrackets = false;
  for (const [k, piece] of pieces.entries()) {
    const syntax = "syntax" in piece ? piece.syntax : "";
    if (isInBrackets) {
      isInBrackets = syntax !== "]";
    } else if (/^\[/.test(syntax)) {
      isInBrackets = true;
    } else if ("group" in piece) {
      open.push({ hasChoice: false });
    } else if (syntax === ")") {
      const group = open.pop();
      if (group?.hasChoice && isEndless(pieces[k + 1])) return true;
      if (group?.hasChoice) for (const each of open) each.hasChoice = true;
    } else if (/^[*+?|]/.test(syntax) || /^\{\d*,/.test(syntax)) {
      for (const each of open) each.hasChoice = true;
    }
  }
  return false;
}

function isEndless(piece: PatternPiece | undefined): boolean {
  return piece !== undefined && "syntax" in piece && /^(?:[*+]|\{\d*,\})/.test(piece.syntax);
}
