import { z } from "zod";
import type { Block, BlockSpec } from "../core/block.ts";
import { ArgsError } from "../core/errors.ts";
import { count } from "../core/names.ts";
import type { Blocks } from "../registry/index.ts";
import type { Chain } from "./chain.ts";
import { type AnyTable, asTables, isOurTable, listOfTables } from "./rows/any-table.ts";
import { isColumns, isRows } from "./rows/given.ts";

type Shape = z.ZodRawShape;

/** The optional and required fields of a shape, each with its doc comment. */
type Fields<S extends Shape> = z.input<z.ZodObject<S>>;

/** Friendly names stand beside the wire's; a field that has one may be given by either. */
type Friendly<S extends Shape, A> = Partial<Pick<Fields<S>, Extract<A[keyof A], keyof Fields<S>>>> &
  Omit<Fields<S>, Extract<A[keyof A], keyof Fields<S>>> & {
    [K in keyof A]?: A[K] extends keyof Fields<S> ? Fields<S>[A[K]] : never;
  };

/** A block's arguments as a helper takes them. */
export type Options<B> =
  B extends BlockSpec<string, string, infer S, infer A, readonly string[]> ? Friendly<S, A> : never;

type FieldOf<B, K> =
  B extends BlockSpec<string, string, infer S, infer _A, readonly string[]>
    ? K extends keyof Fields<S>
      ? NonNullable<Fields<S>[K]>
      : never
    : never;

/** Values one by one or as a list, then perhaps an object with the rest. */
type Several<B, List extends readonly unknown[]> =
  | List
  | [...List, options: Partial<Options<B>>]
  | [list: List, options?: Partial<Options<B>>];

/** Arguments by position, then an object with the rest. */
type Positional<B, P> = P extends readonly [`...${infer Name}`]
  ? Several<B, Extract<FieldOf<B, Name>, readonly unknown[]>>
  : P extends readonly [infer First, ...infer Others]
    ? [first: FieldOf<B, First>, ...others: Later<B, Others>]
    : never;

/** More by position, as many as one likes; the object may come behind any of them. */
type Later<B, P> =
  | [options?: Partial<Options<B>>]
  | (P extends readonly [infer Next, ...infer Others]
      ? [next: FieldOf<B, Next> | undefined, ...others: Later<B, Others>]
      : never);

type PositionsOf<B> =
  B extends BlockSpec<string, string, Shape, Readonly<Record<string, string>>, infer P> ? P : readonly [];

/** How a block is called from a session or a chain. */
export interface Helper<B> {
  // biome-ignore lint/complexity/noBannedTypes: `{}` is how a type without required keys is told.
  (...args: {} extends Options<B> ? [options?: Options<B>] : [options: Options<B>]): Chain;
  (...args: Positional<B, PositionsOf<B>>): Chain;
}

/** How a block is called that begins with a table: its URL, or rows that the program holds. */
export interface TableHelper<B> {
  (rows: AnyTable, options?: Partial<Omit<Options<B>, "dburl">>): Chain;
  (options: Omit<Options<B>, "dburl"> & { readonly dburl: AnyTable }): Chain;
}

/** One helper per block. */
export type Helpers = { readonly input: TableHelper<Blocks["input"]> } & {
  readonly [K in keyof Blocks]: Helper<Blocks[K]>;
};

/** Helpers carry their block under this key, for `help`. */
export const blockOf = Symbol.for("blocklab.block");

/** What was passed to a helper, as the arguments of its block; functions as their text, which is what is sent. */
export function toArgs(block: Block, passed: readonly unknown[]): Record<string, unknown> {
  const args = placed(block, passed);
  const list = listOfTables(block);
  if (list !== null && list in args) args[list] = asTables(args[list]);
  const texts = Object.entries(args).map(([name, each]) => [name, block.tables?.includes(name) ? each : inTexts(each)]);
  return Object.fromEntries(texts) as Record<string, unknown>;
}

function inTexts(value: unknown): unknown {
  if (typeof value === "function") return Function.prototype.toString.call(value);
  if (!isOptions(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inTexts(each)]));
}

function placed(block: Block, passed: readonly unknown[]): Record<string, unknown> {
  const positional = block.positional ?? [];
  if (isTable(block, passed[0])) return { ...(isOptions(passed[1]) ? passed[1] : {}), [positional[0]]: passed[0] };
  if (passed.length === 0) return {};
  if (passed.length === 1 && isOptions(passed[0]) && !isWhole(block, passed[0]) && !isAnother(block, passed[0]))
    return { ...passed[0] };
  const last = passed.at(-1);
  const hasOptions = isOptions(last) && !(passed.length === 1 && isWhole(block, last)) && !isAnother(block, last);
  const options = hasOptions ? last : {};
  const values = hasOptions ? passed.slice(0, -1) : passed;
  const rest = positional.at(-1)?.startsWith("...") ? positional.at(-1)?.slice(3) : undefined;
  if (rest !== undefined && positional.length === 1)
    return { [rest]: values.flatMap((each) => (block.tables?.includes(rest) ? asTables(each) : each)), ...options };
  if (values.length > positional.length) {
    const takes = positional.length === 0 ? objectWith(block, values[0]) : `${positional.join(", ")} and an object`;
    throw new ArgsError(
      `${block.name} (${block.code}) takes ${takes}, got ${count(passed.length, "value")}. See help(session.${block.name}).`,
      {
        block: block.code,
      },
    );
  }
  return {
    ...Object.fromEntries(
      values.map((value, k) => [positional[k], value] as const).filter(([, value]) => value !== undefined),
    ),
    ...options,
  };
}

/** The words for a block that takes no value by itself; of a number, with the first argument that would take it. */
function objectWith({ name, args }: Block, value: unknown): string {
  const takes = "an object of arguments";
  if (typeof value !== "number") return takes;
  const first = Object.keys(args).find((each) => z.safeParse(args[each] as z.ZodType, value).success);
  return first === undefined ? takes : `${takes}, as in ${name}({ ${first}: ${value} })`;
}

/** Is it what the first argument takes, an object itself, and not an object of arguments? */
function isWhole(block: Block, passed: Record<string, unknown>): boolean {
  const [first] = block.positional ?? [];
  if (first === undefined || block.args[first]?._zod.def.type !== "object") return false;
  return !Object.keys(passed).every((key) => Object.hasOwn(block.args, key) || Object.hasOwn(block.aliases ?? {}, key));
}

/** Is it columns of the program, for a block that takes several tables? */
function isAnother(block: Block, value: unknown): boolean {
  const list = listOfTables(block);
  return list !== null && isColumns(value) && !(list in value);
}

/** Is it a table where the block's first argument names one? */
function isTable({ tables = [], positional = [] }: Block, value: unknown): boolean {
  const [first = ""] = positional;
  if (!tables.includes(first) || typeof value !== "object" || value === null) return false;
  return isRows(value) || isOurTable(value) || (!(first in value) && isColumns(value));
}

function isOptions(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  // Objects of a notebook's cell may come from another realm, so the constructor's name decides.
  return prototype === null || (prototype as { constructor?: { name?: string } }).constructor?.name === "Object";
}
