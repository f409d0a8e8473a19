import type { CallExpr, ValueExpr } from "../../plan/expr.ts";
import { type PatternPiece, readPattern } from "../../plan/pattern.ts";
import type { Refusal } from "../refusal.ts";

const classes: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: " \\t\\n\\f\\r" };

/** A regular expression as Postgres' own kind ("advanced"), and how many groups it remembers. */
export function postgresPattern(pattern: string): { readonly text: string; readonly groups: number } {
  const { flags, pieces, groups } = readPattern(pattern);
  // What "m" is to others, "w" is to Postgres; its dot takes every letter unless told otherwise.
  const own = [flags.includes("i") ? "i" : "", flags.includes("m") ? "w" : ""].join("");
  const text = pieces.map((piece) => words(piece, flags.includes("s"))).join("");
  return { text: own ? `(?${own})${text}` : text, groups };
}

function words(piece: PatternPiece, isAnyLetter: boolean): string {
  if ("letter" in piece) return /[\^$\\.*+?()[\]{}|/-]/.test(piece.letter) ? `\\${piece.letter}` : piece.letter;
  if ("class" in piece) {
    const set = classes[piece.class.toLowerCase()];
    return piece.isInBrackets ? set : `[${/[DWS]/.test(piece.class) ? "^" : ""}${set}]`;
  }
  // In Postgres \b is a letter, and \y a border of a word.
  if ("place" in piece) return { "^": "^", $: "$", b: "\\y", B: "\\Y" }[piece.place];
  if ("any" in piece) return isAnyLetter ? "." : "[^\\n]";
  if ("group" in piece) return piece.group === "counted" ? "(" : "(?:";
  return "syntax" in piece ? piece.syntax : "";
}

/** What Postgres has against a regular expression of `matches` or `extract`. */
export function patternObjection({ call, args }: CallExpr): Omit<Refusal, "call"> | null {
  const pattern = String((args[1] as ValueExpr).value);
  const { pieces } = readPattern(pattern);
  const no = (message: string, cure: string) => ({ message: `Postgres' regular expressions ${message}`, cure });
  if (pieces.some((piece) => "property" in piece)) {
    return no("know no \\p{…}", "Name the letters, as in [a-zäöü].");
  }
  if (pieces.some((piece) => "class" in piece && piece.isInBrackets && /[DWS]/.test(piece.class))) {
    return no("take no \\D, \\W or \\S within brackets", "Write an alternative, as in (?:\\D|x).");
  }
  const counts = pieces.flatMap((piece) => ("syntax" in piece ? (piece.syntax.match(/\d+/g) ?? []) : []));
  if (counts.some((count) => Number(count) > 255)) return no("count to 255", "Repeat the part, as in (?:x{200}){2}.");
  const isLazyOrChoice = pieces.some(
    (piece, k) =>
      "syntax" in piece &&
      (piece.syntax === "|" || (piece.syntax === "?" && isQuantifier(pieces[k - 1])) || /\}\?$/.test(piece.syntax)),
  );
  return call === "extract" && isLazyOrChoice
    ? no(
        "take the longest of several alternatives, where others take the first, and have no shortest beside longest ones",
        "Ask for each alternative by an extract of its own, joined by ??.",
      )
    : null;
}

function isQuantifier(piece: PatternPiece | undefined): boolean {
  return piece !== undefined && "syntax" in piece && /^(?:[*+?]|\{[\d,]+\})$/.test(piece.syntax);
}
