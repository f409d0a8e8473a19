import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Linear, linearOfProducts, type ProductsInput } from "../../numerics/linear/linear.ts";
import type { ProductSums } from "../../numerics/linear/products.ts";
import { call, type Expr, numberList, value } from "../../plan/expr.ts";
import type { FarAnswer } from "../models/model-types.ts";
import { type FarColumns, farProducts, numberOf } from "../shared/far-products.ts";

/** Sums of products of a cluster's features and target, and what was taken off each. */
export interface FarSums {
  readonly parts: readonly ProductSums[];
  readonly shift: Float64Array;
}

/** What a linear fit needs of a cluster's rows; about the means where there is an intercept. */
export async function farSums(far: FarColumns, intercept: boolean, context: BlockContext): Promise<FarSums> {
  const shift = intercept ? far.mean : new Float64Array(far.mean.length);
  return { parts: [await farProducts(far, shift, context)], shift };
}

/** Least squares by sums of products; columns that may be sums of others are looked at once more. */
export async function farLeastSquares(
  far: FarColumns,
  { intercept, tolerance }: { readonly intercept: boolean; readonly tolerance?: number },
  who: string,
  context: BlockContext,
  sums?: FarSums,
): Promise<Linear> {
  const { parts, shift } = sums ?? (await farSums(far, intercept, context));
  const input: ProductsInput = { parts, shift, intercept, ...(tolerance === undefined ? {} : { tolerance }) };
  let found = await context.compute(linearOfProducts, input, "least squares");
  if (found.kind === "dependent") {
    const left = await whatIsLeft(far, found, context);
    found = await context.compute(linearOfProducts, { ...input, left });
  }
  if (found.kind === "fitted") return found;
  throw new DataError(
    `${who}: the features nearly depend on each other, differ too much in size, or are as many as the rows, so sums of products on Spark lose too many digits; scale them with scale (DP_5), drop one of those that say the same, take ridge (BL_RIDGE), or bring the rows here by collect().`,
    { code: "lost_digits" },
  );
}

/** The squared lengths of what the kept columns leave of the others. */
async function whatIsLeft(
  { columns, relation, rows }: FarColumns,
  { kept, others, made, means }: { kept: Int32Array; others: Int32Array; made: Float64Array; means: Float64Array },
  { tables }: BlockContext,
): Promise<Float64Array> {
  const centred = (j: number) => call("subtract", numberOf(columns[j]), value(means[j], "number"));
  const squares = Array.from(others, (other, k) => {
    const shares = made.subarray(k * kept.length, (k + 1) * kept.length);
    // A column without any length of its own is made of none.
    const own =
      kept.length === 0
        ? value(0, "number")
        : call("dot", call("vector", ...Array.from(kept, centred)), numberList(shares));
    const rest = call("subtract", centred(other), own);
    return call("sum", call("multiply", rest, rest));
  });
  const found = await tables.aggregate(relation, rows, squares);
  return Float64Array.from(found, (each) => (each === null ? Number.NaN : Number(each)));
}

/** A linear model's answer for a row. */
export function lineAnswer(
  { coef, intercept }: { readonly coef: Float64Array; readonly intercept: Float64Array },
  x: readonly Expr[],
): FarAnswer {
  return { kind: "number", value: lineOf(x, coef, intercept[0]) };
}

/** A weighted sum of features and a constant. */
export function lineOf(x: readonly Expr[], coef: Float64Array, constant: number): Expr {
  return call("add", call("dot", call("vector", ...x), numberList(coef)), value(constant, "number"));
}
