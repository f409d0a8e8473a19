import { typeOf } from "../../plan/check.ts";
import { type CallExpr, type Expr, mapCalls } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import type { Range } from "../../plan/ranges.ts";
import { type Sql, sql } from "../sql.ts";
import { double } from "./words.ts";

/** How many rows there are at most, and between which numbers what is added up lies: by the JSON of each expression. */
export interface Bounds {
  readonly rows: number;
  readonly ranges: ReadonlyMap<string, Range>;
}

/** Numbers that are added up: at most so many, between two ends. */
interface Summands extends Range {
  readonly rows: number;
  readonly isWhole: boolean;
}

/** Sums of doubles below this are exact where all their parts are whole. */
const mostExact = 2 ** 53;

/** The cell of a deviation that has to be asked with more care: too little is left of what is added up. */
export const doubtful = -1;

/** So many times as much as is left may be taken off a deviation's squares, so that 13 digits remain. */
const mostTaken = 200;

/** The aggregates within an expression. */
export function aggregatesIn(expr: Expr): CallExpr[] {
  const found: CallExpr[] = [];
  mapCalls(expr, (call) => {
    if (functions[call.call].kind === "aggregate" && !call.over) found.push(call);
    return call;
  });
  return found;
}

/** Does it add numbers up? */
export function isSummed({ call }: Pick<CallExpr, "call">): boolean {
  return call === "sum" || call === "mean" || isSpread({ call });
}

export function isSpread({ call }: Pick<CallExpr, "call">): boolean {
  return call === "std" || call === "variance";
}

/** What some aggregates add up, each once. */
export function summedIn(exprs: readonly Expr[]): Expr[] {
  const args = exprs.flatMap(aggregatesIn).flatMap((each) => (isSummed(each) ? [each.args[0]] : []));
  return [...new Map(args.map((each) => [JSON.stringify(each), each])).values()];
}

/** Is enough known of all that an expression adds up? Deviations stand alone, so that doubt of them can be seen. */
export function isKnown(expr: Expr, bounds: Bounds): boolean {
  return aggregatesIn(expr).every(
    (each) => !isSummed(each) || (summandsOf(each, bounds) !== null && (!isSpread(each) || isDeviation(expr))),
  );
}

/** Is a deviation asked, or something made of one? */
export function hasSpread(expr: Expr): boolean {
  return aggregatesIn(expr).some(isSpread);
}

/** Is it a deviation, and nothing made of one? */
export function isDeviation(expr: Expr): boolean {
  return "call" in expr && isSpread(expr);
}

/** How many cells Spark keeps for an expression while it adds up. */
export function fieldsOf(expr: Expr, bounds: Bounds): number {
  const fields = aggregatesIn(expr).map((each) => {
    const summands = isSummed(each) ? summandsOf(each, bounds) : null;
    if (!summands) return 1;
    if (each.call === "sum") return sumsOf(summands);
    const { from, squares } = centred(summands);
    return 1 + (isSpread(each) ? sumsOf(from) + sumsOf(squares) : sumsOf(summands));
  });
  return fields.reduce((sum, each) => sum + each, 0);
}

/** What is known of the numbers that an aggregate adds up; null where that is too little. */
function summandsOf({ call, args: [x] }: CallExpr, { rows, ranges }: Bounds): Summands | null {
  const range = ranges.get(JSON.stringify(x));
  if (!range) return null;
  const summands = { ...range, rows, isWhole: typeOf(x) === "integer" };
  // A sum of whole numbers is exact, however great it is; squares must not run over.
  if (call === "sum" && summands.isWhole && !isExact(summands)) return null;
  return mostOf(range) < 1e150 ? summands : null;
}

/**
 * A sum, mean or deviation of the numbers `x`, which is a column of doubles.
 *
 * Each number is added up as a whole one, in units of a power of two, and what that leaves in finer ones. Both sums stay
 * below 2^53, so they are exact in any order; together they keep 106 bits less two for each doubling of the rows. A
 * deviation is of squares around the middle of the range; where that is too far from the mean it is `doubtful`.
 */
export function writeKnownSum(aggregate: CallExpr, x: Sql, bounds: Bounds): Sql {
  const summands = summandsOf(aggregate, bounds);
  if (!summands) throw new TypeError(`too little is known of what ${aggregate.call} adds up`);
  if (isSpread(aggregate)) return deviation(aggregate.call, x, summands);
  const sum = exactSum(x, summands);
  if (aggregate.call === "mean") return sql`try_divide(${sum}, count(${x}))`;
  return summands.isWhole ? sql`CAST(${sum} AS BIGINT)` : sum;
}

function deviation(call: CallExpr["call"], x: Sql, summands: Summands): Sql {
  const { centre, from, squares } = centred(summands);
  const far = sql`(${x} - ${double(centre)})`;
  const [all, off] = [exactSum(sql`(${far} * ${far})`, squares), exactSum(far, from)];
  const taken = sql`(${off} * ${off} / count(${x}))`;
  const left = sql`(${all} - ${taken})`;
  const variance = sql`(greatest(${left}, 0D) / (count(${x}) - 1))`;
  const found = call === "std" ? sql`sqrt(${variance})` : variance;
  const doubt = sql`${taken} > ${double(mostTaken)} * ${left}`;
  return sql`CASE WHEN count(${x}) > 1 THEN CASE WHEN ${doubt} THEN ${double(doubtful)} ELSE ${found} END END`;
}

function exactSum(x: Sql, summands: Summands): Sql {
  if (isExact(summands)) return sql`sum(${x})`;
  const scale = 53 - bitsOf(summands.rows + 1);
  const bits = Math.max(-1000, Math.min(1000, scale - bitsOf(mostOf(summands))));
  const unit = double(2 ** bits);
  const fine = double(2 ** (scale + 1));
  const scaled = sql`(${x} * ${unit})`;
  return sql`((sum(rint(${scaled})) + sum(rint((${scaled} - rint(${scaled})) * ${fine})) / ${fine}) / ${unit})`;
}

function sumsOf(summands: Summands): number {
  return isExact(summands) ? 1 : 2;
}

/** Is each number whole, and their sum never more than a double counts to? */
function isExact({ rows, isWhole, ...range }: Summands): boolean {
  return isWhole && rows * mostOf(range) <= mostExact;
}

function mostOf({ low, high }: Range): number {
  return Math.max(Math.abs(low), Math.abs(high), 0);
}

/** The exponent of the least power of two that is no less. */
function bitsOf(number: number): number {
  return number > 0 ? Math.ceil(Math.log2(number)) : 0;
}

/** The numbers less the middle of their range, and the squares of those. */
function centred(summands: Summands): { centre: number; from: Summands; squares: Summands } {
  const { low, high, isWhole } = summands;
  const middle = low <= high ? low + (high - low) / 2 : 0;
  const centre = isWhole ? Math.round(middle) : middle;
  const from = { ...summands, low: low - centre, high: high - centre };
  return { centre, from, squares: { ...summands, low: 0, high: mostOf(from) ** 2 } };
}
