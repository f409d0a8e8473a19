import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Svr } from "../../kernels/svm.ts";
import type { KernelSpec } from "../../kernels/svm-kernel.ts";
import { type Machines, machineWeights } from "../../kernels/svm-predict.ts";
import type { Matrix } from "../../kernels/types.ts";
import type { SvcParameters } from "../svm.ts";
import { OnnxBuilder } from "./builder.ts";

/** Support vector regression as ONNX. */
export function svrOnnx(model: Svr, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  return graph.numbers(decisions(graph, model));
}

/** A support vector machine as ONNX: the pairs' machines vote, and without ties the first class with most votes wins. */
export function svcOnnx(model: SvcParameters, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const { classes } = model;
  const decided = decisions(graph, model);
  const sides = pairSides(classes);
  const forFirst = graph.add("Greater", [decided, graph.constant(Float64Array.of(0), [])]);
  const sign = graph.add("Where", [
    forFirst,
    graph.constant(Float64Array.of(1), []),
    graph.constant(Float64Array.of(-1), []),
  ]);
  // A class wins half of (its pairs + the sum of signs for it), which has the order of the votes.
  const plain = graph.add("MatMul", [sign, sides]);
  const votes = model.breakTies && classes > 2 ? firmer(graph, plain, graph.add("MatMul", [decided, sides])) : plain;
  const codes = graph.add("ArgMax", [votes], { axis: { int: 1 }, keepdims: { int: 0 } });
  return graph.classes(codes, model.sigmoidA.length > 0 ? coupled(graph, model) : undefined);

  function pairSides(k: number): string {
    const side = new Float64Array((k * (k - 1) * k) / 2);
    let pair = 0;
    for (let i = 0; i < k; i++) {
      for (let j = i + 1; j < k; j++) {
        side[pair * k + i] = 1;
        side[pair * k + j] = -1;
        pair++;
      }
    }
    return graph.constant(side, [pair, k]);
  }
}

/** The operators' names of the kernels. */
const kernelTypes = { linear: "LINEAR", poly: "POLY", rbf: "RBF", sigmoid: "SIGMOID" } as const;

/** Probabilities by coupling the pairs', for which only SVMClassifier has libsvm's iteration; it works in float32. */
function coupled(graph: OnnxBuilder, model: SvcParameters): string {
  const { spec, vectors, coef, intercept, counts, classes, sigmoidA, sigmoidB } = model;
  const rows = Float64Array.from(
    vectors.data,
    (_, k) => vectors.data[(k % vectors.d) * vectors.n + Math.floor(k / vectors.d)],
  );
  const floats = graph.add("Cast", ["x"], { to: { int: 1 } });
  const shares = graph.ml(
    "SVMClassifier",
    [floats],
    {
      classlabels_ints: { ints: Int32Array.from({ length: classes }, (_, k) => k) },
      coefficients: { floats: coef },
      kernel_params: { floats: Float64Array.of(spec.gamma, spec.coef0, spec.degree) },
      kernel_type: { text: kernelTypes[spec.name] },
      prob_a: { floats: sigmoidA },
      prob_b: { floats: sigmoidB },
      rho: { floats: intercept },
      support_vectors: { floats: rows },
      vectors_per_class: { ints: counts },
    },
    2,
  )[1];
  return graph.add("Cast", [shares], { to: { int: 11 } });
}

/** Signs with the firmness of the decisions, squeezed below what one vote changes. */
function firmer(graph: OnnxBuilder, signs: string, sums: string): string {
  const one = graph.constant(Float64Array.of(1), []);
  const squeezed = graph.add("Div", [sums, graph.add("Add", [graph.add("Abs", [sums]), one])]);
  // Two signs are one vote, so 2/3 here is the 1/3 of a vote that `voteSvc` allows.
  return graph.add("Add", [signs, graph.add("Mul", [squeezed, graph.constant(Float64Array.of(2 / 3), [])])]);
}

/** What each machine answers for each row: rows×machines. */
function decisions(graph: OnnxBuilder, model: Machines): string {
  const { vectors, intercept, spec } = model;
  const stretches = machineWeights(model);
  const weights = new Float64Array(vectors.n * intercept.length);
  stretches.forEach((parts, p) => {
    for (const { start, end, at, coef } of parts) {
      for (let s = start; s < end; s++) weights[p * vectors.n + s] = coef[at + s];
    }
  });
  return graph.affine(kernelTo(graph, vectors, spec), weights, intercept);
}

/** The kernel of every row with every support vector: rows×vectors. */
function kernelTo(graph: OnnxBuilder, vectors: Matrix, spec: KernelSpec): string {
  const scalar = (value: number) => graph.constant(Float64Array.of(value), []);
  const products = graph.add("MatMul", ["x", graph.constant(vectors.data, [vectors.d, vectors.n])]);
  if (spec.name === "linear") return products;
  if (spec.name === "rbf") {
    const own = graph.add("ReduceSum", [graph.add("Mul", ["x", "x"]), graph.constant(Int32Array.of(1))]);
    const squares = new Float64Array(vectors.n);
    vectors.data.forEach((value, k) => {
      squares[k % vectors.n] += value * value;
    });
    const both = graph.add("Add", [own, graph.constant(squares, [1, vectors.n])]);
    const apart = graph.add("Sub", [both, graph.add("Mul", [products, scalar(2)])]);
    return graph.add("Exp", [graph.add("Mul", [graph.add("Max", [apart, scalar(0)]), scalar(-spec.gamma)])]);
  }
  const inner = graph.add("Add", [graph.add("Mul", [products, scalar(spec.gamma)]), scalar(spec.coef0)]);
  return spec.name === "poly" ? graph.add("Pow", [inner, scalar(spec.degree)]) : graph.add("Tanh", [inner]);
}
