import { z } from "zod";
import { check, type Place } from "../plan/check.ts";
import { type Column, valueType } from "../plan/column.ts";
import type { Expr } from "../plan/expr.ts";
import { type Parameters, parse } from "../plan/parse.ts";
import type { Problem } from "../plan/problem.ts";
import type { ValueType } from "../plan/types.ts";
import { ArgsError } from "./errors.ts";
import { didYouMean, listed } from "./names.ts";
import { visible } from "./visible.ts";

/** A row as an expression names it; its columns are not known before a table is. */
// biome-ignore lint/suspicious/noExplicitAny: a column may hold anything.
export type Row = Record<string, any>;

/** An expression as a cell holds it: an arrow function, whose text is parsed and never run, or that text. */
// biome-ignore lint/suspicious/noExplicitAny: what it answers is checked by the language itself.
export type Expression = string | ((d: Row, $: any) => any);

/** The types of arguments that are expressions, or hold some. */
const expressionTypes = new WeakSet<object>();

/** Does the argument take an expression, or several by name? */
export function takesExpression(type: z.core.$ZodType): boolean {
  const { innerType } = type._zod.def as { innerType?: z.core.$ZodType };
  return expressionTypes.has(type) || (innerType !== undefined && takesExpression(innerType));
}

function marked<T extends object>(type: T): T {
  expressionTypes.add(type);
  return type;
}

/** An expression over a row: an arrow function such as `d => d.units * d.price`, its text, or bare names: `units * price`. */
export function expression(): z.ZodType<string, Expression> {
  // A cast because a helper sends a function as its text, see `textOf`.
  return marked(z.string()) as unknown as z.ZodType<string, Expression>;
}

/** New columns by name, each an expression. */
export function expressions(): z.ZodType<Record<string, string>, Readonly<Record<string, Expression>>> {
  // A cast as above.
  return marked(z.record(z.string(), z.string())) as unknown as z.ZodType<
    Record<string, string>,
    Readonly<Record<string, Expression>>
  >;
}

/** Values of the program that expressions name behind their second parameter, as in `(d, $) => d.age > $.limit`. */
export function parameters() {
  const constant = z.union([z.number(), z.string(), z.boolean(), z.null()]);
  return z.record(z.string(), z.union([constant, z.array(constant)]));
}

/** An expression of a block's arguments, and what to call it in a message. */
export interface Wanted {
  readonly text: string;
  /** "filter (BL_FILTER)". */
  readonly who: string;
  /** "where", "columns.total". */
  readonly path: string;
  readonly place: Place;
  readonly params?: Parameters | undefined;
}

/** Reads an expression over these columns and checks its types, before anything runs. */
export function readExpression(
  columns: readonly Column[],
  { text, who, path, place, params = {} }: Wanted,
): { readonly expr: Expr; readonly type: ValueType } {
  const schema = new Map(columns.map((each) => [each.name, valueType(each)]));
  const parsed = parse(text, new Set(schema.keys()), params);
  if ("problem" in parsed) throw wrong(parsed.problem, text, who, path);
  const checked = check(parsed.expr, schema, place, parsed.spans);
  if ("problem" in checked) throw wrong(checked.problem, text, who, path);
  return checked;
}

/** A problem as an error: a sentence, the cure, and the place in the text. */
function wrong(
  { code, message, cure, got, candidates, span }: Problem,
  text: string,
  who: string,
  path: string,
): ArgsError {
  const near = got !== undefined && candidates ? didYouMean(got, candidates) : "";
  const columns = code === "unknown_column" && candidates ? ` Columns: ${listed(candidates)}.` : "";
  const sentence = visible(`${who}: ${path}: ${message}.${near}${cure ? ` ${cure}` : ""}${columns}`);
  return new ArgsError(span ? `${sentence}\n${pointed(text, span)}` : sentence, {
    code: code === "unknown_column" ? code : "bad_arguments",
    path,
    ...(got === undefined ? {} : { got: got.slice(0, 80) }),
    ...(candidates ? { expected: candidates.slice(0, 50) } : {}),
  });
}

/** Letters that are shown of a long expression. */
const shownLetters = 72;

/** The line of the text with the problem, and a mark below it. */
function pointed(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const until = text.indexOf("\n", start);
  const line = text.slice(from, until < 0 ? text.length : until);
  const place = start - from;
  const cut = Math.max(0, Math.min(place - shownLetters / 2, line.length - shownLetters));
  const shown = visible(line.slice(cut, cut + shownLetters));
  const before = visible(line.slice(cut, place));
  const width = Math.max(1, Math.min(visible(text.slice(start, end)).length, shown.length - before.length));
  return `  ${shown}\n  ${" ".repeat([...before].length)}${"^".repeat(width)}`;
}
