import type { BlockContext } from "../../core/block.ts";
import { cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { replaceColumns } from "../../core/scope.ts";
import type { Rbm } from "../../numerics/networks/rbm-room.ts";
import { hiddenRbm } from "../../numerics/networks/rbm-score.ts";
import type { Matrix } from "../../numerics/types.ts";
import { call, column, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

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

/**
 * The frame with hidden activations in the place of the features they come from.
 *
 * The rows at hand are written as a table; new rows take a plan that multiplies them, with the weights in a file.
 */
export async function withHidden(
  frame: Frame,
  features: readonly string[],
  rbm: Rbm,
  hidden: Matrix,
  learnt: readonly string[],
  context: BlockContext,
): Promise<Activated> {
  const others = frame.columns.map(({ name }) => name).filter((name) => !features.includes(name));
  const wanted = Array.from({ length: rbm.hidden }, (_, k) => `h${k + 1}`);
  const names = freshNames(wanted, others);
  const [input, activations] = freshNames(["rbm_input", "rbm_hidden"], [...others, ...names]);
  const vector = (name: string, length: number) => ({ name, type: "tensor", shape: [length] }) as const;
  // The bias comes first, so the input begins with a 1.
  const numbers = columnsNamed(frame.columns, features).map(cell);
  const gathered: Output = {
    column: vector(input, features.length + 1),
    expr: call("vector", value(1, "number"), ...numbers),
  };
  const multiplied: Output = {
    column: vector(activations, rbm.hidden),
    expr: call("dots", column(input, "tensor"), { artifact: await writeWeights(rbm, context) }),
  };
  const taken = names.map((name, k): Output => {
    const expr = call("sigmoid", call("partOf", column(activations, "tensor"), value(k)));
    return { column: { name, type: "number" }, expr };
  });
  const first = new Map(features.map((name, j) => [name, j === 0 ? [gathered] : []]));
  const packed = replaceColumns(frame, context, first);
  const mapped = replaceColumns(packed, context, new Map([[input, [multiplied]]]));
  const after = replaceColumns(mapped, context, new Map([[activations, taken]]), learnt);
  const columns = names.map((name, k) => ({
    column: { name, type: "number" } as const,
    values: hidden.data.subarray(k * hidden.n, (k + 1) * hidden.n),
  }));
  const artifact = await context.tables.writeTable(
    frame.relation,
    { columns: after.columns.map(({ name }) => name) },
    columns,
  );
  return { frame: { ...after, relation: { artifact, steps: [] } }, names };
}

/** The weights of each unit as a list: its bias, then one for each input. */
async function writeWeights({ hidden, visible, weights, hiddenBias }: Rbm, context: BlockContext): Promise<string> {
  const size = visible + 1;
  const items = new Float64Array(hidden * size);
  for (let unit = 0; unit < hidden; unit++) {
    items[unit * size] = hiddenBias[unit];
    items.set(weights.subarray(unit * visible, (unit + 1) * visible), unit * size + 1);
  }
  const start = Int32Array.from({ length: hidden + 1 }, (_, unit) => unit * size);
  return await context.tables.writeColumns([{ column: { name: "items", type: "tensor" }, values: { start, items } }]);
}
