import type { BlockContext } from "../../core/block.ts";
import { cell, columnsNamed, type Frame, otherNames } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import type { Rbm } from "../../numerics/networks/rbm-room.ts";
import { hiddenRbm } from "../../numerics/networks/rbm-score.ts";
import type { Matrix } from "../../numerics/types.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { withProducts } from "../shared/row-products.ts";

/** Fewer rows than this are not worth a worker of their own. */
const leastRows = 512;

/** Hidden probabilities of rows, shared out over the workers; the same numbers on any number of them. */
export async function hiddenOf(rbm: Rbm, x: Matrix, context: BlockContext): Promise<Matrix> {
  return await computeRows(context, hiddenRbm, { rbm, x: matrixOf(x) }, "hidden activations", leastRows);
}

/** What a machine makes of a frame. */
export interface Activated {
  readonly frame: Frame;
  /** The new columns, h1 first. */
  readonly names: readonly string[];
}

/** The frame with hidden activations in the place of the features they come from. */
export async function withHidden(
  frame: Frame,
  features: readonly string[],
  rbm: Rbm,
  hidden: Matrix,
  learnt: readonly string[],
  context: BlockContext,
): Promise<Activated> {
  const wanted = Array.from({ length: rbm.hidden }, (_, k) => `h${k + 1}`);
  const names = freshNames(wanted, otherNames(frame, features));
  // The bias comes first, so the input begins with a 1.
  const inputs = [value(1, "number"), ...columnsNamed(frame.columns, features).map(cell)];
  const sigmoid = (product: Expr) => call("sigmoid", product);
  const products = { features, inputs, weights: weightsOf(rbm), names, made: sigmoid, values: hidden };
  const after = await withProducts(frame, products, learnt, context);
  // A table of its own: a cross-validation trains no machine anew, and has to know that.
  return { frame: { ...after, relation: { artifact: after.relation.artifact, steps: [] } }, names };
}

/** The weights of each unit: its bias, then one for each input. */
function weightsOf({ hidden, visible, weights, hiddenBias }: Rbm): Float64Array {
  const size = visible + 1;
  const items = new Float64Array(hidden * size);
  for (let unit = 0; unit < hidden; unit++) {
    items[unit * size] = hiddenBias[unit];
    items.set(weights.subarray(unit * visible, (unit + 1) * visible), unit * size + 1);
  }
  return items;
}
