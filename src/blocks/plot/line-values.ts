import type { BlockContext } from "../../core/block.ts";
import type { Axis } from "../../core/chart.ts";
import { ArgsError } from "../../core/errors.ts";
import { listed } from "../../core/names.ts";
import { call, type Expr } from "../../plan/expr.ts";

/** What a line can show of the rows that have one x: one number of theirs, or each row. */
export const lineAggregates = ["mean", "median", "sum", "min", "max", "count", "none"] as const;

/** One of `lineAggregates`. */
export type LineAggregate = (typeof lineAggregates)[number];

/** A number that stands for the rows of one x. */
export type Joining = Exclude<LineAggregate, "none">;

/** The number of the rows whose y it is. */
export function joinedExpr(joining: Joining, y: Expr): Expr {
  return call(joining, joining === "sum" ? call("number", y) : y);
}

/** The number of these values; there is one at least. */
export function joinedValue(joining: Joining, values: readonly number[]): number {
  const sum = () => values.reduce((total, value) => total + value, 0);
  switch (joining) {
    case "count":
      return values.length;
    case "sum":
      return sum();
    case "mean":
      return sum() / values.length;
    case "min":
      return values.reduce((least, value) => Math.min(least, value));
    case "max":
      return values.reduce((most, value) => Math.max(most, value));
    case "median": {
      const sorted = values.toSorted((a, b) => a - b);
      const middle = sorted.length >> 1;
      return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
  }
}

/** What a line is drawn of. */
export interface LineAsked {
  readonly aggregate: LineAggregate | undefined;
  /** The names of what lies along x, and whether several rows have one x in one line. */
  readonly x: readonly string[];
  readonly isRepeated: () => Promise<boolean>;
  readonly y: { readonly title: string; readonly type: Axis["type"] };
}

/** The number to draw for each x, null for each row; that a mean is drawn though nobody asked for it is said. */
export async function joiningOf(
  { aggregate, x, isRepeated, y }: LineAsked,
  context: BlockContext,
): Promise<Joining | null> {
  if (aggregate === "none") return null;
  if (aggregate !== undefined) {
    if (y.type === "number" || aggregate === "count") return aggregate;
    throw new ArgsError(
      `${context.block.name} (${context.block.code}): there is no ${aggregate} of ${listed([y.title])}, which is no number; use "count" or "none".`,
      { path: "aggregate", got: aggregate, expected: ["count", "none"] },
    );
  }
  if (y.type !== "number" || !(await isRepeated())) return null;
  context.notice(
    `${context.block.name} (${context.block.code}): several rows have the same ${listed(x)}, so the line shows their mean ${listed([y.title])}. Choose another aggregate ("median", "sum", "none" for each row), or a line each with color.`,
  );
  return "mean";
}
