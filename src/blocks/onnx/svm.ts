import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { KernelSpec } from "../../numerics/svm/kernel.ts";
import { linearCoefficients, type Machines, machineWeights } from "../../numerics/svm/predict.ts";
import type { Svr } from "../../numerics/svm/svm.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { SvcParameters } from "../models/svm.ts";
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
  return graph.classes(codes, model.sigmoidA.length > 0 ? coupled(graph, model, decided) : undefined);

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

/**
 * Probabilities by coupling the pairs', for which only SVMClassifier has libsvm's iteration; it works in float32.
 *
 * Its features are what the sigmoids take, worked out in doubles: of far or offset columns float32 would leave nothing.
 * Each pair has a vector of its own that picks its number, among those of the pair's first class.
 */
function coupled(graph: OnnxBuilder, { classes, sigmoidA, sigmoidB }: SvcParameters, decided: string): string {
  const pairs = sigmoidA.length;
  const slopes = graph.constant(sigmoidA, [1, pairs]);
  const inner = graph.add("Add", [graph.add("Mul", [decided, slopes]), graph.constant(sigmoidB, [1, pairs])]);
  const picks = new Float64Array(pairs * pairs);
  const coef = new Float64Array((classes - 1) * pairs);
  let pair = 0;
  for (let i = 0; i < classes; i++) {
    for (let j = i + 1; j < classes; j++) {
      picks[pair * pairs + pair] = 1;
      coef[(j - 1) * pairs + pair] = 1;
      pair++;
    }
  }
  const shares = graph.ml(
    "SVMClassifier",
    [graph.add("Cast", [inner], { to: { int: 1 } })],
    {
      classlabels_ints: { ints: Int32Array.from({ length: classes }, (_, k) => k) },
      coefficients: { floats: coef },
      kernel_params: { floats: new Float64Array(3) },
      kernel_type: { text: "LINEAR" },
      prob_a: { floats: new Float64Array(pairs).fill(1) },
      prob_b: { floats: new Float64Array(pairs) },
      rho: { floats: new Float64Array(pairs) },
      support_vectors: { floats: picks },
      vectors_per_class: { ints: Int32Array.from({ length: classes }, (_, k) => classes - 1 - k) },
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
  if (spec.name === "linear") return graph.affine("x", linearCoefficients(model), intercept);
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
  if (spec.name === "rbf")
    return graph.add("Exp", [graph.add("Mul", [distances(graph, vectors), scalar(-spec.gamma)])]);
  // A product times gamma would be fused by onnxruntime-web 1.30 (MatMulScaleFusion), which keeps factors in float32.
  const scaled = graph.constant(
    vectors.data.map((value) => value * spec.gamma),
    [vectors.d, vectors.n],
  );
  const inner = graph.add("Add", [graph.add("MatMul", ["x", scaled]), scalar(spec.coef0)]);
  return spec.name === "poly" ? power(graph, inner, spec.degree) : graph.add("Tanh", [inner]);
}

/** Squared distances of every row to every support vector, from where the vectors' middle is: far columns lose no digits. */
function distances(graph: OnnxBuilder, { n, d, data }: Matrix): string {
  const middle = Float64Array.from({ length: d }, (_, j) => {
    const column = data.subarray(j * n, (j + 1) * n);
    return column.reduce((sum, value) => sum + value, 0) / n;
  });
  const centred = data.map((value, k) => value - middle[Math.floor(k / n)]);
  const squares = new Float64Array(n);
  centred.forEach((value, k) => {
    squares[k % n] += value * value;
  });
  const x = graph.add("Sub", ["x", graph.constant(middle, [1, d])]);
  const own = graph.add("ReduceSum", [graph.add("Mul", [x, x]), graph.constant(Int32Array.of(1))]);
  const both = graph.add("Add", [own, graph.constant(squares, [1, n])]);
  const products = graph.add("MatMul", [x, graph.constant(centred, [d, n])]);
  const apart = graph.add("Sub", [both, graph.add("Mul", [products, graph.constant(Float64Array.of(2), [])])]);
  return graph.add("Max", [apart, graph.constant(Float64Array.of(0), [])]);
}

/** A whole power, by squaring as the prediction does it. */
function power(graph: OnnxBuilder, base: string, degree: number): string {
  let out: string | null = null;
  let factor = base;
  for (let left = degree; left > 0; left >>= 1) {
    if (left & 1) out = out === null ? factor : graph.add("Mul", [out, factor]);
    if (left > 1) factor = graph.add("Mul", [factor, factor]);
  }
  return out ?? graph.add("Pow", [base, graph.constant(Float64Array.of(0), [])]);
}
