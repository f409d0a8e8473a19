import type { Expr } from "./expr.ts";
import { leadingTo, passedOn } from "./lineage.ts";
import type { Relation } from "./node.ts";

/** Between which numbers the cells of a column lie, ends included; of no cell the least is above the greatest. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

const nothing: Range = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };

/**
 * Between which numbers expressions over a plan's columns lie, by what they say; `rangeOf` tells it of the table's own.
 *
 * Null where nothing close can be said: of the sum of two columns, which may take each other away, and of most functions.
 */
export function rangesOf(
  { steps }: Pick<Relation, "steps">,
  exprs: readonly Expr[],
  wanted: ReadonlySet<string>,
  rangeOf: (name: string) => Range | null,
): (Range | null)[] {
  const { steps: leading, read } = leadingTo(steps, wanted);
  let known = new Map([...(read ?? wanted)].map((name) => [name, rangeOf(name)] as const));
  for (const { outputs } of leading) {
    const before = known;
    known = new Map(
      outputs.map((output) => {
        const passed = passedOn(output);
        const { expr, own, match, entry } = output;
        const isMade = expr !== undefined && !own && !match && !entry;
        const range = passed !== null ? (before.get(passed) ?? null) : isMade ? rangeIn(expr, before) : null;
        return [output.column.name, range] as const;
      }),
    );
  }
  return exprs.map((expr) => finite(rangeIn(expr, known)));
}

function rangeIn(expr: Expr, columns: ReadonlyMap<string, Range | null>): Range | null {
  if ("column" in expr) return columns.get(expr.column) ?? null;
  if ("value" in expr) return expr.value === null ? nothing : rangeOfNumber(Number(expr.value));
  if (!("call" in expr) || expr.over) return null;
  const args = (expr.call === "choose" ? expr.args.slice(1) : expr.args).map((arg) => rangeIn(arg, columns));
  if (!args.every((each) => each !== null)) return null;
  const [a, b] = args;
  switch (expr.call) {
    case "choose":
    case "coalesce":
      return { low: Math.min(...args.map(({ low }) => low)), high: Math.max(...args.map(({ high }) => high)) };
    case "number":
      return a;
    case "negate":
      return { low: -a.high, high: -a.low };
    case "add":
      return isConstant(a) || isConstant(b) ? { low: a.low + b.low, high: a.high + b.high } : null;
    case "subtract":
      return isConstant(a) || isConstant(b) ? { low: a.low - b.high, high: a.high - b.low } : null;
    case "multiply":
      return spanned([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high]);
    case "divide":
      return isConstant(b) && b.low !== 0 ? spanned([a.low / b.low, a.high / b.low]) : null;
    default:
      return null;
  }
}

function rangeOfNumber(number: number): Range | null {
  return Number.isFinite(number) ? { low: number, high: number } : null;
}

function isConstant({ low, high }: Range): boolean {
  return low === high;
}

function spanned(ends: readonly number[]): Range {
  return { low: Math.min(...ends), high: Math.max(...ends) };
}

function finite(range: Range | null): Range | null {
  return range && Number.isFinite(range.low) && Number.isFinite(range.high) ? range : null;
}
