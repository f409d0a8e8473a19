import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { withStep } from "../../core/scope.ts";
import { call, column, type Expr, numberList, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";

/** So many centres and numbers of them stand in a plan; more would make each later block slow. */
const mostCentres = 64;
const mostNumbers = 4096;

/**
 * How a row that comes later gets its cluster: by the nearest centre, in two nodes before the one with the column.
 *
 * The nearest centre c is where x·c − ‖c‖²/2 is greatest. With many centres the cluster of new rows is missing.
 */
export function clusterOfNew(
  frame: Frame,
  features: readonly string[],
  centres: Float64Array,
  context: BlockContext,
): { readonly frame: Frame; readonly expr: Expr } {
  const d = features.length;
  const k = centres.length / d;
  if (k > mostCentres || centres.length > mostNumbers) return { frame, expr: value(null, "integer") };
  const taken = frame.columns.map(({ name }) => name);
  const [list, ...nears] = freshNames(["features", ...Array.from({ length: k }, (_, c) => `near_${c}`)], taken);
  const together: Column = { name: list, type: "tensor" };
  const gathered = withOutputs(frame, context, [
    { column: together, expr: call("vector", ...columnsNamed(frame.columns, features).map(cell)) },
  ]);
  const scored = withOutputs(
    gathered,
    context,
    nears.map((name, c): Output => {
      const centre = centres.subarray(c * d, (c + 1) * d);
      const half = centre.reduce((sum, each) => sum + each * each, 0) / 2;
      const product = call("dot", { column: list, type: "tensor" }, numberList(centre));
      return { column: { name, type: "number" }, expr: call("subtract", product, value(half, "number")) };
    }),
    list,
  );
  const scores = nears.map((name) => column(name, "number"));
  const best = k === 1 ? scores[0] : call("greatest", ...scores);
  let expr: Expr = value(null, "integer");
  for (let c = k - 1; c >= 0; c--) {
    expr = call("choose", call("greaterEqual", scores[c], best), value(c, "integer"), expr);
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
