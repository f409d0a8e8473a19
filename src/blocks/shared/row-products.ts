import type { BlockContext } from "../../core/block.ts";
import { type Frame, otherNames } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { replaceColumns } from "../../core/scope.ts";
import type { Matrix } from "../../numerics/types.ts";
import { call, column, type Expr, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";

/** What stands in the place of features: a column for each row of weights, made of the inputs' product with it. */
export interface RowProducts {
  readonly features: readonly string[];
  /** What is multiplied, made of the features. */
  readonly inputs: readonly Expr[];
  /** names.length × inputs.length numbers, row by row. */
  readonly weights: Float64Array;
  readonly names: readonly string[];
  /** What a column makes of its product. */
  readonly made: (product: Expr) => Expr;
  /** The columns of the rows at hand, missing as NaN. */
  readonly values: Matrix;
}

/**
 * The frame with products in the place of the features that they come from.
 *
 * The rows at hand are written as a table; new rows take a plan that multiplies them, with the weights in a file.
 * `learnt`: the columns whose values decided the weights.
 */
export async function withProducts(
  frame: Frame,
  { features, inputs, weights, names, made, values }: RowProducts,
  learnt: readonly string[],
  context: BlockContext,
): Promise<Frame> {
  const [input, products] = freshNames(["inputs", "products"], [...otherNames(frame, features), ...names]);
  const vector = (name: string, length: number) => ({ name, type: "tensor", shape: [length] }) as const;
  const gathered: Output = { column: vector(input, inputs.length), expr: call("vector", ...inputs) };
  const artifact = await writeLists(weights, names.length, context);
  const multiplied: Output = {
    column: vector(products, names.length),
    expr: call("dots", column(input, "tensor"), { artifact }),
  };
  const taken = names.map((name, k): Output => {
    return { column: { name, type: "number" }, expr: made(call("partOf", column(products, "tensor"), value(k))) };
  });
  // The first feature gives way to the list of inputs, the others go.
  const first = new Map(features.map((name, j) => [name, j === 0 ? [gathered] : []]));
  const packed = replaceColumns(frame, context, first);
  const mapped = replaceColumns(packed, context, new Map([[input, [multiplied]]]));
  const after = replaceColumns(mapped, context, new Map([[products, taken]]), learnt);
  const columns = names.map((name, k) => ({
    column: { name, type: "number" } as const,
    values: values.data.subarray(k * values.n, (k + 1) * values.n),
  }));
  const selection = { columns: after.columns.map(({ name }) => name) };
  const written = await context.tables.writeTable(frame.relation, selection, columns);
  return { ...after, relation: { artifact: written, steps: [], holds: { made: "same", of: after.relation } } };
}

async function writeLists(items: Float64Array, count: number, { tables }: BlockContext): Promise<string> {
  const size = items.length / count;
  const start = Int32Array.from({ length: count + 1 }, (_, k) => k * size);
  return await tables.writeColumns([{ column: { name: "items", type: "tensor" }, values: { start, items } }]);
}
