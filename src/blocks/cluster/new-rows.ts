import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { withStep } from "../../core/scope.ts";
import { call, column, type Expr, numberList, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";

/** So many clusters and constants of them stand in a plan; more would make each later block slow. */
export const mostClusters = 64;
export const mostConstants = 4096;

/** What decides on the cluster of a row that comes later: a number for each, of which the greatest does. */
export interface RowScores {
  readonly clusters: number;
  /** How many constants all of them hold. */
  readonly constants: number;
  /** That of a cluster, by the features as one tensor. */
  score(cluster: number, features: Expr): Expr;
}

/** The nearest of k×d centres c is where x·c − ‖c‖²/2 is greatest. */
export function centreScores(centres: Float64Array, d: number): RowScores {
  return {
    clusters: centres.length / d,
    constants: centres.length,
    score(c, features) {
      const centre = centres.subarray(c * d, (c + 1) * d);
      const half = centre.reduce((sum, each) => sum + each * each, 0) / 2;
      return call("subtract", call("dot", features, numberList(centre)), value(half, "number"));
    },
  };
}

/**
 * How a row that comes later gets its cluster: by the greatest score, in two nodes before the one with the column.
 *
 * With many clusters the cluster of new rows is missing.
 */
export function clusterOfNew(
  frame: Frame,
  features: readonly string[],
  scores: RowScores,
  context: BlockContext,
): { readonly frame: Frame; readonly expr: Expr } {
  const k = scores.clusters;
  if (k > mostClusters || scores.constants > mostConstants) return { frame, expr: value(null, "integer") };
  const taken = frame.columns.map(({ name }) => name);
  const [list, ...names] = freshNames(["features", ...Array.from({ length: k }, (_, c) => `score_${c}`)], taken);
  const together: Column = { name: list, type: "tensor" };
  const gathered = withOutputs(frame, context, [
    { column: together, expr: call("vector", ...columnsNamed(frame.columns, features).map(cell)) },
  ]);
  const scored = withOutputs(
    gathered,
    context,
    names.map((name, c): Output => {
      return { column: { name, type: "number" }, expr: scores.score(c, { column: list, type: "tensor" }) };
    }),
    list,
  );
  const each = names.map((name) => column(name, "number"));
  const best = k === 1 ? each[0] : call("greatest", ...each);
  let expr: Expr = value(null, "integer");
  for (let c = k - 1; c >= 0; c--) {
    expr = call("choose", call("greaterEqual", each[c], best), value(c, "integer"), expr);
  }
  return { frame: scored, expr };
}

/** The frame with outputs behind its columns, of which one may go. */
function withOutputs(
  frame: Frame,
  context: Pick<BlockContext, "block">,
  made: readonly Output[],
  gone: string | null = null,
): Frame {
  const outputs = [...frame.columns.filter(({ name }) => name !== gone).map((each) => ({ column: each })), ...made];
  return withStep(frame, { block: context.block.id, name: context.block.name, outputs });
}
