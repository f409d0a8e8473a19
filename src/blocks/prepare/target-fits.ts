import { ArgsError, DataError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { quoted } from "../../core/names.ts";
import type { PartedMeans, TargetMeans } from "../../numerics/statistics/target-means.ts";
import type { Expr } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import type { Encoded } from "./categories.ts";

/** So many parts do the rows come in; each is encoded by what the others say. */
export const folds = 5;

/** A column whose categories are encoded, and the code of each cell: missing where it is, -1 where it was not learnt. */
export interface Categories {
  readonly of: Column;
  readonly code: Expr;
  readonly learnt: Encoded["categories"];
}

/** What was learnt for one column that is made. */
export interface TargetFit {
  readonly name: string;
  readonly code: Expr;
  /** For each part of the rows seen, and once more for rows that were not seen, the means by code. */
  readonly means: readonly TargetMeans[];
}

/** The targets of the rows that a fit may see, wherever they lie. */
export interface Targets {
  /** What is added to a column's name, per output. */
  readonly endings: readonly string[];
  /** The smoothed means of the targets in each category of a column, per output; missing cells are one behind the others. */
  means(categories: Categories): Promise<readonly PartedMeans[]>;
  /** The plan whose rows that were seen have the means of other parts. */
  crossFitted(relation: Relation, fits: readonly TargetFit[]): Promise<Relation>;
}

/** Part by part the means by code: of an unseen category, of those that were learnt, and of missing cells. */
export function byPartAndCode(means: readonly TargetMeans[]): Float64Array {
  const size = codesIn(means);
  const all = new Float64Array(means.length * size);
  for (const [k, each] of means.entries()) {
    all[k * size] = each.mean;
    all.set(each.means, k * size + 1);
  }
  return all;
}

/** How many codes have a mean: an unseen category, those that were learnt, and missing cells. */
export function codesIn(means: readonly TargetMeans[]): number {
  return means[0].means.length + 1;
}

/** The classes that have an output: of two the second alone. */
export function shownOf(labels: readonly unknown[]): number[] {
  return labels.length === 2 ? [1] : labels.map((_, k) => k);
}

export function endingsOf(labels: readonly unknown[]): string[] {
  return labels.length === 2 ? [""] : labels.map((label) => `_${label}`);
}

/** The name of the target. */
export function targetOf({ y }: Frame): string {
  const target = y?.[0];
  if (target === undefined) {
    throw new ArgsError('encode (DP_3): "target" needs a target; assign Y with xy (DP_FSP) first.', {
      path: "encoding_type",
      hint: "xy",
    });
  }
  return target;
}

export function incompleteTarget(target: string): DataError {
  return new DataError(
    `encode (DP_3): "target" needs a complete target, but ${quoted(target)} has missing cells. Drop those rows with missing (DP_2), strategy "drop".`,
    { got: target },
  );
}

export function oneRowAlone(): DataError {
  return new DataError(
    'encode (DP_3): "target" encodes each row by the others, and there is one row alone. Use "label".',
    { got: 1, expected: "2 rows or more" },
  );
}
