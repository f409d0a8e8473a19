import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Boosted } from "../../numerics/boost/boosted.ts";
import { OnnxBuilder } from "./builder.ts";
import { leafValues } from "./tree-leaves.ts";

/** Boosted trees as ONNX: the values of each tree's leaf are added up as doubles. Missing cells are NaN. */
export function boostedOnnx(model: Boosted, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const { width, baseline, loss } = model;
  const trees = model.offsets.length - 1;
  const { x, feature, threshold } = askedOf(model, graph);
  const values = leafValues(graph, { ...model, feature, threshold, width: 1 }, x);
  const rounds = graph.add("Reshape", [values, graph.constant(Int32Array.of(-1, trees / width, width))]);
  const sum = graph.add("ReduceSum", [rounds, graph.constant(Int32Array.of(1))], { keepdims: { int: 0 } });
  const raw = graph.add("Add", [sum, graph.constant(baseline, [1, width])]);
  if (loss === "poisson") return graph.numbers(graph.add("Exp", [raw]));
  if (loss !== "log_loss") return graph.numbers(raw);
  if (width > 1) return graph.probabilities(graph.add("Softmax", [raw], { axis: { int: 1 } }));
  const second = graph.add("Sigmoid", [raw]);
  const first = graph.add("Sub", [graph.constant(Float64Array.of(1), []), second]);
  return graph.probabilities(graph.add("Concat", [first, second], { axis: { int: 1 } }));
}

/** What the nodes ask: a node by categories has a column of its own behind the features, 0 where a row goes left. */
function askedOf(model: Boosted, graph: OnnxBuilder) {
  const { categories, setAt, sets, missing } = model;
  const feature = model.feature.slice();
  const threshold = thresholdsOf(model);
  const columns = ["x"];
  let width = model.d;
  for (const [j, kinds] of categories.entries()) {
    const nodes = Array.from(model.feature.keys()).filter((k) => model.feature[k] === j && setAt[k] >= 0);
    if (nodes.length === 0) continue;
    // A row for each category, and the last for what is missing.
    const right = new Float64Array((kinds + 1) * nodes.length);
    for (const [at, k] of nodes.entries()) {
      feature[k] = width + at;
      threshold[k] = 0.5;
      for (let code = 0; code < kinds; code++) {
        right[code * nodes.length + at] = (sets[8 * setAt[k] + (code >> 5)] >>> (code & 31)) & 1 ? 0 : 1;
      }
      right[kinds * nodes.length + at] = missing[k] === 1 ? 0 : 1;
    }
    const codes = graph.add("Gather", ["x", graph.constant(Int32Array.of(j), [])], { axis: { int: 1 } });
    const isKnown = graph.add("Less", [codes, graph.constant(Float64Array.of(kinds), [])]);
    const places = graph.add("Where", [isKnown, codes, graph.constant(Float64Array.of(kinds), [])]);
    const rows = graph.add("Cast", [places], { to: { int: 7 } });
    columns.push(graph.add("Gather", [graph.constant(right, [kinds + 1, nodes.length]), rows]));
    width += nodes.length;
  }
  const x = columns.length > 1 ? graph.add("Concat", columns, { axis: { int: 1 } }) : "x";
  return { x, feature, threshold };
}

/** Behind the last edge all numbers go left, and what is missing goes right. */
function thresholdsOf({ feature, bin, edges, edgeStarts }: Boosted): Float64Array {
  return Float64Array.from(feature, (j, k) =>
    j < 0 ? 0 : edgeStarts[j] + bin[k] < edgeStarts[j + 1] ? edges[edgeStarts[j] + bin[k]] : Number.MAX_VALUE,
  );
}
