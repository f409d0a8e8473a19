import { constantType, type ValueExpr } from "../../../plan/expr.ts";
import { type FunctionName, whiteSpace } from "../../../plan/functions.ts";
import { type PatternPiece, readPattern } from "../../../plan/pattern.ts";
import type { ValueType } from "../../../plan/types.ts";
import { pythonPattern, pythonText } from "../literals.ts";
import {
  type Argument,
  binding,
  chained,
  forEach,
  infix,
  isConstant,
  literal,
  method,
  numberOf,
  type Piece,
  textOf,
  type Write,
} from "./writing.ts";

/** A method of texts where its arguments are constants, else a function of each row. */
const textual =
  (type: ValueType, make: (column: string, args: readonly Argument[]) => string, name: string): Write =>
  (args, _, __, writer) =>
    args.slice(1).every(isConstant)
      ? chained(args[0], (column) => make(column, args))
      : forEach(writer, type, name, args);

const classes: Readonly<Record<string, string>> = { d: "0-9", w: "0-9A-Za-z_", s: " \\t\\n\\f\\r" };

/**
 * A regular expression in Python's words; the group that is wanted is the only one it remembers.
 *
 * Digits, words and white space are those of ASCII; the end is the end, not before a last line feed.
 */
function patternOf(pattern: string, wanted?: number): string {
  const { flags, pieces } = readPattern(pattern);
  let group = 0;
  const words = pieces.map((piece: PatternPiece): string => {
    if ("letter" in piece) return letterOf(piece.letter);
    if ("class" in piece) {
      const set = classes[piece.class.toLowerCase()];
      return piece.isInBrackets ? set : `[${/[DWS]/.test(piece.class) ? "^" : ""}${set}]`;
    }
    if ("place" in piece) {
      if (piece.place === "$") return flags.includes("m") ? "$" : "\\Z";
      return piece.place === "^" ? "^" : `(?a:\\${piece.place})`;
    }
    if ("any" in piece) return ".";
    if ("group" in piece) return piece.group === "counted" && ++group === wanted ? "(" : "(?:";
    return "syntax" in piece ? piece.syntax : "";
  });
  const text = wanted === 0 ? `(${words.join("")})` : words.join("");
  return pythonPattern(`${flags ? `(?${flags})` : ""}${text}`);
}

function letterOf(letter: string): string {
  const named = { "\0": "\\x00", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\v": "\\v" }[letter];
  return named ?? (/[\^$\\.*+?()[\]{}|&~-]/.test(letter) ? `\\${letter}` : letter);
}

const extracted: Write = ([x, pattern, group]) => {
  const { groups, pieces } = readPattern(textOf(pattern));
  const wanted = group ? numberOf(group) : Math.min(1, groups);
  if (wanted < 0 || wanted > groups) return chained(x, (column) => `${column}.where(lambda x: x.isna())`);
  const mayBeLeftOut = wanted > 0 && pieces.some((piece) => "syntax" in piece && /^(?:[|?*]|\{0)/.test(piece.syntax));
  return chained(x, (column) => {
    const made = `${column}.str.extract(${patternOf(textOf(pattern), wanted)}, expand=False)`;
    return mayBeLeftOut ? `${made}.fillna("").where(${column}.str.contains(${patternOf(textOf(pattern))}))` : made;
  });
};

const splitPart: Write = (args, _, type, writer) => {
  const [x, by, k] = args;
  if (!isConstant(by) || textOf(by) === "") return forEach(writer, type, writer.helper("part"), args);
  return chained(
    x,
    (column) => `${column}.str.split(${by.piece.text}, regex=False).str.get(${k.piece.text}).astype("string[python]")`,
  );
};

/** Texts as they are, constants and others as people write them. */
const concatenated: Write = (args, _, type, writer) => {
  const texts = args.map((arg): Piece => {
    if (arg.type === "string") return arg.piece;
    const isPlain = "value" in arg.expr && constantType(arg.expr) === "integer";
    if (isPlain) return literal(pythonText(String((arg.expr as ValueExpr).value)));
    return forEach(writer, type, writer.helper("text"), [arg]);
  });
  return texts.reduce((a, b) => infix("+", binding.sum, a, b));
};

/** Functions of texts. */
export const texts = {
  lower: method((column) => `${column}.str.lower()`),
  upper: method((column) => `${column}.str.upper()`),
  trim: method((column) => `${column}.str.strip(${pythonText(whiteSpace)})`),
  length: method((column) => `${column}.str.len()`),
  startsWith: textual(
    "boolean",
    (column, [, part]) => `${column}.str.startswith(${part.piece.text})`,
    "str.startswith",
  ),
  endsWith: textual("boolean", (column, [, part]) => `${column}.str.endswith(${part.piece.text})`, "str.endswith"),
  includes: textual(
    "boolean",
    (column, [, part]) => `${column}.str.contains(${part.piece.text}, regex=False)`,
    "str.__contains__",
  ),
  replace: textual(
    "string",
    (column, [, part, by]) =>
      textOf(part) === "" ? column : `${column}.str.replace(${part.piece.text}, ${by.piece.text}, regex=False)`,
    "lambda text, part, by: text.replace(part, by) if part else text",
  ),
  replaceFirst: textual(
    "string",
    (column, [, part, by]) => `${column}.str.replace(${part.piece.text}, ${by.piece.text}, n=1, regex=False)`,
    "lambda text, part, by: text.replace(part, by, 1)",
  ),
  matches: method((column, [, pattern]) => `${column}.str.contains(${patternOf(textOf(pattern))})`),
  extract: extracted,
  split: splitPart,
  slice: textual(
    "string",
    (column, [, from, to]) => `${column}.str[${from.piece.text}:${to ? to.piece.text : ""}]`,
    "lambda text, start, end=None: text[start:end]",
  ),
  concat: concatenated,
} satisfies Partial<Record<FunctionName, Write>>;
