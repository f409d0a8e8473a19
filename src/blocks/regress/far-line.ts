import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell } from "../../core/frame.ts";
import { freshNames } from "../../core/names.ts";
import { type Linear, linearOfProducts, type ProductsInput } from "../../numerics/linear/linear.ts";
import type { ProductSums } from "../../numerics/linear/products.ts";
import type { RidgeDirections } from "../../numerics/linear/ridge.ts";
import { call, type Expr, numberList, value } from "../../plan/expr.ts";
import { addStep, type Output, type Relation } from "../../plan/node.ts";
import type { FarAnswer } from "../models/model-types.ts";
import { type FarColumns, farProducts, farProductsOf, numberOf, shiftsOf } from "../shared/far-products.ts";

/** Sums of products of a cluster's features and target, and what was taken off each. */
export interface FarSums {
  readonly parts: readonly ProductSums[];
  readonly shift: Float64Array;
}

/** What a linear fit needs of a cluster's rows, or of runs of them; about the means where there is an intercept. */
export async function farSums(
  far: FarColumns,
  intercept: boolean,
  context: BlockContext,
  runs?: readonly { readonly from: number; readonly to: number }[],
): Promise<FarSums> {
  const shift = intercept ? shiftsOf(far) : new Float64Array(far.mean.length);
  if (!runs) return { parts: [await farProducts(far, shift, context)], shift };
  return { parts: await farProductsOf(far, shift, runs, context), shift };
}

/** The squared errors by which each strength of a ridge foretells each of a cluster's rows from all others, added up. */
export async function leftOutErrors(
  { columns, relation, rows }: FarColumns,
  { vectors, target, weights, means, constant }: RidgeDirections,
  { tables, block: { id, name } }: BlockContext,
): Promise<Float64Array> {
  const d = columns.length - 1;
  const y = columns[d];
  const taken = columns.map((each) => each.name);
  const called = freshNames(["x", "along", "squares", ...Array.from({ length: d }, (_, k) => `along ${k}`)], taken);
  const [x, along, squares] = called.slice(0, 3).map((each): Column => ({ name: each, type: "tensor" }));
  const each = called.slice(3).map((own): Column => ({ name: own, type: "number" }));
  const then = (before: Relation, made: readonly (readonly [Column, Expr])[]): Relation => {
    const outputs = [{ column: y }, ...made.map(([column, expr]): Output => ({ column, expr }))];
    return addStep(before, { block: id, name, outputs });
  };
  const number = (of: number) => value(of, "number");
  const centred = columns.slice(0, d).map((own, j) => call("subtract", numberOf(own), number(means[j])));
  let plan = then(relation, [[x, call("vector", ...centred)]]);
  const direction = (k: number) => numberList(vectors.subarray(k * d, (k + 1) * d));
  plan = then(
    plan,
    each.map((own, k) => [own, call("dot", cell(x), direction(k))] as const),
  );
  plan = then(plan, [
    [along, call("vector", ...each.map(cell))],
    [squares, call("vector", ...each.map((own) => call("multiply", cell(own), cell(own))))],
  ]);
  const asked = weights.map((weight) => {
    const fitted = call("dot", cell(along), numberList(weight.map((own, k) => own * target[k])));
    const left = call("subtract", number(1 - constant), call("dot", cell(squares), numberList(weight)));
    const error = call("divide", call("subtract", call("subtract", numberOf(y), number(means[d])), fitted), left);
    return call("sum", call("multiply", error, error));
  });
  const found = await tables.aggregate(plan, rows, asked);
  return Float64Array.from(found, (sum) => (sum === null ? Number.NaN : Number(sum)));
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

/** The squared lengths of what the kept columns leave of the others, at most: all rows as far off as the farthest one. */
async function whatIsLeft(
  { columns, relation, rows, n }: FarColumns,
  { kept, others, made, means }: { kept: Int32Array; others: Int32Array; made: Float64Array; means: Float64Array },
  { tables }: BlockContext,
): Promise<Float64Array> {
  const centred = (j: number) => call("subtract", numberOf(columns[j]), value(means[j], "number"));
  const farthest = Array.from(others, (other, k) => {
    const shares = made.subarray(k * kept.length, (k + 1) * kept.length);
    // A column without any length of its own is made of none.
    const own =
      kept.length === 0
        ? value(0, "number")
        : call("dot", call("vector", ...Array.from(kept, centred)), numberList(shares));
    return call("max", call("abs", call("subtract", centred(other), own)));
  });
  const found = await tables.aggregate(relation, rows, farthest);
  return Float64Array.from(found, (each) => (each === null ? Number.NaN : n * Number(each) ** 2));
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
