import { DataError } from "../../core/errors.ts";
import type { ModelFile } from "../../core/model.ts";
import { quoted } from "../../core/names.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import { renamed } from "../../core/onnx-nodes.ts";
import type { Recipe } from "../../numerics/search/recipe.ts";
import { OnnxBuilder } from "../onnx/builder.ts";
import type { AutoParameters } from "./auto-model.ts";
import type { Member } from "./fit.ts";
import { trainerOf } from "./trainer.ts";

/** A searched model as ONNX: each member's preparation, its own operators, and the weighted sum of what they answer. */
export function autoOnnx(file: ModelFile): OnnxGraph {
  const { weights, members } = file.parameters as AutoParameters;
  const graph = new OnnxBuilder(file);
  const labels = file.classes?.length ?? 0;
  const answers = members.map((member, k) => included(graph, member, k, file));
  if (members.length === 1 && file.classes) {
    const [{ codes, shares }] = answers;
    return graph.classes(codes as string, shares);
  }
  const weighted = answers.map(({ numbers, shares }, k) =>
    graph.add("Mul", [numbers ?? (shares as string), graph.constant(Float64Array.of(weights[k]), [])]),
  );
  const sum =
    members.length === 1 ? (answers[0].numbers as string) : weighted.reduce((a, b) => graph.add("Add", [a, b]));
  return labels > 0 ? graph.probabilities(sum) : graph.numbers(sum);
}

/** What a member answers: numbers, or the codes of its classes among all labels, and their shares where it has any. */
interface Included {
  readonly numbers?: string;
  readonly codes?: string;
  readonly shares?: string;
}

/** Adds a member's operators, behind those of its preparation. */
function included(
  graph: OnnxBuilder,
  { pipeline, recipe, parameters, present }: Member,
  k: number,
  file: ModelFile,
): Included {
  const { name, onnx } = trainerOf(pipeline.helper, file.helper);
  if (!onnx) {
    throw new DataError(
      `Model ${quoted(file.model_name)} of ${file.helper} (${file.function_code}) has no ONNX form, since ${name} in it has none. Search with models: [...] without ${name}, or take the model as JSON.`,
      { code: "no_onnx", path: "format", got: "onnx", expected: ["json"] },
    );
  }
  const x = recipe ? prepared(graph, recipe) : "x";
  const classes = file.classes && Array.from(present, (_, code) => code);
  const features = recipe
    ? Array.from(recipe.from, (_, j) => ({ name: `f${j}`, type: "number" as const }))
    : file.features;
  const model = onnx(parameters, { ...file, model_name: file.model_name, features, classes });
  const part = renamed(model, (own) => (own === "x" ? x : `member_${k}:${own}`));
  graph.nodes.push(...part.nodes);
  Object.assign(graph.constants, part.constants);
  const answer = (output: string) =>
    model.outputs.some(({ name }) => name === output) ? `member_${k}:${output}` : undefined;
  const answered = answer("y_pred") as string;
  if (!file.classes) return { numbers: answered };
  const own = answer("y_proba");
  const isAll = present.length === file.classes.length;
  const codes = isAll ? answered : graph.add("Gather", [graph.constant(present), answered]);
  if (own === undefined) return { codes };
  return { codes, shares: isAll ? own : graph.add("MatMul", [own, placesOf(graph, present, file.classes.length)]) };
}

/** A 1 where a member's class stands among all, for one that learnt from rows without some of them. */
function placesOf(graph: OnnxBuilder, present: Int32Array, labels: number): string {
  const places = new Float64Array(present.length * labels);
  for (const [k, code] of present.entries()) places[k * labels + code] = 1;
  return graph.constant(places, [present.length, labels]);
}

/** The features that a recipe makes of the columns: filled, 1 for a category, scaled. */
function prepared(graph: OnnxBuilder, { from, level, fill, shift, scale }: Recipe): string {
  const d = from.length;
  const row = (values: Float64Array) => graph.constant(values, [1, d]);
  const taken = graph.add("Gather", ["x", graph.constant(from)], { axis: { int: 1 } });
  let made = graph.add("Where", [graph.add("IsNaN", [taken]), row(fill), taken]);
  if (level.some((code) => code >= 0)) {
    const isLevel = graph.add("Cast", [graph.add("Equal", [made, row(Float64Array.from(level))])], { to: { int: 11 } });
    const isCategory = graph.constant(
      Array.from(level, (code) => code >= 0),
      [1, d],
    );
    made = graph.add("Where", [isCategory, isLevel, made]);
  }
  if (shift.some((centre) => centre !== 0)) made = graph.add("Sub", [made, row(shift)]);
  return scale.some((width) => width !== 1) ? graph.add("Div", [made, row(scale)]) : made;
}
