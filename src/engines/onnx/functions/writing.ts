import type { Expr, FileExpr, ListExpr, ValueExpr } from "../../../plan/expr.ts";
import type { SharedNodes } from "../shared-nodes.ts";

/** What writes the cells of expressions as tensors; see `CellWriter`. */
export interface Writer {
  readonly nodes: SharedNodes;
  /** NaN. */
  readonly missing: string;
  /** The lists of each file that the expressions name. */
  readonly lists: Lists;
  column(expr: Expr): string;
  number(expr: Expr): string;
  text(expr: Expr): string;
  isTrue(expr: Expr): string;
  isFalse(expr: Expr): string;
  isMissing(expr: Expr): string;
  isWord(expr: Expr, word: string): string;
  placesOf(text: string, words: readonly string[]): string;
  isPlace(places: string, place: number): string;
  where(condition: string, yes: string, no: string): string;
  not(condition: string): string;
  unlessMissing(made: string, others: readonly string[]): string;
  double(number: number): string;
  string(text: string): string;
  as(type: keyof typeof types, tensor: string): string;
}

/** Lists of numbers, all of one length, by the artifact that holds them. */
export type Lists = ReadonlyMap<string, readonly Float64Array[]>;

/** TensorProto.DataType. */
export const types = { int64: 7, bool: 9, double: 11 } as const;

/** Writes a function of the language; answers the name of the tensor. */
export type Write = (args: readonly Expr[], writer: Writer) => string;

/** A list's items as numbers. */
export function numbersIn(list: Expr): number[] {
  return (list as ListExpr).list.map(Number);
}

/** The lists that a file holds. */
export function listsIn(file: Expr, { lists }: Writer): readonly Float64Array[] {
  const found = lists.get((file as FileExpr).artifact);
  if (!found) throw new TypeError("the chain's lists have not been read");
  return found;
}

/** A constant's number. */
export function numberOf(expr: Expr): number {
  return Number((expr as ValueExpr).value);
}
