import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import { type Terms, termPowers } from "../../numerics/linear/polynomial.ts";
import { OnnxBuilder } from "./builder.ts";

interface Affine {
  readonly coef: Float64Array;
  readonly intercept: Float64Array;
}

/** Linear regression as ONNX. */
export function linearOnnx({ coef, intercept }: Affine, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  return graph.numbers(graph.affine("x", coef, intercept));
}

/** Poisson regression as ONNX: the exponential of a linear regression. */
export function poissonOnnx({ coef, intercept }: Affine, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  return graph.numbers(graph.add("Exp", [graph.affine("x", coef, intercept)]));
}

/** Polynomial regression as ONNX: the k-th factors of all terms are gathered and multiplied, with 1 where a term has none. */
export function polynomialOnnx(
  { terms, coef, intercept }: Affine & { readonly terms: Terms },
  file: ModelFile,
): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const factors = Array.from(coef, (_, t) =>
    termPowers(terms, t).flatMap(([j, power]) => Array<number>(power).fill(j)),
  );
  const degree = Math.max(...factors.map((each) => each.length));
  const pads = graph.constant(Int32Array.of(0, 0, 0, 1));
  const padded = graph.add("Pad", ["x", pads, graph.constant(Float64Array.of(1), [])]);
  const factor = (k: number) => {
    const columns = Int32Array.from(factors, (each) => each[k] ?? terms.d);
    return graph.add("Gather", [padded, graph.constant(columns)], { axis: { int: 1 } });
  };
  let product = factor(0);
  for (let k = 1; k < degree; k++) product = graph.add("Mul", [product, factor(k)]);
  return graph.numbers(graph.affine(product, coef, intercept));
}

/** Logistic regression as ONNX: one row of coefficients speaks for the second of two classes. */
export function logisticOnnx({ coef, intercept }: Affine & { readonly classes: number }, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const scores = graph.affine("x", coef, intercept);
  if (intercept.length > 1) return graph.probabilities(graph.add("Softmax", [scores], { axis: { int: 1 } }));
  const both = [graph.add("Sigmoid", [graph.add("Neg", [scores])]), graph.add("Sigmoid", [scores])];
  return graph.probabilities(graph.add("Concat", both, { axis: { int: 1 } }));
}
