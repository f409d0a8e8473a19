import { typeOf } from "../../plan/check.ts";
import {
  type CallExpr,
  constantType,
  type Expr,
  itemsOf,
  type ListExpr,
  rowColumn,
  type ValueExpr,
} from "../../plan/expr.ts";
import { type FunctionName, functions, whiteSpace } from "../../plan/functions.ts";
import { type PatternPiece, readPattern } from "../../plan/pattern.ts";
import type { ValueType } from "../../plan/types.ts";
import { type Objection, opaqueRefusal, type Refusal, refusals } from "../refusal.ts";
import type { HelperName } from "./helpers.ts";
import { pythonConstant, pythonFloat, pythonPattern, pythonText } from "./literals.ts";

/** pandas' types of values: those that have a missing cell of their own. */
export const dtypes: Readonly<Record<Exclude<ValueType, "tensor" | "missing">, string>> = {
  integer: "Int64",
  number: "Float64",
  boolean: "boolean",
  string: "string[python]",
  datetime: "datetime64[us]",
};

/** An expression of Python, and the helper functions that it calls. */
export interface Python {
  readonly text: string;
  readonly helpers: readonly HelperName[];
}

/**
 * Writes a checked expression as one of Python, over a DataFrame `df` with pandas 3 and numpy (as `pd` and `np`).
 *
 * Columns are of `dtypes`, the index counts the rows. It answers a Series, or a scalar where the expression reads no row
 * of its own (constants, aggregates). What differs from the other engines: `round` with digits is numpy's own, infinite
 * where the number times ten to the digits is, and so are roots of -inf, which are missing; texts joined to a constant
 * that ends in NUL lose it; sums of whole numbers beyond 2^63 wrap; rolling windows take infinity for
 * missing; letters in capitals are Python's, so that ß is SS; last digits of means and deviations.
 */
export function writeExpression(expr: Expr): Python {
  const used = new Set<HelperName>();
  const { text } = new Writer(used).write(expr);
  return { text, helpers: [...used] };
}

/** Why pandas can't work a checked expression out; empty where it can. */
export function can(expr: Expr): Refusal[] {
  return refusals(expr, objections);
}

/** Text, and how tightly its outermost operator binds. */
interface Piece {
  readonly text: string;
  readonly binds: number;
}

/** Python's operators from loose to tight; what is called or subscripted binds most. */
const binding = {
  choice: 1,
  compare: 3,
  or: 4,
  xor: 5,
  and: 6,
  sum: 8,
  product: 9,
  sign: 10,
  power: 11,
  atom: 12,
} as const;

function atom(text: string): Piece {
  return { text, binds: binding.atom };
}

/** A piece within another one, in brackets where it binds less tightly. */
function within({ text, binds }: Piece, least: number): string {
  return binds < least ? `(${text})` : text;
}

/** An argument of a function. */
interface Argument {
  readonly expr: Expr;
  readonly type: ValueType;
  /** As it stands: a Series, or a scalar. */
  readonly piece: Piece;
  /** Is it a Series? */
  readonly isColumn: boolean;
}

type Write = (args: readonly Argument[], call: CallExpr, type: ValueType, writer: Writer) => Piece;

/** Does an expression answer a cell for each row, and not one for all? */
function isColumn(expr: Expr): boolean {
  if ("column" in expr) return true;
  if (!("call" in expr)) return false;
  const { kind } = functions[expr.call];
  if (kind === "window") return true;
  if (kind === "aggregate") return (expr.over?.by.length ?? 0) > 0;
  return expr.args.some(isColumn);
}

class Writer {
  readonly #used: Set<HelperName>;

  constructor(used: Set<HelperName>) {
    this.#used = used;
  }

  /** The name of a helper, which the script then holds. */
  helper(name: HelperName): string {
    this.#used.add(name);
    return name;
  }

  write(expr: Expr): Piece {
    if ("column" in expr && expr.column === rowColumn) return atom("pd.Series(df.index, index=df.index)");
    if ("column" in expr) return atom(`df[${pythonText(expr.column)}]`);
    if ("value" in expr) return literal(pythonConstant(expr));
    if ("list" in expr) return atom(listText(expr));
    if ("parts" in expr) throw new TypeError(opaqueRefusal.message);
    if ("artifact" in expr) throw new TypeError(`${refused.dots.message}.`);
    const type = typeOf(expr);
    const args = expr.args.map(
      (arg): Argument => ({ expr: arg, type: typeOf(arg), piece: this.write(arg), isColumn: isColumn(arg) }),
    );
    const { kind, missing } = functions[expr.call];
    if (kind === "row" && missing === "spreads" && args.some(isNull)) {
      return isColumn(expr) ? atom(`pd.Series(pd.NA, index=df.index, dtype="${dtypeOf(type)}")`) : atom("pd.NA");
    }
    return writers[expr.call](args, expr, type, this);
  }
}

function isNull({ expr }: Argument): boolean {
  return "value" in expr && expr.value === null;
}

function literal(text: string): Piece {
  return { text, binds: text.startsWith("-") ? binding.sign : binding.atom };
}

function listText(list: ListExpr): string {
  return `[${itemsOf(list).map(pythonConstant).join(", ")}]`;
}

function dtypeOf(type: ValueType): string {
  return type === "missing" || type === "tensor" ? "object" : dtypes[type];
}

function numberOf({ expr }: Argument): number {
  return Number((expr as ValueExpr).value);
}

function textOf({ expr }: Argument): string {
  return String((expr as ValueExpr).value);
}

function isConstant({ expr }: Argument): boolean {
  return "value" in expr;
}

/** A constant as a number with a point, so that whole numbers are worked out as others are. */
function asDouble(arg: Argument): Argument {
  const { expr, type, piece, isColumn: isSeries } = arg;
  if (type === "number" || type === "missing") return arg;
  if ("value" in expr) return { ...arg, type: "number", piece: literal(pythonFloat(Number(expr.value))) };
  const text = isSeries ? `${within(piece, binding.atom)}.astype("Float64")` : `np.float64(${piece.text})`;
  return { ...arg, type: "number", piece: atom(isSeries ? text : `(1.0 * ${within(piece, binding.product)})`) };
}

/** An argument in the type of the answer. */
function inType(arg: Argument, type: ValueType): Argument {
  return type === "number" ? asDouble(arg) : arg;
}

/** A scalar as a column of the table. */
function asColumn(arg: Argument, type: ValueType = arg.type): string {
  if (arg.isColumn) return within(arg.piece, binding.atom);
  return `pd.Series(${arg.piece.text}, index=df.index, dtype="${dtypeOf(type)}")`;
}

/** Calls methods of a column; of a scalar as those of a column of one cell. */
function chained(arg: Argument, make: (column: string) => string): Piece {
  if (arg.isColumn) return atom(make(within(arg.piece, binding.atom)));
  return atom(`${make(`pd.Series([${arg.piece.text}], dtype="${dtypeOf(arg.type)}")`)}.iloc[0]`);
}

const method =
  (make: (column: string, args: readonly Argument[], writer: Writer, type: ValueType) => string): Write =>
  (args, _, type, writer) =>
    chained(args[0], (column) => make(column, args, writer, type));

/** A function of Python for each row. */
function forEach(writer: Writer, type: ValueType, name: string, args: readonly Argument[]): Piece {
  const values = args.map(({ piece }) => piece.text).join(", ");
  return atom(`${writer.helper("each")}("${dtypeOf(type)}", ${name}, ${values})`);
}

function infix(sign: string, binds: number, a: Piece, b: Piece): Piece {
  return { text: `${within(a, binds)} ${sign} ${within(b, binds + 1)}`, binds };
}

const arithmetic =
  (sign: string, binds: number, name: string): Write =>
  ([a, b], _, type, writer) => {
    if (type === "integer") return atom(`${writer.helper("whole")}(np.${name}, ${a.piece.text}, ${b.piece.text})`);
    if (a.isColumn || b.isColumn) return infix(sign, binds, a.piece, b.piece);
    return atom(`np.${name}(${asDouble(a).piece.text}, ${asDouble(b).piece.text})`);
  };

const opposite =
  (sign: string, name: string): Write =>
  ([x], _, type, writer) => {
    if (type === "integer") return atom(`${writer.helper("whole")}(np.${name}, ${x.piece.text})`);
    return sign
      ? { text: `-${within(x.piece, binding.sign)}`, binds: binding.sign }
      : atom(`np.${name}(${x.piece.text})`);
  };

const comparison =
  (sign: string): Write =>
  ([a, b], _, __, writer) => {
    const made = infix(sign, binding.compare, { ...a.piece, binds: a.piece.binds - 0.5 }, b.piece);
    if (a.type !== "datetime") return made;
    return atom(`${writer.helper("known")}(${made.text}, ${a.piece.text}, ${b.piece.text})`);
  };

const logic =
  (sign: string, binds: number): Write =>
  ([a, b]) =>
    infix(sign, binds, a.piece, b.piece);

/** A function of numpy that takes a column or a number. */
const ufunc =
  (name: string): Write =>
  ([x]) =>
    atom(`np.${name}(${asDouble(x).piece.text})`);

/** The same of a number, where whole ones are their own answer. */
const unlessWhole =
  (name: string): Write =>
  ([x], _, type) =>
    type === "integer" ? x.piece : atom(`np.${name}(${x.piece.text})`);

/** The logarithm of 0 is missing, not infinite. */
const logarithm =
  (name: string): Write =>
  ([x]) =>
    chained(asDouble(x), (column) => `np.${name}(${column}).mask(lambda log: log == -np.inf)`);

function powered([a, b]: readonly Argument[]): Piece {
  const [x, y] = [asDouble(a), asDouble(b)];
  if (!x.isColumn && !y.isColumn) return atom(`np.power(${x.piece.text}, ${y.piece.text})`);
  // Python's ** binds to the right.
  const made: Piece = {
    text: `${within(x.piece, binding.power + 1)} ** ${within(y.piece, binding.power)}`,
    binds: binding.power,
  };
  // To pandas a missing cell to the power of 0 is 1, and so is 1 to the power of a missing one.
  const isSafe = (isConstant(b) && numberOf(b) !== 0) || (isConstant(a) && numberOf(a) !== 1);
  if (isSafe) return made;
  const there = [x, y].filter((each) => each.isColumn).map((each) => `${within(each.piece, binding.atom)}.notna()`);
  return atom(`(${made.text}).where(${there.join(" & ")})`);
}

function divided([a, b]: readonly Argument[]): Piece {
  if (a.isColumn || b.isColumn) return infix("/", binding.product, a.piece, b.piece);
  return atom(`np.divide(${asDouble(a).piece.text}, ${asDouble(b).piece.text})`);
}

const remainder: Write = ([a, b], _, type) => {
  if (type === "number") return atom(`np.fmod(${asDouble(a).piece.text}, ${asDouble(b).piece.text})`);
  // To numpy a whole number has a remainder by 0.
  const left = `np.fmod(${a.piece.text}, ${b.piece.text})`;
  if (isConstant(b) && numberOf(b) !== 0) return atom(left);
  if (b.isColumn) return atom(`np.fmod(${asColumn(a)}, ${within(b.piece, binding.atom)}.replace(0, pd.NA))`);
  return atom(`(${left} if ${within(b.piece, binding.compare)} != 0 else pd.NA)`);
};

const choice: Write = ([when, then, otherwise], _, type) => {
  const [yes, no] = [inType(then, type), inType(otherwise, type)];
  if (![when, then, otherwise].some((each) => each.isColumn)) {
    const condition = isConstant(when)
      ? when.piece.text
      : `pd.notna(${when.piece.text}) and ${within(when.piece, binding.compare)}`;
    return { text: `(${yes.piece.text} if ${condition} else ${no.piece.text})`, binds: binding.atom };
  }
  return atom(
    `${asColumn(yes, type)}.where(${when.isColumn ? when.piece.text : asColumn(when, "boolean")}, ${no.piece.text})`,
  );
};

const filled: Write = (args, call, type) => {
  const [first, ...others] = args.map((arg) => inType(arg, type));
  if (!isColumn(call)) {
    return [first, ...others]
      .map((arg) => arg.piece)
      .reduceRight((rest, { text }) => atom(`(${text} if pd.notna(${text}) else ${rest.text})`));
  }
  return atom(others.reduce((made, other) => `${made}.fillna(${other.piece.text})`, asColumn(first, type)));
};

/** The least or greatest; of texts and dates by Python's own, which compares texts by code point. */
const extreme =
  (name: "minimum" | "maximum", word: "min" | "max"): Write =>
  (args, _, type, writer) => {
    if (args.length === 1) return args[0].piece;
    if (type !== "integer" && type !== "number") return forEach(writer, type, word, args);
    const [first, ...others] = args.map((arg) => inType(arg, type).piece.text);
    return atom(others.reduce((made, other) => `np.${name}(${made}, ${other})`, first));
  };

const clipped: Write = (args, _, type, writer) => {
  const [x, low, high] = args.map((arg) => inType(arg, type));
  if (isConstant(low) && isConstant(high) && numberOf(low) <= numberOf(high)) {
    return chained(x, (column) => `${column}.clip(${low.piece.text}, ${high.piece.text})`);
  }
  return forEach(writer, type, "lambda x, low, high: low if x < low else high if x > high else x", [x, low, high]);
};

/** A number as a whole one, cut off behind the point; missing beyond 64 bits. */
function cutOff(column: string): string {
  return `np.trunc(${column}).where(lambda x: (x >= -2.0**63) & (x < 2.0**63)).astype("Int64")`;
}

const rounded: Write = ([x, digits], _, type) => {
  const places = digits ? numberOf(digits) : 0;
  if (type === "integer" && places >= 0) return x.piece;
  return chained(asDouble(x), (column) => {
    const made = `${column}.round(${places === 0 ? "" : Math.max(-308, Math.min(places, 292))})`;
    return type === "integer" ? cutOff(made) : made;
  });
};

const intervals: Write = ([x, edges, labels]) => {
  if ((labels.expr as ListExpr).list.length === 0)
    return chained(x, (column) => `${column}.where(lambda x: x.isna()).astype("string[python]")`);
  return chained(
    asDouble(x),
    (column) =>
      `pd.cut(${column}, ${listText(edges.expr as ListExpr)}, labels=${listText(labels.expr as ListExpr)}, ordered=False).astype("string[python]")`,
  );
};

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

const asText: Write = ([x], _, type, writer) =>
  x.type === "string" ? x.piece : forEach(writer, type, writer.helper("text"), [x]);

const asNumber: Write = ([x], _, type, writer) => {
  if (x.type === "number") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("number"), [x]);
  if (x.type === "datetime") return chained(x, (column) => `pd.Series(pd.NA, index=${column}.index, dtype="Float64")`);
  return chained(x, (column) => `${column}.astype("Float64")`);
};

const asInteger: Write = ([x], _, type, writer) => {
  if (x.type === "integer") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("integer"), [x]);
  if (x.type === "datetime") return chained(x, (column) => `pd.Series(pd.NA, index=${column}.index, dtype="Int64")`);
  return chained(x, (column) => (x.type === "boolean" ? `${column}.astype("Int64")` : cutOff(column)));
};

const asBoolean: Write = ([x], _, type, writer) => {
  if (x.type === "boolean") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("boolean"), [x]);
  if (x.type === "datetime") return chained(x, (column) => `pd.Series(pd.NA, index=${column}.index, dtype="boolean")`);
  return infix("!=", binding.compare, x.piece, atom("0"));
};

const asDate: Write = ([x], _, type, writer) => {
  if (x.type === "datetime") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("date"), [x]);
  return chained(x, (column) => `pd.Series(pd.NaT, index=${column}.index, dtype="datetime64[us]")`);
};

const datePart = (part: string): Write => method((column) => `${column}.dt.${part}.astype("Int64")`);

const offsets: Readonly<Record<string, string>> = { second: "s", minute: "min", hour: "h", day: "D" };

const truncated: Write = method((column, [, unit], writer) => {
  const offset = offsets[textOf(unit)];
  return offset ? `${column}.dt.floor("${offset}")` : `${writer.helper("begin")}(${column}, ${unit.piece.text})`;
});

const monthsOf: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

const dateDifference: Write = ([from, to, unit], _, __, writer) => {
  const each = textOf(unit);
  const n = monthsOf[each];
  const whole: Argument = { expr: from.expr, type: "number", isColumn: from.isColumn || to.isColumn, piece: atom("") };
  if (n) {
    const months = forEach(writer, "integer", writer.helper("months"), [from, to]);
    if (n === 1) return months;
    return chained({ ...whole, type: "integer", piece: months }, (column) => cutOff(`(${column} / ${n})`));
  }
  const share = `(${within(to.piece, binding.sum)} - ${within(from.piece, binding.sum + 1)}) / pd.Timedelta(${each}s=1)`;
  return chained({ ...whole, piece: { text: share, binds: binding.product } }, (column) =>
    whole.isColumn ? `np.trunc(${share}).astype("Int64")` : cutOff(column),
  );
};

/** What a window's groups are told by: a column, or their numbers (pandas stumbles over several missing keys). */
function groupedBy(by: readonly string[], isCounted = by.length > 1): string {
  const names = by.map(pythonText);
  return isCounted
    ? `.groupby(df.groupby([${names.join(", ")}], dropna=False).ngroup())`
    : `.groupby(df[${names[0]}], dropna=False)`;
}

/** A column in the order of its window, by its groups, then in the table's order again. */
function along(call: CallExpr, column: string, make: (cells: string) => string, isCounted?: boolean): string {
  const { by, order } = call.over ?? { by: [], order: [] };
  const names = order.map((key) => pythonText(key.column)).join(", ");
  const directions = order.some((key) => key.descending)
    ? `, ascending=[${order.map((key) => (key.descending ? "False" : "True")).join(", ")}]`
    : "";
  const sorted =
    order.length > 0 ? `${column}.loc[df.sort_values([${names}]${directions}, kind="stable").index]` : column;
  const made = make(by.length > 0 ? `${sorted}${groupedBy(by, isCounted)}` : sorted);
  return order.length > 0 ? `${made}.sort_index()` : made;
}

const window =
  (make: (cells: string, args: readonly Argument[]) => string): Write =>
  (args, call) =>
    atom(along(call, asColumn(args[0]), (cells) => make(cells, args)));

/** A window of pandas' own that knows no groups; within them each is handed over, with NaN for what is missing. */
const ofEach =
  (make: (cells: string, args: readonly Argument[]) => string): Write =>
  (args, call) => {
    const isGrouped = (call.over?.by.length ?? 0) > 0;
    const column = asColumn(asDouble(args[0]));
    const made = along(
      call,
      isGrouped ? `${column}.astype("float64")` : column,
      (cells) => (isGrouped ? `${cells}.transform(lambda cells: ${make("cells", args)})` : make(cells, args)),
      isGrouped,
    );
    return atom(`${made}.astype("Float64")`);
  };

const ones = 'pd.Series(1, index=df.index, dtype="Int64")';

const rowNumber = (call: CallExpr): string => along(call, ones, (cells) => `${cells}.cumsum()`);

const ranking =
  (ties: "min" | "dense"): Write =>
  ([x], call, _, writer) => {
    const { by, order } = call.over ?? { by: [], order: [] };
    if (!x && order.length === 0) return atom(rowNumber(call));
    const keys = order.map(({ column, descending }) => `(${pythonText(column)}, ${descending ? "False" : "True"})`);
    const places = x ? asColumn(x) : `${writer.helper("places")}(df, ${keys.join(", ")})`;
    const grouped = by.length > 0 ? `${places}${groupedBy(by, true)}` : places;
    // pandas ranks no texts within groups.
    const made =
      x && by.length > 0 && x.type !== "integer" && x.type !== "number"
        ? `${grouped}.transform(lambda cells: cells.rank(method="${ties}"))`
        : `${grouped}.rank(method="${ties}")`;
    return atom(`${made}.astype("Int64")`);
  };

/** An aggregate: a word of pandas for a column, and for the groups of a window. */
const aggregate =
  (word: string, options = "", prepare: (arg: Argument) => Argument = (arg) => arg): Write =>
  ([x], call) => {
    const column = asColumn(prepare(x));
    if (!call.over || call.over.by.length === 0) return atom(`${column}.${word}(${options})`);
    const more = options ? `, ${options}` : "";
    return atom(`${column}${groupedBy(call.over.by)}.transform("${word}"${more})`);
  };

/** An aggregate that groups know no word for. */
const aggregateOfEach =
  (
    make: (cells: string, args: readonly Argument[]) => string,
    prepare: (arg: Argument) => Argument = (arg) => arg,
  ): Write =>
  (args, call, type) => {
    const column = asColumn(prepare(args[0]));
    if (!call.over || call.over.by.length === 0) return atom(make(column, args));
    const grouped = `${column}${groupedBy(call.over.by, true)}`;
    return atom(`${grouped}.transform(lambda cells: ${make("cells", args)}).astype("${dtypeOf(type)}")`);
  };

const noArrays = {
  message: "pandas has no cells that hold arrays",
  cure: "Work it out with numpy, as in df[names].to_numpy() @ weights.",
};

const noProperties = {
  message: "Python's regular expressions know no \\p{…}, by which words are told from numbers",
  cure: "Take the number out by extract(…), and make it one by number(…).",
};

const noTerms = {
  message: "pandas counts no words",
  cure: "Count them with scikit-learn's CountVectorizer or TfidfVectorizer.",
};

/** What pandas has no words for. */
const refused = {
  vector: noArrays,
  dot: noArrays,
  dots: noArrays,
  partOf: noArrays,
  endSigma: noTerms,
  words: noTerms,
  phrases: noTerms,
  counted: noTerms,
  placesOf: noTerms,
  weighted: noTerms,
  norm: noTerms,
  scaled: noTerms,
  readDate: {
    message: "pandas reads other forms of dates",
    cure: "Write dates as 2026-01-31 and read them by date(…), or by pd.to_datetime with their format.",
  },
  readNumber: noProperties,
  unitOf: noProperties,
} as const satisfies Partial<Record<FunctionName, Omit<Refusal, "call">>>;

const patternObjection: Objection = ({ args }) => {
  const { pieces } = readPattern(String((args[1] as ValueExpr).value));
  if (pieces.some((piece) => "property" in piece)) {
    return { message: "Python's regular expressions know no \\p{…}", cure: "Name the letters, as in [a-zäöü]." };
  }
  const isOdd = pieces.some((piece) => "class" in piece && piece.isInBrackets && /[DWS]/.test(piece.class));
  return isOdd
    ? {
        message: "digits, words and white space are those of ASCII, which Python can't turn round within brackets",
        cure: "Write an alternative, as in (?:\\D|x).",
      }
    : null;
};

const objections: Partial<Record<FunctionName, Objection>> = {
  ...Object.fromEntries(Object.entries(refused).map(([name, why]) => [name, () => why])),
  matches: patternObjection,
  extract: patternObjection,
};

const refuse =
  (name: keyof typeof refused): Write =>
  () => {
    throw new Error(`${name}(): ${refused[name].message}.`);
  };

/** Each function of the language in pandas. */
const writers: Readonly<Record<FunctionName, Write>> = {
  add: arithmetic("+", binding.sum, "add"),
  subtract: arithmetic("-", binding.sum, "subtract"),
  multiply: arithmetic("*", binding.product, "multiply"),
  divide: divided,
  modulo: remainder,
  power: powered,
  negate: opposite("-", "negative"),
  equal: comparison("=="),
  notEqual: comparison("!="),
  less: comparison("<"),
  lessEqual: comparison("<="),
  greater: comparison(">"),
  greaterEqual: comparison(">="),
  and: logic("&", binding.and),
  or: logic("|", binding.or),
  not: ([x]) =>
    x.isColumn
      ? { text: `~${within(x.piece, binding.sign)}`, binds: binding.sign }
      : infix("^", binding.xor, x.piece, atom("True")),
  oneOf: ([x, list], _, __, writer) =>
    x.isColumn
      ? atom(`${writer.helper("known")}(${within(x.piece, binding.atom)}.isin(${list.piece.text}), ${x.piece.text})`)
      : atom(
          `${writer.helper("known")}(${within(x.piece, binding.compare + 1)} in ${list.piece.text}, ${x.piece.text})`,
        ),
  choose: choice,
  coalesce: filled,

  abs: opposite("", "abs"),
  sign: ([x], _, type) =>
    type === "integer" ? chained(x, (column) => `np.sign(${column})`) : atom(`np.sign(${x.piece.text})`),
  ceil: unlessWhole("ceil"),
  floor: unlessWhole("floor"),
  trunc: unlessWhole("trunc"),
  round: rounded,
  sqrt: ufunc("sqrt"),
  exp: ufunc("exp"),
  ln: logarithm("log"),
  log10: logarithm("log10"),
  log2: logarithm("log2"),
  clip: clipped,
  least: extreme("minimum", "min"),
  greatest: extreme("maximum", "max"),
  bin: ([x, width]) =>
    infix(
      "*",
      binding.product,
      atom(`np.floor(${divided([asDouble(x), asDouble(width)]).text})`),
      asDouble(width).piece,
    ),
  cut: intervals,
  isFinite: ufunc("isfinite"),

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

  year: datePart("year"),
  quarter: datePart("quarter"),
  month: datePart("month"),
  day: datePart("day"),
  hour: datePart("hour"),
  minute: datePart("minute"),
  second: datePart("second"),
  weekday: datePart("dayofweek"),
  date: asDate,
  dateTrunc: truncated,
  dateDiff: dateDifference,

  isMissing: ([x]) => atom(x.isColumn ? `${within(x.piece, binding.atom)}.isna()` : `pd.isna(${x.piece.text})`),
  number: asNumber,
  integer: asInteger,
  text: asText,
  boolean: asBoolean,

  count: (args, call, type, writer) => {
    if (args.length > 0) return aggregate("count")(args, call, type, writer);
    return call.over && call.over.by.length > 0
      ? atom(`${ones}${groupedBy(call.over.by)}.transform("sum")`)
      : atom("len(df)");
  },
  countDistinct: aggregate("nunique"),
  sum: aggregate("sum", "min_count=1"),
  mean: aggregate("mean", "", asDouble),
  median: aggregate("median", "", asDouble),
  quantile: aggregateOfEach((cells, [, q]) => `${cells}.quantile(${q.piece.text})`, asDouble),
  min: aggregate("min"),
  max: aggregate("max"),
  std: aggregate("std", "", asDouble),
  variance: aggregate("var", "", asDouble),
  first: aggregateOfEach((cells) => `next(iter(${cells}.dropna()), pd.NA)`),
  last: aggregateOfEach((cells) => `next(iter(${cells}.dropna()[::-1]), pd.NA)`),
  mode: aggregateOfEach((cells) => `next(iter(${cells}.mode()), pd.NA)`),
  // any() and all() of no cell that is there would be an answer.
  any: aggregate("max"),
  all: aggregate("min"),
  corr: aggregateOfEach((cells, [, y]) => `${cells}.corr(${asColumn(asDouble(y))})`, asDouble),

  rowNumber: (_, call) => atom(rowNumber(call)),
  rank: ranking("min"),
  denseRank: ranking("dense"),
  ntile: ([k], call, type, writer) => {
    const by = call.over?.by ?? [];
    const size = by.length > 0 ? `${ones}${groupedBy(by)}.transform("sum")` : "len(df)";
    const place: Argument = { expr: call, type, isColumn: true, piece: atom(rowNumber(call)) };
    return forEach(writer, type, writer.helper("ntile"), [place, { ...place, piece: atom(size) }, k]);
  },
  lag: window((cells, [, k]) => `${cells}.shift(${k ? k.piece.text : ""})`),
  lead: window((cells, [, k]) => `${cells}.shift(-${k ? k.piece.text : "1"})`),
  cumsum: window((cells) => `${cells}.cumsum()`),
  cummean: ([x], call) => {
    const column = asColumn(asDouble(x));
    const sums = along(call, column, (cells) => `${cells}.cumsum()`);
    const counts = along(call, `${column}.notna()`, (cells) => `${cells}.cumsum()`);
    return { text: `${sums} / ${counts}`, binds: binding.product };
  },
  cummin: window((cells) => `${cells}.cummin()`),
  cummax: window((cells) => `${cells}.cummax()`),
  rollingSum: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).sum()`),
  rollingMean: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).mean()`),
  rollingMin: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).min()`),
  rollingMax: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).max()`),
  rollingStd: ofEach((cells, [, n]) => `${cells}.rolling(${n.piece.text}).std()`),
  pctChange: ([x], call) => {
    const before = along(call, asColumn(x), (cells) => `${cells}.shift()`);
    return { text: `${asColumn(x)} / ${before} - 1`, binds: binding.sum };
  },
  previous: window((cells) => `${cells}.ffill()`),
  next: window((cells) => `${cells}.bfill()`),

  byteLength: ([x], _, type, writer) => forEach(writer, type, "lambda text: len(text.encode())", [x]),
  written: ([x], _, type, writer) => forEach(writer, type, writer.helper("written"), [x]),
  hash32: ([x], _, type, writer) => forEach(writer, type, writer.helper("hash32"), [x]),
  readDate: refuse("readDate"),
  readNumber: refuse("readNumber"),
  unitOf: refuse("unitOf"),
  placeOf: ([x, among], _, type, writer) => {
    const items = listText(among.expr as ListExpr);
    return forEach(writer, type, `lambda cell: ${items}.index(cell) if cell in ${items} else -1`, [x]);
  },
  itemAt: ([place, items], _, type, writer) =>
    forEach(writer, type, `lambda k: dict(enumerate(${listText(items.expr as ListExpr)})).get(k)`, [place]),
  bitAt: method((column, [, k]) =>
    numberOf(k) > 62 ? `(${column} * 0)` : `(${column}.clip(0) // ${2n ** BigInt(numberOf(k))} % 2)`,
  ),
  vector: refuse("vector"),
  dot: refuse("dot"),
  dots: refuse("dots"),
  partOf: refuse("partOf"),
  endSigma: refuse("endSigma"),
  words: refuse("words"),
  phrases: refuse("phrases"),
  counted: refuse("counted"),
  placesOf: refuse("placesOf"),
  weighted: refuse("weighted"),
  norm: refuse("norm"),
  scaled: refuse("scaled"),
  sigmoid: ([x]) => ({ text: `1 / (1 + np.exp(-${within(asDouble(x).piece, binding.sign)}))`, binds: binding.product }),
  sortedSum: aggregateOfEach((cells) => `${cells}.sort_values().sum(min_count=1)`, asDouble),
  interpolate: ofEach((cells) => `${cells}.interpolate()`),
};
