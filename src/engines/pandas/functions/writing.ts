import { type CallExpr, type Expr, itemsOf, type ListExpr, type ValueExpr } from "../../../plan/expr.ts";
import { functions } from "../../../plan/functions.ts";
import type { ValueType } from "../../../plan/types.ts";
import type { HelperName } from "../helpers.ts";
import { pythonConstant, pythonFloat } from "../literals.ts";

/** pandas' types of values: those that have a missing cell of their own. */
export const dtypes: Readonly<Record<Exclude<ValueType, "tensor" | "missing">, string>> = {
  integer: "Int64",
  number: "Float64",
  boolean: "boolean",
  string: "string[python]",
  datetime: "datetime64[us]",
};

/** Text, and how tightly its outermost operator binds. */
export interface Piece {
  readonly text: string;
  readonly binds: number;
}

/** Python's operators from loose to tight; what is called or subscripted binds most. */
export const binding = {
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

/** A piece that needs no brackets anywhere. */
export function atom(text: string): Piece {
  return { text, binds: binding.atom };
}

/** A piece within another one, in brackets where it binds less tightly. */
export function within({ text, binds }: Piece, least: number): string {
  return binds < least ? `(${text})` : text;
}

/** An argument of a function. */
export interface Argument {
  readonly expr: Expr;
  readonly type: ValueType;
  /** As it stands: a Series, or a scalar. */
  readonly piece: Piece;
  /** Is it a Series? */
  readonly isColumn: boolean;
}

/** Writes a function of the language in Python. */
export type Write = (args: readonly Argument[], call: CallExpr, type: ValueType, writer: Writer) => Piece;

/** Does an expression answer a cell for each row, and not one for all? */
export function isColumn(expr: Expr): boolean {
  if ("column" in expr) return true;
  if (!("call" in expr)) return false;
  const { kind } = functions[expr.call];
  if (kind === "window") return true;
  if (kind === "aggregate") return (expr.over?.by.length ?? 0) > 0;
  return expr.args.some(isColumn);
}

/** Names the helpers of Python that a function calls. */
export interface Writer {
  /** The name of a helper, which the script then holds. */
  helper(name: HelperName): string;
}

/** A constant of Python as a piece. */
export function literal(text: string): Piece {
  return { text, binds: text.startsWith("-") ? binding.sign : binding.atom };
}

/** A list of constants in Python. */
export function listText(list: ListExpr): string {
  return `[${itemsOf(list).map(pythonConstant).join(", ")}]`;
}

/** The type of values as pandas calls it. */
export function dtypeOf(type: ValueType): string {
  return type === "missing" || type === "tensor" ? "object" : dtypes[type];
}

/** An argument that is a constant, as a number. */
export function numberOf({ expr }: Argument): number {
  return Number((expr as ValueExpr).value);
}

/** An argument that is a constant, as text. */
export function textOf({ expr }: Argument): string {
  return String((expr as ValueExpr).value);
}

/** Is an argument a constant? */
export function isConstant({ expr }: Argument): boolean {
  return "value" in expr;
}

/** A constant as a number with a point, so that whole numbers are worked out as others are. */
export function asDouble(arg: Argument): Argument {
  const { expr, type, piece, isColumn: isSeries } = arg;
  if (type === "number" || type === "missing") return arg;
  if ("value" in expr) return { ...arg, type: "number", piece: literal(pythonFloat(Number(expr.value))) };
  const text = isSeries ? `${within(piece, binding.atom)}.astype("Float64")` : `np.float64(${piece.text})`;
  return { ...arg, type: "number", piece: atom(isSeries ? text : `(1.0 * ${within(piece, binding.product)})`) };
}

/** An argument in the type of the answer. */
export function inType(arg: Argument, type: ValueType): Argument {
  return type === "number" ? asDouble(arg) : arg;
}

/** A scalar as a column of the table. */
export function asColumn(arg: Argument, type: ValueType = arg.type): string {
  if (arg.isColumn) return within(arg.piece, binding.atom);
  return `pd.Series(${arg.piece.text}, index=df.index, dtype="${dtypeOf(type)}")`;
}

/** Calls methods of a column; of a scalar as those of a column of one cell. */
export function chained(arg: Argument, make: (column: string) => string): Piece {
  if (arg.isColumn) return atom(make(within(arg.piece, binding.atom)));
  return atom(`${make(`pd.Series([${arg.piece.text}], dtype="${dtypeOf(arg.type)}")`)}.iloc[0]`);
}

/** A function that is a method of its first argument. */
export const method =
  (make: (column: string, args: readonly Argument[], writer: Writer, type: ValueType) => string): Write =>
  (args, _, type, writer) =>
    chained(args[0], (column) => make(column, args, writer, type));

/** A function of Python for each row. */
export function forEach(writer: Writer, type: ValueType, name: string, args: readonly Argument[]): Piece {
  const values = args.map(({ piece }) => piece.text).join(", ");
  return atom(`${writer.helper("each")}("${dtypeOf(type)}", ${name}, ${values})`);
}

/** Two pieces with an operator between them, which binds to the left. */
export function infix(sign: string, binds: number, a: Piece, b: Piece): Piece {
  return { text: `${within(a, binds)} ${sign} ${within(b, binds + 1)}`, binds };
}

/** A number as a whole one, cut off behind the point; missing beyond 64 bits. */
export function cutOff(column: string): string {
  return `np.trunc(${column}).where(lambda x: (x >= -2.0**63) & (x < 2.0**63)).astype("Int64")`;
}
